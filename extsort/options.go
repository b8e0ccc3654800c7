package extsort

import (
	"context"
	"fmt"
	"math"

	"example.com/sorter"
	"example.com/sorter/internal/cgroup"
	"example.com/sorter/internal/spill"
)

// Option changes how a Sorter works.
type Option func(*options)

type options struct {
	memory    int64 // bytes, 0: a quarter of the free memory
	dirs      []string
	diskLimit int64 // bytes, 0: any number
	limit     int64 // elements of the result, 0: all
	unique    bool
	equal     equal // of Merge
	combine   any   // func(a, b E) E
	eager     bool
	workers   int // 0: GOMAXPROCS
	ctx       context.Context
	report    *Stats
	progress  func(Progress)
	engine    sorter.Backend
	compress  Compression
	packs     packs
	keep      string // directory of runs that are kept; empty: none are
	disk      spill.Disk
}

// MemoryLimit bounds the memory of the sort, in bytes: elements that wait for a run, scratch
// memory, indices, buffers of readers and writers. The indices of an input of many times a limit under 16 MiB
// pass the limit, see the package. The default is a quarter of the memory that
// the machine, or the control group of the process, has free; of the page cache, the part that is not in
// active use counts as free. It panics if bytes is not positive.
//
// While a sort with runs on disk is open, sorts elsewhere in the process use idle scratch memory only
// of calls of about their own size.
func MemoryLimit(bytes int64) Option {
	if bytes <= 0 {
		panic(fmt.Sprintf("extsort: memory limit of %d bytes", bytes))
	}
	return func(o *options) { o.memory = bytes }
}

// TempDir names the directories of the run files, which take turns. The default is the first
// of $TMPDIR, /var/tmp and /tmp that is not kept in memory, or where all are the first. It
// panics if there is none.
func TempDir(dirs ...string) Option {
	if len(dirs) == 0 {
		panic("extsort: TempDir without a directory")
	}
	return func(o *options) { o.dirs = dirs }
}

// DiskLimit bounds the bytes on disk at any time, as they are stored. Where they would not suffice,
// the error is [ErrDiskLimit]. It panics if bytes is not positive.
func DiskLimit(bytes int64) Option {
	if bytes <= 0 {
		panic(fmt.Sprintf("extsort: disk limit of %d bytes", bytes))
	}
	return func(o *options) { o.diskLimit = bytes }
}

// Compression says how blocks of runs are stored.
type Compression uint8

const (
	// Adaptive measures how long it takes to write blocks, and to compress some of them, and
	// compresses while that is faster. With less than 64 MiB of memory it compresses nothing, with
	// less than 128 MiB it does not use zstd. Buffers for compressors leave less memory to runs: on
	// a disk that is never slow it takes about a sixth longer than None.
	Adaptive Compression = iota
	// None stores blocks as they are.
	None
	// S2 compresses blocks by S2, a faster form of Snappy.
	S2
	// Zstd compresses blocks by Zstandard at its fastest level: smaller than S2, in three to four
	// times the time.
	Zstd
)

// Compress says how runs are compressed, on up to four goroutines while others sort. The default
// is [None]. A block that would not be an eighth smaller is stored as it is, as is one of more
// than 128 KiB, such as a long element. It panics if c is not one of the constants.
func Compress(c Compression) Option {
	if c > Zstd {
		panic(fmt.Sprintf("extsort: compression %d", c))
	}
	return func(o *options) { o.compress = c }
}

// Limit keeps the first k elements of the order only. Elements that cannot be among them are
// dropped when they are appended, as soon as k are known. Up to half of the elements that
// memory holds, nothing is written to disk. It panics if k is not positive.
func Limit(k int64) Option {
	if k <= 0 {
		panic(fmt.Sprintf("extsort: limit of %d elements", k))
	}
	return func(o *options) { o.limit = k }
}

// Unique keeps, of elements that tie in every column, the one that was appended first. With [Merge] it is that
// of the first source that has one; see also [UniqueLast] and [Combine].
func Unique() Option { return func(o *options) { o.unique, o.equal = true, keepFirst } }

// Workers bounds the goroutines that sort. Default, and with 0: GOMAXPROCS. Beyond the second, a
// worker takes 64 MiB of [MemoryLimit]. Up to four more goroutines read. It panics if n is negative.
func Workers(n int) Option {
	if n < 0 {
		panic(fmt.Sprintf("extsort: Workers(%d): need at least 0", n))
	}
	return func(o *options) { o.workers = n }
}

// WithContext ends the sort when ctx ends: calls return its error. Elements that were accepted
// stay until Close. It panics if ctx is nil.
func WithContext(ctx context.Context) Option {
	if ctx == nil {
		panic("extsort: WithContext(nil)")
	}
	return func(o *options) { o.ctx = ctx }
}

// Report writes statistics to st when the output ends, and when Close is called. It panics if st is nil.
func Report(st *Stats) Option {
	if st == nil {
		panic("extsort: Report(nil)")
	}
	return func(o *options) { o.report = st }
}

// OnProgress calls f after each run that was written and each part that was handed out.
// Calls are not concurrent. It panics if f is nil.
func OnProgress(f func(Progress)) Option {
	if f == nil {
		panic("extsort: OnProgress(nil)")
	}
	return func(o *options) { o.progress = f }
}

// On sorts runs on an engine, such as a GPU. The default leaves the choice to package sorter. It panics
// if b is nil.
func On(b sorter.Backend) Option {
	if b == nil {
		panic("extsort: On(nil)")
	}
	return func(o *options) { o.engine = b }
}

func optionsOf(opts []Option) options {
	o := options{disk: spill.System{}, compress: None}
	checkOptions(opts)
	for _, set := range opts {
		set(&o)
	}
	if o.dirs == nil {
		o.dirs = []string{spill.DefaultDir()}
	}
	if o.memory == 0 {
		o.memory = cgroup.Share()
	}
	o.memory = min(o.memory, math.MaxInt) // of a process of 32 bits
	return o
}

// checkOptions panics if an option is nil.
func checkOptions(opts []Option) {
	for _, set := range opts {
		if set == nil {
			panic("extsort: nil option")
		}
	}
}
