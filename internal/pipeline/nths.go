package pipeline

import (
	"errors"
	"slices"
	"sync/atomic"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// Rows at several places of an order are found together: codes are extracted once, their leading
// digits counted once, and those that may be wanted collected in one pass.

// KeysAt returns keys that hold at ks[i] the one that comes ks[i]-th, from 0, or one that ties with it. They are the given
// ones, and other ks, or a sorted copy.
func KeysAt[K sortkey.Key](keys []K, ks []int, o *call.Options) ([]K, error) {
	kind, s, own := sortkey.KindOf[K](), cpu.PayloadOf(keys), *o
	own.Into, own.Marks = nil, nil
	switch {
	case ways.On(ways.SortForRanks) && sortsForRanks(kind, s, len(ks), o):
		own.Backend = cpu.Host
		sorted := slices.Clone(keys)
		err := SortKeys(sorted, &own)
		ways.Took(ways.SortForRanks)
		return sorted, err
	case isSmall(o, s.Len()):
		return keys, numbersAt(ks)(small.OrderWith(kind, s, extract.Own(kind), small.NoFunction, &own))
	}
	return keys, nthsOf([]extract.Column{extract.SelfAs(kind)}, extract.InputOf(s), ks, true, *o)
}

// numbersAt returns what replaces ks by the numbers of an order.
func numbersAt(ks []int) func(p perm.Perm, err error) error {
	return func(p perm.Perm, err error) error {
		if err == nil {
			pickNumbers(ks, p)
		}
		return err
	}
}

const (
	// mostScans is the most places that are searched each by itself, since too many rows share their
	// leading digits. For more of them all rows are ordered.
	mostScans = 8
	// mostParts is the most intervals whose second digit, of secondBits, is counted.
	mostParts, secondBits = 256, 8
	// mostSelected is the most places that are selected; for more of them all rows are ordered. Of plain
	// keys a copy is sorted, and so it is for up to fewFound keys, and for keys of few values, which are
	// sorted by counting.
	mostSelected = 512
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

// sortsForRanks reports whether a copy of keys of a kind, the elements themselves, is sorted for a
// number of ranks.
func sortsForRanks(kind sortkey.Kind, s cpu.Payload, ranks int, o *call.Options) bool {
	if !o.Free() {
		return false
	}
	if ranks > mostSelected || s.Len() <= fewFound {
		return true
	}
	var codes [tiedSample]uint64
	keys, step := s.Raw(), s.Len()/tiedSample
	for i := range codes {
		sortkey.EncodeAt(kind, codes[i:i+1], keys.At(i*step), sortkey.Order{})
	}
	slices.Sort(codes[:])
	return len(slices.Compact(codes[:])) <= tiedSample/8
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
	r      *request
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

// nthsBy is nthsOf by the codes of a source.
func nthsBy[C sortkey.Code](r *request, rows extract.Input, words []extract.Word, ks []int, src cpu.Source[C], any bool) error {
	if !ways.On(ways.SelectRanks) || len(ks) > mostSelected || len(ks) > mostScans && words[0].InMemory && tiedPlaces(r.n, ks, src) {
		index := scratch.Take[uint32](&r.Arena, r.n)
		err := orderCodes(r, rows, words, index, src)
		if err == nil {
			pickNumbers(ks, index)
		}
		return err
	}
	s := &search[C]{r: r, codes: scratch.Take[C](&r.Arena, r.n), ks: ks, any: any && extract.Decisive(words)}
	var err error
	if s.all, err = extractAll(r, s.codes, src); err != nil {
		return err
	}
	s.all.n, s.counts = r.n, newDigits(r)
	parts, err := s.parts()
	switch {
	case err != nil:
		return err
	case s.crowded(parts):
		return orderedNths(r, rows, words, s.codes, ks)
	}
	v := selector{t: ties.New(&r.Env, rows, words)}
	numbers, err := s.selectFrom(parts, &v)
	switch {
	case err == errCrowded:
		return orderedNths(r, rows, words, s.codes, ks)
	case err != nil:
		return err
	}
	ways.Took(ways.SelectRanks)
	copy(ks, numbers) // which held until nothing has to be ordered
	return v.t.Finish(nil)
}

// selectFrom returns the numbers of the rows at all places, or errCrowded.
func (s *search[C]) selectFrom(parts []*wanted[C], v *selector) (numbers []int, err error) {
	numbers = make([]int, len(s.ks))
	v.codes, v.at = scratch.Take[uint64](&s.r.Arena, engine.Block), scratch.Take[uint32](&s.r.Arena, engine.Block)
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
	return scans > mostScans || found > mostFound(s.r.n) || selected > mostPicked*s.r.n
}

// parts returns the intervals of the places, by the leading digit of their codes or by two, and
// numbers them.
func (s *search[C]) parts() ([]*wanted[C], error) {
	whole := []*wanted[C]{{interval: s.all, at: sortedPlaces(s.ks)}}
	if s.all.n <= fewFound || s.all.least == s.all.most {
		return whole, nil
	}
	if err := s.all.count(s.r, s.codes, s.counts); err != nil {
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
	err := s.r.Stage("select", s.r.n, s.r.piece(s.r.n), func(worker, lo, hi int) {
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
		counts[i] = scratch.Take[int](&s.r.Arena, len(parts)<<secondBits)
		clear(counts[i])
	}
	err = s.r.Stage("select", s.r.n, s.r.piece(s.r.n), func(worker, lo, hi int) {
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

// orderedNths replaces ks by the numbers of an order of all rows.
func orderedNths[C sortkey.Code](r *request, rows extract.Input, words []extract.Word, codes []C, ks []int) error {
	index, err := nthOrdered(r, rows, words, codes)
	if err == nil {
		pickNumbers(ks, index)
	}
	return err
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
		p.found, some = scratch.Take[candidate](&s.r.Arena, p.n)[:p.n], true
		if len(parts) == 1 {
			return p.interval.collect(s.r, s.codes, p.found)
		}
	}
	if !some {
		return nil
	}
	return s.r.Stage("select", s.r.n, engine.Block, func(_, lo, hi int) {
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
	r := s.r
	for in.n > fewFound && in.least < in.most {
		if err := in.narrow(r, s.codes, s.counts); err != nil {
			return 0, err
		}
	}
	switch {
	case in.least == in.most && extract.Decisive(v.t.Words):
		if s.any {
			in.k = 0
		}
		return in.kth(r, s.codes)
	case in.n > mostFound(r.n):
		return 0, errCrowded
	}
	found := scratch.Take[candidate](&r.Arena, in.n)[:in.n]
	defer scratch.Give(&r.Arena, found, 1)
	if err := in.collect(r, s.codes, found); err != nil {
		return 0, err
	}
	v.found, v.k = found, in.k+1
	v.find()
	return int(v.last), r.Loop.Err()
}

// errCrowded reports that too many rows share the code of a place.
var errCrowded = errors.New("pipeline: too many rows tie")

// collect writes the codes of the interval to its candidates.
func (in *interval[C]) collect(r *request, codes []C, found []candidate) error {
	var next atomic.Int64
	return r.Stage("select", r.n, engine.Block, func(_, lo, hi int) {
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
