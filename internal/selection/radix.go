package selection

import (
	"slices"
	"sync/atomic"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// search is a radix selection of several ranks.
type search[C sortkey.Code] struct {
	env      *engine.Env
	codes    []C
	ks       []int
	decisive bool           // equal codes are equal keys
	any      bool           // and any row with the code of a rank does
	open     []*interval[C] // those that are not cut
	counts   [][]int        // of digits, by worker

	// The intervals are a tree. The number of a code's interval in the current pass is found by its digits.
	least C
	shift int
	first [1 << loneDigit]int16 // by the leading digit: the number, 0: none; ^number: that of the next digit
	next  []digits[C]
}

// digits lead from codes of an interval that was cut to the intervals that it was cut to, as search.first.
type digits[C sortkey.Code] struct {
	least C
	shift int
	to    *[1 << manyDigit]int16
}

// interval is the codes of a span that hold ranks.
type interval[C sortkey.Code] struct {
	span[C]
	n, before int         // codes in it, and before it
	at        []int       // indices of its ranks, the largest rank first
	from      []int16     // by digits that lead to it: its number, or ^that of the digits that it is cut by
	found     []candidate // its rows
}

const (
	loneDigit = 11  // bits of the first digit: its counters are half of a first-level cache
	manyDigit = 8   // bits of a digit where several intervals are cut
	mostCut   = 256 // intervals, in one pass
)

// of returns the number of a code's interval in the current pass, from 1, 0 if it has none.
func (s *search[C]) of(c C) int {
	k := s.first[(c-s.least)>>(s.shift&63)%(1<<loneDigit)]
	for k < 0 {
		d := &s.next[^k]
		k = d.to[(c-d.least)>>(d.shift&63)%(1<<manyDigit)]
	}
	return int(k)
}

// number numbers the intervals of the next pass.
func (s *search[C]) number(some []*interval[C]) {
	for _, in := range s.open {
		clear(in.from)
	}
	for i, in := range some {
		for j := range in.from {
			in.from[j] = int16(i + 1)
		}
	}
}

// each calls body for all codes.
func (s *search[C]) each(body func(worker, lo, hi int)) error {
	return s.env.Stage("select", len(s.codes), cpu.GatherPiece(s.env, len(s.codes)), body)
}

// extract writes the codes of src, and makes an interval of all.
func (s *search[C]) extract(src cpu.Source[C]) error {
	var least, less atomic.Uint64 // less is the complement of the largest code
	least.Store(1<<64 - 1)
	less.Store(1<<64 - 1)
	env, n := s.env, len(s.codes)
	err := env.Stage("extract", n, pieceOf(&env.Loop, n), func(_, lo, hi int) {
		lowest, highest := ^C(0), C(0)
		for at := lo; at < hi && env.Loop.Err() == nil; at += engine.Block {
			block := s.codes[at:min(at+engine.Block, hi)]
			src(block, at)
			for _, c := range block {
				lowest, highest = min(lowest, c), max(highest, c)
			}
		}
		lower(&least, uint64(lowest))
		lower(&less, ^uint64(highest))
	})
	at := make([]int, len(s.ks))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(i, j int) int { return s.ks[j] - s.ks[i] })
	all := span[C]{C(least.Load()), C(^less.Load())}
	s.least, s.shift = all.least, all.digitShift(loneDigit)
	s.open = []*interval[C]{{span: all, n: n, at: at, from: s.first[:]}}
	s.counts = make([][]int, max(1, env.Loop.Workers))
	for i := range s.counts {
		s.counts[i] = scratch.Take[int](&env.Arena, counters(len(s.ks)))
	}
	return env.Stopped(err)
}

// counters returns the number of counters of a worker.
func counters(ranks int) int { return max(1<<loneDigit, min(ranks, mostCut)<<manyDigit) }

// cut cuts intervals until those of several codes have few rows. Two digits of those of common distributions differ. Then
// codes are often equal: from the third pass on, every other one finds the least and the largest.
func (s *search[C]) cut() (err error) {
	for round := 0; err == nil; round++ {
		large := s.large(round)
		switch {
		case len(large) == 0 || len(large) > mostCut:
			return nil
		case round == 0:
			err = s.cutFirst(large[0])
		case round%2 == 1:
			err = s.cutMany(large)
		default:
			err = s.tighten(large)
		}
	}
	return err
}

// large returns the intervals that are to be cut in a round: those of more than few rows, but in the second round all if
// together they have more.
func (s *search[C]) large(round int) (some []*interval[C]) {
	n, few := 0, fewFound
	for _, in := range s.open {
		n += in.n
	}
	if round < 2 && n > few {
		few = 0
	}
	for _, in := range s.open {
		if in.n > few && in.least < in.most {
			some = append(some, in)
		}
	}
	return some
}

// cutFirst cuts the interval of all codes.
func (s *search[C]) cutFirst(in *interval[C]) error {
	least, shift := s.least, s.shift
	counts, err := s.count(1<<loneDigit, func(counts []int, codes []C) {
		own := (*[1 << loneDigit]int)(counts)
		for _, c := range codes {
			own[(c-least)>>(shift&63)%(1<<loneDigit)]++
		}
	})
	if err == nil {
		s.open = nil
		s.part(in, counts, shift, s.first[:])
	}
	return err
}

// cutMany cuts some intervals.
func (s *search[C]) cutMany(some []*interval[C]) error {
	fresh := make([]digits[C], len(some))
	for i, in := range some {
		fresh[i] = digits[C]{in.least, in.digitShift(manyDigit), new([1 << manyDigit]int16)}
	}
	s.number(some)
	counts, err := s.count(len(some)<<manyDigit, func(own []int, codes []C) {
		for _, c := range codes {
			if k := s.of(c); k > 0 {
				d := &fresh[k-1]
				own[(k-1)<<manyDigit+int((c-d.least)>>(d.shift&63))]++
			}
		}
	})
	if err != nil {
		return err
	}
	for i, in := range some {
		in.from[0] = int16(^len(s.next))
		s.next = append(s.next, fresh[i])
		s.part(in, counts[i<<manyDigit:][:1<<manyDigit], fresh[i].shift, fresh[i].to[:])
	}
	s.open = slices.DeleteFunc(s.open, func(in *interval[C]) bool { return in.from[0] < 0 })
	return nil
}

// count counts the digits of all codes, by body, and returns the sums over the workers.
func (s *search[C]) count(size int, body func(own []int, codes []C)) ([]int, error) {
	for _, own := range s.counts {
		clear(own[:size])
	}
	err := s.each(func(worker, lo, hi int) { body(s.counts[worker], s.codes[lo:hi]) })
	all := s.counts[0][:size]
	for _, own := range s.counts[1:] {
		for i, n := range own[:size] {
			all[i] += n
		}
	}
	return all, err
}

// part opens the intervals of the digits of the ranks of an interval, by the counts of its digits from bit shift on. These
// lead to them.
func (s *search[C]) part(in *interval[C], counts []int, shift int, from []int16) {
	for at := in.at; len(at) > 0; {
		digit, before := digitAt(counts, s.ks[at[0]]-in.before)
		p := &interval[C]{span: in.part(digit, shift), n: counts[digit], before: in.before + before, from: from[digit : digit+1]}
		end := 1
		for end < len(at) && s.ks[at[end]] >= p.before {
			end++
		}
		p.at, at = at[:end], at[end:]
		s.open = append(s.open, p)
	}
}

// tighten reduces intervals to the codes that are there: often one.
func (s *search[C]) tighten(some []*interval[C]) error {
	bounds := make([][]span[C], len(s.counts)) // by worker and interval; the first is of other codes
	for i := range bounds {
		bounds[i] = make([]span[C], 1+len(some))
		for k, in := range some {
			bounds[i][k+1] = span[C]{in.most, in.least}
		}
	}
	s.number(some)
	err := s.each(func(worker, lo, hi int) {
		own := bounds[worker]
		for _, c := range s.codes[lo:hi] {
			b := &own[s.of(c)]
			b.least, b.most = min(b.least, c), max(b.most, c)
		}
	})
	if err != nil {
		return err
	}
	for k, in := range some {
		in.span = bounds[0][k+1]
		for _, own := range bounds[1:] {
			in.span = span[C]{min(in.least, own[k+1].least), max(in.most, own[k+1].most)}
		}
	}
	return nil
}
