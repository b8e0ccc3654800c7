package sorter

import (
	"fmt"
	"iter"
	"sort"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/pipeline/ranked"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// Sort sorts s by key in ascending order. It calls key exactly once per element, of a single one at most once.
//
// It is stable on the CPU, and on every engine with [Stable].
//
// It takes time proportional to the length of s times the bytes in which codes differ:
// codes are radix-sorted in buckets that fit the cache, and elements move with them.
// Strings and byte slices of which n tie on their first bytes take O(bytes read +
// n log n) expected time. Scratch is about two codes (4 or 8 bytes each) and one element
// per element; ALGORITHMS.md has a table. [MemoryLimit] bounds it.
//
// Calls on different slices may run concurrently. Where s is large, several goroutines
// call key at a time; of up to 4096 elements only the caller's does. key must not change s.
//
// More than 2^32-1 elements are copied. Chunks of the copy are sorted and merged, see
// [Merge]. Then key is called twice per element, scratch is one element and one code
// more, and there is no sort in place.
//
// It panics if key is nil, and with key's own value if key panics. Without
// [On], [Use], [WithContext] and [MemoryLimit] the only error is [ErrTooLong], if scratch
// memory cannot be addressed. After an error or a panic s is as it was.
//
// The algorithm is the bucket sort of Chen et al., "An efficient sorting
// algorithm with CUDA" (2009), recast for caches.
func Sort[E any, K Key](s []E, key func(E) K, opts ...Option) error {
	if key == nil {
		panic("sorter: nil key function")
	}
	if isPlain(opts, len(s)) { // options take as long as a few elements
		return small.Sort(sortkey.KindOf[K](), cpu.PayloadOf(s), column.Func[E, K](key), sortkey.Order{}, nil)
	}
	var o config
	return pipeline.Sort(sortkey.KindOf[K](), cpu.PayloadOf(s), column.Func[E, K](key), apply(&o, opts))
}

// SortKeys sorts keys, which are the elements themselves, in ascending order. Every key
// keeps its bits, those of NaNs and negative zeros included.
//
// Without [Stable], −0 comes before +0, and NaNs are ordered by their bits: those without a sign
// ascend, then those with one descend. [Descending] turns both around. With Stable, they keep their input order.
//
// Numbers and bools take one code (4 or 8 bytes) of scratch each, or two where up to
// 2^20 of them crowd, and integers of a narrow range are counted instead of moved. Under a smaller [MemoryLimit] they are
// sorted in place, by comparison on the calling goroutine and to the end, whatever
// [WithContext] says; with [Use] of BucketRadix or IndexGather as [Sort] sorts. Everything else said of [Sort] holds.
func SortKeys[K Key](keys []K, opts ...Option) error {
	if isPlain(opts, len(keys)) {
		return small.SortKeys(sortkey.KindOf[K](), cpu.PayloadOf(keys), sortkey.Order{}, false, nil)
	}
	var o config
	return pipeline.SortKeys(keys, apply(&o, opts))
}

// SortPairs sorts keys in ascending order and reorders values with them. Every key keeps
// its bits, those of NaNs and negative zeros included.
//
// It is stable where [Sort] is, except for floats without [Stable]: then −0 may come
// before +0, and NaNs be ordered by their bits.
//
// Values of up to 128 bytes move with the codes of keys of up to 64 bits, and the sorted
// keys are decoded from the codes. Where keys are in order already, values are not read.
// Scratch is one code (4 or 8 bytes) and one value per pair. Other pairs are gathered
// through an index and take more, see ALGORITHMS.md: wider keys, larger values, vectors
// of two floats, and with [Stable] floats that are equal but differ in their bits. Under
// a smaller [MemoryLimit] both slices are sorted in place, through an index.
//
// It panics if the lengths differ or the slices share memory. Everything else said of
// [Sort] holds for both slices.
func SortPairs[K Key, V any](keys []K, values []V, opts ...Option) error {
	if len(keys) != len(values) {
		panic(fmt.Sprintf("sorter: %d keys with %d values", len(keys), len(values)))
	}
	if stream.Overlap(keys, values) {
		panic("sorter: keys and values share memory")
	}
	if isPlain(opts, len(keys)) {
		return small.SortPairs(sortkey.KindOf[K](), cpu.PayloadOf(keys), cpu.PayloadOf(values), sortkey.Order{}, nil)
	}
	var o config
	return pipeline.SortPairs(keys, values, apply(&o, opts))
}

// Order returns the permutation that sorts s by key (argsort), and leaves s alone. The position
// in s of the element that comes i-th is p[i]. Apply it with [perm.Gather] or [perm.Apply]. It is
// in new memory, or in that of [Into].
//
// Scratch is two codes (4 or 8 bytes each) and one index (4 bytes) per element. The error is
// [ErrTooLong] for more than 2^32-1 elements. Everything else said of [Sort] holds.
func Order[E any, K Key](s []E, key func(E) K, opts ...Option) (perm.Perm, error) {
	if key == nil {
		panic("sorter: nil key function")
	}
	if isPlain(opts, len(s)) {
		p := make(perm.Perm, len(s))
		return p, small.Order(sortkey.KindOf[K](), p, cpu.PayloadOf(s), column.Func[E, K](key), sortkey.Order{}, nil)
	}
	var o config
	return pipeline.Order(sortkey.KindOf[K](), cpu.PayloadOf(s), column.Func[E, K](key), apply(&o, opts))
}

// OrderKeys returns the permutation that sorts keys and leaves keys alone: [Order] of
// elements that are their own keys.
func OrderKeys[K Key](keys []K, opts ...Option) (perm.Perm, error) {
	var o config
	return pipeline.Order(sortkey.KindOf[K](), cpu.PayloadOf(keys), nil, apply(&o, opts))
}

// TopK moves the first k elements of the order to the front of s, in order. The others
// follow in an order that is deterministic but otherwise unspecified. With k >= len(s)
// it sorts s.
//
// The selection is stable: among equal keys, earlier elements are taken and come first.
//
// It takes time proportional to n + k log k: while codes are extracted it drops elements
// that cannot be among the first k. Scratch is about 32 bytes per selected element for
// each worker, more for wide keys and several columns, see ALGORITHMS.md. For k above
// n/32, or n/16 divided by the workers, it takes the time and the scratch of [Order].
//
// With k = 0 it calls no key function. It panics if key is nil or k is negative. Everything else said of [Sort] holds, but
// with k up to that it runs on the CPU, whatever [On] says.
func TopK[E any, K Key](s []E, k int, key func(E) K, opts ...Option) error {
	if key == nil {
		panic("sorter: nil key function")
	}
	if k > 0 && isPlain(opts, len(s)) {
		return small.Top(sortkey.KindOf[K](), cpu.PayloadOf(s), k, column.Func[E, K](key), sortkey.Order{}, ranked.FrontOf(s), nil)
	}
	var o config
	return ranked.TopK(sortkey.KindOf[K](), cpu.PayloadOf(s), k, column.Func[E, K](key), apply(&o, opts), ranked.FrontOf(s))
}

// TopKeys moves the first k keys of the order to the front of keys, in order: [TopK] of
// elements that are their own keys. Every key keeps its bits.
func TopKeys[K Key](keys []K, k int, opts ...Option) error {
	var o config
	return ranked.TopK(sortkey.KindOf[K](), cpu.PayloadOf(keys), k, nil, apply(&o, opts), ranked.FrontOf(keys))
}

// Merge merges runs, any number of slices that are sorted by key, into dst. If a run is not sorted,
// the elements come in an unspecified order. It calls key exactly once per element.
//
// It is stable: of elements that tie, those of earlier runs come first.
//
// It takes time proportional to len(dst), whatever the number of runs up to 4096; for wide
// keys that tie on their first bytes it grows by a comparison each time the number of runs
// doubles. Scratch is one code (4 or 8 bytes) per element, more for wide keys and several
// columns, and about 1 MB per worker, or less under a [MemoryLimit]; the least is one code
// per element. More runs than 4096 are copied and sorted, which takes the scratch of [Sort]
// and one element per element.
//
// Calls with different dst may run concurrently, also on the same runs. Several goroutines
// call key at a time. It runs on the CPU, whatever [On] says. Of the ranges of keys that
// workers sort, those with elements of one run only, and those whose runs follow each other,
// are copied.
//
// It panics if key is nil, unless len(dst) is the length of all runs together, and if dst
// overlaps a run. Other errors are those of [Sort]. dst is untouched until all keys are
// extracted: after an error, or a panic of key, it is as it was.
//
// The algorithm cuts the runs at samples of their keys and sorts each range again, like the
// sorted run merger of DuckDB (2025).
func Merge[E any, K Key](dst []E, runs [][]E, key func(E) K, opts ...Option) error {
	if key == nil {
		panic("sorter: nil key function")
	}
	return mergeAll([]extract.Column{extract.ColumnOf[K](column.Func[E, K](key))}, dst, runs, opts)
}

// mergeAll merges runs by cols.
func mergeAll[E any](cols []extract.Column, dst []E, runs [][]E, opts []Option) error {
	var few [8]cpu.Payload // more are allocated
	all := few[:0]
	for _, s := range runs {
		all = append(all, cpu.PayloadOf(s))
	}
	var o config
	return pipeline.Merge(cols, cpu.PayloadOf(dst), all, twoFrom(twos[E]{}), apply(&o, opts))
}

// twos has the merge of two runs of elements of type E. A method of [Ordering] that named [ranges.TwoOf]
// would make it part of every program with an Ordering, 8 KB per type of elements: the linker keeps the types
// that any method names. It drops the method two where no [twoFrom] calls it.
type twos[E any] struct{}

func (twos[E]) two() ranges.Two { return ranges.TwoOf[E]{} }

//go:noinline
func twoFrom(t interface{ two() ranges.Two }) ranges.Two { return t.two() }

// IsSorted reports whether s is in the order that [Sort] would give it, up to the order
// of equal keys.
//
// It calls key at most once per element, on the calling goroutine, and stops at the first element
// out of order. It takes no scratch. Of the options, [Descending], [NaNsFirst], [NaNsLast] and
// [TotalOrder] matter. [WithContext] does not: there is no error to return, and false would be an
// answer. It panics if key is nil.
func IsSorted[E any, K Key](s []E, key func(E) K, opts ...Option) bool {
	if key == nil {
		panic("sorter: nil key function")
	}
	var o config
	apply(&o, opts)
	compare := sortkey.Comparator[K](o.Order())
	var last K
	for i, e := range s {
		k := key(e)
		if i > 0 && compare(last, k) > 0 {
			return false
		}
		last = k
	}
	return true
}

// Search returns the first position in s, sorted ascending by key, whose key is not
// below target, and whether the key there equals target. It is
// [slices.BinarySearchFunc] under the order of this package.
//
// It calls key about log2(len(s)) times, on the calling goroutine, and takes no scratch.
// It panics if key is nil. For other orders there is [Ordering.Search].
func Search[E any, K Key](s []E, key func(E) K, target K) (int, bool) {
	if key == nil {
		panic("sorter: nil key function")
	}
	compare := sortkey.Comparator[K](sortkey.Order{})
	return sort.Find(len(s), func(i int) int { return compare(target, key(s[i])) })
}

// Groups returns the runs of equal keys in s, in order. If s is sorted by key these are
// all groups, each once. The runs are parts of s, not copies, whose capacity is their
// length: append copies.
//
// It calls key once per element as far as the loop goes on, on the calling goroutine,
// and takes no scratch. It panics if key is nil.
func Groups[E any, K Key](s []E, key func(E) K) iter.Seq[[]E] {
	if key == nil {
		panic("sorter: nil key function")
	}
	compare := sortkey.Comparator[K](sortkey.Order{})
	return func(yield func([]E) bool) {
		from := 0
		var first K
		for i := range s {
			k := key(s[i])
			if i > from && compare(first, k) != 0 {
				if !yield(s[from:i:i]) {
					return
				}
				from = i
			}
			if i == from {
				first = k
			}
		}
		if from < len(s) {
			yield(s[from:len(s):len(s)])
		}
	}
}
