package extract

// Level identifies the codes by which an order is sorted: the codes of a word, or, after
// the word's prefix, those of its full keys at a depth.
type Level struct {
	Word   int
	Depth  int    // of the full keys, up to which elements tie
	Window int    // bytes of the pivot's string that are compared, from depth on
	Pivot  uint32 // the element with which strings are compared
	Tail   bool   // codes of the full keys, not of the word
	stem   bool   // codes are of the bytes after the window
	Whole  bool   // equal codes mean that keys are equal
}

// First reports whether codes made at p are the first ones.
func (p *Level) First() bool { return p.Word == 0 && !p.Tail }
