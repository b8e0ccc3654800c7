package arrowsort

import (
	"fmt"
	"math"
	"time"

	"example.com/sorter/extsort"
	"example.com/sorter/internal/cgroup"
	"example.com/sorter/internal/spill"
)

// ReaderOption changes how [SortReader] and [MergeReaders] work.
type ReaderOption func(*readerOptions)

type readerOptions struct {
	memory    int64 // bytes, 0: a quarter of the free memory
	dirs      []string
	diskLimit int64 // bytes, 0: any number
	compress  extsort.Compression
	limit     int64 // rows, 0: all
	unique    bool
	batchRows int // 0: mostBatchRows
	report    *ReaderStats
	disk      spill.Disk
	mostText  int64 // bytes up to which 32-bit offsets do not overflow
}

// MemoryLimit bounds the memory of a sort, in bytes. It counts batches that wait for a run, as much of their
// buffers as their rows take, the scratch memory of sorts, blocks of runs that are read and written,
// and batches that are made ahead. Buffers come from the allocator of the context. An eighth of the limit is
// left to what is not counted, such as garbage that is not collected yet. Neither are the batch that the
// input's reader holds, batches that were handed out, and as much garbage as the collector allows where it
// has no limit of its own. The default is a quarter of the memory that the machine, or the control group of the process,
// has free. It panics if bytes is not positive.
func MemoryLimit(bytes int64) ReaderOption {
	if bytes <= 0 {
		panic(fmt.Sprintf("arrowsort: memory limit of %d bytes", bytes))
	}
	return func(o *readerOptions) { o.memory = bytes }
}

// TempDir names the directories of the run files, which take turns. The default is that of
// extsort.TempDir: the first of $TMPDIR, /var/tmp and /tmp that is not kept in memory. It panics if
// there is none.
func TempDir(dirs ...string) ReaderOption {
	if len(dirs) == 0 {
		panic("arrowsort: TempDir without a directory")
	}
	return func(o *readerOptions) { o.dirs = dirs }
}

// DiskLimit bounds the bytes on disk at any time, as they are stored. Where they would not suffice,
// the error is extsort.ErrDiskLimit. It panics if bytes is not positive.
func DiskLimit(bytes int64) ReaderOption {
	if bytes <= 0 {
		panic(fmt.Sprintf("arrowsort: disk limit of %d bytes", bytes))
	}
	return func(o *readerOptions) { o.diskLimit = bytes }
}

// Compress says how blocks of runs are stored, as extsort.Compress does. The default is extsort.None.
// It panics if how is none of the constants of extsort.
func Compress(how extsort.Compression) ReaderOption {
	if how > extsort.Zstd {
		panic(fmt.Sprintf("arrowsort: compression %d", how))
	}
	return func(o *readerOptions) { o.compress = how }
}

// Limit keeps the first k rows of the order only. Of a run no more are written, and rows that cannot
// be among them are dropped when their batch comes, as soon as k are known. Up to a quarter of the
// memory, nothing is written to disk. It panics if k is not positive.
func Limit(k int64) ReaderOption {
	if k <= 0 {
		panic(fmt.Sprintf("arrowsort: limit of %d rows", k))
	}
	return func(o *readerOptions) { o.limit = k }
}

// UniqueKeys keeps, of rows that are equal by the keys, the first one of the input; of [MergeReaders],
// that of the first reader. Nulls of a column are equal to each other, NaNs too, and −0 equals 0.
func UniqueKeys() ReaderOption { return func(o *readerOptions) { o.unique = true } }

// BatchRows is the number of rows of every batch but the last. The default is 32768, or fewer of long
// rows. Batches are shorter where memory has no room for them beside the rows that are sorted, and where 32-bit
// offsets or the indices of a dictionary do not reach so far. It panics if n is not positive.
func BatchRows(n int) ReaderOption {
	if n <= 0 {
		panic(fmt.Sprintf("arrowsort: batches of %d rows", n))
	}
	return func(o *readerOptions) { o.batchRows = n }
}

// ReportReader writes statistics to st when the output ends, and when the reader is released. It
// panics if st is nil.
func ReportReader(st *ReaderStats) ReaderOption {
	if st == nil {
		panic("arrowsort: ReportReader(nil)")
	}
	return func(o *readerOptions) { o.report = st }
}

// ReaderStats describe a sort or a merge of readers.
type ReaderStats struct {
	Rows    int64 // read
	Dropped int64 // of them, because of Limit or UniqueKeys, as far as they were found
	Runs    int   // written from memory
	Merges  int   // of runs into longer ones, before the last merge
	Windows int   // of the last merge: rows that were sorted together
	Memory  int64 // bytes, the most that were counted

	Bytes         int64 // of blocks that were written to runs
	Written, Read int64 // bytes of run files, as they are stored
	Disk          int64 // most bytes on disk at a time

	// Sort is the time of ordering what memory holds, Write of writing runs, and Merge from the first
	// batch handed out to the last.
	Sort, Write, Merge time.Duration
}

const mostBatchRows = 1 << 15 // of a batch by default

// readerOptionsOf returns the options. It panics if one is nil.
func readerOptionsOf(opts []ReaderOption) readerOptions {
	o := readerOptions{disk: spill.System{}, compress: extsort.None, mostText: math.MaxInt32}
	for _, set := range opts {
		if set == nil {
			panic("arrowsort: nil option")
		}
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

// packing returns how blocks are compressed on a number of goroutines.
func (o *readerOptions) packing(workers int) spill.Packing {
	mode := [...]spill.Compression{extsort.Adaptive: spill.Adaptive, extsort.None: spill.Never, extsort.S2: spill.AlwaysS2, extsort.Zstd: spill.AlwaysZstd}[o.compress]
	return spill.PackingOf(mode, o.memory, workers, false, false)
}
