package extract

import (
	"bytes"
	"cmp"
	"sync"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Keys are the keys of an input, by words. Codes are extracted when they are asked for.
type Keys struct {
	Env    *engine.Env
	Input  Input
	Words  []Word
	opened []sync.Once // by word: memory for its full keys is taken
}

// NewKeys returns the keys of an input.
func NewKeys(env *engine.Env, rows Input, words []Word) Keys {
	return Keys{Env: env, Input: rows, Words: words, opened: make([]sync.Once, len(words))}
}

// Open takes memory for the full keys of a word and, with early, for its codes.
func (k *Keys) Open(word int, early bool) {
	k.opened[word].Do(func() {
		l := &k.Words[word]
		l.Open(k.Input, k.Env)
		if early && l.Early.Codes == nil {
			l.Early = newEarly(k.Input.Len, &k.Env.Arena)
		}
	})
}

// Reader is the workspace of one worker that reads codes of elements in any sequence.
type Reader struct {
	block cpu.Payload   // a piece of elements, taken at first use
	late  [Piece]uint32 // elements whose codes were not needed early
	fresh [Piece]uint64 // their codes
}

// some returns at most [Piece] elements for the codes of a word.
func (w *Reader) some(k *Keys, l *Word, at []uint32) Batch {
	if w.block.Data() == nil {
		elements := k.Input.Slice
		w.block = elements.Take(&k.Env.Arena, SizeReader(nil, elements.Size()).Len(elements.Size()))
	}
	return k.Input.Some(l, w.block, at)
}

// SizeReader sizes the memory that a [Reader] takes for elements of the given size.
func SizeReader(a *scratch.Area, element uintptr) scratch.Memory { return a.Memory(Piece, element) }

// Read writes the codes of at most [Piece] elements at a word.
func (k *Keys) Read(w *Reader, dst []uint64, at []uint32, word int) {
	if l := &k.Words[word]; l.Early.Codes == nil {
		l.Codes(dst, w.some(k, l, at))
	} else {
		k.ReadOnce(w, dst, at, word)
	}
}

// ReadOnce is [Keys.Read] of early codes: those that are missing are extracted. Unlike memory for Read, dst and at may
// lie on the stack.
func (k *Keys) ReadOnce(w *Reader, dst []uint64, at []uint32, word int) {
	l := &k.Words[word]
	e, late := &l.Early, w.late[:0]
	for _, x := range at {
		if e.Done[x] == 0 {
			e.Done[x] = 1
			late = append(late, x)
		}
	}
	switch n := len(late); {
	case n > 0 && Consecutive(late):
		l.Codes(e.Codes[late[0]:][:n], w.some(k, l, late))
	case n > 0:
		fresh := w.fresh[:n]
		l.Codes(fresh, w.some(k, l, late))
		for i, x := range late {
			e.Codes[x] = fresh[i]
		}
	}
	for i, x := range at {
		dst[i] = e.Codes[x]
	}
}

// allDone are the marks of [Piece] elements whose codes are all extracted.
var allDone = bytes.Repeat([]byte{1}, Piece)

// ReadRange returns the early codes of n elements from first on at a word, extracting those that are
// missing. If the context is cancelled, codes may be missing.
func (k *Keys) ReadRange(word, first, n int) []uint64 {
	l := &k.Words[word]
	codes, done := l.Early.Codes[first:first+n], l.Early.Done[first:first+n]
	for lo := 0; lo < n && k.Env.Loop.Err() == nil; {
		some := done[lo:min(lo+Piece, n)]
		switch known := bytes.IndexByte(some, 1); {
		case known == 0:
			if known = bytes.IndexByte(some, 0); known < 0 {
				known = len(some)
			}
			lo += known
			continue
		case known > 0:
			some = some[:known]
		}
		hi := lo + copy(some, allDone)
		k.Input.Block(l, first+lo, first+hi, func(b Batch) { l.Codes(codes[lo:hi], b) })
		lo = hi
	}
	return codes
}

// Compare compares two elements whose first codes are equal. It extracts missing early codes of
// later words.
func (k *Keys) Compare(w *Reader, i, j uint32) int {
	for word := range k.Words {
		l := &k.Words[word]
		if word > 0 {
			if a, b := k.pair(w, word, i, j); a != b {
				return cmp.Compare(a, b)
			}
		}
		if !l.Whole() {
			if c := l.Full.Compare(i, j); c != 0 {
				return c
			}
		}
	}
	return 0
}

// pair returns the early codes of two elements at a word.
func (k *Keys) pair(w *Reader, word int, i, j uint32) (a, b uint64) {
	l := &k.Words[word]
	if l.Early.Codes == nil {
		k.Open(word, true)
	}
	if l.Early.Done[i]&l.Early.Done[j] == 0 {
		var codes [2]uint64
		k.ReadOnce(w, codes[:], []uint32{i, j}, word)
	}
	return l.Early.Codes[i], l.Early.Codes[j]
}

// Along moves full keys and early codes by the same partition as the elements.
func Along[C cpu.Code](k *Keys, p *cpu.Placement[C]) (err error) {
	for i := range k.Words {
		l := &k.Words[i]
		if l.Full != nil && err == nil {
			err = l.Full.Along(k.Env, p)
		}
		if e := &l.Early; err == nil && e.Codes != nil {
			if e.Codes, err = cpu.Along(k.Env, p, e.Codes); err == nil {
				e.Done, err = cpu.Along(k.Env, p, e.Done)
			}
		}
	}
	return err
}

// Moved renumbers the rows, and full keys that are the elements or lie in them.
func (k *Keys) Moved(payload cpu.Payload) {
	k.Input = InputOf(payload)
	for i := range k.Words {
		if full := k.Words[i].Full; full != nil {
			full.Moved(payload)
		}
	}
}
