package sorter

import (
	"sync"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// level is a code of up to 64 bits made from consecutive columns: narrow ones
// packed side by side, and at its end possibly the prefix of a wide one. The
// first level is sorted by an engine; the others are extracted only for the
// ties of those before.
type level[E any] struct {
	narrow []Column[E]
	wide   *Column[E]  // its rest breaks ties before the next level does
	room   int         // bits of the wide column's prefix
	bits   int         // of the whole code
	kept   keptKeys[E] // of the wide column, made when the level is first used
	early  early       // codes that were needed before the level's turn
}

// minPrefix is the least room that makes a wide column's prefix worth sharing
// a code with the columns before it.
const minPrefix = 24

// levels packs columns into as few codes as their widths allow.
func levels[E any](cols []Column[E], cfg config) []level[E] {
	var all []level[E]
	open := level[E]{}
	flush := func() {
		if open.bits > 0 {
			all = append(all, open)
			open = level[E]{}
		}
	}
	for _, c := range cols {
		c = c.under(cfg)
		bits := c.bits()
		switch {
		case bits > 64:
			if 64-open.bits < minPrefix {
				flush()
			}
			open.room = 64 - open.bits
			open.wide = &c
			open.bits = 64
			flush()
		default:
			if open.bits+bits > 64 {
				flush()
			}
			open.narrow = append(open.narrow, c)
			open.bits += bits
		}
	}
	flush()
	return all
}

// exact reports whether equal codes mean equal keys.
func (l *level[E]) exact() bool { return l.wide == nil }

// decisive reports whether equal codes of the first level mean that everything
// is equal.
func decisive[E any](lv []level[E]) bool { return len(lv) == 1 && lv[0].exact() }

// repeatable reports whether the codes of a level can be made again without
// calling a key function again.
func (l *level[E]) repeatable() bool {
	for _, c := range l.narrow {
		if !c.key.repeatable() || c.nulls != noNulls {
			return false
		}
	}
	return l.wide == nil
}

// open makes room for the keys of rows.
func (l *level[E]) open(rows rows[E], arena *scratch.Arena) {
	if l.wide != nil && l.kept == nil {
		l.kept = l.wide.key.keep(*l.wide, rows, arena)
	}
}

// codes writes the codes of block, whose elements are numbered by at, or from
// lo on if at is nil.
func (l *level[E]) codes(dst []uint64, block []E, lo int, at []uint32) {
	if len(l.narrow) == 0 {
		l.kept.prefix(dst, block, lo, at, l.room)
		return
	}
	l.narrow[0].codes(dst, block)
	if len(l.narrow) == 1 && l.wide == nil {
		return
	}
	part := pieces.Get().(*[piece]uint64)
	defer pieces.Put(part)
	for i := 0; i < len(block); i += piece {
		j := min(i+piece, len(block))
		for _, c := range l.narrow[1:] {
			c.codes(part[:j-i], block[i:j])
			join(dst[i:j], part, c.bits())
		}
		if l.wide != nil {
			numbers, first := at, lo+i
			if at != nil {
				numbers, first = at[i:j], 0
			}
			l.kept.prefix(part[:j-i], block[i:j], first, numbers, l.room)
			join(dst[i:j], part, l.room)
		}
	}
}

// join appends a part of the given width to packed codes.
func join(dst []uint64, part *[piece]uint64, width int) {
	for i := range dst {
		dst[i] = dst[i]<<width | part[i%piece]
	}
}

// codes32 is codes for levels of at most 32 bits, which are exact.
func (l *level[E]) codes32(dst []uint32, block []E) {
	if c := l.narrow[0]; len(l.narrow) == 1 && c.nulls == noNulls {
		c.key.codes32(dst, block, c.order)
		return
	}
	wide := make([]uint64, len(block))
	l.codes(wide, block, 0, nil)
	for i, c := range wide {
		dst[i] = uint32(c)
	}
}

// rows is where elements are read: a slice, or row numbers themselves.
type rows[E any] struct {
	s       []E
	n       int
	aside   []E        // takes a copy of each block that is read, unless nil
	numbers bool       // E is int, and elements are row numbers, which have no slice
	blocks  *sync.Pool // of *[]E with engine.Block of them
}

func sliceRows[E any](s []E) rows[E] { return rows[E]{s: s, n: len(s)} }

// block passes up to engine.Block elements [lo, hi) on to use.
func (r rows[E]) block(lo, hi int, use func(block []E)) {
	if !r.numbers {
		use(r.s[lo:hi])
		if r.aside != nil {
			cpu.CopyPast(r.aside[lo:], r.s[lo:hi])
		}
		return
	}
	buf, _ := r.blocks.Get().(*[]E)
	if buf == nil {
		buf = new([]E)
		*buf = make([]E, engine.Block)
	}
	block := (*buf)[:hi-lo]
	numbers := as[int](block)
	for i := range numbers {
		numbers[i] = lo + i
	}
	use(block)
	r.blocks.Put(buf)
}

// pick returns the elements numbered by at, in buf or where they are.
func (r rows[E]) pick(buf []E, at []uint32) []E {
	if first := int(at[0]); !r.numbers && inRow(at) {
		return r.s[first : first+len(at)]
	}
	buf = buf[:len(at)]
	if r.numbers {
		numbers := as[int](buf)
		for i, k := range at {
			numbers[i] = int(k)
		}
		return buf
	}
	for i, k := range at {
		buf[i] = r.s[k]
	}
	return buf
}
