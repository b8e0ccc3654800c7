package parquetsort

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// Writer writes a parquet file whose rows are ordered by the sorting columns of its
// configuration. It has the methods of [parquet.SortingWriter]. A Writer is for one goroutine
// at a time; different Writers may be used concurrently.
type Writer[T any] struct {
	output *parquet.GenericWriter[T]
	stated *parquet.WriterConfig // of output
	pairs  [][2]string           // of metadata
	typed  *engine[T]            // nil on the second path
	rows   *columnSort           // nil until the second path is taken
	config *parquet.WriterConfig
	limit  int
	shape  *shape // of T; nil if only the second path can sort it
	closed bool
	err    error // of the first call that failed; all later calls return it
}

// NewWriter returns a Writer to w. It sorts sortRowCount rows in memory at a time, and takes the
// options that [parquet.NewSortingWriter] takes, with the same meaning.
//
// Rows come out in the order of the sorting columns. Rows that tie come out in the order in which
// they were written, and of those [parquet.DropDuplicatedRows] keeps the first.
//
// At most sortRowCount rows are kept, their sort and their merge take as much again, with 8 to 16
// bytes of index a row; 16384 rows are held whatever sortRowCount. Further rows wait in a buffer
// of the pool of [parquet.SortingBuffers], compressed by the codec of [parquet.Compression]. A buffer
// is used by one goroutine at a time, and one is read while another is written.
//
// It panics if w or an option is nil, an option is invalid, a sorting column is not a column of the schema,
// T is no struct and there is no schema, or sortRowCount is not positive.
func NewWriter[T any](w io.Writer, sortRowCount int64, options ...parquet.WriterOption) *Writer[T] {
	if sortRowCount < 1 {
		panic(fmt.Sprintf("parquetsort: a sort of %d rows at a time", sortRowCount))
	}
	checkOutput(w)
	config := configOf[T](options)
	stated := *config
	leaves := leavesOf(parquet.NewGenericWriter[T](w, config).Schema(), config.Sorting.SortingColumns)
	stated.Sorting.SortingColumns = claimed(leaves, config.Sorting.SortingColumns)
	sorted := &Writer[T]{
		output: parquet.NewGenericWriter[T](w, &stated),
		stated: &stated,
		config: config,
		limit:  int(min(sortRowCount, math.MaxInt)),
	}
	if sorted.shape = shapeOf[T](sorted.Schema(), config.SchemaConfig); sorted.shape != nil {
		if order, ok := fieldOrder[T](sorted.shape, leaves); ok {
			sorted.typed = newEngine(order, typedCodecOf[T](sorted.shape), config, sorted.limit)
			return sorted
		}
		sorted.shape = nil
	}
	sorted.rows = sorted.newColumns()
	return sorted
}

// checkOutput panics if an output is nil.
func checkOutput(w io.Writer) {
	if w == nil {
		panic("parquetsort: nil output")
	}
}

// configOf returns the configuration of a Writer of T. It panics if that is invalid.
func configOf[T any](options []parquet.WriterOption) *parquet.WriterConfig {
	if slices.Contains(options, nil) {
		panic("parquetsort: nil option")
	}
	config, err := parquet.NewWriterConfig(options...)
	if err != nil {
		panic(fmt.Errorf("parquetsort: %w", err))
	}
	t := reflect.TypeFor[T]()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if config.Schema == nil && t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("parquetsort: no schema, and %v is no struct", reflect.TypeFor[T]()))
	}
	return config
}

// newColumns returns the sort of the second path.
func (w *Writer[T]) newColumns() *columnSort { return newColumnSort(w.Schema(), w.config, w.limit) }

// Write writes rows, which are copied: their memory may be reused. Strings are kept, not copied.
// It returns how many rows were taken. Where the memory is full it sorts and writes a run.
func (w *Writer[T]) Write(rows []T) (int, error) {
	return w.do(func() (int, error) {
		if w.typed != nil {
			return w.typed.add(rows)
		}
		return w.rows.addValues(pointersTo(rows))
	})
}

// pointersTo returns the addresses of rows.
func pointersTo[T any](rows []T) func(yield func(any) bool) {
	return func(yield func(any) bool) {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}
}

// WriteRows writes rows of values as [parquet.Schema.Deconstruct] makes them: the values of each column in turn, with
// their levels. They are copied. A row that is not of the schema is an error that names the column. The first call moves the
// rows written so far to the second path, see the documentation of the package.
func (w *Writer[T]) WriteRows(rows []parquet.Row) (int, error) {
	return w.do(func() (int, error) {
		if err := w.useRows(); err != nil {
			return 0, err
		}
		return w.rows.add(rows)
	})
}

// useRows moves typed rows to the second path: runs become runs, in order.
func (w *Writer[T]) useRows() error {
	if w.typed == nil {
		return nil
	}
	typed := w.typed
	defer typed.reset()
	w.typed, w.rows = nil, w.newColumns()
	for _, r := range typed.runs {
		out := w.rows.store.newRun(w.rows.block)
		err := typed.merge([]run{r}, func(rows []T) error { return w.rows.addSorted(pointersTo(rows), out) })
		if err != nil {
			return err
		}
		w.rows.runs = append(w.rows.runs, out.end())
	}
	_, err := w.rows.addValues(pointersTo(typed.rows))
	return err
}

// Flush sorts the rows in memory and writes them as a run, to make room. All rows that were
// written since NewWriter or [Writer.Reset] come out in one order, however often Flush was called.
func (w *Writer[T]) Flush() error {
	_, err := w.do(func() (int, error) {
		if w.typed != nil {
			return 0, w.typed.flush()
		}
		return 0, w.rows.flush()
	})
	return err
}

// Close merges the rows written, writes them to the output and ends the file. Buffers go back to
// their pool, also if it fails. A second call returns the result of the first.
func (w *Writer[T]) Close() error {
	if w.closed || w.err != nil {
		return w.err
	}
	defer w.release()
	_, err := w.do(func() (int, error) { return 0, w.finish() })
	w.closed = true
	return err
}

func (w *Writer[T]) finish() error {
	var err error
	if w.typed != nil {
		to := newOutput(w.output, w.shape, w.config)
		err = w.typed.finish(to.write)
	} else {
		to := columnOutput{to: w.output, most: w.config.MaxRowsPerRowGroup}
		err = w.rows.finish(to.write)
	}
	if err != nil {
		return err
	}
	return w.output.Close()
}

// usable returns why the Writer takes no rows.
func (w *Writer[T]) usable() error {
	if w.err == nil && w.closed {
		return fmt.Errorf("parquetsort: the Writer is closed: %w", io.ErrClosedPipe)
	}
	return w.err
}

// do calls f, unless the Writer takes no rows. If f fails, panics or ends its goroutine, rows are lost: later
// calls return why, and buffers are given back.
func (w *Writer[T]) do(f func() (int, error)) (n int, err error) {
	if err := w.usable(); err != nil {
		return 0, err
	}
	w.err = errUnfinished
	defer func() {
		if w.err != nil {
			w.release()
		}
	}()
	n, err = f()
	w.err = err
	return n, err
}

// errUnfinished is that of calls after one that panicked.
var errUnfinished = errors.New("parquetsort: a call before has panicked: rows are lost")

// release gives buffers back to the pool.
func (w *Writer[T]) release() {
	if w.typed != nil {
		w.typed.reset()
	}
	if w.rows != nil {
		w.rows.reset()
	}
}

// Reset drops the rows of a file that is not closed, and begins another file, to output. Memory of rows is
// kept for it. Metadata stays, as that of [parquet.GenericWriter]. It panics if output is nil.
func (w *Writer[T]) Reset(output io.Writer) {
	checkOutput(output)
	w.release()
	if w.shape != nil && w.typed == nil {
		order, _ := fieldOrder[T](w.shape, leavesOf(w.Schema(), w.config.Sorting.SortingColumns))
		w.typed, w.rows = newEngine(order, typedCodecOf[T](w.shape), w.config, w.limit), nil
	}
	// Not Reset of the output: in v0.32.0 it clears the sorting columns that later files state.
	w.output = parquet.NewGenericWriter[T](output, w.stated)
	for _, p := range w.pairs {
		w.output.SetKeyValueMetadata(p[0], p[1])
	}
	w.closed, w.err = false, nil
}

// SetKeyValueMetadata sets a pair of the file's metadata. Of equal keys the last wins.
func (w *Writer[T]) SetKeyValueMetadata(key, value string) {
	w.pairs = append(w.pairs, [2]string{key, value})
	w.output.SetKeyValueMetadata(key, value)
}

// Schema returns the schema of the file.
func (w *Writer[T]) Schema() *parquet.Schema { return w.output.Schema() }

// File returns a view of the file that was written, after [Writer.Close].
func (w *Writer[T]) File() parquet.FileView { return w.output.File() }

var (
	_ parquet.RowWriterWithSchema = (*Writer[any])(nil)
	_ io.Closer                   = (*Writer[any])(nil)
)
