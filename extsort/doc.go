// Package extsort sorts more elements than memory holds: a stream in, a stream in order out,
// and sorted runs on disk between them. The order is a [sorter.Ordering], and always stable.
// Input that fits in memory never touches a disk.
//
// Elements of a type without pointers go to disk as they are in memory: see [New]. Any others
// are encoded by a [Codec], such as [Strings]: see [NewCoded]. A [Sorter] takes elements one by
// one or in slices, from several goroutines by an [Appender] each; [Sort] is the short form for
// one key.
//
// # Memory
//
// [MemoryLimit] bounds the memory of a sort. A sixteenth of it or more is for the indices of the runs. The
// rest holds two halves for elements, of
// which one is filled while the other is written, and what package sorter takes to sort one of them, see
// [sorter.Ordering.ScratchBytes]: for an element of 24 bytes and two workers 205 bytes in a run of
// 100,000, and 84 of a million. While runs are merged the same memory holds the parts that are read, sorted
// and handed out, and blocks that are read ahead.
//
// Blocks grow with the input, so that indices stay in their share, up to a ninth of a part. From then on
// the indices grow with the input: elements of 24 bytes take 32 bytes of index a block, whose most elements
// are 455 with a limit of 4 MiB. A run takes about 400 bytes beside, and a merge 8 bytes for each of its
// parts and runs. Runs and parts leave them up to an eighth of the memory. What is more passes the limit,
// and [Stats] has it in Memory. With two workers:
//
//	                  rows of 24 bytes  lines of 100 bytes
//	10 times  1 MiB               5 %                 6 %
//	50 times  1 MiB              60 %                69 %
//	10 times  4 MiB                 0                   0
//	50 times  4 MiB                 0                18 %
//	50 times 16 MiB                 0                 2 %
//	50 times 64 MiB                 0                   0
//
// An index holds the first element of each block: of 10 MB in elements of 1000 bytes, a limit of 512 KiB
// is passed by 2.5 MB. Package sorter keeps memory of sorts of up to 4096 elements for later ones, 100 to
// 450 KB for each processor. Limits of less than 2 MiB do not count it, and of 6 MiB not all.
//
// Coded elements are encoded when they are appended, into chunks that are taken as they are
// needed. Beside its encoding an element takes 12 bytes, and while its run is sorted the size of
// its type and scratch memory. A run ends where no more could be sorted while another run of
// that size is written. Strings and byte slices point to their encoding while they are sorted;
// decoded elements of other codecs are counted as long as their encoding. Copies that
// [Sorter.All] yields are the caller's, and not counted; [Sorter.Batches] yields none.
//
// The index of a run takes 24 bytes for a block, and its first element if that is short: up to 128 bytes or
// a 256th of a block. A longer one is in memory where the indices have room for it, and otherwise read from
// disk once more before the merge. So 800 lines of 4 KB take 20 to 30 KB of index with a limit of 256 KiB. Blocks
// have up to a 256th of the memory, or a 32nd where the indices demand it.
//
// A sixteenth or less is for compression: two batches of blocks, and for each goroutine that
// compresses the tables of its encoder, 80 KiB for S2 and 1 MiB for Zstandard. A reader of
// compressed runs has memory for some decompressed blocks, and 256 KiB for a decoder of Zstandard.
//
// Each appender fills a piece, a 256th of the memory or less. When the memory is taken, the
// elements of the appender that has most are written, so runs are shorter than those of one
// goroutine.
//
// The garbage collector's own share, and the stack, are not counted. Scratch memory of another size than a
// sort takes does not wait for the collector: its pages are given back before others are taken.
//
// # Runs
//
// A run is written once, past the page cache where the file system allows it, in a file
// without a name: when the process ends, whatever ends it, its space is free. There is one
// such file in each directory of [TempDir]. Space is reserved before a run is written, so a
// full disk is found before any work is lost. It is given back while the output is read if the
// disk has less free than twice the runs, or with a [DiskLimit], and otherwise when that ends: each
// hole stops all reads for 2 ms. Quotas of users are not known.
//
// Reads and writes past the page cache are calls that wait, up to five at a time, and each keeps one
// of GOMAXPROCS places for a while. On two processors a program whose GOMAXPROCS is 4 to 8 reads
// its output in up to a quarter less time.
//
// A run is cut into blocks. Each has a checksum (xxHash64) of its bytes, of its number, and of
// the number of the sort and the run, which are random: a damaged block, one of another run or
// one at another place is found before any element of it is handed out. The checksums and short first
// elements of blocks stay in memory; files hold elements only. A coded element is its
// length in bytes, as a varint, and its encoding. Blocks hold whole elements; one that is longer
// than a block has a block of its own.
//
// # Compression
//
// Each block is stored as it is, or compressed: see [Compress]. Checksums are those of the bytes on
// disk, and are compared before a block is decompressed. [Adaptive] measures the times of writes
// and of the sort, and compresses a sample of each few megabytes. Only where the sort had to wait
// for a run that was not compressed are the next ones, if the measured times say that it pays;
// after some of them one is left as it is, to see whether the sort still waits. So the first run is
// never compressed, and on a fast disk none. Space on disk is reserved for a run without
// compression, and its unused end is given back; where there is not enough, space is reserved as it
// is needed.
//
// # Merge
//
// Runs are not merged element by element. Splitters, taken from the first elements of blocks,
// cut all runs into ranges of keys. A range is read from all runs: at once, by the asynchronous reads of
// Linux, where there is memory for it and the file is read past the page cache, or one after the other. It is
// sorted again by the radix sort of package sorter, which takes the same time for two runs
// and for a thousand; ranges are independent of each other, so all workers take part. A
// splitter is an element at a place in a run, so elements that tie with it are cut by run and
// place: no input makes a range larger than its buffer. The idea is that of the sorted run
// merger of DuckDB (pull request 17584, 2025) and of the range splitter of TiDB's global sort.
//
// # Kept runs
//
// With [Keep] the file of runs has a name. A run is followed by its index: of each block its
// checksum, its method, its length and, if it is compressed, its length on disk. It is synced, and
// then the manifest is replaced, which lists all runs, with the checksums of their indices and the
// number of elements that they have of each appender. So a crash loses the elements in memory, and
// [Resume] goes on after the others. A manifest is one line of JSON and its checksum. The lock is
// that of the system (flock), which ends with the process; where there is none, such as on Windows,
// it is a file with the number of the process, to be removed by hand after a crash. Files are
// readable by their owner only. They are for the same version of this module and the same kind of
// machine.
//
// # Errors
//
// An error of a disk is a [DiskError]. Elements that were accepted stay: [Sorter.Retry] or
// [Sorter.AddDir] goes on after space was made. Panics of key functions reach the caller. An error
// of a codec, or a panic in its Decode, is a [CodecError].
package extsort
