package sorter

import (
	"fmt"
	"iter"
	"reflect"
	"sort"
	"strings"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/pipeline/ranked"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// Ordering is an order by several columns: the first decides, the next breaks
// its ties, and so on. It is immutable and safe for concurrent use. The zero
// value, without columns, treats all elements as equal.
type Ordering[E any] struct {
	own *small.Ordering // nil without columns
}

// By returns the order by cols, the first deciding.
//
// Columns that fit 64 bits together, such as a bool, an int16 and a float32,
// are packed into one code and cost no more than a single key. Later columns are
// extracted only for elements that tie on the ones before; where the first columns are in
// order and many elements tie, for all. It panics if a column has no key function.
func By[E any](cols ...Column[E]) Ordering[E] {
	own := new(small.Ordering)
	initOrdering(own, cols)
	return Ordering[E]{own}
}

// initOrdering makes o the order by cols. Without it By is inlined, so that an Ordering for one
// call stays on the stack.
//
//go:noinline
func initOrdering[E any](o *small.Ordering, cols []Column[E]) {
	o.Init(specsOf(cols))
}

// ByFields returns the order by fields of the struct type E, or of the struct type that E points
// to, the first name deciding. A name is that of a field, or the first word of one of its tags,
// for example of `json:"country,omitempty"`. A dot leads to a field of a field. With a minus in
// front the largest comes first: ByFields[Row]("country", "-address.street").
//
// Fields have the types of [Key], or are pointers to them, or structs of a key and a flag Valid
// as in package database/sql. A nil pointer and a false flag are nulls, which come last in
// either direction. A field of E's own name wins over a tag.
//
// The error says which name has no field, or more than one, or a field that is no key. Names
// are looked up once, by reflection; sorts then call no function for the keys. They take the
// time and memory of [By], and less where elements are in order, or nearly: neighbours are compared
// where they lie.
func ByFields[E any](names ...string) (Ordering[E], error) {
	cols := make([]Column[E], len(names))
	for i, name := range names {
		field, desc := strings.CutPrefix(name, "-")
		f, err := column.FieldOf(reflect.TypeFor[E](), field)
		if err != nil {
			return Ordering[E]{}, fmt.Errorf("sorter: ByFields: %w", err)
		}
		if cols[i].spec = f.Spec(); desc {
			cols[i].spec = cols[i].spec.Descending()
		}
	}
	return By(cols...), nil
}

// checkRows panics if elements are to be the row numbers of columns, such as that of [AscOf], and are not.
func (o Ordering[E]) checkRows(s []E) {
	if _, ints := any((*E)(nil)).(*int); ints {
		// Sound: E is int.
		o.own.CheckElements(unsafe.Slice((*int)(unsafe.Pointer(unsafe.SliceData(s))), len(s)))
	}
}

// columnsOf returns the columns without the type of their elements.
func columnsOf[E any](cols []Column[E]) []extract.Column {
	return appendColumns(make([]extract.Column, 0, len(cols)), cols)
}

// appendColumns appends columns without the type of their elements.
func appendColumns[E any](all []extract.Column, cols []Column[E]) []extract.Column {
	return extract.AppendColumns(all, specsOf(cols))
}

// specsOf returns columns where they lie.
//
// Sound: a column is a struct of one field, its Spec.
func specsOf[E any](cols []Column[E]) []column.Spec {
	return unsafe.Slice((*column.Spec)(unsafe.Pointer(unsafe.SliceData(cols))), len(cols))
}

// listOf is specsOf without a check of their length, which takes a nanosecond.
func listOf[E any](cols []Column[E]) column.SpecList {
	return column.ListIn(stream.RawOf(cols))
}

// Compare returns a negative number if a comes before b, a positive one if after, and
// 0 if they tie in every column. It is the order for [slices.BinarySearchFunc], heaps and
// maps that are to agree with [Ordering.Sort]. It calls the key functions of both elements,
// up to the column that decides.
func (o Ordering[E]) Compare(a, b E) int {
	own := o.own
	if own == nil {
		return 0
	}
	made := own.Compares.Load()
	if made == nil {
		made = makeCompares[E](own)
	}
	// Sound: makeCompares made them.
	for _, compare := range *(*[]func(a, b E) int)(unsafe.Pointer(made)) {
		if c := compare(a, b); c != 0 {
			return c
		}
	}
	return 0
}

// makeCompares makes the comparisons of [Ordering.Compare], a []func(a, b E) int.
func makeCompares[E any](o *small.Ordering) *small.Compares {
	cols := o.Columns()
	compares := make([]func(a, b E) int, len(cols))
	for i := range compares {
		compares[i] = comparator[E](&cols[i])
	}
	return o.Compares.Make((*small.Compares)(unsafe.Pointer(&compares)))
}

// IsSorted reports whether s is in order. It stops at the first element out of order,
// allocates nothing and runs on the calling goroutine.
func (o Ordering[E]) IsSorted(s []E) bool {
	for i := 1; i < len(s); i++ {
		if o.Compare(s[i-1], s[i]) > 0 {
			return false
		}
	}
	return true
}

// Search returns the first position in s whose element does not come before target, and whether
// that element ties with it in every column. s must be in order. It compares about log2(len(s))
// times, allocates nothing and runs on the calling goroutine.
func (o Ordering[E]) Search(s []E, target E) (int, bool) {
	return sort.Find(len(s), func(i int) int { return o.Compare(target, s[i]) })
}

// SearchRange returns the positions [lo, hi) of the elements of s, which must be in order, that tie
// with target in every column. If there are none, lo == hi is where target belongs. Elements below
// lo come before target, those from hi on after it. s may be in an order by further columns. It
// compares about 2*log2(len(s)) times, allocates nothing and runs on the calling goroutine.
func (o Ordering[E]) SearchRange(s []E, target E) (lo, hi int) {
	return rangeOf(len(s), func(i int) int { return o.Compare(target, s[i]) })
}

// rangeOf returns the positions below n at which compare is 0. It falls from above to below 0.
func rangeOf(n int, compare func(i int) int) (lo, hi int) {
	lo = sort.Search(n, func(i int) bool { return compare(i) <= 0 })
	return lo, lo + sort.Search(n-lo, func(i int) bool { return compare(lo+i) < 0 })
}

// Groups returns the runs of elements that tie in every column, in order: all groups,
// each once, if s is in order. The runs are parts of s, not copies, and end at their
// capacity. It compares neighbours once and reads s only as far as the loop goes on.
func (o Ordering[E]) Groups(s []E) iter.Seq[[]E] {
	return func(yield func([]E) bool) {
		from := 0
		for i := range s {
			if i > from && o.Compare(s[i-1], s[i]) != 0 {
				if !yield(s[from:i:i]) {
					return
				}
				from = i
			}
		}
		if from < len(s) {
			yield(s[from:len(s):len(s)])
		}
	}
}

// TopK moves the first k elements of the order to the front of s, in order;
// see [TopK].
func (o Ordering[E]) TopK(s []E, k int, opts ...Option) error {
	o.checkRows(s)
	var options config
	return ranked.TopKByColumns(o.own, cpu.PayloadOf(s), k, apply(&options, opts), ranked.FrontOf(s))
}

// TopOrder returns the positions in s of the first k elements, in order, and leaves s alone. They
// are the first k of [Ordering.Order]. [perm.Gather] copies these elements.
//
// The selection is stable: of elements that tie, earlier ones are taken and come first. It takes
// the time and the scratch of [TopK]. The result is new memory of k numbers; [Into], [MarkRuns] and
// [MarkRunsBy] are ignored.
//
// It panics if k is negative. Everything else said of [TopK] holds.
func (o Ordering[E]) TopOrder(s []E, k int, opts ...Option) ([]uint32, error) {
	checkTop(k, len(s))
	o.checkRows(s)
	var options config
	return ranked.FirstByColumns(o.own, cpu.PayloadOf(s), k, apply(&options, opts))
}

// Nth returns the positions in s of the elements of ranks ks, from 0, and leaves s alone. They are
// those that [Ordering.Order] has at these places. The median is at k = len(s)/2, the quantile q
// at k = int(q * float64(len(s)-1)).
//
// It panics unless 0 <= k < len(s) for all k of ks. Everything else said of [Rows.Nth] holds.
func (o Ordering[E]) Nth(s []E, ks []int, opts ...Option) ([]uint32, error) {
	checkNth(len(s), ks)
	o.checkRows(s)
	var options config
	return ranked.NthByColumns(o.own, cpu.PayloadOf(s), ks, apply(&options, opts))
}

// Merge merges runs, any number of slices that are sorted, into dst. Of elements that tie, those of
// earlier runs come first. Everything said of [Merge] holds.
func (o Ordering[E]) Merge(dst []E, runs [][]E, opts ...Option) error {
	for _, s := range runs {
		o.checkRows(s)
	}
	return mergeAll(o.own.Columns(), dst, runs, opts)
}

// SortWithin sorts each segment of s, s[offsets[i]:offsets[i+1]], by itself. Segments are lists,
// postings, or partitions that lie one after the other. Elements before offsets[0] and from the
// last offset on keep their places.
//
// It is stable. Each key function is called at most once per element of a segment. It takes one
// pass over the keys and one over the elements, whatever the number of segments, plus the sorts of
// the segments in the cache; a segment of more than 65535 elements is sorted by all workers
// together. Scratch is an index and a copy of the elements, and the codes (4 or 8 bytes per
// element) of such a segment, more for wide keys.
//
// Calls on different slices may run concurrently. Several goroutines call key functions at a time.
// It runs on the CPU, whatever [On] and [Use] say.
//
// It panics unless offsets ascend from 0 or above to len(s) or below. The error is [ErrTooLong] if
// the last offset is above 2^32-1; other errors are those of [Sort]. s is untouched until all keys
// are extracted and nothing can fail.
func (o Ordering[E]) SortWithin(s []E, offsets []int, opts ...Option) error {
	if k := len(offsets) - 1; k > 0 && 0 <= offsets[0] && offsets[0] <= offsets[k] && offsets[k] <= len(s) {
		o.checkRows(s[offsets[0]:offsets[k]])
	}
	var options config
	return pipeline.SortWithin(o.own.Columns(), cpu.PayloadOf(s), offsets, apply(&options, opts))
}

// Sort sorts s. Everything said of [Sort] holds; each key function is called
// at most once per element.
//
// Elements that are ints, under a column of [AscOf] or [Keys], are row numbers. It panics if one is not, and
// if they lie in the column themselves: those are keys, see [SortKeys]. So do the other methods that order
// elements; [Ordering.Compare] and those that compare panic as an index out of range does.
func (o Ordering[E]) Sort(s []E, opts ...Option) error {
	o.checkRows(s)
	var options config
	apply(&options, opts)
	if own := o.own; own != nil && small.ServesFew(&options, len(s)) {
		own.SortFew(cpu.PayloadOf(s), &options)
		return nil
	}
	return pipeline.SortByColumns(o.own, cpu.PayloadOf(s), &options)
}

// Order returns the permutation that sorts s, which is left alone; see [Order].
func (o Ordering[E]) Order(s []E, opts ...Option) (perm.Perm, error) {
	o.checkRows(s)
	var options config
	apply(&options, opts)
	if own := o.own; own != nil && small.ServesFew(&options, len(s)) {
		return own.OrderFew(stream.RawOf(s), &options), nil
	}
	return pipeline.OrderByColumns(o.own, cpu.PayloadOf(s), &options)
}

// ScratchBytes returns a bound on the scratch memory, in bytes, that the CPU takes to sort n
// elements by o. It holds whatever their keys: [MemoryLimit] has to allow as much for the fastest
// way. Of opts it takes [Workers], [Use] and directions. It allocates little and reads no
// element. Memory of up to 4096 elements, which short sorts keep, is not counted.
func (o Ordering[E]) ScratchBytes(n int, opts ...Option) int64 {
	var options config
	return pipeline.ScratchBytes(o.own, cpu.PayloadOf[E](nil), n, apply(&options, opts))
}
