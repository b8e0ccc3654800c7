package parquetsort

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/sorter/internal/cgroup"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
)

// Option changes how [SortFile] works.
type Option func(*fileOptions)

// fileOptions are the options of a call of SortFile.
type fileOptions struct {
	ctx                   context.Context
	workers               int
	memory                int64
	dir                   string
	groupRows, groupBytes int64 // 0: as in the sources
	splitRows, splitBytes int64
	limit                 int64
	unique, nansByNulls   bool
	codec                 compress.Codec // nil: as in the sources
	encodings             []encodedColumn
	filters               []parquet.BloomFilterColumn
	reports               []*FileStats
	disk                  disk
	mostDictionary        int // values; 0: the default, others are for tests
	pageRows              int // the same
}

// encodedColumn is an encoding that a column shall have.
type encodedColumn struct {
	path     []string
	encoding encoding.Encoding
}

// optionsOf returns the options with their defaults.
func optionsOf(opts []Option) fileOptions {
	o := fileOptions{ctx: context.Background(), disk: osDisk{}}
	for _, option := range opts {
		if option == nil {
			panic("parquetsort: nil option")
		}
		option(&o)
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	if o.memory == 0 {
		o.memory = defaultMemory()
	}
	return o
}

// defaultMemory is a quarter of the free memory, as in package extsort.
func defaultMemory() int64 {
	if free, ok := cgroup.FreeMemory(); ok {
		return max(free/4, 64<<20)
	}
	return 1 << 30
}

// room is the memory that is planned. The rest is for pages of the sources and metadata, about.
func (o *fileOptions) room() int64 { return o.memory - o.memory/8 }

func (o *fileOptions) splits() bool { return o.splitRows > 0 || o.splitBytes > 0 }

// tempDir returns the directory of files that wait.
func (o *fileOptions) tempDir(t target) string {
	if o.dir != "" {
		return o.dir
	}
	return filepath.Dir(t.path(0))
}

func (o *fileOptions) reportTo(stats *FileStats) {
	for _, r := range o.reports {
		*r = *stats
	}
}

// positive panics if the value of an option is not positive.
func positive(option string, n int64) {
	if n < 1 {
		panic(fmt.Sprintf("parquetsort: %s(%d)", option, n))
	}
}

// WithContext makes [SortFile] end with the cause of the context once that is done. It ends after the page, the encoded
// column of a row group or the part of a sort in progress. Nothing is left then, and dst is as it was. The default never ends.
// It panics if ctx is nil.
func WithContext(ctx context.Context) Option {
	if ctx == nil {
		panic("parquetsort: nil context")
	}
	return func(o *fileOptions) { o.ctx = ctx }
}

// Workers bounds the goroutines that work at a time. Default, and with 0: GOMAXPROCS. The columns that are moved at
// a time share the memory, so with fewer workers more of a column is held; no more than one work on each column where
// [MemoryLimit] has no room for more. It panics if n is negative.
func Workers(n int) Option {
	if n < 0 {
		panic(fmt.Sprintf("parquetsort: Workers(%d): need at least 0", n))
	}
	return func(o *fileOptions) { o.workers = n }
}

// MemoryLimit bounds the memory of [SortFile], in bytes: keys, the order, values that are moved, and pages that are
// encoded. An eighth of it is left to what is not counted: a page of a source for each worker, the metadata of row groups
// and the index of pages, about a KiB for each column of a row group. The garbage collector may take as much again. Row
// groups get smaller where a column of one would not fit; a column whose values are longest in one place of the order can
// pass the limit there. The default is a quarter of the memory that the machine, or the control group of the process, has
// free. It panics if bytes is not positive.
func MemoryLimit(bytes int64) Option {
	positive("MemoryLimit", bytes)
	return func(o *fileOptions) { o.memory = bytes }
}

// TempDir is where values wait that memory has no room for, and encoded columns. Their files have no name where
// the system allows it, and are gone when SortFile returns. The default is the directory of dst. It panics if dir is empty.
func TempDir(dir string) Option {
	if dir == "" {
		panic("parquetsort: TempDir without a directory")
	}
	return func(o *fileOptions) { o.dir = dir }
}

// RowGroupRows bounds the rows of a row group. The default is the most that a row group of the sources has. All but the
// last of a file have n rows, or fewer where [MemoryLimit] has no room for them. It panics if n is not positive.
func RowGroupRows(n int64) Option {
	positive("RowGroupRows", n)
	return func(o *fileOptions) { o.groupRows = n }
}

// RowGroupBytes bounds the rows of a row group so that it has about n bytes in the file. A row is
// taken to have as many bytes as in the sources. With [RowGroupRows] both hold; alone it is in place of that option's
// default. It panics if n is not positive.
func RowGroupBytes(n int64) Option {
	positive("RowGroupBytes", n)
	return func(o *fileOptions) { o.groupBytes = n }
}

// SplitRows splits the result into files of at most n rows, all but the last of n. The last element of dst then has a
// verb of package fmt for the number of a file, from 0 on: "sorted-%03d.parquet". Files of higher numbers that
// an earlier call left are not removed. It panics if n is not positive.
func SplitRows(n int64) Option {
	positive("SplitRows", n)
	return func(o *fileOptions) { o.splitRows = n }
}

// SplitBytes splits the result into files of at most n bytes, by whole row groups: a file with one row group may have
// more. Names are as those of [SplitRows], and with both options both hold. It panics if n is not positive.
func SplitBytes(n int64) Option {
	positive("SplitBytes", n)
	return func(o *fileOptions) { o.splitBytes = n }
}

// Compression is the codec of all columns. The default is that of each in the first source, at the default level of
// package parquet. It panics if codec is nil.
func Compression(codec compress.Codec) Option {
	if codec == nil {
		panic("parquetsort: nil codec")
	}
	return func(o *fileOptions) { o.codec = codec }
}

// Encoding is the encoding of the values of a column. With [parquet.RLEDictionary] a chunk has a dictionary where that
// makes it smaller, and is PLAIN elsewhere; other encodings have none. The default is the
// encoding that the sources have, and a dictionary where that makes a chunk smaller, unless the sources have
// another encoding than PLAIN and no dictionary. An encoding that the type of the column does not have is an error
// of SortFile. It panics if e is nil.
func Encoding(e encoding.Encoding, path ...string) Option {
	if e == nil {
		panic("parquetsort: nil encoding")
	}
	return func(o *fileOptions) { o.encodings = append(o.encodings, encodedColumn{path, e}) }
}

// BloomFilters writes bloom filters for columns, such as [parquet.SplitBlockFilter] makes them, one for each row
// group. It panics if a filter is nil.
func BloomFilters(filters ...parquet.BloomFilterColumn) Option {
	if slices.Contains(filters, nil) {
		panic("parquetsort: nil bloom filter")
	}
	return func(o *fileOptions) { o.filters = append(o.filters, filters...) }
}

// Limit keeps the first n rows of the order only. It panics if n is not positive.
func Limit(n int64) Option {
	positive("Limit", n)
	return func(o *fileOptions) { o.limit = n }
}

// Unique keeps the first of rows that tie in all sorting columns, as [parquet.DropDuplicatedRows] does. Without sorting
// columns one row is left.
func Unique() Option {
	return func(o *fileOptions) { o.unique = true }
}

// NaNsByNulls places NaNs between the other values and the nulls, as package arrowsort and Arrow C++ do. So they come
// after the other values, or before them where the nulls come first. The default is the order of [Writer]: before them if ascending,
// after them if descending.
func NaNsByNulls() Option {
	return func(o *fileOptions) { o.nansByNulls = true }
}

// Report fills stats when [SortFile] has succeeded. It panics if stats is nil.
func Report(stats *FileStats) Option {
	if stats == nil {
		panic("parquetsort: nil statistics")
	}
	return func(o *fileOptions) { o.reports = append(o.reports, stats) }
}

// FileStats is what [SortFile] did.
type FileStats struct {
	Rows, RowsOut     int64         // of all sources, and written
	BytesIn, BytesOut int64         // of files
	Files             []string      // written, in order
	RowGroups         int           // of all of them
	Spilled           int64         // bytes of values that memory had no room for
	KeysOnDisk        bool          // the order was found by package extsort
	Ordered           time.Duration // from the start until the order was known,
	Moved             time.Duration // all columns were encoded,
	Written           time.Duration // and the files were in their places
}

// String returns the statistics in a line.
func (s *FileStats) String() string {
	return fmt.Sprintf("%d of %d rows, %d row groups, %d files, %d of %d bytes, %d spilled; ordered %v, moved %v, written %v",
		s.RowsOut, s.Rows, s.RowGroups, len(s.Files), s.BytesOut, s.BytesIn, s.Spilled,
		s.Ordered.Round(time.Millisecond), s.Moved.Round(time.Millisecond), s.Written.Round(time.Millisecond))
}

// joined returns a path of a column as errors have it.
func joined(path []string) string { return strings.Join(path, ".") }
