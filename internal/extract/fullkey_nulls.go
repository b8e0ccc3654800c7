package extract

import (
	"math"
	"sync"
	"sync/atomic"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// nullsAtEnd are the keys of a 64-bit kind with nulls that have a word of their own. The code of a null
// is that of an end of the range: the lowest if nulls come first, the highest otherwise. So codes are whole
// keys unless a key has that code, too. Keys are not known before codes are made, so a code that no key
// has cannot be chosen, as Spare does.
type nullsAtEnd struct {
	Column
	byWords
	null   uint64 // the code of nulls
	n      int    // elements
	arena  *scratch.Arena
	mu     sync.Mutex
	memory []byte                 // of same
	same   atomic.Pointer[[]byte] // by element: 1 if its key has the code of nulls; nil until there is one
}

// alone reports whether the column, which is wide, is a 64-bit kind with nulls in a word of its own.
func (c *Column) alone(prefixBits int) bool { return !c.kind.Wide() && prefixBits == 64 }

func keepNullsAtEnd(c Column, rows Input, arena *scratch.Arena) *nullsAtEnd {
	w := &nullsAtEnd{Column: c, n: rows.Len, arena: arena}
	if c.Nulls == column.NullsLast {
		w.null = math.MaxUint64
	}
	return w
}

func (w *nullsAtEnd) Prefix(dst []uint64, b Batch, _ int) {
	for lo := 0; lo < len(dst); lo += 64 {
		hi := min(lo+64, len(dst))
		codes, some := dst[lo:hi], b.part(lo, hi)
		nulls := w.CodesOrNulls(codes, some)
		if same := w.atEnd(codes) &^ nulls; same != 0 || w.same.Load() != nil {
			w.mark(same, some, len(codes))
		}
		putAt(codes, nulls, w.null)
	}
}

// atEnd returns a bit for each of at most 64 codes: 1 if it is that of nulls.
func (w *nullsAtEnd) atEnd(codes []uint64) uint64 {
	var masks [1]uint64
	if w.null == 0 {
		loops.UpTo(masks[:], codes, 0)
		return masks[0]
	}
	loops.UpTo(masks[:], codes, math.MaxUint64-1)
	return ^masks[0] & (math.MaxUint64 >> (64 - len(codes)))
}

// mark notes which of the n elements of b are keys with the code of nulls.
func (w *nullsAtEnd) mark(same uint64, b Batch, n int) {
	var marks [64]byte
	for i := range n {
		marks[i] = byte(same >> i & 1)
	}
	scatter(w.open(), marks[:n], b)
}

// open returns the memory of marks, taken when first used.
func (w *nullsAtEnd) open() []byte {
	if all := w.same.Load(); all != nil {
		return *all
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.memory == nil {
		w.memory = scratch.Take[byte](w.arena, w.n)
		clear(w.memory)
	}
	w.same.Store(&w.memory)
	return w.memory
}

func (w *nullsAtEnd) PrefixIsWhole(int) bool { return w.same.Load() == nil }

func (w *nullsAtEnd) TieDepth(int) int { return 0 }

func (w *nullsAtEnd) NextDepth(uint64, Level) (depth int, more bool) { return 0, false }

func (w *nullsAtEnd) Ended(p Level) bool { return ended(w, p) }

// Codes writes 0 and 1 for elements that tie: nulls and keys with their code.
func (w *nullsAtEnd) Codes(dst []uint64, order []uint32, _ Level) {
	same := *w.same.Load()
	for i, x := range order {
		dst[i] = uint64(same[x]) ^ w.null&1
	}
}

func (w *nullsAtEnd) Compare(i, j uint32) int {
	all := w.same.Load()
	if all == nil {
		return 0
	}
	c := int((*all)[i]) - int((*all)[j])
	if w.null != 0 {
		return -c
	}
	return c
}

func (w *nullsAtEnd) Follow(at []uint32, _ int) (still []uint32, seen presorted.Steps) {
	return follow(at, w.Compare)
}

// Forget clears the marks of the first n elements: there are no others.
func (w *nullsAtEnd) Forget(n int) {
	if w.same.Load() != nil {
		clear(w.memory[:n])
		w.same.Store(nil)
	}
}

func (w *nullsAtEnd) Along(env *engine.Env, p any) (err error) {
	if w.same.Load() != nil {
		w.memory, err = alongAny(env, p, w.memory)
	}
	return err
}

// Moved does nothing: no key is kept.
func (w *nullsAtEnd) Moved(cpu.Payload) {}
