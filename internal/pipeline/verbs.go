package pipeline

import (
	"slices"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Each verb of the public package is served by the small path, or by a run.

// Sort sorts s by the keys, of a given kind, of a getter.
func Sort(k sortkey.Kind, s cpu.Payload, get column.Getter, o *call.Options) error {
	if IsSmall(o, s.Len()) {
		return small.SortWith(k, s, get, o)
	}
	return SortRows([]extract.Column{extract.ColumnAs(k, get)}, s, *o)
}

// SortByColumns sorts s by the columns of an ordering.
func SortByColumns(by *small.Ordering, s cpu.Payload, o *call.Options) error {
	if by.Len() > 0 && IsSmall(o, s.Len()) {
		return by.Sort(s, o)
	}
	return SortRows(by.Columns(), s, *o)
}

// SortKeys sorts keys that are the elements themselves.
func SortKeys[K sortkey.Key](keys []K, o *call.Options) error {
	if IsSmall(o, len(keys)) {
		return small.SortKeysWith(sortkey.KindOf[K](), cpu.PayloadOf(keys), o)
	}
	return do(*o, len(keys), func(r *Request) error { return sortKeysIn(r, keys) })
}

// SortPairs sorts keys, and values with them.
func SortPairs[K sortkey.Key, V any](keys []K, values []V, o *call.Options) error {
	if IsSmall(o, len(keys)) {
		return small.SortPairsWith(sortkey.KindOf[K](), cpu.PayloadOf(keys), cpu.PayloadOf(values), o)
	}
	return do(*o, len(keys), func(r *Request) error { return sortPairsIn(r, keys, values) })
}

// Order returns the order of s by the keys of a getter, or by elements that are keys for none.
func Order(k sortkey.Kind, s cpu.Payload, get column.Getter, o *call.Options) (perm.Perm, error) {
	if IsSmall(o, s.Len()) {
		return small.OrderWith(k, s, get, o)
	}
	return orderOf([]extract.Column{extract.ColumnAs(k, get)}, extract.InputOf(s), *o)
}

// OrderByColumns returns the order of s by the columns of an ordering.
func OrderByColumns(by *small.Ordering, s cpu.Payload, o *call.Options) (perm.Perm, error) {
	if by.Len() > 0 && IsSmall(o, s.Len()) {
		return by.Order(s, o)
	}
	return orderOf(by.Columns(), extract.InputOf(s), *o)
}

// OrderRows returns the order of the rows 0 … n-1 by columns of row numbers, which it
// changes.
func OrderRows(cols []extract.Column, n int, o *call.Options) (perm.Perm, error) {
	extract.ForRows(cols, n)
	if len(cols) > 0 && IsSmall(o, n) {
		return small.OrderRows(cols, n, o)
	}
	return orderOf(slices.Clone(cols), extract.RowNumbers(n), *o) // cols are on the caller's stack
}

// OrderSelected reorders numbers of the rows 0 … n-1 by columns, which it changes.
func OrderSelected(cols []extract.Column, rows []uint32, n int, o *call.Options) error {
	n = extract.ForSelected(cols, rows, n)
	if len(cols) > 0 && IsSmall(o, len(rows)) {
		return small.OrderSelected(cols, rows, o)
	}
	return orderSelected(slices.Clone(cols), rows, n, *o)
}
