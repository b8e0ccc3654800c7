package sorter

import (
	"fmt"
	"iter"
	"sort"

	"example.com/sorter/cpu"
	"example.com/sorter/perm"
)

// Sort reorders s so that key of its elements does not fall. The key function
// is called exactly once per element, from several goroutines at a time if s
// is large, and must not change s.
//
// It is stable on the CPU, and on every engine with [Stable]. It takes time
// proportional to the length of s times the bytes of a code that differ: the
// codes are sorted by radix, and elements move through buckets that fit the
// cache. For strings and byte slices of which n tie on their first bytes it takes
// O(bytes read + n log n) expected time; no byte of a common prefix is read again once
// strings are known to share it. Scratch is two codes (4 or 8 bytes each) and one element per element,
// two indices (4 bytes each) more where keys are wider than 64 bits or
// elements larger than 128 bytes, otherwise one under [WithContext] and up to two
// where keys are skewed; see [MemoryLimit]. Small slices are sorted
// on the calling goroutine. Calls on different slices may run concurrently.
//
// It panics if key is nil, and with key's own value if key panics. Without
// [On], [Use], [WithContext] and [MemoryLimit] the only error is [ErrTooLong].
// Whatever the error or panic, s is as it was.
//
// The algorithm is the bucket sort of Chen et al., "An efficient sorting
// algorithm with CUDA" (2009), recast for caches; see ALGORITHMS.md.
func Sort[E any, K Key](s []E, key func(E) K, opts ...Option) error {
	if key == nil {
		panic("sorter: nil key function")
	}
	return sortBy[K](cpu.PayloadOf(s), keyFunc[E, K](key), opts)
}

func sortBy[K Key](s cpu.Payload, get getter, opts []Option) error {
	if len(opts) == 0 && s.Len() <= cpu.SmallLen { // a config takes as long as a few elements
		sortSmall[K](s, get, order{})
		return nil
	}
	cfg := configure(opts)
	if cfg.small(s.Len()) {
		sortSmall[K](s, get, cfg.order())
		return nil
	}
	return sortRows([]column{columnOf[K](get)}, s, cfg)
}

// SortKeys sorts keys, which are the elements themselves; every key keeps its
// bits, those of NaNs and negative zeros included. Everything said of [Sort]
// holds, but keys of up to 64 bits take only one code (4 or 8 bytes) of scratch
// each, and integers of a narrow range are counted instead of moved. Without
// [Stable], −0 comes before +0 and NaNs are ordered by their bits. Under a
// [MemoryLimit] below that scratch these keys are sorted where they are, by
// comparison on the calling goroutine and to the end, whatever [WithContext] says.
func SortKeys[K Key](keys []K, opts ...Option) error {
	cfg := configure(opts)
	if cfg.small(len(keys)) {
		sortKeysSmall(keys, cfg.order(), cfg.stable)
		return nil
	}
	return sortKeys(keys, cfg)
}

// SortPairs sorts keys and reorders values with them; every key keeps its bits, those
// of NaNs and negative zeros included. It is stable where [Sort] is, floats apart:
// without [Stable], −0 may come before +0, and NaNs in an order of their bits.
//
// Keys of up to 64 bits with values of up to 128 bytes are not moved: values travel
// with the codes, and keys are made of these again. Where keys are in order nothing
// else is read. Scratch is one code (4 or 8 bytes) and one value per pair, and under
// [WithContext] and where keys are skewed another code and up to two indices (4 bytes
// each). Other pairs are gathered through an index, which takes two codes, three
// indices, a key and a value per pair: wider keys, larger values, vectors of two floats,
// and with [Stable] floats of which some are equal with different bits, zeros of both
// signs or NaNs of several kinds. Under a [MemoryLimit] below that, both slices are
// sorted in place, through an index.
//
// Everything else said of [Sort] holds for both slices. It panics if their lengths
// differ or if they share memory.
func SortPairs[K Key, V any](keys []K, values []V, opts ...Option) error {
	if len(keys) != len(values) {
		panic(fmt.Sprintf("sorter: %d keys with %d values", len(keys), len(values)))
	}
	if overlap(keys, values) {
		panic("sorter: keys and values share memory")
	}
	cfg := configure(opts)
	if cfg.small(len(keys)) {
		sortPairsSmall(keys, values, cfg.order())
		return nil
	}
	return sortPairs(keys, values, cfg)
}

// Order returns the permutation that sorts s, which is left alone: p[i] is the
// position in s of the element that comes i-th. Apply it with [perm.Gather] or
// [perm.Apply]. It takes new memory, or that of [Into]. Everything said of [Sort]
// holds; scratch is two codes and one index per element.
func Order[E any, K Key](s []E, key func(E) K, opts ...Option) (perm.Perm, error) {
	if key == nil {
		panic("sorter: nil key function")
	}
	return orderBy[K](cpu.PayloadOf(s), keyFunc[E, K](key), opts)
}

func orderBy[K Key](s cpu.Payload, get getter, opts []Option) (perm.Perm, error) {
	if len(opts) == 0 && s.Len() <= cpu.SmallLen {
		p := make(perm.Perm, s.Len())
		orderSmall[K](p, s, get, order{})
		return p, nil
	}
	cfg := configure(opts)
	if cfg.small(s.Len()) {
		p := result(s.Raw(), s.Len(), cfg.into)
		orderSmall[K](p, s, get, cfg.order())
		return p, nil
	}
	return orderOf([]column{columnOf[K](get)}, sliceRows(s), cfg)
}

// OrderKeys returns the permutation that sorts keys, which are left alone; see
// [Order].
func OrderKeys[K Key](keys []K, opts ...Option) (perm.Perm, error) {
	cfg, s := configure(opts), cpu.PayloadOf(keys)
	if cfg.small(len(keys)) {
		p := result(s.Raw(), len(keys), cfg.into)
		orderSmall[K](p, s, (*ownKeys[K])(nil), cfg.order())
		return p, nil
	}
	return orderOf([]column{self[K]()}, sliceRows(s), cfg)
}

// OrderN returns the order of the rows 0 … n-1 by columns whose key functions
// take a row number: the argsort of data that is stored by column (see [AscOf]), in
// an arena or in a file. It panics if n is negative, or more rows than a column of
// [AscOf] without nulls has; see [Order] for the rest.
func OrderN(n int, cols []Column[int], opts ...Option) (perm.Perm, error) {
	if n < 0 {
		panic(fmt.Sprintf("sorter: OrderN of %d rows", n))
	}
	all := columnsOf(cols)
	for i, c := range all {
		all[i] = c.key.forRows(c, n)
	}
	numbers := rows{s: cpu.PayloadOf[int](nil), n: n, numbers: true, blocks: new(spares[[]int])}
	return orderOf(all, numbers, configure(opts))
}

// TopK moves the first k elements of the order to the front of s, in order.
// The others follow in an order that is deterministic but otherwise
// unspecified. With k >= len(s) it sorts s; it panics if k is negative.
//
// It takes time proportional to n + k log k: what cannot be among the first k
// is dropped while codes are extracted, also where leading codes tie. The
// selection is stable: among equal keys, earlier elements are taken and come
// first. Scratch is about 32 bytes per selected element for each worker, the kept
// keys where they are wider than 64 bits, and 9 bytes per element for each later
// code of an [Ordering] that ties are broken by. For more than a 32nd of the
// elements it is that of [Order], which finds them. Everything else said of [Sort]
// holds, but [On] says where it does not reach.
func TopK[E any, K Key](s []E, k int, key func(E) K, opts ...Option) error {
	if key == nil {
		panic("sorter: nil key function")
	}
	return topBy[K](cpu.PayloadOf(s), k, keyFunc[E, K](key), opts, frontOf(s))
}

func topBy[K Key](s cpu.Payload, k int, get getter, opts []Option, front func(order []uint32)) error {
	if len(opts) == 0 && s.Len() <= cpu.SmallLen && k > 0 {
		topSmall[K](s, k, get, order{}, front)
		return nil
	}
	cfg := configure(opts)
	if cfg.small(s.Len()) && k > 0 {
		topSmall[K](s, k, get, cfg.order(), front)
		return nil
	}
	return topRows([]column{columnOf[K](get)}, s, k, cfg, front)
}

// TopKeys moves the first k keys of the order to the front of keys, in order: [TopK]
// of elements that are their own keys. Every key keeps its bits.
func TopKeys[K Key](keys []K, k int, opts ...Option) error {
	cfg, s, front := configure(opts), cpu.PayloadOf(keys), frontOf(keys)
	if cfg.small(len(keys)) && k > 0 {
		topSmall[K](s, k, (*ownKeys[K])(nil), cfg.order(), front)
		return nil
	}
	return topRows([]column{self[K]()}, s, k, cfg, front)
}

// Merge merges a and b, both sorted by key, into dst. Ties take the elements of
// a first, so merging is stable. It panics unless len(dst) == len(a)+len(b) and
// dst overlaps neither a nor b. The key function is called exactly once per
// element. If a or b is not sorted, the contents of dst are unspecified: elements
// may be missing, and others there twice.
//
// It takes time proportional to len(dst) and one code of scratch per element.
// Workers merge between diagonals of the merge path (Odeh, Green, Mwassi,
// Shmueli and Birk, 2012). Until all keys are extracted, dst is untouched.
func Merge[E any, K Key](dst, a, b []E, key func(E) K, opts ...Option) error {
	if key == nil {
		panic("sorter: nil key function")
	}
	return mergeRows([]column{columnOf[K](keyFunc[E, K](key))}, mergeOf(dst, a, b), configure(opts))
}

// IsSorted reports whether s is in the order that [Sort] would give it, up to
// the order of equal keys. It stops at the first element out of order, calls
// key at most once per element, and runs on the calling goroutine. Of the
// options, [Descending] and [NaNsLast] matter. [WithContext] does not: there is no
// error to return, and false would claim an answer.
func IsSorted[E any, K Key](s []E, key func(E) K, opts ...Option) bool {
	if key == nil {
		panic("sorter: nil key function")
	}
	cfg := configure(opts)
	compare := comparator[K](order{desc: cfg.descending, nansLast: cfg.nansLast})
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

// Search returns the first position in s, which must be sorted ascending by
// key, whose key is not below target, and whether the key there equals it:
// [slices.BinarySearchFunc] under the order of this package. It calls key about
// log2(len(s)) times. For other orders, search with [Ordering.Compare].
func Search[E any, K Key](s []E, key func(E) K, target K) (int, bool) {
	if key == nil {
		panic("sorter: nil key function")
	}
	compare := comparator[K](order{})
	return sort.Find(len(s), func(i int) int { return compare(target, key(s[i])) })
}

// Groups returns the runs of equal keys in s, in order: all groups, each once,
// if s is sorted by key. The runs are parts of s, not copies, and have no more
// capacity: appending to one copies it. It calls key once per element and reads s only
// as far as the loop goes on.
func Groups[E any, K Key](s []E, key func(E) K) iter.Seq[[]E] {
	if key == nil {
		panic("sorter: nil key function")
	}
	compare := comparator[K](order{})
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
