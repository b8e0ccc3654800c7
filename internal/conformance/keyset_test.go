package conformance_test

import (
	"errors"
	"iter"
	"reflect"
	"slices"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/perm"
)

// keySet is an input: keys of one type, which is hidden. Its methods are the
// verbs of the library on rows that have these keys, by position.
type keySet interface {
	len() int
	hasNaNs() bool
	show(row int) any
	compare(o oracle.Order) func(a, b int) int
	onKey(f func(row int)) // calls f with every call of the key function

	sort(rows []int, opts ...sorter.Option) error
	argsort(rows []int, opts ...sorter.Option) (perm.Perm, error)
	topK(rows []int, k int, opts ...sorter.Option) error
	merge(dst, a, b []int, opts ...sorter.Option) error
	mergeRuns(dst []int, runs [][]int, opts ...sorter.Option) error
	isSorted(rows []int, opts ...sorter.Option) bool
	groups(rows []int) iter.Seq[[]int]

	// search looks for key i of targets in rows, and wantSearch is the answer
	// of slices.BinarySearchFunc.
	search(rows []int, targets keySet, i int) (at int, found bool)
	wantSearch(rows []int, targets keySet, i int) (at int, found bool)

	// The verbs on the keys themselves work on a copy and return it.
	sortKeys(opts ...sorter.Option) (keySet, error)
	sortPairs(opts ...sorter.Option) (keys keySet, values []uint32, err error)
	topKeys(k int, opts ...sorter.Option) (keySet, error)
	orderKeys(opts ...sorter.Option) (left keySet, p perm.Perm, err error)
	orderRows(opts ...sorter.Option) (perm.Perm, error)

	// diff names the first key that is not that of rows, bit for bit.
	diff(keys keySet, rows []int) string
	// outOfOrder returns the first position whose key is below the one before,
	// -1 if there is none.
	outOfOrder(o oracle.Order) int
	// sum is a checksum of the bits of all keys, in whatever order.
	sum() uint64
}

// keysOf is a keySet of K.
type keysOf[K sorter.Key] struct {
	keys   []K
	order  func(oracle.Order) func(a, b K) int
	called func(row int)
}

func (s *keysOf[K]) key(row int) K {
	if s.called != nil {
		s.called(row)
	}
	return s.keys[row]
}

func (s *keysOf[K]) len() int { return len(s.keys) }

func (s *keysOf[K]) show(row int) any { return s.keys[row] }

func (s *keysOf[K]) onKey(f func(row int)) { s.called = f }

func (s *keysOf[K]) hasNaNs() bool {
	t := reflect.TypeFor[K]()
	if t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
}

func (s *keysOf[K]) compare(o oracle.Order) func(a, b int) int {
	compare := s.order(o)
	return func(a, b int) int { return compare(s.keys[a], s.keys[b]) }
}

func (s *keysOf[K]) sort(rows []int, opts ...sorter.Option) error {
	return sorter.Sort(rows, s.key, opts...)
}

func (s *keysOf[K]) argsort(rows []int, opts ...sorter.Option) (perm.Perm, error) {
	return sorter.Order(rows, s.key, opts...)
}

func (s *keysOf[K]) topK(rows []int, k int, opts ...sorter.Option) error {
	return sorter.TopK(rows, k, s.key, opts...)
}

func (s *keysOf[K]) merge(dst, a, b []int, opts ...sorter.Option) error {
	return sorter.Merge(dst, [][]int{a, b}, s.key, opts...)
}

func (s *keysOf[K]) mergeRuns(dst []int, runs [][]int, opts ...sorter.Option) error {
	return sorter.Merge(dst, runs, s.key, opts...)
}

func (s *keysOf[K]) isSorted(rows []int, opts ...sorter.Option) bool {
	return sorter.IsSorted(rows, s.key, opts...)
}

func (s *keysOf[K]) groups(rows []int) iter.Seq[[]int] { return sorter.Groups(rows, s.key) }

func (s *keysOf[K]) search(rows []int, targets keySet, i int) (int, bool) {
	return sorter.Search(rows, s.key, targets.(*keysOf[K]).keys[i])
}

func (s *keysOf[K]) wantSearch(rows []int, targets keySet, i int) (int, bool) {
	compare := s.order(oracle.Order{})
	return slices.BinarySearchFunc(rows, targets.(*keysOf[K]).keys[i], func(row int, target K) int {
		return compare(s.keys[row], target)
	})
}

func (s *keysOf[K]) with(keys []K) keySet { return &keysOf[K]{keys: keys, order: s.order} }

func (s *keysOf[K]) sortKeys(opts ...sorter.Option) (keySet, error) {
	keys, outside := guarded(s.keys, len(s.keys)+len(opts))
	err := sorter.SortKeys(keys, opts...)
	return s.with(keys), errors.Join(err, outside())
}

func (s *keysOf[K]) sortPairs(opts ...sorter.Option) (keySet, []uint32, error) {
	keys, outsideKeys := guarded(s.keys, len(s.keys)+len(opts))
	values, outsideValues := guarded([]uint32(perm.Identity(len(s.keys))), len(s.keys))
	err := sorter.SortPairs(keys, values, opts...)
	return s.with(keys), values, errors.Join(err, outsideKeys(), outsideValues())
}

// topKeys returns the first k keys of the order.
func (s *keysOf[K]) topKeys(k int, opts ...sorter.Option) (keySet, error) {
	keys, outside := guarded(s.keys, len(s.keys)+len(opts))
	before := s.sum()
	err := sorter.TopKeys(keys, k, opts...)
	if s.with(keys).sum() != before {
		err = errors.Join(err, errors.New("keys were lost"))
	}
	return s.with(keys[:min(k, len(keys))]), errors.Join(err, outside())
}

func (s *keysOf[K]) orderKeys(opts ...sorter.Option) (keySet, perm.Perm, error) {
	keys := slices.Clone(s.keys)
	p, err := sorter.OrderKeys(keys, opts...)
	return s.with(keys), p, err
}

func (s *keysOf[K]) orderRows(opts ...sorter.Option) (perm.Perm, error) {
	return sorter.RowsBy(len(s.keys), sorter.AscOf(s.keys)).Order(opts...)
}

func (s *keysOf[K]) diff(keys keySet, rows []int) string {
	want := mapped(rows, func(i int) K { return s.keys[i] })
	return oracle.Diff(keys.(*keysOf[K]).keys, want, oracle.Same[K])
}

func (s *keysOf[K]) outOfOrder(o oracle.Order) int {
	compare := s.order(o)
	for i := 1; i < len(s.keys); i++ {
		if compare(s.keys[i-1], s.keys[i]) > 0 {
			return i
		}
	}
	return -1
}

func (s *keysOf[K]) sum() uint64 {
	sum := uint64(0)
	for _, k := range s.keys {
		sum += oracle.Hash(k)
	}
	return sum
}
