package pipeline

import (
	"slices"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/selection"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Each verb of the public package is served by the small path, or by a run.

// Sort sorts s by the keys, of a given kind, of a getter.
func Sort(k sortkey.Kind, s cpu.Payload, get column.Getter, o *call.Options) error {
	if isSmall(o, s.Len()) {
		return small.SortWith(k, s, get, o)
	}
	return sortRows([]extract.Column{extract.ColumnAs(k, get)}, s, *o)
}

// SortByColumns sorts s by the columns of an ordering.
func SortByColumns(by *small.Ordering, s cpu.Payload, o *call.Options) error {
	if by.Len() > 0 && isSmall(o, s.Len()) {
		return by.Sort(s, o)
	}
	return sortRows(by.Columns(), s, *o)
}

// SortKeys sorts keys that are the elements themselves.
func SortKeys[K sortkey.Key](keys []K, o *call.Options) error {
	if isSmall(o, len(keys)) {
		return small.SortKeysWith(sortkey.KindOf[K](), cpu.PayloadOf(keys), o)
	}
	return sortKeys(keys, *o)
}

// SortPairs sorts keys, and values with them.
func SortPairs[K sortkey.Key, V any](keys []K, values []V, o *call.Options) error {
	if isSmall(o, len(keys)) {
		return small.SortPairsWith(sortkey.KindOf[K](), cpu.PayloadOf(keys), cpu.PayloadOf(values), o)
	}
	return sortPairs(keys, values, *o)
}

// Order returns the order of s by the keys of a getter.
func Order(k sortkey.Kind, s cpu.Payload, get column.Getter, o *call.Options) (perm.Perm, error) {
	if isSmall(o, s.Len()) {
		return small.OrderWith(k, s, get, small.KeyFunction, o)
	}
	return orderOf([]extract.Column{extract.ColumnAs(k, get)}, extract.InputOf(s), *o)
}

// OrderKeys returns the order of keys that are the elements themselves.
func OrderKeys(k sortkey.Kind, s cpu.Payload, o *call.Options) (perm.Perm, error) {
	if isSmall(o, s.Len()) {
		return small.OrderWith(k, s, column.Own(k), small.NoFunction, o)
	}
	return orderOf([]extract.Column{extract.SelfAs(k)}, extract.InputOf(s), *o)
}

// OrderByColumns returns the order of s by the columns of an ordering.
func OrderByColumns(by *small.Ordering, s cpu.Payload, o *call.Options) (perm.Perm, error) {
	if by.Len() > 0 && isSmall(o, s.Len()) {
		return by.Order(s, o)
	}
	return orderOf(by.Columns(), extract.InputOf(s), *o)
}

// OrderRows returns the order of the rows 0 … n-1 by columns of row numbers, which it
// changes.
func OrderRows(cols []extract.Column, n int, o *call.Options) (perm.Perm, error) {
	extract.ForRows(cols, n)
	if len(cols) > 0 && isSmall(o, n) {
		return small.OrderRows(cols, n, o)
	}
	return orderOf(slices.Clone(cols), extract.RowNumbers(n), *o) // cols are on the caller's stack
}

// OrderSelected reorders numbers of the rows 0 … n-1 by columns, which it changes.
func OrderSelected(cols []extract.Column, rows []uint32, n int, o *call.Options) error {
	n = extract.ForSelected(cols, rows, n)
	if len(cols) > 0 && isSmall(o, len(rows)) {
		return small.OrderSelected(cols, rows, o)
	}
	return orderSelected(slices.Clone(cols), rows, n, *o)
}

// TopK moves the first n elements of s by the keys, of a given kind, of a getter to the
// front, by front.
func TopK(k sortkey.Kind, s cpu.Payload, n int, get column.Getter, o *call.Options, front func(order []uint32)) error {
	if n > 0 && isSmall(o, s.Len()) {
		if selection.FirstFew(k, s, n, get, o, front) {
			return nil
		}
		return small.TopWith(k, s, n, get, small.KeyFunction, o, front)
	}
	return topRows([]extract.Column{extract.ColumnAs(k, get)}, s, n, *o, front)
}

// TopKeys is TopK of keys that are the elements themselves.
func TopKeys(k sortkey.Kind, s cpu.Payload, n int, o *call.Options, front func(order []uint32)) error {
	if n > 0 && isSmall(o, s.Len()) {
		if selection.FirstFew(k, s, n, nil, o, front) {
			return nil
		}
		return small.TopWith(k, s, n, column.Own(k), small.NoFunction, o, front)
	}
	return topRows([]extract.Column{extract.SelfAs(k)}, s, n, *o, front)
}

// TopKByColumns is TopK by the columns of an ordering.
func TopKByColumns(by *small.Ordering, s cpu.Payload, k int, o *call.Options, front func(order []uint32)) error {
	if k > 0 && by.Len() > 0 && isSmall(o, s.Len()) {
		if selection.FirstFewBy(by.Columns(), s.Len(), k, extract.Batch{Block: s.Raw()}, o, front) {
			return nil
		}
		return by.Top(s, k, o, front)
	}
	return topRows(by.Columns(), s, k, *o, front)
}
