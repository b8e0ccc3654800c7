package parquetsort

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"example.com/sorter"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// SortFile sorts parquet files of one schema into one: the rows of all sources, in the order of the
// sorting columns. Several files come out with [SplitRows] or [SplitBytes]; dst is then a pattern.
//
// The order is that of [Writer]: see the package. Rows that tie keep the order of the sources and
// of the rows in each. Without sorting columns the files are concatenated.
//
// The schema is copied byte by byte, so logical types, field ids and annotations stay as they are. Values are copied
// bit by bit: NaNs and decimals with leading zeros as well. Codecs of columns are kept, and encodings where
// [Encoding] does not say otherwise. Metadata of the files is that of the first, followed by the keys that only later
// ones have; metadata of single column chunks and geospatial statistics are not kept. Each row group states
// its sorting columns as far as the format defines their order, and its columns have statistics, a column index and an
// offset index, and the bloom filters of [BloomFilters]. INT96, INTERVAL and geometries have no bounds, nor have
// values of more than 1 KiB; a column with a page of no bounds has no column index.
//
// A source is read twice at most in its sorting columns and once in the others; a column at a time, from one end to the
// other. First the rows are ordered by their sorting columns. Then each column is moved by itself: its values are
// distributed to row groups, put in order there and encoded, by several workers at a time. So the time is that of
// decoding and encoding, and little else. No value becomes a Go value of its own.
//
// [MemoryLimit] bounds the memory. It has about 10 bytes for each row, at least: [sorter.ErrMemoryLimit] says so
// if the limit is lower. What it does not have room for waits in files without a name in [TempDir]; there also are all
// encoded columns until they are copied into row groups.
//
// Output is written to files beside dst, with a name that begins with a dot, and renamed when all of it is on disk. So
// dst may be one of the sources. After an error, a panic or a cancellation no destination was changed and no file is
// left; only an error of a rename can leave some of several destinations changed. After a loss of power a destination
// is the old file or the new one, some of several may be old, and a file whose name begins with a dot may be left; the
// new ones are durable when SortFile returns. Errors of the system are wrapped. An error names the file, and the
// column if there is one.
//
// It may be called concurrently for different destinations. It panics if a column or an option is nil, or the value of
// an option invalid.
func SortFile(dst string, sources []string, columns []parquet.SortingColumn, opts ...Option) (err error) {
	if slices.Contains(columns, nil) {
		panic("parquetsort: nil sorting column")
	}
	s := &fileSort{options: optionsOf(opts)}
	defer func() { err = withPrefix(s.causeOf(err)) }()
	defer s.close()
	started := time.Now()
	if err := s.open(dst, sources, columns); err != nil {
		return err
	}
	ordered, err := s.order()
	if err != nil {
		return err
	}
	s.stats.Ordered = time.Since(started)
	if s.layout, err = s.layOut(ordered); err != nil {
		return err
	}
	if err := s.moveColumns(); err != nil {
		return err
	}
	s.stats.Moved = time.Since(started)
	if err := s.write(); err != nil {
		return err
	}
	s.stats.Written = time.Since(started)
	s.options.reportTo(&s.stats)
	return nil
}

// causeOf returns the cause of an error that says that the caller's context has ended.
func (s *fileSort) causeOf(err error) error {
	if ctx := s.options.ctx; ctx != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) && !errors.Is(err, context.Cause(ctx)) {
		return context.Cause(ctx)
	}
	return err
}

// withPrefix makes the package known to who reads an error.
func withPrefix(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("parquetsort: %w", err)
}

// fileSort is a call of SortFile.
type fileSort struct {
	options  fileOptions
	ctx      context.Context
	stop     context.CancelFunc
	target   target
	sources  []*source
	columns  []*column
	keys     []leaf
	claims   []format.SortingColumn // that row groups state
	rows     int                    // of all sources
	layout   *layout
	chunks   [][]*chunk // by row group and column
	store    *chunkStore
	stats    FileStats
	encoders reused[chunkEncoder]
}

// open reads the footers of all sources and checks the options against their schema.
func (s *fileSort) open(dst string, paths []string, columns []parquet.SortingColumn) (err error) {
	s.ctx, s.stop = context.WithCancel(s.options.ctx)
	if err := s.ctx.Err(); err != nil {
		return context.Cause(s.ctx)
	}
	if s.target, err = targetOf(dst, s.options.splits()); err != nil {
		return err
	}
	if s.sources, err = openSources(s.options.disk, paths); err != nil {
		return err
	}
	for _, src := range s.sources {
		s.rows += int(src.parquet.NumRows())
		s.stats.BytesIn += src.size
	}
	s.stats.Rows = int64(s.rows)
	if int64(s.rows) > math.MaxUint32 {
		return fmt.Errorf("%d rows: %w", s.rows, sorter.ErrTooLong)
	}
	if s.columns, err = columnsOf(s.sources, &s.options); err != nil {
		return err
	}
	schema := s.sources[0].parquet.Schema()
	if s.keys, err = keysOf(s.sources[0].path, schema, columns); err != nil {
		return err
	}
	for i := range s.keys {
		c := s.columns[s.keys[i].ColumnIndex]
		if c.unknown {
			return fmt.Errorf("column %s is of a logical type of an unknown order", c)
		}
		s.keys[i].order = c.order
		s.keys[i].nansAfter = s.options.nansByNulls && s.keys[i].desc == s.keys[i].nullsFirst
	}
	s.claims = s.stated(columns)
	s.store = &chunkStore{disk: s.options.disk, dir: s.options.tempDir(s.target)}
	return nil
}

// close gives back all files.
func (s *fileSort) close() {
	if s.stop != nil {
		s.stop()
	}
	for _, src := range s.sources {
		src.close()
	}
	if s.store != nil {
		s.store.close()
	}
}

// keysOf returns the sorting columns of the source at a path.
func keysOf(path string, schema *parquet.Schema, columns []parquet.SortingColumn) ([]leaf, error) {
	for _, c := range columns {
		if _, ok := schema.Lookup(c.Path()...); !ok {
			return nil, fmt.Errorf("%s: no column %s to sort by", path, joined(c.Path()))
		}
	}
	return leavesOf(schema, columns), nil
}

// stated returns the order that row groups state.
func (s *fileSort) stated(columns []parquet.SortingColumn) (stated []format.SortingColumn) {
	for _, c := range claimed(s.keys, columns) {
		i := slices.IndexFunc(s.keys, func(k leaf) bool { return slices.Equal(k.Path, c.Path()) })
		stated = append(stated, format.SortingColumn{
			ColumnIdx: int32(s.keys[i].ColumnIndex), Descending: c.Descending(), NullsFirst: c.NullsFirst(),
		})
	}
	return stated
}
