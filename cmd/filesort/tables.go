package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/sorter/arrowsort"
	"example.com/sorter/parquetsort"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	parquetgo "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/gzip"
	"github.com/parquet-go/parquet-go/compress/uncompressed"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// sortTables sorts files that are stored by column.
func (cmd *command) sortTables(in string, stdin io.Reader, stdout io.Writer, m *meter) (r *report, err error) {
	ctx, stop := cmd.interrupts()
	defer stop()
	folder := &workFolder{parent: firstOf(cmd.dirs)}
	defer func() { err = errors.Join(err, folder.remove()) }()
	out := cmd.outputFormat()
	if out == "" {
		out = in
	}
	defer cmd.explainDamage(&err)
	m.stage("sort", "rows", 0)
	if in == parquetFormat && out == parquetFormat {
		return cmd.sortParquet(ctx, stdin, stdout, folder)
	}
	t, err := cmd.openTables(ctx, in, stdin, folder, m)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	united := out == arrowFile && schemaHasDictionary(t.schema)
	if united {
		t.dictionaries = &dictionaries{}
	}
	keys, err := cmd.sortKeys(t)
	if err != nil {
		return nil, err
	}
	var stats arrowsort.ReaderStats
	sorted, err := arrowsort.SortReader(cmd.computing(ctx), t, keys, cmd.readerOptions(&stats)...)
	if err != nil {
		return nil, err
	}
	defer sorted.Release()
	write := func(w io.Writer) error {
		return cmd.writeTables(w, out, sorted.Schema(), func(w tableWriter) error {
			if united {
				w = unitedWriter{w, t.dictionaries}
			}
			return writeBatchesTo(ctx, w, sorted)
		})
	}
	if !isColumnar(out) {
		write = compressing(cmd.compress, cmd.output, write)
	}
	if err := writeFile(cmd.output, stdout, 0, write); err != nil {
		return nil, err
	}
	return &report{what: fmt.Sprintf("%d rows by %s", stats.Rows, cmd.columnList()), tables: &stats}, nil
}

// explainDamage makes an error of a panic: arrow-go and parquet-go have some of files whose parts contradict each other.
func (cmd *command) explainDamage(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("reading %s: damaged: %v", nameOf(cmd.files[0]), p)
		if len(cmd.files) > 1 {
			*err = fmt.Errorf("reading %s or another of the files: damaged: %v", nameOf(cmd.files[0]), p)
		}
	}
}

// writeBatchesTo writes the batches of a reader.
func writeBatchesTo(ctx context.Context, w tableWriter, r array.RecordReader) error {
	for r.Next() {
		if err := w.Write(r.RecordBatch()); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return r.Err()
}

// columnList returns the columns as -by has them.
func (cmd *command) columnList() string {
	var all []string
	for _, s := range cmd.by {
		text := s.name
		if s.desc {
			text += ":desc"
		}
		if s.nullsFirst {
			text += ":nullsfirst"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// computing returns the context with the number of workers.
func (cmd *command) computing(ctx context.Context) context.Context {
	e := compute.DefaultExecCtx()
	e.NumParallel = cmd.workers
	return compute.SetExecCtx(ctx, e)
}

// sortKeys finds the columns of -by.
func (cmd *command) sortKeys(t *tables) (keys []arrowsort.SortKey, err error) {
	var names []string
	for _, f := range t.schema.Fields() {
		names = append(names, f.Name)
	}
	for _, s := range cmd.by {
		at, err := s.find(names, len(names))
		if err != nil {
			return nil, fmt.Errorf("%s %w", nameOf(cmd.files[0]), err)
		}
		k := arrowsort.SortKey{ColumnIndex: at, Order: arrowsort.SortOrderAscending, NullPlacement: arrowsort.SortNullsAtEnd}
		if s.desc {
			k.Order = arrowsort.SortOrderDescending
		}
		if s.nullsFirst {
			k.NullPlacement = arrowsort.SortNullsAtStart
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// tablesShare is the part of -S for the sort, in eighths; the others have batches that are read and written.
const tablesShare = 4

func (cmd *command) readerOptions(stats *arrowsort.ReaderStats) []arrowsort.ReaderOption {
	opts := []arrowsort.ReaderOption{arrowsort.MemoryLimit(cmd.memory / 8 * tablesShare), arrowsort.ReportReader(stats)}
	if len(cmd.dirs) > 0 {
		opts = append(opts, arrowsort.TempDir(cmd.dirs...))
	}
	if cmd.unique {
		opts = append(opts, arrowsort.UniqueKeys())
	}
	if cmd.top > 0 {
		opts = append(opts, arrowsort.Limit(int64(cmd.top)))
	}
	return opts
}

// sortParquet sorts Parquet to Parquet, column by column.
func (cmd *command) sortParquet(ctx context.Context, stdin io.Reader, stdout io.Writer, folder *workFolder) (*report, error) {
	places, err := cmd.seekable(ctx, stdin, folder)
	if err != nil {
		return nil, err
	}
	columns, err := cmd.sortingColumns(places[0])
	if err != nil {
		return nil, fmt.Errorf("%s %w", nameOf(cmd.files[0]), err)
	}
	var stats parquetsort.FileStats
	opts := cmd.fileOptions(ctx, &stats)
	place, moved, err := cmd.parquetPlace(folder)
	if err != nil {
		return nil, err
	}
	if err := parquetsort.SortFile(place, places, columns, opts...); err != nil {
		return nil, err
	}
	if moved {
		err = writeFile(cmd.output, stdout, 0, func(w io.Writer) error { return copyFile(ctx, w, place) })
	}
	return &report{what: fmt.Sprintf("%d rows by %s", stats.Rows, cmd.columnList()), tables: &stats}, err
}

// parquetPlace returns where SortFile writes to: the output if that is a file, or a file that is moved to it.
func (cmd *command) parquetPlace(folder *workFolder) (place string, moved bool, err error) {
	if cmd.split.any() {
		return cmd.output, false, nil
	}
	if cmd.output != "" && cmd.output != "-" {
		d, err := destinationOf(cmd.output)
		if err != nil || !d.direct {
			return d.name, false, err
		}
	}
	place, err = folder.file("sorted")
	return place, true, err
}

func copyFile(ctx context.Context, w io.Writer, place string) error {
	f, err := os.Open(place)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, readerOf(ctx, f))
	return err
}

func (cmd *command) fileOptions(ctx context.Context, stats *parquetsort.FileStats) []parquetsort.Option {
	opts := []parquetsort.Option{parquetsort.WithContext(ctx), parquetsort.MemoryLimit(cmd.memory), parquetsort.Workers(cmd.workers),
		parquetsort.Report(stats), parquetsort.NaNsByNulls()}
	if len(cmd.dirs) > 0 {
		opts = append(opts, parquetsort.TempDir(cmd.dirs[0]))
	}
	if codec := fileCodecs[cmd.compress]; codec != nil {
		opts = append(opts, parquetsort.Compression(codec))
	}
	if cmd.unique {
		opts = append(opts, parquetsort.Unique())
	}
	if cmd.top > 0 {
		opts = append(opts, parquetsort.Limit(int64(cmd.top)))
	}
	if cmd.split.rows > 0 {
		opts = append(opts, parquetsort.SplitRows(int64(cmd.split.rows)))
	}
	if cmd.split.bytes > 0 {
		opts = append(opts, parquetsort.SplitBytes(cmd.split.bytes))
	}
	return opts
}

// fileCodecs are those of SortFile, by the words of --compress. Without one, columns keep theirs.
var fileCodecs = map[string]compress.Codec{"none": new(uncompressed.Codec), "gzip": new(gzip.Codec), "zstd": new(zstd.Codec)}

// sortingColumns finds the columns of -by, which may lie in others: a.b.
func (cmd *command) sortingColumns(place string) (columns []parquetgo.SortingColumn, err error) {
	f, err := os.Open(place)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	paths, err := pathsOf(f, info.Size())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range paths {
		names = append(names, strings.Join(p, "."))
	}
	for _, s := range cmd.by {
		at, err := s.find(names, len(names))
		if err != nil {
			return nil, err
		}
		c := parquetgo.Ascending(paths[at]...)
		if s.desc {
			c = parquetgo.Descending(paths[at]...)
		}
		if s.nullsFirst {
			c = parquetgo.NullsFirst(c)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// pathsOf returns the columns of a file. A damaged one is an error, also where parquet-go panics.
func pathsOf(r io.ReaderAt, size int64) (paths [][]string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("is damaged: %v", p)
		}
	}()
	f, err := parquetgo.OpenFile(r, size, parquetgo.SkipPageIndex(true), parquetgo.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("is no Parquet file: %w", err)
	}
	return f.Schema().Columns(), nil
}
