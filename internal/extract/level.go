package extract

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
)

// Level identifies the codes by which an order is sorted: the codes of a word, or, after
// the word's prefix, those of its full keys at a depth.
type Level struct {
	Word   int
	Depth  int    // of the full keys, up to which elements tie
	Window int    // bytes of the pivot's string that are compared, from depth on
	Pivot  uint32 // the element with which strings are compared
	Tail   bool   // codes of the full keys, not of the word
	Even   bool   // codes of texts depend on no pivot, see [FullKeys.ForAll]
	stem   bool   // codes are of the bytes after the window
	Whole  bool   // equal codes mean that keys are equal
}

// First reports whether codes made at p are the first ones.
func (p *Level) First() bool { return p.Word == 0 && !p.Tail }

// FullKeys are the keys of a wide column, stored by element: the key function is not called
// again when prefixes tie.
type FullKeys interface {
	// Prefix stores the keys of the len(dst) elements of b and writes their first
	// prefixBits bits, the null flag included. If the context is cancelled, keys may be missing.
	Prefix(dst []uint64, b Batch, prefixBits int)
	// PrefixIsWhole reports whether each prefix of prefixBits bits determined its key.
	PrefixIsWhole(prefixBits int) bool
	// Along places the keys like their elements, by p, a *cpu.Placement.
	Along(env *engine.Env, p any) error
	// Moved sets the memory of the elements, for keys that are elements or lie in them.
	Moved(payload cpu.Payload)
	// TieDepth is the depth at which keys that tie on a prefix of prefixBits bits are compared.
	TieDepth(prefixBits int) int
	// ByDepth reports whether codes depend only on the key and the depth.
	ByDepth() bool
	// WithPivot returns p, up to which the elements numbered by order tie, with the
	// parameters of their codes. It may draw from order at random.
	WithPivot(order []uint32, p Level) Level
	// ForAll returns p, up to which elements tie that tie on a prefix of prefixBits bits or on earlier codes
	// of ForAll, with the parameters of codes of all elements: in these, elements that tie so far are in order.
	ForAll(p Level, prefixBits int) Level
	// Ended reports whether no keys differ that tie on codes at p, a result of ForAll.
	Ended(p Level) bool
	// Codes writes the codes of the elements numbered by order at p, a result of
	// WithPivot or ForAll.
	Codes(dst []uint64, order []uint32, p Level)
	// NextDepth returns the depth up to which elements with equal codes at p tie; false if
	// their keys are equal.
	NextDepth(code uint64, p Level) (depth int, more bool)
	// SortFew sorts a few elements that tie up to p, stably. Bit i of same is set if
	// element i equals its predecessor. ok is false if they are too many or too long.
	SortFew(order []uint32, p Level) (same uint, ok bool)
	// Forget drops the first n full keys.
	Forget(n int)
	// Compare compares the full keys of two elements whose prefixes tie.
	Compare(i, j uint32) int
	// Follow compares the key of each element x in at with that of x-1; their prefixes of
	// prefixBits bits tie. seen counts rises and falls; still, in the memory of at, are the
	// elements whose keys are equal, which are not counted.
	Follow(at []uint32, prefixBits int) (still []uint32, seen presorted.Steps)
}
