package selection

import (
	"errors"
	"slices"
	"sync/atomic"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
	"example.com/sorter/internal/ways"
)

const (
	// mostScans is the most places that are searched each by itself, since too many rows share their
	// leading digits. For more of them all rows are ordered.
	mostScans = 8
	// mostParts is the most intervals whose second digit, of secondBits, is counted.
	mostParts, secondBits = 256, 8
	// MostRanks is the most places that are selected; for more of them all rows are ordered. Of plain
	// keys a copy is sorted.
	MostRanks = 512
	// mostPicked is the most candidates, for each row, of all selections together: one place is selected
	// from those of its interval after another. An order takes the time of about three.
	mostPicked = 2
)

// tiedSample is the number of codes by which tiedPlaces decides.
const tiedSample = 256

// tiedPlaces reports whether an eighth of a sample of n codes ties with others of it at a place. So
// many rows would be ordered in the end, after all passes.
func tiedPlaces[C sortkey.Code](n int, ks []int, src cpu.Source[C]) bool {
	var codes [tiedSample]C
	var wanted [tiedSample]bool
	for i := range codes {
		src(codes[i:i+1], int(uint64(n)*uint64(i)/tiedSample))
	}
	slices.Sort(codes[:])
	for _, k := range ks {
		wanted[uint64(k)*tiedSample/uint64(n)] = true
	}
	tied := 0
	for from, i := 0, 1; i <= len(codes); i++ {
		if i < len(codes) && codes[i] == codes[from] {
			continue
		}
		if i-from > 1 && slices.Contains(wanted[from:i], true) {
			tied += i - from
		}
		from = i
	}
	return tied > tiedSample/8
}

// wanted is an interval of codes, and the places of an order that are in it.
type wanted[C sortkey.Code] struct {
	interval[C]
	before int   // codes below the interval
	at     []int // indices of the places in the call, the last first
	found  []candidate
	next   atomic.Int64
}

// search is a search for several places.
type search[C sortkey.Code] struct {
	env    *engine.Env
	codes  []C
	ks     []int
	any    bool // an element with the code of a place does
	counts digits
	all    interval[C]
	numbers[C]
}

// numbers map the leading digits of a code to the number of its interval, from 1.
type numbers[C sortkey.Code] struct {
	least C
	shift int
	first [1 << findBits]uint16
	parts []secondDigits[C] // of first; none: first are the numbers
}

// secondDigits are those of an interval.
type secondDigits[C sortkey.Code] struct {
	least   C
	shift   int
	numbers [1 << secondBits]uint16
}

// of returns the number of the interval of a code, 0 if there is none.
func (m *numbers[C]) of(c C) uint16 {
	k := m.first[(c-m.least)>>(m.shift&63)%(1<<findBits)]
	if k == 0 || m.parts == nil {
		return k
	}
	p := &m.parts[k-1]
	return p.numbers[(c-p.least)>>(p.shift&63)%(1<<secondBits)]
}

// FewRanks reports whether rows of ranks ks, by the codes of src, may be selected in less time than all are ordered. It
// reads a sample.
func FewRanks[C sortkey.Code](rows extract.Input, words []extract.Word, ks []int, src cpu.Source[C]) bool {
	return len(ks) <= MostRanks && !(len(ks) > mostScans && words[0].InMemory && tiedPlaces(rows.Len, ks, src))
}

// Ranks replaces each k of ks by the number of the row of rank k, or of one that ties with it if any is set. src has
// the codes of the first word. If too many rows share a code it changes no rank and returns the codes of all rows,
// by which they are to be ordered; otherwise these are nil.
func Ranks[C sortkey.Code](env *engine.Env, rows extract.Input, words []extract.Word, ks []int, src cpu.Source[C], any bool) (codes []C, err error) {
	s := &search[C]{env: env, codes: scratch.Take[C](&env.Arena, rows.Len), ks: ks, any: any && extract.Decisive(words)}
	if s.all, err = extractAll(env, s.codes, src); err != nil {
		return nil, err
	}
	s.all.n, s.counts = rows.Len, newDigits(env)
	parts, err := s.parts()
	switch {
	case err != nil:
		return nil, err
	case s.crowded(parts):
		return s.codes, nil
	}
	v := selector{t: ties.New(env, rows, words)}
	numbers, err := s.selectFrom(parts, &v)
	switch {
	case err == errCrowded:
		return s.codes, nil
	case err != nil:
		return nil, err
	}
	ways.Took(ways.SelectRanks)
	copy(ks, numbers) // which held until nothing has to be ordered
	return nil, v.t.Finish(nil)
}

// selectFrom returns the numbers of the rows at all places, or errCrowded.
func (s *search[C]) selectFrom(parts []*wanted[C], v *selector) (numbers []int, err error) {
	numbers = make([]int, len(s.ks))
	v.codes, v.at = scratch.Take[uint64](&s.env.Arena, engine.Block), scratch.Take[uint32](&s.env.Arena, engine.Block)
	if err := s.collect(parts); err != nil {
		return nil, err
	}
	for _, p := range parts {
		if p.n <= fewFound {
			p.pick(v, s.ks, numbers)
			continue
		}
		for _, i := range p.at {
			in := p.interval
			in.k = s.ks[i] - p.before
			if numbers[i], err = s.find(in, v); err != nil {
				return nil, err
			}
		}
	}
	return numbers, nil
}

// crowded reports whether selections from the intervals take longer than an order of all rows.
func (s *search[C]) crowded(parts []*wanted[C]) bool {
	scans, found, selected := 0, 0, 0
	for _, p := range parts {
		switch {
		case p.n <= fewFound:
			found, selected = found+p.n, selected+p.n*len(p.at)
		case p.least < p.most || !s.any: // otherwise the first element with the code does
			scans += len(p.at)
		}
	}
	return scans > mostScans || found > mostFound(len(s.codes)) || selected > mostPicked*len(s.codes)
}

// parts returns the intervals of the places, by the leading digit of their codes or by two, and
// numbers them.
func (s *search[C]) parts() ([]*wanted[C], error) {
	whole := []*wanted[C]{{interval: s.all, at: sortedPlaces(s.ks)}}
	if s.all.n <= fewFound || s.all.least == s.all.most {
		return whole, nil
	}
	if err := s.all.count(s.env, s.codes, s.counts); err != nil {
		return nil, err
	}
	s.least, s.shift = s.all.least, s.all.shift()
	parts := partsOf(whole[0], s.ks, s.counts[0], s.shift)
	found := 0
	for i, p := range parts {
		s.first[(p.least-s.least)>>(s.shift&63)] = uint16(i + 1)
		found += p.n
	}
	if found > fewFound && len(parts) <= mostParts && s.shift > 0 {
		var err error
		if parts, err = s.secondParts(parts); err != nil {
			return nil, err
		}
	}
	return parts, s.tighten(parts)
}

// tighten reduces the intervals of many codes to those that are there: often one.
func (s *search[C]) tighten(parts []*wanted[C]) error {
	bounds := make([][][2]C, len(s.counts)) // by worker and interval: the least and the largest code
	many := false
	for i := range bounds {
		bounds[i] = make([][2]C, len(parts)+1)
		for k, p := range parts {
			bounds[i][k+1] = [2]C{p.most, p.least}
			many = many || p.n > fewFound && p.least < p.most
		}
	}
	if !many {
		return nil
	}
	err := s.env.Stage("select", len(s.codes), cpu.GatherPiece(s.env, len(s.codes)), func(worker, lo, hi int) {
		own := bounds[worker]
		for _, c := range s.codes[lo:hi] {
			b := &own[s.of(c)]
			b[0], b[1] = min(b[0], c), max(b[1], c)
		}
	})
	for k, p := range parts {
		least, most := p.most, p.least
		for _, own := range bounds {
			least, most = min(least, own[k+1][0]), max(most, own[k+1][1])
		}
		if err == nil && least <= most {
			p.least, p.most = least, most
		}
	}
	return err
}

// secondParts is parts by two digits; first has the intervals of one.
func (s *search[C]) secondParts(parts []*wanted[C]) (cut []*wanted[C], err error) {
	s.numbers.parts = make([]secondDigits[C], len(parts))
	for i, p := range parts {
		s.numbers.parts[i].least, s.numbers.parts[i].shift = p.least, p.shiftOf(secondBits)
	}
	counts := make(digits, len(s.counts))
	for i := range counts {
		counts[i] = scratch.Take[int](&s.env.Arena, len(parts)<<secondBits)
		clear(counts[i])
	}
	err = s.env.Stage("select", len(s.codes), cpu.GatherPiece(s.env, len(s.codes)), func(worker, lo, hi int) {
		own := counts[worker]
		for _, c := range s.codes[lo:hi] {
			if k := int(s.first[(c-s.least)>>(s.shift&63)%(1<<findBits)]); k > 0 {
				p := &s.numbers.parts[k-1]
				own[(k-1)<<secondBits+int((c-p.least)>>(p.shift&63))]++
			}
		}
	})
	for i, p := range parts {
		all := counts[0][i<<secondBits:][:1<<secondBits]
		for _, own := range counts[1:] {
			for digit, n := range own[i<<secondBits:][:1<<secondBits] {
				all[digit] += n
			}
		}
		if err != nil {
			break
		}
		d := &s.numbers.parts[i]
		for _, q := range partsOf(p, s.ks, all, d.shift) {
			cut = append(cut, q)
			d.numbers[(q.least-d.least)>>(d.shift&63)] = uint16(len(cut))
		}
	}
	return cut, err
}

// sortedPlaces returns the indices of ks, the largest k first.
func sortedPlaces(ks []int) []int {
	at := make([]int, len(ks))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(i, j int) int { return ks[j] - ks[i] })
	return at
}

// partsOf returns the intervals of the digits from bit shift on of the places of p, by the counts of
// these digits.
func partsOf[C sortkey.Code](p *wanted[C], ks, counts []int, shift int) (parts []*wanted[C]) {
	for at := p.at; len(at) > 0; {
		in := p.interval
		in.k = ks[at[0]] - p.before
		q := &wanted[C]{interval: in.part(counts, shift)}
		q.before = ks[at[0]] - q.k
		end := 1
		for end < len(at) && ks[at[end]] >= q.before {
			end++
		}
		q.at, at = at[:end], at[end:]
		parts = append(parts, q)
	}
	return parts
}

// collect writes the codes of the intervals of few to their candidates.
func (s *search[C]) collect(parts []*wanted[C]) error {
	some := false
	for _, p := range parts {
		if p.n > fewFound {
			continue
		}
		p.found, some = scratch.Take[candidate](&s.env.Arena, p.n)[:p.n], true
		if len(parts) == 1 {
			return p.interval.collect(s.env, s.codes, p.found)
		}
	}
	if !some {
		return nil
	}
	return s.env.Stage("select", len(s.codes), engine.Block, func(_, lo, hi int) {
		for i, c := range s.codes[lo:hi] {
			if k := s.of(c); k > 0 && parts[k-1].found != nil {
				p := parts[k-1]
				p.found[p.next.Add(1)-1] = candidate{uint64(c), uint32(lo + i)}
			}
		}
	})
}

// pick selects the places of the interval from its candidates, by whole keys.
func (p *wanted[C]) pick(v *selector, ks, numbers []int) {
	v.found = p.found
	for _, i := range p.at { // each selection leaves the candidates up to its place
		v.k = ks[i] - p.before + 1
		v.find()
		numbers[i] = int(v.last)
	}
}

// find returns the number of the row at place k of an interval.
func (s *search[C]) find(in interval[C], v *selector) (int, error) {
	env := s.env
	for in.n > fewFound && in.least < in.most {
		if err := in.narrow(env, s.codes, s.counts); err != nil {
			return 0, err
		}
	}
	switch {
	case in.least == in.most && extract.Decisive(v.t.Words):
		if s.any {
			in.k = 0
		}
		return in.kth(env, s.codes)
	case in.n > mostFound(len(s.codes)):
		return 0, errCrowded
	}
	found := scratch.Take[candidate](&env.Arena, in.n)[:in.n]
	defer scratch.Give(&env.Arena, found, 1)
	if err := in.collect(env, s.codes, found); err != nil {
		return 0, err
	}
	v.found, v.k = found, in.k+1
	v.find()
	return int(v.last), env.Loop.Err()
}

// errCrowded reports that too many rows share the code of a place.
var errCrowded = errors.New("pipeline: too many rows tie")

// collect writes the codes of the interval to its candidates.
func (in *interval[C]) collect(env *engine.Env, codes []C, found []candidate) error {
	var next atomic.Int64
	return env.Stage("select", len(codes), engine.Block, func(_, lo, hi int) {
		n := 0
		for _, c := range codes[lo:hi] {
			if c-in.least <= in.most-in.least {
				n++
			}
		}
		if n == 0 {
			return
		}
		at := int(next.Add(int64(n))) - n
		for i, c := range codes[lo:hi] {
			if c-in.least <= in.most-in.least {
				found[at] = candidate{uint64(c), uint32(lo + i)}
				at++
			}
		}
	})
}
