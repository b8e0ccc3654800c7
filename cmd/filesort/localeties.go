package main

import (
	"context"
	"math/bits"
	"sync/atomic"
)

// lineSet is a set of lines. It seems to hold about a quarter of the others in the worst case.
type lineSet struct {
	bits  []atomic.Uint64
	shift int
	empty atomic.Bool
}

// newLineSet returns a set for n lines.
func newLineSet(n int) *lineSet {
	log := setBits(n)
	s := &lineSet{bits: make([]atomic.Uint64, 1<<(log-6)), shift: 64 - log}
	s.empty.Store(true)
	return s
}

// setBits returns the logarithm of the bits of a set for n lines, of which each has four to eight.
func setBits(n int) int { return max(6, bits.Len(uint(4*n))) }

// setBytes returns the memory of a set for n lines, in bytes.
func setBytes(n int) int64 { return 1 << (setBits(n) - 3) }

// add adds a line. It returns false: it is a column in which all lines tie.
func (s *lineSet) add(l line) bool {
	word, bit := s.place(l)
	if word.Load()&bit == 0 {
		word.Or(bit)
		if s.empty.Load() {
			s.empty.Store(false)
		}
	}
	return false
}

// has reports whether the set holds a line, or seems to.
func (s *lineSet) has(l line) bool {
	word, bit := s.place(l)
	return word.Load()&bit != 0
}

func (s *lineSet) place(l line) (word *atomic.Uint64, bit uint64) {
	const golden = 0x9e3779b97f4a7c15
	at := uint64(l) * golden >> s.shift
	return &s.bits[at/64], 1 << (at % 64)
}

// Runs of lines that tie are sorted by the worker that finds them, piece by piece. Those that go on in another piece
// wait, and long ones for all workers.
const (
	tiePiece = 4096
	longTie  = 1 << 14
)

// tieStarts are the first and the last place of a piece where a run begins; both are its end where none does.
type tieStarts struct{ first, last int }

// refine sorts the runs of lines that tie in the prefix, all of which are in tied.
func (l *localeLines) refine(ctx context.Context, workers int, lines []line, tied *lineSet) error {
	pieces := make([]tieStarts, (len(lines)+tiePiece-1)/tiePiece)
	err := forEach(ctx, workers, len(pieces), func(i int) {
		pieces[i] = l.refinePiece(ctx, lines, tied, i*tiePiece, min((i+1)*tiePiece, len(lines)))
	})
	if err != nil {
		return err
	}
	var runs, long [][]line
	from := 0
	add := func(to int) {
		if run := lines[from:to]; len(run) > longTie {
			long = append(long, run)
		} else if len(run) > 1 {
			runs = append(runs, run)
		}
	}
	for i, p := range pieces {
		if end := min((i+1)*tiePiece, len(lines)); p.first < end {
			add(p.first)
			from = p.last
		}
	}
	add(len(lines))
	err = forEach(ctx, workers, len(runs), func(i int) { l.sortTied(ctx, 1, runs[i], l.same(runs[i])) })
	for i := 0; i < len(long) && err == nil; i++ {
		l.sortTied(ctx, workers, long[i], l.same(long[i]))
		err = ctx.Err()
	}
	return err
}

// same reports whether lines have the same text.
func (l *localeLines) same(lines []line) bool {
	for i := 1; i < len(lines); i++ {
		if l.text(lines[i-1]) != l.text(lines[i]) {
			return false
		}
	}
	return true
}

// refinePiece sorts the runs that begin and end among lines [lo, hi), and another begins there.
func (l *localeLines) refinePiece(ctx context.Context, lines []line, tied *lineSet, lo, hi int) (p tieStarts) {
	p = tieStarts{hi, hi}
	sink := make([]byte, 0, 1)
	var before neighbour
	same := true
	for i := lo; i < hi; i++ {
		if (i-lo)%touched == 0 {
			sink = l.touchTied(sink, lines[i:min(i+touched, hi)], tied)
		}
		if i > 0 && tied.has(lines[i]) && tied.has(lines[i-1]) {
			if tie, equal := l.ties(lines[i-1], lines[i], &before); tie {
				same = same && equal
				continue
			}
		}
		if p.first == hi {
			p.first = i
		} else {
			l.sortTied(ctx, 1, lines[p.last:i], same)
		}
		p.last, same = i, true
	}
	return p
}

// touchTied touches those of lines that are in tied.
func (l *localeLines) touchTied(dst []byte, lines []line, tied *lineSet) []byte {
	var some [touched]line
	n := 0
	for _, e := range lines {
		if tied.has(e) {
			some[n] = e
			n++
		}
	}
	return touch(dst, some[:n], l.st.first)
}

// neighbour is the line that was compared last, and its prefix.
type neighbour struct {
	is     bool
	line   line
	prefix [16]byte
}

// ties reports whether two lines tie in the prefix, and whether they have the same text. before is a.
func (l *localeLines) ties(a, b line, before *neighbour) (tie, same bool) {
	if l.at > 0 && l.before.Compare(a, b) != 0 {
		return false, false
	}
	if l.text(a) == l.text(b) {
		if before.is && before.line == a {
			before.line = b
		}
		return true, true
	}
	if !before.is || before.line != a {
		before.prefix = l.prefix(a)
	}
	prefix := l.prefix(b)
	tie = prefix == before.prefix
	*before = neighbour{true, b, prefix}
	return tie, false
}
