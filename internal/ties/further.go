package ties

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
)

// Further gives an engine the codes of later words, or of the rest of a key, and refines what ties after those by which
// it has ordered.
type Further struct {
	env    *engine.Env
	rows   extract.Input
	words  []extract.Word
	index  []uint32
	marked engine.Ties
	marks  Marks
	keeps  Keeps
	*Breaker
	at, next extract.Level // of the codes by which rows are in order, and of those begun
	given    int           // codes
	runs     int           // of rows that tied before the codes begun
	left     int           // rows that tie still; unknown if none were given
}

// Keeps says what becomes of the codes that a key function makes.
type Keeps uint8

const (
	Forget Keeps = iota // nobody asks for them again
	Keep                // they are kept, since the CPU may have to begin anew: see [extract.Early]
	Refuse              // they would have to be kept, and there is no memory for them: none are given
)

// NewFurther returns what orders index further, which an engine orders by the codes of words[0], and where it marks ties.
// marks may be nil.
func NewFurther(env *engine.Env, rows extract.Input, words []extract.Word, index []uint32, marked engine.Ties, marks Marks, keeps Keeps) *Further {
	return &Further{env: env, rows: rows, words: words, index: index, marked: marked, marks: marks, keeps: keeps}
}

// Offer returns the codes as an engine gets them.
func (f *Further) Offer() *engine.Further {
	return &engine.Further{Next: f.begin, Codes32: f.codes32, Codes64: f.codes64, Done: f.done}
}

// open makes the breaker, when it is first needed.
func (f *Further) open() {
	if f.Breaker == nil {
		rows := f.rows
		rows.Aside = cpu.Payload{} // copies were made with the first codes
		f.Breaker = New(f.env, rows, f.words)
		f.Mark(f.marks, f.index)
	}
}

// Drop gives the workspaces back, of an engine that has failed.
func (f *Further) Drop() {
	if f != nil && f.Breaker != nil {
		f.env.Arena.Hold(-WorkBytes(f.env.Loop.Workers))
	}
}

// Refine refines the order by the ties that are left.
func (f *Further) Refine() error {
	f.open()
	if f.given > 0 && f.left == 0 {
		return f.Finish(nil)
	}
	return f.refineTied(f.index, f.marked, f.at)
}

// begin is [engine.Further.Next].
func (f *Further) begin(tied, runs int) (bits int) {
	f.open()
	next, more := f.after(tied, runs)
	if !more {
		return 0
	}
	if f.given == 0 {
		f.tied = tied
	}
	f.markTied(f.marked, f.at)
	f.next, f.runs = next, runs
	f.given++
	if next.Tail {
		return 64
	}
	f.Open(next.Word, f.isKept(next.Word))
	return f.Words[next.Word].Bits
}

// after returns the place of the codes by which tied rows, in runs, are ordered next. It is false if there are none, or if
// it is better to refine run by run.
func (f *Further) after(tied, runs int) (p extract.Level, more bool) {
	p, more = f.afterAll(f.at)
	switch {
	case !more || f.given == engine.MostFurther:
		return p, false
	case p.Tail && f.at.Even && runs == f.runs:
		return p, false // texts of a run have more in common than codes reach
	case !p.Tail:
		return p, f.gives(p.Word, tied)
	}
	l := &f.Words[p.Word]
	if p = l.Full.ForAll(p, l.PrefixBits); p.Even && !f.at.Even && runs == 1 && tied == f.rows.Len {
		p = l.PastShared(f.env, tied, p)
	}
	return p, true
}

// gives reports whether the codes of a word are worth making for all rows, of which some tie. A key function may take long.
func (f *Further) gives(word, tied int) bool {
	return f.words[word].InMemory || f.keeps != Refuse && tied >= f.rows.Len/2
}

// isKept reports whether the codes of a word are kept.
func (f *Further) isKept(word int) bool { return f.keeps == Keep && !f.words[word].InMemory }

func (f *Further) codes32(dst []uint32, lo int) {
	l := &f.Words[f.next.Word]
	if !f.isKept(f.next.Word) {
		f.Input.Block(l, lo, lo+len(dst), func(b extract.Batch) { l.Codes32(dst, b) })
		return
	}
	for i, c := range f.ReadRange(f.next.Word, lo, len(dst)) {
		dst[i] = uint32(c)
	}
}

func (f *Further) codes64(dst []uint64, lo int) {
	l := &f.Words[f.next.Word]
	switch {
	case f.next.Tail:
		l.FullCodes(dst, lo, f.next)
	case f.isKept(f.next.Word):
		copy(dst, f.ReadRange(f.next.Word, lo, len(dst)))
	default:
		f.Input.Block(l, lo, lo+len(dst), func(b extract.Batch) { l.Codes(dst, b) })
	}
}

// done is [engine.Further.Done].
func (f *Further) done(tied int) { f.at, f.left = f.next, tied }
