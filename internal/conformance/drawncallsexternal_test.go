package conformance_test

import (
	"encoding/binary"
	"errors"
	"iter"
	"os"
	"slices"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
)

// externalVerbs are the sorts of package extsort, most of which write runs to disk and read them again.
var externalVerbs = []verbDrawn{
	{"extsort.New", checkDrawnExternal}, {"extsort.NewCoded", checkDrawnCoded}, {"extsort.NewStruct", checkDrawnStructs},
	{"extsort.Merge", checkDrawnExternalMerge}, {"extsort.Incremental", checkDrawnIncremental},
}

// externalDrawn are the options of a sort of package extsort.
type externalDrawn struct {
	list   []extsort.Option
	unique bool
	most   int
}

// drawExternal draws options of a sort of n elements.
func (x *drawnCall) drawExternal(n int) *externalDrawn {
	o, e := &optionsDrawn{engine: "chosen", stable: true}, &externalDrawn{most: n}
	if workers := 1 + x.IntN(4); x.sought.draws(2, x.Rand, "Workers") && x.offers(o, "Workers(%d)", workers) {
		e.list = append(e.list, extsort.Workers(workers))
	}
	if bytes := int64(40<<10 + x.IntN(24<<10)<<x.IntN(7)); (x.IntN(4) > 0 || x.sought.has("option", "MemoryLimit")) && x.offers(o, "MemoryLimit(%d)", bytes) {
		o.limited = true
		e.list = append(e.list, extsort.MemoryLimit(bytes))
	}
	if c := extsort.Compression(x.IntN(4)); x.sought.draws(3, x.Rand, "Compress") && x.offers(o, "Compress(%d)", c) {
		o.limited = true
		e.list = append(e.list, extsort.Compress(c))
	}
	if x.sought.draws(4, x.Rand, "Unique") && x.offers(o, "Unique()") {
		e.unique = true
		e.list = append(e.list, extsort.Unique())
	}
	if k := 1 + x.IntN(n+1); x.sought.draws(4, x.Rand, "Limit") && x.offers(o, "Limit(%d)", k) {
		e.most = k
		e.list = append(e.list, extsort.Limit(int64(k)))
	}
	x.drawMeans(o)
	if ctx := x.drawFault(o, n, len(x.cols)); ctx != nil {
		e.list = append(e.list, extsort.WithContext(ctx))
	}
	x.optionsDrawn = o
	return e
}

// result is what rows, in order, become.
func (e *externalDrawn) result(rows []int, compare func(a, b int) int) []int {
	if e.unique {
		rows = slices.CompactFunc(slices.Clone(rows), func(a, b int) bool { return compare(a, b) == 0 })
	}
	return atMost(e.most, rows)
}

func checkDrawnExternal(x *drawnCall) {
	by := sorter.By(x.columns(x.cols)...)
	checkExternal(x, func(opts ...extsort.Option) (*extsort.Sorter[int], error) { return extsort.New(by, opts...) }, self, self)
}

func checkDrawnCoded(x *drawnCall) {
	x.elementColumns("elements with pointers")
	by := sorter.By(mapped(x.cols, drawnColumn.carried)...)
	checkExternal(x, func(opts ...extsort.Option) (*extsort.Sorter[carried], error) {
		return extsort.NewCoded(by, extsort.Codec[carried](carriedCodec{}), opts...)
	}, carry, rowOf)
}

// carriedCodec has encodings of any length, of which row 0 has none.
type carriedCodec struct{}

func (carriedCodec) Append(dst []byte, e carried) ([]byte, error) {
	row := rowOf(e)
	if row == 0 {
		return dst, nil
	}
	dst = binary.AppendUvarint(dst, uint64(row))
	long := row * 7 % 30
	if row%97 == 0 {
		long = 500
	}
	return append(dst, make([]byte, long)...), nil
}

func (carriedCodec) Decode(src []byte) (carried, error) {
	row, n := binary.Uvarint(src)
	if n <= 0 && len(src) > 0 {
		return carried{}, errors.New("no row")
	}
	return carry(int(row)), nil
}

func checkDrawnStructs(x *drawnCall) {
	by, ok := x.byFields().(orderingOf[fielded])
	if !ok {
		x.skip()
		return
	}
	checkExternal(x, func(opts ...extsort.Option) (*extsort.Sorter[fielded], error) {
		return extsort.NewStruct(by.by, opts...)
	}, by.of, by.row)
}

// checkExternal appends rows, and reads them in order.
func checkExternal[E any](x *drawnCall, open func(...extsort.Option) (*extsort.Sorter[E], error), of func(row int) E, row func(E) int) {
	rows := x.drawRows()
	e := x.drawExternal(len(rows))
	dir, err := os.MkdirTemp("", "drawn")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	e.list = append(e.list, extsort.TempDir(dir))
	batches, way := x.batches(rows), x.IntN(4)
	x.note("way %d", way)
	got, err := called(x, func() (got []int, err error) {
		s, err := open(e.list...)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		for _, batch := range batches {
			if err := s.Append(mapped(batch, of)...); err != nil {
				return nil, err
			}
		}
		for batch, err := range outputOf(x, s, way) {
			if err != nil {
				return nil, err
			}
			got = append(got, mapped(batch, row)...)
		}
		return got, nil
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		x.fail("%d files are left, error %v", len(left), err)
	}
	if !x.failed(err) {
		x.same("", got, e.result(x.stableOf(rows, oracle.Order{}), x.compare(oracle.Order{})))
	}
}

// outputOf reads what is in order by one of the ways that there are.
func outputOf[E any](x *drawnCall, s *extsort.Sorter[E], way int) iter.Seq2[[]E, error] {
	switch way {
	case 0:
		return extsort.Elements(s.All())
	case 1, 2:
		return s.Batches()
	}
	return func(yield func([]E, error) bool) {
		parts, err := s.Parts(1 + x.IntN(9))
		if err != nil {
			yield(nil, err)
			return
		}
		for _, p := range parts {
			for batch, err := range p.Batches() {
				if !yield(batch, err) {
					return
				}
			}
		}
	}
}

// streamOf is a stream of rows in batches, whose memory is used again.
func (x *drawnCall) streamOf(rows []int) iter.Seq2[[]int, error] {
	batches := x.batches(rows)
	return func(yield func([]int, error) bool) {
		var memory []int
		for _, batch := range batches {
			memory = append(memory[:0], batch...)
			if !yield(memory, nil) {
				return
			}
		}
	}
}

// collected reads a stream of rows.
func collected(in iter.Seq2[[]int, error]) (rows []int, err error) {
	for batch, err := range in {
		if err != nil {
			return nil, err
		}
		rows = append(rows, batch...)
	}
	return rows, nil
}

func checkDrawnExternalMerge(x *drawnCall) {
	by := sorter.By(x.columns(x.cols)...)
	runs := atMost(50, x.drawRuns())
	want := slices.Concat(runs...)
	testkit.SortStable(want, x.compare(oracle.Order{}))
	e := x.drawExternal(len(want))
	if x.sought.draws(3, x.Rand, "Eager") && x.offers(x.optionsDrawn, "Eager()") {
		e.list = append(e.list, extsort.Eager())
	}
	sources := mapped(runs, x.streamOf)
	got, err := called(x, func() ([]int, error) { return collected(extsort.Merge(by, sources, e.list...)) })
	if !x.failed(err) {
		x.same("", got, e.result(want, x.compare(oracle.Order{})))
	}
}

// checkDrawnIncremental sorts rows that are in order by the first columns.
func checkDrawnIncremental(x *drawnCall) {
	k := x.IntN(len(x.cols) + 1)
	x.note("in order by %d columns", k)
	cols := x.columns(x.cols)
	have, then := sorter.By(cols[:k]...), sorter.By(cols[k:]...)
	rows := x.drawRows()
	testkit.SortStable(rows, compareInTurn(compares(x.cols[:k], oracle.Order{})))
	e := x.drawExternal(len(rows))
	in := x.streamOf(rows)
	got, err := called(x, func() ([]int, error) { return collected(extsort.Incremental(have, then, in, e.list...)) })
	if !x.failed(err) {
		x.same("", got, e.result(x.stableOf(rows, oracle.Order{}), x.compare(oracle.Order{})))
	}
}
