package selection

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// Rows of several ranks are found together by one radix selection. Codes are extracted once. All workers count a digit
// of the codes in the intervals that hold the ranks, and cut these to the codes that share the digit with a rank, until
// few rows are left. One pass collects those, and one worker selects from each interval, by whole keys.

const (
	// MostRanks is the most ranks of a selection; for more of them all rows are ordered. Of plain keys a copy is
	// sorted.
	MostRanks = 512
	// fewFound is the number of rows that are not counted again.
	fewFound = 1 << 16
	// mostScans is the most intervals of one code, of more than fewFound rows, that are searched each by itself. For
	// more of them all rows are ordered.
	mostScans = 8
	// mostPicked is the most candidates, for each row, of all selections together: one row is selected from those
	// of its interval after another. An order takes the time of about three.
	mostPicked = 2
	// tiedSample is the number of codes by which tiedRanks decides.
	tiedSample = 256
)

// mostFound returns the largest number of candidates, of n elements, that one worker selects
// from. It takes 10 ms at most. All workers order eight times as many elements in that time.
func mostFound(n int) int { return min(n, max(fewFound, min(n/8, 1<<20))) }

// FewRanks reports whether rows of ranks ks, by the codes of src, may be selected in less time than all are ordered. It
// reads a sample of the codes.
func FewRanks[C sortkey.Code](rows extract.Input, words []extract.Word, ks []int, src cpu.Source[C]) bool {
	return len(ks) <= MostRanks && !(len(ks) > mostScans && words[0].InMemory && tiedRanks(rows.Len, ks, src))
}

// tiedRanks reports whether an eighth of a sample of n codes ties with others of it at a rank. So
// many rows would be ordered in the end, after all passes.
func tiedRanks[C sortkey.Code](n int, ks []int, src cpu.Source[C]) bool {
	var codes [tiedSample]C
	var wanted [tiedSample]bool
	readSample(codes[:], n, src)
	slices.Sort(codes[:])
	for _, k := range ks {
		wanted[uint64(k)*tiedSample/uint64(n)] = true
	}
	tied := 0
	for lo, hi := 0, 0; lo < len(codes); lo = hi {
		for hi < len(codes) && codes[hi] == codes[lo] {
			hi++
		}
		if hi-lo > 1 && slices.Contains(wanted[lo:hi], true) {
			tied += hi - lo
		}
	}
	return tied > tiedSample/8
}

// Ranks replaces each k of ks by the number of the row of rank k, or of one that ties with it if any is set.
// 0 <= k < rows.Len, len(ks) <= [MostRanks], and src has the codes of the first word, which is open. If too many rows share
// the codes of ranks it changes no rank and returns the codes of all rows, by which they are to be ordered; otherwise
// these are nil. After an error ks are any. It takes memory of env, see [RanksBytes].
func Ranks[C sortkey.Code](env *engine.Env, rows extract.Input, words []extract.Word, ks []int, src cpu.Source[C], any bool) (codes []C, err error) {
	decisive := extract.Decisive(words)
	if decisive && words[0].InMemory {
		if done, err := near(env, rows.Len, ks, src); done || err != nil {
			return nil, err
		}
	}
	s := &search[C]{env: env, codes: scratch.Take[C](&env.Arena, rows.Len), ks: ks, decisive: decisive, any: any && decisive}
	if err := s.extract(src); err != nil {
		return nil, err
	}
	if err := s.cut(); err != nil {
		return nil, err
	}
	if s.crowded() {
		return s.codes, nil
	}
	t := ties.New(env, rows, words)
	numbers, err := s.rowsOf(t)
	if err != nil {
		return nil, err
	}
	copy(ks, numbers) // which held until nothing has to be ordered
	return nil, t.Finish(nil)
}

// crowded reports whether selections from the intervals take longer than an order of all rows.
func (s *search[C]) crowded() bool {
	n, scans, found, picked := len(s.codes), 0, 0, 0
	for _, in := range s.open {
		switch {
		case in.n <= fewFound:
			found, picked = found+in.n, picked+in.n*len(in.at)
		case in.least < in.most, !s.decisive && in.n > mostFound(n):
			return true
		case !s.any: // otherwise the first row with the code does
			scans++
		}
	}
	return scans > mostScans || found > mostFound(n) || picked > mostPicked*n
}

// rowsOf returns the numbers of the rows of all ranks.
func (s *search[C]) rowsOf(t *ties.Breaker) (numbers []int, err error) {
	numbers = make([]int, len(s.ks))
	arena := &s.env.Arena
	v := selector{t: t, codes: scratch.Take[uint64](arena, engine.Block), at: scratch.Take[uint32](arena, engine.Block)}
	var few []*interval[C]
	for _, in := range s.open {
		switch {
		case in.n <= fewFound:
			few = append(few, in)
		case s.decisive:
			err = s.scan(in, numbers)
		default:
			err = s.pick(&v, numbers, in)
		}
		if err != nil {
			return nil, err
		}
	}
	return numbers, s.pick(&v, numbers, few...)
}

// scan finds the rows in an interval of one code, which decides.
func (s *search[C]) scan(in *interval[C], numbers []int) error {
	next, k := len(in.at)-1, 0 // in.at has the largest rank first
	for i, c := range s.codes {
		if i%selectPiece == 0 && s.env.Loop.Err() != nil {
			break
		}
		if c != in.least {
			continue
		}
		for ; next >= 0 && (s.any || s.ks[in.at[next]]-in.before == k); next-- {
			numbers[in.at[next]] = i
		}
		if next < 0 {
			break
		}
		k++
	}
	return s.env.Loop.Err()
}

// pick finds the rows in some intervals, by whole keys.
func (s *search[C]) pick(v *selector, numbers []int, some ...*interval[C]) error {
	found := 0
	for _, in := range some {
		found += in.n
	}
	if found == 0 {
		return nil
	}
	all := scratch.Take[candidate](&s.env.Arena, found)
	defer scratch.Give(&s.env.Arena, all, 1)
	found = 0
	for _, in := range some {
		in.found = all[found:][:in.n]
		found += in.n
	}
	if err := s.collect(some); err != nil {
		return err
	}
	for _, in := range some {
		v.found = in.found
		for _, i := range in.at { // each selection leaves the candidates up to its row
			v.k = s.ks[i] - in.before + 1
			v.find()
			numbers[i] = int(v.last)
		}
	}
	return s.env.Loop.Err()
}

// members are the codes of a block that are in some intervals.
type members struct {
	at [engine.Block]uint16 // in the block
	of [engine.Block]uint16 // the intervals, from 0

	counts [MostRanks]int // by interval: members that have no place among the candidates; 0 between blocks
	places [MostRanks]int // of the next
}

// find finds the members of a block in some intervals, which are numbered, and returns how many there are.
func (s *search[C]) find(m *members, codes []C, some []*interval[C]) (n int) {
	if len(some) == 1 {
		for i, c := range codes {
			if some[0].has(c) {
				m.at[n], m.of[n] = uint16(i), 0
				n++
			}
		}
		return n
	}
	for i, c := range codes {
		if k := s.of(c); k > 0 {
			m.at[n], m.of[n] = uint16(i), uint16(k-1)
			n++
		}
	}
	return n
}

// collect writes the rows of some intervals to their candidates. Workers take memory for those of a block together.
func (s *search[C]) collect(some []*interval[C]) error {
	s.number(some)
	next, all := make([]atomic.Int64, len(some)), make([]members, len(s.counts))
	return s.env.Stage("select", len(s.codes), engine.Block, func(worker, lo, hi int) {
		m := &all[worker]
		n := s.find(m, s.codes[lo:hi], some)
		for _, k := range m.of[:n] {
			m.counts[k]++
		}
		for j, k := range m.of[:n] {
			if count := m.counts[k]; count > 0 {
				m.counts[k], m.places[k] = 0, int(next[k].Add(int64(count)))-count
			}
			i := lo + int(m.at[j])
			some[k].found[m.places[k]] = candidate{uint64(s.codes[i]), uint32(i)}
			m.places[k]++
		}
	})
}

// RanksBytes bounds the scratch memory of [Ranks], by codes of code bytes each, except that in which whole keys are compared: the
// codes of all rows and the counters of workers, and the candidates, which it
// takes only where it does not return the codes.
func RanksBytes(n, ranks, workers int, code uintptr) (codes, candidates int64) {
	counts := int64(max(1, workers)) * scratch.Size(counters(ranks), 8)
	return scratch.Size(n, code) + counts, scratch.Size(mostFound(n), unsafe.Sizeof(candidate{})) + 2*scratch.Size(engine.Block, 8)
}
