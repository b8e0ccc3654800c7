// Package small sorts up to [cpu.SmallLen] elements on the calling goroutine, with pooled
// memory and without allocations.
package small

import (
	"context"
	"math/bits"
	"net/netip"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/exp/constraints"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/floats"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

const (
	// tinySort is the length up to which elements are ordered by counting, on the
	// stack.
	tinySort = cpu.Few
)

// Functions take the kind of keys instead of their type. So code that is generic in the type
// of keys is compiled only here, for the wide kinds, and not in the user's package.

// Sort sorts s with pooled memory only. This and the other functions that call key functions
// for c return the error of its context, and have then moved no element.
func Sort(k sortkey.Kind, s cpu.Payload, get column.Getter, o sortkey.Order, c *Call) error {
	if s.Len() > tinySort {
		return sortPooled(k, s, get, o, c)
	}
	return sortTiny(k, s, get, o, c.context(), c)
}

// sortTiny is Sort of at most tinySort elements. Unless ask is nil, it is checked before each call
// of the key function. c may be nil all the same if keys have one code.
func sortTiny(k sortkey.Kind, s cpu.Payload, get column.Getter, o sortkey.Order, ask context.Context, c *Call) error {
	var index [tinySort]uint32
	moved := orderTiny(k, index[:s.Len()], s, get, o, ask, c)
	if ask != nil {
		if err := ask.Err(); err != nil {
			return err
		}
	}
	if moved {
		s.FollowFew(&index)
	}
	return nil
}

// sortPooled is Sort of more than tinySort elements.
func sortPooled(k sortkey.Kind, s cpu.Payload, get column.Getter, o sortkey.Order, c *Call) error {
	switch {
	case k.Wide():
		index, err := orderSmallWide(k, s, get, o, c)
		return index.follow(s, err)
	case sortkey.CodeBits[k] <= 32:
		return moveSmall[uint32](k, s, get, o, c)
	default:
		return moveSmall[uint64](k, s, get, o, c)
	}
}

func moveSmall[C sortkey.Code](k sortkey.Kind, s cpu.Payload, get column.Getter, o sortkey.Order, c *Call) error {
	w := cpu.GetSmall[C]()
	err := extractSmall(k, w.Codes[:s.Len()], s, get, o, c)
	if err == nil {
		cpu.MoveSmall(w, s)
		c.countScratch(w.Scratch())
	}
	w.Put()
	return err
}

// extractSmall writes the codes of s. Keys as wide as codes are written to codes and encoded
// in place.
func extractSmall[C sortkey.Code](k sortkey.Kind, codes []C, s cpu.Payload, get column.Getter, o sortkey.Order, c *Call) error {
	b := extract.Batch{Block: s.Raw(), Pace: c.pace()}
	if k.Size() < unsafe.Sizeof(C(0)) {
		extract.Extract(k, codes, b, get, o)
		return c.err()
	}
	keys := stream.RawOf(codes)
	extract.KeysFrom(keys, b, get)
	sortkey.EncodeAt(k, codes, keys.Data(), o)
	return c.err()
}

// pooledIndex is an order in memory of a pooled workspace.
type pooledIndex struct {
	order []uint32
	space *cpu.Small[uint64]
	same  bool // elements are known to be in order
}

// follow moves the elements of s to their places, unless err is set, and returns the memory.
func (x pooledIndex) follow(s cpu.Payload, err error) error {
	if err == nil && !x.same {
		s.FollowCycles(x.order)
	}
	x.space.Put()
	return err
}

// orderSmallWide orders by keys wider than 64 bits.
func orderSmallWide(k sortkey.Kind, s cpu.Payload, get column.Getter, o sortkey.Order, c *Call) (pooledIndex, error) {
	w := wideKeysPool.Get().(*wideKeys)
	all, _ := w.places(k, 0, s.Len(), s.Len())
	extract.KeysFrom(all, extract.Batch{Block: s.Raw(), Pace: c.pace()}, get)
	c.countScratch(scratch.Size(s.Len(), k.Size()))
	index, err := orderSmallKeys(k, all, 0, o, c), c.err()
	w.forget(s.Len())
	wideKeysPool.Put(w)
	return index, err
}

// orderSmallKeys orders keys wider than 64 bits, of which the first known are in order.
func orderSmallKeys(k sortkey.Kind, keys stream.Raw, known int, o sortkey.Order, c *Call) (x pooledIndex) {
	w, n := cpu.GetSmall[uint64](), keys.Len()
	switch x = (pooledIndex{order: w.Index[:n], space: w}); { // runs of strings stay unsorted if the call is cancelled
	case n == 0:
	case k == sortkey.String:
		x.same = orderTexts(w, x.order, stream.SliceOf[string](keys), known, o, c)
	case k == sortkey.Bytes:
		x.same = orderTexts(w, x.order, stream.SliceOf[[]byte](keys), known, o, c)
	default:
		x.same = orderWords(w, k, x.order, keys, o)
	}
	c.countScratch(w.Scratch())
	c.tied(x.order, w.Codes)
	return x
}

// orderWords writes the order of keys of fixed size to index. It reports whether they are in order.
func orderWords(w *cpu.Small[uint64], k sortkey.Kind, index []uint32, keys stream.Raw, o sortkey.Order) (same bool) {
	codes := w.Codes[:len(index)]
	sortkey.Leading(k, codes, keys.Data(), o)
	rest := func(i, j uint32) int { return sortkey.CompareRest(k, keys.At(int(i)), keys.At(int(j)), o) }
	if same, ok := nearWords(w, index, rest); ok {
		return same
	}
	w.Order(index)
	orderTiedWords(k, index, codes, keys, o)
	return false
}

// orderTiedWords orders runs of index whose leading words tie, by the rest of keys of fixed
// size. index is sorted by codes.
func orderTiedWords(k sortkey.Kind, index []uint32, codes []uint64, keys stream.Raw, o sortkey.Order) {
	for from, end := tiedRun(index, codes, 0); from < end; from, end = tiedRun(index, codes, end) {
		slices.SortStableFunc(index[from:end], func(a, b uint32) int {
			return sortkey.CompareRest(k, keys.At(int(a)), keys.At(int(b)), o)
		})
	}
}

// tiedRun returns the first run index[from:end] of two or more equal codes with from >= i;
// from == end if there is none.
func tiedRun(index []uint32, codes []uint64, i int) (from, end int) {
	for i++; i < len(index); i++ {
		if from = i - 1; codes[index[i]] == codes[index[from]] {
			for i < len(index) && codes[index[i]] == codes[index[from]] {
				i++
			}
			return from, i
		}
	}
	return len(index), len(index)
}

// orderTiny writes the order of the len(index) elements of s to index and reports whether
// they may be out of order.
func orderTiny(k sortkey.Kind, index []uint32, s cpu.Payload, get column.Getter, o sortkey.Order, ask context.Context, c *Call) bool {
	if k.Wide() {
		return orderTinyWide(k, index, s, get, o, ask, c)
	}
	var keys, codes [tinySort]uint64
	n := len(index)
	get.Get(cpu.Hidden(unsafe.Pointer(&keys)), s.Data(), n, 0, ask)
	sortkey.EncodeAt(k, codes[:n], unsafe.Pointer(&keys), o)
	return rank(index, codes[:n])
}

// orderTinyWide is orderTiny by keys wider than 64 bits.
func orderTinyWide(k sortkey.Kind, index []uint32, s cpu.Payload, get column.Getter, o sortkey.Order, ask context.Context, c *Call) bool {
	switch k {
	case sortkey.String:
		return orderTinyTexts[string](index, s, get, o, ask, c)
	case sortkey.Bytes:
		return orderTinyTexts[[]byte](index, s, get, o, ask, c)
	case sortkey.Time:
		orderTinyFixed[time.Time](k, index, s, get, o, ask, c)
	case sortkey.Addr:
		orderTinyFixed[netip.Addr](k, index, s, get, o, ask, c)
	default:
		if k.Size() > 16 {
			orderTinyFixed[[sortkey.MostBytes]byte](k, index, s, get, o, ask, c)
			break
		}
		orderTinyFixed[[2]uint64](k, index, s, get, o, ask, c) // all others without pointers
	}
	return true
}

// orderTinyFixed is orderTiny by keys of fixed size, at most that of B. It is not inlined:
// its caller would clear the arrays of all kinds of keys.
//
//go:noinline
func orderTinyFixed[B any](k sortkey.Kind, index []uint32, s cpu.Payload, get column.Getter, o sortkey.Order, ask context.Context, c *Call) {
	var keys [tinySort]B
	orderTinyWords(k, index, unsafe.Pointer(&keys), s, get, o, ask, c)
}

func orderTinyTexts[K texts.Key](index []uint32, s cpu.Payload, get column.Getter, o sortkey.Order, ask context.Context, c *Call) (moved bool) {
	var keys [tinySort]K
	var codes [tinySort]uint64
	n := len(index)
	get.Get(cpu.Hidden(unsafe.Pointer(&keys)), s.Data(), n, 0, ask)
	moved, _ = orderFewTexts(index, codes[:n], keys[:n], o, c)
	return moved
}

// orderTinyWords is orderTiny by keys of fixed size, with memory for them.
func orderTinyWords(k sortkey.Kind, index []uint32, keys unsafe.Pointer, s cpu.Payload, get column.Getter, o sortkey.Order, ask context.Context, c *Call) {
	var codes [tinySort]uint64
	n := len(index)
	get.Get(cpu.Hidden(keys), s.Data(), n, 0, ask)
	orderFewWords(k, index, codes[:n], stream.RawAt(keys, k.Size(), n), o, c)
}

// orderFewWords writes the order of at most tinySort keys of fixed size to index, and their leading words to
// codes.
func orderFewWords(k sortkey.Kind, index []uint32, codes []uint64, keys stream.Raw, o sortkey.Order, c *Call) {
	sortkey.Leading(k, codes, keys.Data(), o)
	rank(index, codes)
	c.tied(index, codes)
	orderTiedWords(k, index, codes, keys, o)
}

// rank writes the stable order of at most tinySort codes to index and reports whether they
// were out of order. It skips the sorted codes at the beginning. For each of the others it
// counts the codes that come before it, for two codes at a time. It sums comparisons without
// branches; an insertion sort would branch on each, unpredictably. Ten codes take 40 ns, and
// 80 ns by insertion (EPYC of 2022).
func rank(index []uint32, codes []uint64) bool {
	n, sorted := len(codes), 1
	for sorted < n && codes[sorted-1] <= codes[sorted] {
		sorted++
	}
	if sorted >= n {
		copy(index, numbers[:n])
		return false
	}
	var before [tinySort]uint64
	for i := range sorted {
		before[i%tinySort] = uint64(i)
	}
	for i := sorted - (n-sorted)%2; i < n; i += 2 {
		a, b := codes[i], codes[i+1]
		swap := below(b, a)
		first, second := uint64(i)+swap, uint64(i+1)-swap
		for j, c := range codes[:i] {
			pastA, pastB := below(a, c), below(b, c)
			before[j%tinySort] += pastA + pastB
			first -= pastA
			second -= pastB
		}
		before[i%tinySort], before[(i+1)%tinySort] = first, second
	}
	for i := range codes {
		index[before[i%tinySort]] = uint32(i)
	}
	return true
}

// below returns 1 if a < b, and otherwise 0.
func below(a, b uint64) uint64 {
	_, borrow := bits.Sub64(a, b, 0)
	return borrow
}

// Order writes the order of s to p with pooled memory only.
func Order(k sortkey.Kind, p perm.Perm, s cpu.Payload, get column.Getter, o sortkey.Order, c *Call) error {
	if s.Len() <= tinySort {
		orderTiny(k, p, s, get, o, c.context(), c)
		return c.err()
	}
	switch {
	case k.Wide():
		index, err := orderSmallWide(k, s, get, o, c)
		copy(p, index.order)
		index.space.Put()
		return err
	case sortkey.CodeBits[k] <= 32:
		return orderPooled[uint32](k, p, s, get, o, c)
	default:
		return orderPooled[uint64](k, p, s, get, o, c)
	}
}

func orderPooled[C sortkey.Code](k sortkey.Kind, p perm.Perm, s cpu.Payload, get column.Getter, o sortkey.Order, c *Call) error {
	w := cpu.GetSmall[C]()
	err := orderCodes(w, k, p, s, get, o, c)
	w.Put()
	return err
}

// orderCodes writes the order of s to index, by codes in w.
func orderCodes[C sortkey.Code](w *cpu.Small[C], k sortkey.Kind, index []uint32, s cpu.Payload, get column.Getter, o sortkey.Order, c *Call) error {
	err := extractSmall(k, w.Codes[:s.Len()], s, get, o, c)
	if err == nil {
		w.Order(index)
	}
	c.countScratch(w.Scratch())
	return err
}

// Top moves the first n elements of s to the front, by front, with pooled memory
// only.
func Top(k sortkey.Kind, s cpu.Payload, n int, get column.Getter, o sortkey.Order, front func(order []uint32), c *Call) error {
	switch {
	case n >= s.Len() || s.Len() <= tinySort:
		return Sort(k, s, get, o, c)
	case k.Wide():
		index, err := orderSmallWide(k, s, get, o, c)
		if err == nil {
			front(index.order[:n])
		}
		index.space.Put()
		return err
	case sortkey.CodeBits[k] <= 32:
		return topPooled[uint32](k, s, n, get, o, front, c)
	default:
		return topPooled[uint64](k, s, n, get, o, front, c)
	}
}

func topPooled[C sortkey.Code](k sortkey.Kind, s cpu.Payload, n int, get column.Getter, o sortkey.Order, front func(order []uint32), c *Call) error {
	w := cpu.GetSmall[C]()
	err := orderCodes(w, k, w.Index[:s.Len()], s, get, o, c)
	if err == nil {
		front(w.Index[:n])
	}
	w.Put()
	return err
}

// tinyKeys is the length up to which plain keys are sorted by insertion.
const tinyKeys = 40

// SortKeys sorts keys of a kind, the elements themselves, with pooled memory only.
func SortKeys(k sortkey.Kind, s cpu.Payload, o sortkey.Order, stable bool, c *Call) error {
	switch {
	case k == sortkey.String:
		return sortStrings(s, o, c)
	case !k.Decodable(stable):
		return Sort(k, s, column.Own(k), o, c)
	case s.Len() <= tinyKeys:
		sortKeysTiny(k, s.Data(), s.Len(), o)
	case sortkey.CodeBits[k] <= 32:
		sortKeysPooled[uint32](k, s, o, c)
	default:
		sortKeysPooled[uint64](k, s, o, c)
	}
	return nil
}

// sortStrings sorts strings. They are compared, and ordered, where they lie.
func sortStrings(s cpu.Payload, o sortkey.Order, c *Call) error {
	switch known := stringsInOrder(cpu.Slice[string](s), o.Desc, c.asked()); {
	case known == s.Len():
		return c.err()
	case s.Len() <= tinySort:
		return Sort(sortkey.String, s, column.Own(sortkey.String), o, c)
	default:
		return orderSmallKeys(sortkey.String, s.Raw(), known, o, c).follow(s, c.err())
	}
}

func sortKeysPooled[C sortkey.Code](k sortkey.Kind, s cpu.Payload, o sortkey.Order, c *Call) {
	w := cpu.GetSmall[C]()
	sortkey.EncodeExactAt(k, w.Codes[:s.Len()], s.Data(), o)
	sortkey.DecodeExactAt(k, s.Data(), w.Sort(s.Len()), o)
	c.countScratch(w.Scratch())
	w.Put()
}

// sortKeysTiny sorts at most tinyKeys keys on the stack: 32-bit and 64-bit integers directly,
// others by their codes. For narrower integers, min compiles to branches.
func sortKeysTiny(k sortkey.Kind, keys unsafe.Pointer, n int, o sortkey.Order) {
	switch k {
	case sortkey.Int32:
		insertInts(sortkey.At[int32](keys, n), o)
	case sortkey.Uint32:
		insertInts(sortkey.At[uint32](keys, n), o)
	case sortkey.Int64:
		insertInts(sortkey.At[int64](keys, n), o)
	case sortkey.Uint64:
		insertInts(sortkey.At[uint64](keys, n), o)
	case sortkey.Float32:
		insertFloats(sortkey.At[uint32](keys, n), o)
	case sortkey.Float64:
		insertFloats(sortkey.At[uint64](keys, n), o)
	default:
		insertCodes(k, keys, n, o)
	}
}

// insertInts sorts a few integers.
func insertInts[T constraints.Integer](keys []T, o sortkey.Order) {
	insert(keys)
	if o.Desc {
		slices.Reverse(keys) // equal ones are identical
	}
}

// insertFloats sorts a few floats, given their bits, by converting them in place to codes
// and back.
func insertFloats[B floats.Bits](keys []B, o sortkey.Order) {
	f := sortkey.ExactFloats[B](o)
	f.Encode(keys, keys)
	insert(keys)
	f.Decode(keys, keys)
}

func insertCodes(k sortkey.Kind, keys unsafe.Pointer, n int, o sortkey.Order) {
	var memory [tinyKeys]uint32
	codes := memory[:n]
	sortkey.EncodeExactAt(k, codes, keys, o)
	insert(codes)
	sortkey.DecodeExactAt(k, keys, codes, o)
}

// insert sorts a few values. It skips the sorted values at the beginning and inserts the
// others two at a time, by minima and maxima with all values before them, which do not
// branch. Ten values take 34 ns, and 100 ns by a plain insertion sort (EPYC of 2022).
func insert[T constraints.Integer](s []T) {
	i := 1
	for i < len(s) && s[i-1] <= s[i] {
		i++
	}
	if i < len(s) && (len(s)-i)%2 != 0 {
		x := s[i]
		for j, y := range s[:i] {
			s[j], x = min(x, y), max(x, y)
		}
		s[i] = x
		i++
	}
	for ; i < len(s); i += 2 {
		x, y := min(s[i], s[i+1]), max(s[i], s[i+1])
		for j, z := range s[:i] {
			s[j], z = min(x, z), max(x, z)
			x, y = min(z, y), max(z, y)
		}
		s[i], s[i+1] = x, y
	}
}
