package sorter

import "example.com/sorter/internal/engine"

// Elements that are in order, or strictly falling, are not worth a device: to look at
// them takes the CPU engine less time than their codes take to travel. So before a
// device is given a sort, a few pieces of the input are looked at, up to the first
// that is in disorder: nearly always the first of all.

// glanceLen is how many elements a piece has, glances how many pieces are looked at,
// one for each glanceStep elements at most; no block has part of two.
const glanceLen, glances, glanceStep = 64, 16, 1 << 13

// looksOrdered reports whether n elements look as if they were in order, or strictly
// falling, by their codes.
func looksOrdered[C code](n int, codes func(lo, hi int, buf []C) []C) bool {
	if n < 2*engine.Block {
		return false
	}
	var buf [glanceLen]C
	pieces := min(max(n/glanceStep, 2), glances)
	up, down := true, true
	var last C
	for i := range pieces {
		lo := (n - glanceLen) / (pieces - 1) * i
		for k, c := range codes(lo, lo+glanceLen, buf[:]) {
			if i+k > 0 {
				up, down = up && last <= c, down && last > c
			}
			last = c
		}
		if !up && !down {
			return false
		}
	}
	return true
}

// glance is the codes of pieces that were looked at. They are not extracted again:
// keys that are not given are made by a function that is called once.
type glance struct {
	at    []int    // where pieces begin, ascending
	codes []uint64 // glanceLen of each
}

// glanceAt reports whether rows look as if they were in order by the codes of l, their
// first level. What it extracts l keeps.
func glanceAt(r *run, rows rows, l *level) bool {
	l.open(rows, &r.Env)
	src := source64(r, rows, l)
	ordered := looksOrdered(rows.n, func(lo, hi int, buf []uint64) []uint64 {
		src(buf[:hi-lo], lo)
		if !l.given {
			l.glanced.at = append(l.glanced.at, lo)
			l.glanced.codes = append(l.glanced.codes, buf[:hi-lo]...)
		}
		return buf[:hi-lo]
	})
	return ordered && r.Loop.Err() == nil
}

// known returns the codes that are known of elements [lo, hi), which are at most a
// block: those of elements [lo+i, lo+j).
func (g *glance) known(lo, hi int) (codes []uint64, i, j int) {
	for k, at := range g.at {
		from, to := max(at, lo), min(at+glanceLen, hi)
		if from < to {
			return g.codes[k*glanceLen+from-at : k*glanceLen+to-at], from - lo, to - lo
		}
	}
	return nil, hi - lo, hi - lo
}
