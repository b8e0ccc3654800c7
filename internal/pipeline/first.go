package pipeline

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/selection"
	"example.com/sorter/internal/small"
	"example.com/sorter/perm"
)

// First rows of an order as numbers: nothing moves.

// FirstByColumns returns the numbers of the first k elements of s by the columns of an ordering.
func FirstByColumns(by *small.Ordering, s cpu.Payload, k int, o *call.Options) ([]uint32, error) {
	if own := *o; by.Len() > 0 && isSmall(o, s.Len()) {
		var first []uint32
		if selection.FirstFewBy(by.Columns(), s.Len(), k, extract.Batch{Block: s.Raw()}, o, copyTo(&first)) {
			return first, nil
		}
		own.Into, own.Marks = nil, nil
		return frontCopy(k)(by.Order(s, &own))
	}
	return firstOf(by.Columns(), extract.InputOf(s), k, *o)
}

// FirstRows returns the first k of the rows 0 … n-1 by columns of row numbers, which it changes.
func FirstRows(cols []extract.Column, n, k int, o *call.Options) ([]uint32, error) {
	extract.ForRows(cols, n)
	if own := *o; len(cols) > 0 && isSmall(o, n) {
		var first []uint32
		if selection.FirstFewBy(cols, n, k, extract.Batch{}, o, copyTo(&first)) {
			return first, nil
		}
		own.Into, own.Marks = nil, nil
		return frontCopy(k)(small.OrderRows(cols, n, &own))
	}
	return firstOf(cols, extract.RowNumbers(n), k, *o)
}

// copyTo returns what copies numbers to new memory.
func copyTo(dst *[]uint32) func(first []uint32) {
	return func(first []uint32) { *dst = append(make([]uint32, 0, len(first)), first...) }
}

// frontCopy returns what copies the first k rows of an order, without the memory of the others.
func frontCopy(k int) func(p perm.Perm, err error) ([]uint32, error) {
	return func(p perm.Perm, err error) ([]uint32, error) {
		if err != nil || k >= len(p) {
			return p, err
		}
		return append(make([]uint32, 0, k), p[:k]...), nil
	}
}

// firstOf returns the numbers of the first k rows.
func firstOf(cols []extract.Column, rows extract.Input, k int, o call.Options) ([]uint32, error) {
	r, err := begin(o, rows.Len)
	defer r.end()
	if err == nil && rows.Len > maxPositions {
		err = tooLong(rows.Len)
	}
	if err != nil {
		return nil, err
	}
	r.spareCodes(rows, cols)
	words := extract.Words(cols, o.Order())
	k, r.most, rows.Arena = min(k, rows.Len), 0, &r.Arena
	if err := addressable(k, 4); err != nil {
		return nil, err
	}
	all := make([]uint32, k)
	if len(words) == 0 || k == 0 {
		return all, orderTo(r, rows, nil, all)
	}
	first, err := firstRows(r, rows, k, words)
	if err != nil {
		return nil, err
	}
	copy(all, first)
	return all, nil
}
