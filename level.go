package sorter

import "example.com/sorter/internal/engine"

// level is a code of up to 64 bits made from consecutive columns: narrow ones
// packed side by side, and at its end possibly the prefix of a wide one. The
// first level is sorted by an engine; the others are extracted only for the
// ties of those before.
type level struct {
	narrow  []column
	wide    *column  // its rest breaks ties before the next level does
	room    int      // bits of the wide column's prefix
	bits    int      // of the whole code
	given   bool     // the keys of all columns are: no element is read for a code
	kept    keptKeys // of the wide column, made when the level is first used
	glanced glance   // codes that were looked at before an engine was chosen
	early   early    // codes that were needed before the level's turn
	begun   bool     // some of its codes were extracted before it became the first
}

// minPrefix is the least room that makes a wide column's prefix worth sharing
// a code with the columns before it.
const minPrefix = 24

// levels packs columns into as few codes as their widths allow.
func levels(cols []column, cfg config) []level {
	var all []level
	open := level{given: true}
	flush := func() {
		if open.bits > 0 {
			all = append(all, open)
			open = level{given: true}
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
			open.wide, open.given = &c, open.given && c.given()
			open.bits = 64
			flush()
		default:
			if open.bits+bits > 64 {
				flush()
			}
			open.narrow = append(open.narrow, c)
			open.given = open.given && c.given()
			open.bits += bits
		}
	}
	flush()
	return all
}

// exact reports whether equal codes mean equal keys.
func (l *level) exact() bool { return l.wide == nil }

// tells reports whether the codes are prefixes of keys that report ties themselves, and
// no code was made before.
func (l *level) tells() bool {
	if l.begun || len(l.narrow) > 0 || l.exact() || l.wide.nulls != noNulls || l.glanced.at != nil {
		return false
	}
	_, ok := l.kept.(tellingKeys)
	return ok
}

// decisive reports whether equal codes of the first level mean that everything
// is equal.
func decisive(lv []level) bool { return len(lv) == 1 && lv[0].exact() }

// open makes room for the keys of rows. Codes are made after that.
func (l *level) open(rows rows, env *engine.Env) {
	for i := range l.narrow {
		l.narrow[i].paces = newPaces(&env.Loop)
	}
	if l.wide != nil && l.kept == nil {
		l.wide.paces = newPaces(&env.Loop)
		l.kept = l.wide.key.keep(*l.wide, rows, &env.Arena)
	}
}

// restart prepares the functions of all columns for another call of the library, on n
// elements, where a context may cancel it.
func (l *level) restart(n int) {
	for i := range l.narrow {
		l.narrow[i].paces.restart(n)
	}
	if l.wide != nil {
		l.wide.paces.restart(n)
	}
}

// codes writes the codes of the len(dst) elements of b. A cancelled context leaves
// codes out.
func (l *level) codes(dst []uint64, b batch) {
	if len(l.narrow) == 0 {
		l.kept.prefix(dst, b, l.room)
		return
	}
	l.narrow[0].codes(dst, b)
	if len(l.narrow) == 1 && l.wide == nil {
		return
	}
	part := pieces.Get().(*[piece]uint64)
	defer pieces.Put(part)
	for i := 0; i < len(dst); i += piece {
		j := min(i+piece, len(dst))
		some := b.part(i, j)
		for k := range l.narrow[1:] {
			c := &l.narrow[1+k]
			c.codes(part[:j-i], some)
			join(dst[i:j], part, c.bits())
		}
		if l.wide != nil {
			l.kept.prefix(part[:j-i], some, l.room)
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
func (l *level) codes32(dst []uint32, b batch) {
	if c := &l.narrow[0]; len(l.narrow) == 1 && c.nulls == noNulls {
		b.pace = c.paces.key
		c.key.codes32(dst, b, c)
		return
	}
	wide := pieces.Get().(*[piece]uint64)
	defer pieces.Put(wide)
	for i := 0; i < len(dst); i += piece {
		j := min(i+piece, len(dst))
		l.codes(wide[:j-i], b.part(i, j))
		for k, c := range wide[:j-i] {
			dst[i+k] = uint32(c)
		}
	}
}
