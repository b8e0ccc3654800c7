package arrowsort_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/arrowsort"
	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// manyRows are enough for several goroutines.
const manyRows = 200_000

// malformed are arrays of manyRows that no constructor of arrow-go refuses, as they come from files
// and other machines. The fault is in one row.
var malformed = map[string]func(row int) arrow.Array{
	"dictionary index": func(row int) arrow.Array {
		indices := make([]byte, manyRows)
		indices[row] = 100
		return dictionaryFrom(indices, "a", "b")
	},
	"descending offsets": func(row int) arrow.Array {
		offsets := make([]int32, manyRows+1)
		offsets[row] = 6
		return arrayOfBuffers(arrow.BinaryTypes.String, arrow.Int32Traits.CastToBytes(offsets), []byte("abcdef"))
	},
	"short bits": func(row int) arrow.Array {
		return arrayOfBuffers(arrow.FixedWidthTypes.Boolean, make([]byte, row/8))
	},
	"short validity": func(row int) arrow.Array {
		texts := make([]int32, manyRows+1)
		buffers := []*memory.Buffer{memory.NewBufferBytes(make([]byte, row/8)), memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(texts)), nil}
		return array.MakeFromData(array.NewData(arrow.BinaryTypes.String, manyRows, buffers, nil, 1, 0))
	},
	"view past its buffer": func(row int) arrow.Array {
		b := array.NewStringViewBuilder(memory.DefaultAllocator)
		for i := range manyRows {
			b.Append(fmt.Sprintf("%020d", i%7))
		}
		a := b.NewStringViewArray()
		a.Data().Buffers()[1].Bytes()[row*arrow.ViewHeaderSizeBytes+11] = 0x7f
		return a
	},
}

// arrayOfBuffers returns an array of manyRows without nulls.
func arrayOfBuffers(typ arrow.DataType, buffers ...[]byte) arrow.Array {
	all := []*memory.Buffer{nil}
	for _, b := range buffers {
		all = append(all, memory.NewBufferBytes(b))
	}
	return array.MakeFromData(array.NewData(typ, manyRows, all, nil, 0, 0))
}

// dictionaryFrom returns a dictionary array of 8-bit indices.
func dictionaryFrom(indices []byte, values ...string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	data := array.NewData(arrow.PrimitiveTypes.Int8, len(indices), []*memory.Buffer{nil, memory.NewBufferBytes(indices)}, nil, 0, 0)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	return array.NewDictionaryArray(typ, array.MakeFromData(data), b.NewArray())
}

// calls are those of the package, with array a as the key, and as a column that is none.
var calls = map[string]func(ctx context.Context, a arrow.Array) error{
	"SortIndices": func(ctx context.Context, a arrow.Array) error {
		_, err := arrowsort.SortIndicesArray(ctx, a, arrowsort.SortKey{})
		return err
	},
	"Sort": func(ctx context.Context, a arrow.Array) error {
		_, err := arrowsort.SortArray(ctx, a, arrowsort.SortKey{})
		return err
	},
	"Rank": func(ctx context.Context, a arrow.Array) error {
		_, err := arrowsort.Rank(ctx, arrowsort.NewDatumWithoutOwning(a), arrowsort.RankOptions{})
		return err
	},
	"SelectK": func(ctx context.Context, a arrow.Array) error {
		_, err := arrowsort.SelectK(ctx, arrowsort.NewDatumWithoutOwning(a), 10, arrowsort.SortOptions{{}})
		return err
	},
	"Unique": func(ctx context.Context, a arrow.Array) error {
		_, err := arrowsort.Unique(ctx, arrowsort.NewDatumWithoutOwning(a))
		return err
	},
	"other column": func(ctx context.Context, a arrow.Array) error {
		keys := arrayOfBuffers(arrow.PrimitiveTypes.Int32, make([]byte, 4*manyRows))
		fields := []arrow.Field{{Name: "key", Type: keys.DataType()}, {Name: "a", Type: a.DataType(), Nullable: true}}
		_, err := arrowsort.SortRecordBatch(ctx, array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{keys, a}, manyRows), []arrowsort.SortKey{{}})
		return err
	},
}

// workersOf returns a context with n workers and an allocator.
func workersOf(n int, mem memory.Allocator) context.Context {
	environment := compute.DefaultExecCtx()
	environment.NumParallel = n
	return compute.SetExecCtx(compute.WithAllocator(context.Background(), mem), environment)
}

// panicOf returns what f panics with, or its error.
func panicOf(f func() error) (value any, err error) {
	defer func() { value = recover() }()
	return nil, f()
}

// TestMalformed sorts malformed arrays of many rows. A call that reads the fault, on whichever
// goroutine, returns an error or panics on that of the caller. It leaves no goroutine and no memory, and
// the next call sorts.
func TestMalformed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for what, arrayOf := range malformed {
		for name, call := range calls {
			if name == "other column" && (what == "dictionary index" || what == "view past its buffer") {
				continue // which rows are taken without reading
			}
			for _, row := range []int{1000, manyRows - 10} {
				for _, workers := range []int{1, 4} {
					a := arrayOf(row)
					mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
					crew := testkit.NewCrew()
					title := fmt.Sprintf("%s, %s, row %d, %d workers", what, name, row, workers)
					if value, err := panicOf(func() error { return call(workersOf(workers, mem), a) }); value == nil && err == nil {
						t.Error(title, "has neither a panic nor an error")
					}
					crew.CheckAlone(t, title)
					if mem.CurrentAlloc() != 0 {
						t.Errorf("%s: %d bytes are left", title, mem.CurrentAlloc())
					}
				}
			}
		}
	}
	for name, call := range calls {
		if value, err := panicOf(func() error {
			return call(workersOf(4, memory.DefaultAllocator), dictionaryFrom(make([]byte, manyRows), "a", "b"))
		}); value != nil || err != nil {
			t.Errorf("%s afterwards: %v, %v", name, value, err)
		}
	}
}

// short has more rows than its columns.
type short struct{ arrow.Table }

func (s short) NumRows() int64 { return s.Table.NumRows() + 1 }

// TestMisuse: arguments that no call takes are panics in the words of the package, or errors that wrap
// arrow.ErrInvalid or arrow.ErrNotImplemented.
func TestMisuse(t *testing.T) {
	ctx, none := context.Background(), context.Context(nil)
	one := arrayOf(t, arrow.PrimitiveTypes.Int32, 2, 1)
	chunked := arrow.NewChunked(one.DataType(), []arrow.Array{one})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: one.DataType()}, {Name: "b", Type: one.DataType()}}, nil)
	table := array.NewTableFromSlice(schema, [][]arrow.Array{{one}, {one}})
	keys := arrowsort.SortOptions{{}}
	results := func(_ any, err error) error { return err }
	for name, call := range map[string]func() error{
		"SortIndices of no context":      func() error { return results(arrowsort.SortIndicesArray(none, one, keys[0])) },
		"Sort of no context":             func() error { return results(arrowsort.SortTable(none, table, keys)) },
		"Rank of no context":             func() error { return results(arrowsort.Rank(none, arrowsort.NewDatum(one), arrowsort.RankOptions{})) },
		"SelectK of no context":          func() error { return results(arrowsort.SelectK(none, arrowsort.NewDatum(one), 1, keys)) },
		"Distinct of no context":         func() error { return results(arrowsort.Distinct(none, arrowsort.NewDatum(one), keys)) },
		"Unique of no context":           func() error { return results(arrowsort.Unique(none, arrowsort.NewDatum(one))) },
		"Fields of no context":           func() error { return results(arrowsort.Fields(none, arrowsort.NewDatum(table))) },
		"MergeTables of no context":      func() error { return results(arrowsort.MergeTables(none, []arrow.Table{table}, keys)) },
		"WithOptions of no context":      func() error { arrowsort.WithOptions(none); return nil },
		"WithOptions of a nil option":    func() error { arrowsort.WithOptions(ctx, sorter.Stable(), nil); return nil },
		"SortIndices of nil":             func() error { return results(arrowsort.SortIndices(ctx, nil, keys)) },
		"Sort of nil":                    func() error { return results(arrowsort.Sort(ctx, nil, keys)) },
		"Rank of nil":                    func() error { return results(arrowsort.Rank(ctx, nil, arrowsort.RankOptions{})) },
		"SelectK of nil":                 func() error { return results(arrowsort.SelectK(ctx, nil, 1, keys)) },
		"Distinct of nil":                func() error { return results(arrowsort.Distinct(ctx, nil, keys)) },
		"Unique of nil":                  func() error { return results(arrowsort.Unique(ctx, nil)) },
		"Unique of a nil datum":          func() error { return results(arrowsort.Unique(ctx, (*arrowsort.TableDatum)(nil))) },
		"Unique of an empty datum":       func() error { return results(arrowsort.Unique(ctx, &arrowsort.RecordDatum{})) },
		"Sort of an empty array":         func() error { return results(arrowsort.Sort(ctx, &arrowsort.ArrayDatum{}, keys)) },
		"Sort of an empty chunked array": func() error { return results(arrowsort.Sort(ctx, &arrowsort.ChunkedDatum{}, keys)) },
		"Sort of an empty table":         func() error { return results(arrowsort.Sort(ctx, &arrowsort.TableDatum{}, keys)) },
		"Fields of nil":                  func() error { return results(arrowsort.Fields(ctx, nil)) },
		"SortIndicesArray of nil":        func() error { return results(arrowsort.SortIndicesArray(ctx, nil, keys[0])) },
		"SortIndicesChunked of nil":      func() error { return results(arrowsort.SortIndicesChunked(ctx, nil, keys[0])) },
		"SortIndicesRecordBatch of nil":  func() error { return results(arrowsort.SortIndicesRecordBatch(ctx, nil, keys)) },
		"SortIndicesTable of nil":        func() error { return results(arrowsort.SortIndicesTable(ctx, nil, keys)) },
		"SortArray of nil":               func() error { return results(arrowsort.SortArray(ctx, nil, keys[0])) },
		"SortArray of a nil array":       func() error { return results(arrowsort.SortArray(ctx, (*array.Int32)(nil), keys[0])) },
		"SortChunked of nil":             func() error { return results(arrowsort.SortChunked(ctx, nil, keys[0])) },
		"SortRecordBatch of nil":         func() error { return results(arrowsort.SortRecordBatch(ctx, nil, keys)) },
		"SortTable of nil":               func() error { return results(arrowsort.SortTable(ctx, nil, keys)) },
		"MergeTables with nil":           func() error { return results(arrowsort.MergeTables(ctx, []arrow.Table{table, nil}, keys)) },

		"MergeTables of none":  func() error { return results(arrowsort.MergeTables(ctx, nil, keys)) },
		"Sort of a scalar":     func() error { return results(arrowsort.Sort(ctx, arrowsort.NewDatum(7), keys)) },
		"Fields of an array":   func() error { return results(arrowsort.Fields(ctx, arrowsort.NewDatum(one))) },
		"Sort by no keys":      func() error { return results(arrowsort.SortTable(ctx, table, nil)) },
		"Rank by no keys":      func() error { return results(arrowsort.Rank(ctx, arrowsort.NewDatum(table), arrowsort.RankOptions{})) },
		"Sort by column -1":    func() error { return results(arrowsort.SortTable(ctx, table, []arrowsort.SortKey{{ColumnIndex: -1}})) },
		"Sort by column 2":     func() error { return results(arrowsort.SortTable(ctx, table, []arrowsort.SortKey{{ColumnIndex: 2}})) },
		"Sort in order 2":      func() error { return results(arrowsort.SortArray(ctx, one, arrowsort.SortKey{Order: 2})) },
		"Sort with nulls at 2": func() error { return results(arrowsort.SortChunked(ctx, chunked, arrowsort.SortKey{NullPlacement: 2})) },
		"Rank with tiebreaker 9": func() error {
			return results(arrowsort.Rank(ctx, arrowsort.NewDatum(one), arrowsort.RankOptions{Tiebreaker: 9}))
		},
		"Rank with tiebreaker -1": func() error {
			return results(arrowsort.Rank(ctx, arrowsort.NewDatum(one), arrowsort.RankOptions{Tiebreaker: -1}))
		},
		"SelectK of -1":            func() error { return results(arrowsort.SelectK(ctx, arrowsort.NewDatum(one), -1, keys)) },
		"Sort of a short key":      func() error { return results(arrowsort.SortTable(ctx, short{table}, keys)) },
		"Unique of a short column": func() error { return results(arrowsort.Unique(ctx, arrowsort.NewDatum(short{table}))) },
		"Sort with a short column": func() error { return results(arrowsort.SortTable(ctx, twoRows{table}, keys)) },
	} {
		value, err := panicOf(call)
		text, _ := value.(string)
		if !strings.HasPrefix(text, "arrowsort: ") && !errors.Is(err, arrow.ErrInvalid) && !errors.Is(err, arrow.ErrNotImplemented) {
			t.Errorf("%s: panic %v, error %v", name, value, err)
		}
	}
}

// twoRows has a second column that is shorter than the first.
type twoRows struct{ arrow.Table }

func (s twoRows) Column(i int) *arrow.Column {
	if i == 0 {
		return s.Table.Column(0)
	}
	return arrow.NewColumn(s.Schema().Field(1), arrow.NewChunked(s.Schema().Field(1).Type, nil))
}
