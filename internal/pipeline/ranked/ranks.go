// Package ranked is the calls that ask for some elements by their ranks: the first k, those of given ranks, and the first, or
// those of given ranks, of each partition.
package ranked

import (
	"slices"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/selection"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Rows of given ranks are selected, unless a sample or the selection finds that an order of all rows takes less time.

// NthByColumns returns the numbers of the elements of s of ranks ks, 0 <= ks[i] < s.Len(), by the
// columns of an ordering.
func NthByColumns(by *small.Ordering, s cpu.Payload, ks []int, o *call.Options) ([]uint32, error) {
	if by.Len() > 0 && pipeline.IsSmall(o, s.Len()) {
		return ranksFew(by.Columns(), s.Len(), ks, extract.Batch{Block: s.Raw()}, o, func() (perm.Perm, error) {
			own := alone(o)
			return by.Order(s, &own)
		})
	}
	return rowsOfRanks(by.Columns(), extract.InputOf(s), ks, *o)
}

// NthRows is NthByColumns of the rows 0 … n-1 by columns of row numbers, which it changes.
func NthRows(cols []extract.Column, n int, ks []int, o *call.Options) ([]uint32, error) {
	extract.ForRows(cols, n)
	if rows, ok := selection.RanksOfKeys(cols, extract.Input{Len: n, Numbered: true}, ks, o); ok {
		return rows, nil
	}
	if len(cols) > 0 && pipeline.IsSmall(o, n) {
		return ranksFew(cols, n, ks, extract.Batch{}, o, func() (perm.Perm, error) {
			own := alone(o)
			return small.OrderRows(cols, n, &own)
		})
	}
	return rowsOfRanks(cols, extract.RowNumbers(n), ks, *o)
}

// alone returns the options of an order of which few rows are a result.
func alone(o *call.Options) call.Options {
	own := *o
	own.Into, own.Marks = nil, nil
	return own
}

// mostShared is the number of rows whose order is memory for the rows that are picked from it, so
// that few take one allocation.
const mostShared = 16

// ranksFew returns the rows of ranks ks of a small call: those that are selected, or picked from an order, in memory of the
// order if that is small.
func ranksFew(cols []extract.Column, n int, ks []int, b extract.Batch, o *call.Options, order func() (perm.Perm, error)) ([]uint32, error) {
	if rows, ok := selection.RanksFew(cols, n, ks, b, o); ok {
		return rows, nil
	}
	p, err := order()
	if err != nil {
		return nil, err
	}
	var few [mostShared]uint32
	rows, all := []uint32(p), few[:]
	if len(p) <= mostShared && len(ks) <= len(p) {
		copy(all, p)
		rows = rows[:len(ks):len(ks)]
	} else {
		rows, all = make([]uint32, len(ks)), p
	}
	for i, k := range ks {
		rows[i] = all[k]
	}
	return rows, nil
}

// rowsOfRanks returns the numbers of the rows of ranks ks, 0 <= ks[i] < rows.Len.
func rowsOfRanks(cols []extract.Column, rows extract.Input, ks []int, o call.Options) ([]uint32, error) {
	numbers := slices.Clone(ks)
	if err := ranksOf(cols, rows, numbers, false, o); err != nil {
		return nil, err
	}
	picked := make([]uint32, len(ks))
	for i, row := range numbers {
		picked[i] = uint32(row)
	}
	return picked, nil
}

// ranksOf replaces each k of ks, 0 <= k < rows.Len, by the number of the row that comes k-th, or of one
// that ties with it if any is set.
func ranksOf(cols []extract.Column, rows extract.Input, ks []int, any bool, o call.Options) error {
	r, err := pipeline.Begin(o, rows.Len)
	defer r.End()
	if err == nil && rows.Len > pipeline.MaxPositions {
		err = pipeline.TooLong(rows.Len)
	}
	if err != nil || len(cols) == 0 || len(ks) == 0 {
		return err
	}
	r.SpareCodes(rows, cols)
	words := extract.Words(cols, o.Order())
	r.Most, rows.Arena = 0, &r.Arena
	err = r.Decide(pipeline.Facts{Verb: pipeline.ToFind, K: len(ks), Words: words, Sizes: []uintptr{rows.Slice.Size()}, Numbered: rows.Numbered})
	if err != nil {
		return err
	}
	if r.Plan.Movement == pipeline.InPlace {
		index := scratch.Take[uint32](&r.Arena, r.N)
		err := pipeline.OrderInPlace(r, rows, words, index)
		pickNumbers(ks, index)
		return err
	}
	words[0].Open(rows, &r.Env)
	if words[0].Bits <= 32 {
		return ranksBy(r, rows, words, ks, extract.Source32(rows, &words[0]), any)
	}
	return ranksBy(r, rows, words, ks, extract.Source64(rows, &words[0]), any)
}

// pickNumbers replaces each k of ks by the k-th number of an order.
func pickNumbers(ks []int, index []uint32) {
	for i, k := range ks {
		ks[i] = int(index[k])
	}
}

// ranksBy is ranksOf by the codes of a source.
func ranksBy[C sortkey.Code](r *pipeline.Request, rows extract.Input, words []extract.Word, ks []int, src cpu.Source[C], any bool) error {
	codes, done, err := selectRanks(r, rows, words, ks, src, any)
	if done || err != nil {
		return err
	}
	if codes != nil {
		words[0].Extracted = true
		src = func(dst []C, lo int) { copy(dst, codes[lo:]) }
	}
	index := scratch.Take[uint32](&r.Arena, r.N)
	if err = pipeline.OrderCodes(r, rows, words, index, src); err == nil {
		pickNumbers(ks, index)
	}
	return err
}

// KeysAt returns keys that hold at ks[i] the one that comes ks[i]-th, from 0, or one that ties with it. They are the given
// ones, and other ks, or a sorted copy.
func KeysAt[K sortkey.Key](keys []K, ks []int, o *call.Options) ([]K, error) {
	kind, s, own := sortkey.KindOf[K](), cpu.PayloadOf(keys), alone(o)
	if sorted, done, err := sortForRanks(keys, kind, s, len(ks), &own); done || err != nil {
		return sorted, err
	}
	cols := []extract.Column{extract.ColumnAs(kind, nil)}
	if rows, ok := selection.RanksOfKeys(cols, extract.InputOf(s), ks, &own); ok {
		for i, row := range rows {
			ks[i] = int(row)
		}
		return keys, nil
	}
	if pipeline.IsSmall(o, s.Len()) {
		rows, err := ranksFew(cols, s.Len(), ks, extract.Batch{Block: s.Raw()}, o, func() (perm.Perm, error) {
			return small.OrderWith(kind, s, nil, &own)
		})
		for i, row := range rows {
			ks[i] = int(row)
		}
		return keys, err
	}
	return keys, ranksOf(cols, extract.InputOf(s), ks, true, *o)
}

const (
	fewSorted   = 1 << 16 // keys, of which a copy is sorted for ranks that are not selected one by one
	leastAlone  = 512     // keys of which ranks are (Xeon, 2026-11-30, a median of 50 000 float64: 2.6 instead of 6.1 ns)
	valueSample = 256     // keys by whose codes sortsForRanks decides
)

// sortsForRanks reports whether a copy of keys of a kind, the elements themselves, is sorted for a
// number of ranks.
func sortsForRanks(kind sortkey.Kind, s cpu.Payload, ranks int, o *call.Options) bool {
	if !o.Free() {
		return false
	}
	switch {
	case ranks > selection.MostRanks:
		return true
	case s.Len() <= fewSorted:
		return s.Len() < leastAlone || !selection.SelectsFew(s.Len(), ranks)
	}
	var codes [valueSample]uint64
	keys, step := s.Raw(), s.Len()/valueSample
	for i := range codes {
		sortkey.EncodeAt(kind, codes[i:i+1], keys.At(i*step), sortkey.Order{})
	}
	slices.Sort(codes[:])
	return len(slices.Compact(codes[:])) <= valueSample/8
}
