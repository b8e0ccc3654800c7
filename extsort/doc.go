// Package extsort sorts more elements than memory holds: a stream in, a stream in order out,
// and sorted runs on disk between them. The order is a [sorter.Ordering], and always stable.
// Input that fits in memory never touches a disk.
//
// Elements of a type without pointers go to disk as they are in memory: see [New]. Structs with
// strings are encoded by fields: see [NewStruct]. Others are by a [Codec]: see [NewCoded]. A [Sorter] takes elements one by
// one or in slices, from several goroutines by an [Appender] each; [Sort] is the short form for
// one key.
//
// # Memory
//
// [MemoryLimit] bounds the memory of a sort: its elements, encoded or not, the scratch memory in
// which they are sorted, the indices of the runs, and blocks that are read ahead or compressed. Not
// counted are the share of the garbage collector, the stack, and copies that [Sorter.All] yields;
// [Sorter.Batches] yields none. Indices grow with the input: one of 50 times the limit passes limits
// of 1 MiB by up to 69 %, and of 64 MiB not at all. Limits of a few MiB do not count the memory that
// package sorter keeps for short sorts, 100 to 450 KB for each processor. [Stats] has the memory
// taken. DESIGN.md in the folder of the package has the account.
//
// # Runs
//
// A run is in a file without a name, one in each directory of [TempDir]: when the process ends,
// whatever ends it, its space is free. Space is reserved before a run is written, so a full disk is
// found before any work is lost. Quotas of users are not known. Each block of a run has a checksum of
// its bytes, its place, its run and its sort. A damaged block is found before any element of
// it is handed out. Blocks are stored as they are or compressed, see [Compress].
//
// Reads and writes past the page cache keep up to five of GOMAXPROCS places for a while. On two
// processors a program whose GOMAXPROCS is 4 to 8 reads its output in up to a quarter less time.
//
// # Kept runs
//
// With [Keep] the file of runs has a name, and a manifest lists its runs. A crash loses the elements
// in memory, and [Resume] goes on after the others. Files are readable by their owner only. They are
// for the same version of this module and the same kind of machine. A lock ends with the process;
// where the system has none (flock), such as on Windows, it is a file with the number of the process,
// to be removed by hand after a crash.
//
// # Errors
//
// An error of a disk is a [DiskError]. Elements that were accepted stay: [Sorter.Retry] or
// [Sorter.AddDir] goes on after space was made. Panics of key functions reach the caller. An error
// of a codec, or a panic in its Decode, is a [CodecError].
//
// # Streams
//
// [Merge] merges streams that are in order, in memory and on all processors. [Incremental] sorts one in
// order by some columns.
package extsort
