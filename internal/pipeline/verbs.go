package pipeline

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Each verb of the public package is served by the small path, or by a run.

// Sort sorts s by the keys of a getter.
func Sort[K sortkey.Key](s cpu.Payload, get extract.Getter, o *call.Options) error {
	if small.Serves(o, s.Len()) {
		return small.SortWith[K](s, get, o)
	}
	return sortRows([]extract.Column{extract.ColumnOf[K](get)}, s, *o)
}

// SortByColumns sorts s by the columns of an ordering.
func SortByColumns(by small.Ordering, s cpu.Payload, o *call.Options) error {
	if by.Serves(s.Len(), o) {
		return by.Sort(s, o)
	}
	return sortRows(by.Cols, s, *o)
}

// SortKeys sorts keys that are the elements themselves.
func SortKeys[K sortkey.Key](keys []K, o *call.Options) error {
	if small.Serves(o, len(keys)) {
		return small.SortKeysWith(keys, o)
	}
	return sortKeys(keys, *o)
}

// SortPairs sorts keys, and values with them.
func SortPairs[K sortkey.Key, V any](keys []K, values []V, o *call.Options) error {
	if small.Serves(o, len(keys)) {
		return small.SortPairsWith(keys, values, o)
	}
	return sortPairs(keys, values, *o)
}

// Order returns the order of s by the keys of a getter.
func Order[K sortkey.Key](s cpu.Payload, get extract.Getter, o *call.Options) (perm.Perm, error) {
	if small.Serves(o, s.Len()) {
		return small.OrderWith[K](s, get, small.KeyFunction, o)
	}
	return orderOf([]extract.Column{extract.ColumnOf[K](get)}, extract.InputOf(s), *o)
}

// OrderKeys returns the order of keys that are the elements themselves.
func OrderKeys[K sortkey.Key](keys []K, o *call.Options) (perm.Perm, error) {
	s := cpu.PayloadOf(keys)
	if small.Serves(o, s.Len()) {
		return small.OrderWith[K](s, (*extract.OwnKeys[K])(nil), small.NoFunction, o)
	}
	return orderOf([]extract.Column{extract.Self[K]()}, extract.InputOf(s), *o)
}

// OrderByColumns returns the order of s by the columns of an ordering.
func OrderByColumns(by small.Ordering, s cpu.Payload, o *call.Options) (perm.Perm, error) {
	if by.Serves(s.Len(), o) {
		return by.Order(s, o)
	}
	return orderOf(by.Cols, extract.InputOf(s), *o)
}

// OrderN returns the order of the rows 0 … n-1 by columns of row numbers, which it
// changes.
func OrderN(cols []extract.Column, n int, o *call.Options) (perm.Perm, error) {
	for i, c := range cols {
		cols[i] = c.Key.ForRows(c, n)
	}
	if len(cols) > 0 && small.Serves(o, n) {
		return small.OrderRows(cols, n, o)
	}
	return orderOf(cols, extract.RowNumbers(n), *o)
}

// TopK moves the first k elements of s by the keys of a getter to the front, by front.
func TopK[K sortkey.Key](s cpu.Payload, k int, get extract.Getter, o *call.Options, front func(order []uint32)) error {
	if k > 0 && small.Serves(o, s.Len()) {
		return small.TopWith[K](s, k, get, small.KeyFunction, o, front)
	}
	return topRows([]extract.Column{extract.ColumnOf[K](get)}, s, k, *o, front)
}

// TopKeys is TopK of keys that are the elements themselves.
func TopKeys[K sortkey.Key](keys []K, k int, o *call.Options) error {
	s, front := cpu.PayloadOf(keys), FrontOf(keys)
	if k > 0 && small.Serves(o, s.Len()) {
		return small.TopWith[K](s, k, (*extract.OwnKeys[K])(nil), small.NoFunction, o, front)
	}
	return topRows([]extract.Column{extract.Self[K]()}, s, k, *o, front)
}

// TopKByColumns is TopK by the columns of an ordering.
func TopKByColumns(by small.Ordering, s cpu.Payload, k int, o *call.Options, front func(order []uint32)) error {
	if k > 0 && by.Serves(s.Len(), o) {
		return by.Top(s, k, o, front)
	}
	return topRows(by.Cols, s, k, *o, front)
}
