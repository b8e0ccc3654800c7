package vecsort

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/testkit/zeroone"
)

// The tests of this file prove the sorting networks of join_amd64.s, for all words: the assembly is
// interpreted with terms for words, and the minimums and maximums that it stores are shown to be
// the words of each list in order. The whole proof, with 15,817 changed instructions, takes half a minute:
//
//	SORTER_LONG_TESTS=1 go test -run 'TestNetworks|TestChanged|TestZeros|TestLengths' ./internal/vecsort

// joins are the functions that join lists, by their lanes.
var joins = map[int]string{16: "joinAVX512", 8: "joinAVX2"}

// networkRows are the rows of the networks.
var networkRows = []int{8, 16, 24, 32}

// scenario is one call of a join: the lengths of its lists, whose number is a multiple of the lanes.
type scenario struct {
	lanes   int
	lengths []int
	mask    uint32

	watch *watch // unless it is nil
}

// joined is the memory that a scenario leaves.
type joined struct {
	terms        *terms
	memory, next []word
}

// interpret runs a scenario. value gives words numbers; they are terms where it is nil.
func (s scenario) interpret(steps []step, value func(row, list int) uint32) (*joined, error) {
	lists, n := len(s.lengths), 0
	next, table := make([]word, lists), make([]word, rows*lists)
	m := &machine{terms: newTerms(), lanes: s.lanes, general: map[string]uint64{}, watch: s.watch}
	for k, length := range s.lengths {
		n += length
		next[k].value = uint32(k + length*lists)
		for j := range rows {
			switch w := &table[j*lists+k]; {
			case value != nil:
				w.value = value(j, k)
			case j >= length:
				w.term = unknown
			default:
				w.term = m.terms.term(termKey{kind: input, a: term(j), b: term(k)})
			}
		}
	}
	nothing := func(n int) []word {
		words := make([]word, n)
		for i := range words {
			words[i].term = unknown
		}
		return words
	}
	result := &joined{m.terms, nothing(Slack + n), next}
	frame := make([]word, 18)
	long := func(at int, v uint64) { frame[at/4].value, frame[at/4+1].value = uint32(v), uint32(v>>32) }
	long(0, m.add("memory", result.memory, false))
	long(8, uint64(Slack+n))
	long(16, m.add("the matrix", table, true))
	long(24, uint64(4*lists))
	long(32, m.add("next", next, false))
	long(40, uint64(lists/s.lanes))
	frame[12].value, frame[13].value, frame[14].value = uint32(lists), math.Float32bits(1/float32(lists)), s.mask
	long(64, m.add("spill", nothing(896/4), false)) // spillBytes of amd64
	m.add("FP", frame, true)
	for name, data := range readOnly() {
		words := make([]word, len(data))
		for i, x := range data {
			words[i].value = x
		}
		m.add(name, words, true)
	}
	return result, m.run(steps)
}

// circuits are the proofs of circuits, by their gates.
type circuits struct {
	proofs map[string]error
	all    []*zeroone.Circuit
}

// prove proves all lists of a scenario: each has its own words in order, where the result has them.
func (s scenario) prove(steps []step, known *circuits) error {
	got, err := s.interpret(steps, nil)
	if err != nil {
		return err
	}
	end := Slack
	for k, length := range s.lengths {
		end += length
		if got.next[k] != (word{value: uint32(length)}) {
			return fmt.Errorf("list %d has %+v words, want %d", k, got.next[k], length)
		}
		group := s.lengths[k/s.lanes*s.lanes:][:s.lanes]
		if err := s.proveList(got, k, min(length, rows), networkOf(slices.Max(group)), end, known); err != nil {
			return fmt.Errorf("list %d of %d words: %w", k, length, err)
		}
	}
	return nil
}

// networkOf returns the rows of the network for lists of up to most words.
func networkOf(most int) int {
	for _, n := range networkRows {
		if most <= n {
			return n
		}
	}
	return rows
}

// proveList proves list k of a network, whose last words end at end.
func (s scenario) proveList(got *joined, k, length, network, end int, known *circuits) error {
	var outputs []term
	for _, w := range got.memory[end-length : end] {
		if s.mask != ^uint32(0) && w.term > 0 {
			if key := got.terms.keys[w.term]; key.kind == masked && key.mask == s.mask {
				w.term = key.a
			} else {
				return fmt.Errorf("an output without a mask")
			}
		}
		outputs = append(outputs, w.term)
	}
	c, err := got.terms.circuitOf(k, length, outputs)
	if err != nil {
		return err
	}
	name := nameOf(c, network)
	err, ok := known.proofs[name]
	if !ok {
		place := make([]int, length) // rows that a network lacks are zeros
		for i := range place {
			place[i] = rows - network + i
		}
		err = c.ByLemmas(place)
		known.proofs[name], known.all = err, append(known.all, c)
	}
	return err
}

// nameOf returns a name that no other circuit of a network has.
func nameOf(c *zeroone.Circuit, network int) string {
	name := []byte{byte(network), byte(c.Inputs)}
	number := func(x int) { name = append(name, byte(x), byte(x>>8)) }
	for _, g := range c.Gates {
		if g.Most {
			name = append(name, 1)
		} else {
			name = append(name, 0)
		}
		number(g.A)
		number(g.B)
	}
	for _, x := range c.Outputs {
		number(x)
	}
	return string(name)
}

// scenarios returns calls in which each lane of a network has all lengths, and calls of several groups.
func scenarios(lanes int) (all []scenario) {
	for _, network := range networkRows {
		longest := network
		if network == rows {
			longest = rows + 5 // and words wait aside
		}
		for turn := range longest + 1 {
			lengths := make([]int, lanes)
			for k := range lengths {
				lengths[k] = (turn + k*5) % (longest + 1)
			}
			lengths[turn%lanes] = longest
			all = append(all, scenario{lanes: lanes, lengths: lengths, mask: ^uint32(0)})
			other := slices.Clone(lengths) // the lane that is always full has its turn, too
			other[turn%lanes], other[(turn+1)%lanes] = turn, longest
			all = append(all, scenario{lanes: lanes, lengths: other, mask: ^uint32(0)})
		}
	}
	for i := range 16 { // a group after each other
		lengths := make([]int, 3*lanes)
		for k := range lengths {
			lengths[k] = []int{networkRows[i%4], networkRows[i/4], 3}[k/lanes] - k%3
		}
		all = append(all, scenario{lanes: lanes, lengths: lengths, mask: []uint32{^uint32(0), 1<<9 - 1}[i%2]})
	}
	return all
}

// TestNetworks proves that joins sort all lists, whatever their words are, and that no instruction
// depends on a word except minimums, maximums and moves. Circuits are proved by lemmas, and again by all zeros and ones,
// for 32 words 2^32 of them.
func TestNetworks(t *testing.T) {
	testkit.SkipRace(t) // terms, on one goroutine
	known := &circuits{proofs: map[string]error{}}
	for lanes, name := range joins {
		steps := function(name)
		for _, s := range append(scenarios(lanes), full(lanes, rows)) {
			if err := s.prove(steps, known); err != nil {
				t.Fatalf("%s of lists of %d words: %v", name, s.lengths, err)
			}
		}
	}
	lengths := map[int]int{}
	for _, c := range known.all {
		lengths[c.Inputs]++
		if !testkit.Long() && c.Inputs < rows && c.Inputs != rows/2 {
			continue
		}
		if err := c.Exhaustive(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d circuits proved", len(known.all))
	for n := range rows + 1 {
		if lengths[n] == 0 {
			t.Errorf("no list of %d words", n)
		}
	}
}

// full is a call whose groups take one network: the lists of the first group have as many words as it has
// rows, those of the last one as few as take it, and those of the others have all other numbers.
func full(lanes, network int) scenario {
	groups := 3 + network/(lanes-1)
	lengths := slices.Repeat([]int{network}, lanes*groups)
	length := 0
	for k := range lengths {
		switch {
		case k >= lanes*(groups-1) && network > networkRows[0]:
			lengths[k] = network - 7
		case k >= lanes && k%lanes > 0 && length < network:
			lengths[k] = length
			length++
		}
	}
	return scenario{lanes: lanes, lengths: lengths, mask: 1<<30 - 1}
}

// TestChanged changes each instruction of the joins, in several ways: exchanged and dropped comparators
// are among them. The proof has to fail.
func TestChanged(t *testing.T) {
	testkit.SkipRace(t) // terms, on one goroutine
	for lanes, name := range joins {
		steps, tried := function(name), 0
		begin := slices.IndexFunc(steps, func(s step) bool { return s.begin })
		var calls []scenario
		for i := range 2 * len(networkRows) {
			network := networkRows[i%len(networkRows)]
			s := full(lanes, network)
			if i < len(networkRows) { // one group finds most
				s.lengths = s.lengths[:lanes]
			}
			s.watch = &watch{make([]bool, len(steps)), make([]bool, len(steps))}
			if err := s.prove(steps, &circuits{proofs: map[string]error{}}); err != nil {
				t.Fatal(err)
			}
			calls = append(calls, s)
		}
		for i := begin; i < len(steps); i++ {
			if !testkit.Long() && i%61 != 0 {
				continue
			}
			words := slices.ContainsFunc(calls, func(s scenario) bool { return s.watch.words[i] })
			for _, changed := range changes(steps, i, lanes, words) {
				tried++
				if !slices.ContainsFunc(calls, func(s scenario) bool {
					executed := s.watch.executed[i]
					s.watch = nil
					return executed && s.prove(changed, &circuits{proofs: map[string]error{}}) != nil
				}) {
					t.Errorf("%s: instruction %d, %q, becomes %q %v, and nothing fails", name, i, steps[i].line, changed[i].op, changed[i].args)
				}
			}
		}
		t.Logf("%s: %d changes", name, tried)
		if tried < testkit.Pick(50, 4000) {
			t.Errorf("%s: %d changes", name, tried)
		}
	}
}

// changes returns the function with instruction i changed, in several ways. Some changes do nothing: of
// shuffles that move zeros (words says that they do not), which the list before overwrites; of the zeros; and of
// the numbers of eight lists within a group, which do not change their rounded lengths.
func changes(steps []step, i, lanes int, words bool) (all [][]step) {
	s := steps[i]
	change := func(f func(s *step)) {
		changed := slices.Clone(steps)
		changed[i].args = slices.Clone(s.args)
		f(&changed[i])
		all = append(all, changed)
	}
	renamed := map[string]string{
		"VPMINUD": "VPMAXUD", "VPMAXUD": "VPMINUD",
		"VPUNPCKLDQ": "VPUNPCKHDQ", "VPUNPCKHDQ": "VPUNPCKLDQ", "VPUNPCKLQDQ": "VPUNPCKHQDQ", "VPUNPCKHQDQ": "VPUNPCKLQDQ",
	}
	if !strings.HasPrefix(s.op, "V") || s.op == "VZEROUPPER" || strings.HasPrefix(s.op, "VPXOR") || s.op == "VPADDD" {
		return nil
	}
	change(func(s *step) { s.op, s.args = "NOP", nil })
	if other, ok := renamed[s.op]; ok {
		change(func(s *step) { s.op = other })
	}
	if s.op == "VPMINUD" && steps[i+1].op == "VPMAXUD" {
		change(func(s *step) { s.op = "VPMAXUD" })
		all[len(all)-1][i+1].op = "VPMINUD"
	}
	for k, arg := range s.args {
		switch {
		case k == len(s.args)-2 && arg.kind == vector && !words || s.op == "VPTEST":
		case arg.kind == vector && steps[i+1].op == "KORTESTW": // jumps to a larger network, which sorts, too
		case arg.kind == immediate && words:
			change(func(s *step) { s.args[k].value ^= 1 })
		case arg.kind == vector:
			change(func(s *step) { s.args[k].n = (arg.n + 1) % (2 * lanes) })
		case arg.symbol && !strings.HasSuffix(s.op, ".BCST"): // rows, of which each is a vector
			change(func(s *step) { s.args[k].value += 32 })
		case arg.kind == memory:
			change(func(s *step) { s.args[k].value += 4 })
		}
	}
	return all
}

// TestInterpreted compares the interpretation of numbers with the processor, and both with the twin.
func TestInterpreted(t *testing.T) {
	interpreted := map[int]bool{} // once: all paths have the same words
	eachPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(21, 22))
		for turn := range testkit.Pick(20, 400) {
			lists := group * (1 + turn%3)
			lengths, words := make([]int, lists), make([]uint32, rows*lists)
			for k := range lengths {
				lengths[k] = r.IntN(1 + networkRows[turn%4])
			}
			for i := range words {
				words[i] = r.Uint32() >> (turn % 29)
			}
			m, n := matrixOf(lengths, words)
			twin := m
			twin.next = slices.Clone(m.next)
			want, got := make([]uint32, Slack+n), make([]uint32, Slack+n)
			twin.joinPlain(want, 1<<31-1)
			m.join(got, 1<<31-1)
			if !slices.Equal(got[Slack:], want[Slack:]) || !slices.Equal(m.next, twin.next) {
				t.Fatalf("lists of %d: the twin differs", lengths)
			}
			if interpreted[turn] {
				continue
			}
			interpreted[turn] = true
			for lanes, name := range joins {
				s := scenario{lanes: lanes, lengths: lengths, mask: 1<<31 - 1}
				model, err := s.interpret(function(name), func(row, list int) uint32 { return words[row*lists+list] })
				if err != nil {
					t.Fatal(err)
				}
				for i, w := range model.memory[Slack:] {
					if w != (word{value: want[Slack+i]}) {
						t.Fatalf("%s of lists of %d: word %d is %+v, want %d", name, lengths, i, w, want[Slack+i])
					}
				}
			}
		}
	})
}

// matrixOf returns a matrix of lists of the given lengths, and the number of words.
func matrixOf(lengths []int, words []uint32) (m Matrix, n int) {
	lists := len(lengths)
	m = Matrix{rows: words, next: make([]uint32, lists), spill: make([]uint32, 896/4)}
	for k, length := range lengths {
		n += length
		m.next[k] = uint32(k + length*lists)
	}
	m.n = n
	return m, n
}

// TestZerosAndOnes sorts zeros and ones on the processor: all of 8, 16 and 24 rows; and of 32 rows all of one
// half beside none and all of the other, and all pairs of sorted halves.
func TestZerosAndOnes(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, n := range networkRows[:testkit.Pick(2, 3)] {
			onProcessor(t, n, 1<<n, func(i int) uint32 { return uint32(i) })
		}
		onProcessor(t, 32, 4<<16, func(i int) uint32 {
			x := uint32(i>>2) << (i & 1 * 16)
			if i&2 != 0 {
				x |= 0xffff << (16 - i&1*16)
			}
			return x
		})
		onProcessor(t, 32, 17*17, func(i int) uint32 {
			return (0xffff<<(i%17))&0xffff | (0xffff<<(i/17))&0xffff<<16
		})
	})
}

// onProcessor sorts lists of n words, of which word j of list i is one if bit j of ones(i) is set.
func onProcessor(t *testing.T, n, cases int, ones func(i int) uint32) {
	t.Helper()
	const zero, one, lists = 7, 1<<31 + 7, 1024 // which signed comparisons exchange
	lengths := slices.Repeat([]int{n}, lists)
	m, all := matrixOf(lengths, make([]uint32, rows*lists))
	next, memory, ordered := slices.Clone(m.next), make([]uint32, Slack+all), make([][]uint32, n+1)
	for count := range ordered {
		ordered[count] = append(slices.Repeat([]uint32{zero}, n-count), slices.Repeat([]uint32{one}, count)...)
	}
	words := make([]uint32, lists)
	for from := 0; from < cases; from += lists {
		copy(m.next, next)
		for k := range words {
			words[k] = ones(min(from+k, cases-1))
		}
		for j := range n {
			row := m.rows[j*lists:][:lists]
			for k, x := range words {
				row[k] = zero + x>>j<<31
			}
		}
		m.join(memory, ^uint32(0))
		for k, x := range words {
			if got, want := memory[Slack+k*n:][:n], ordered[bits.OnesCount32(x)]; !slices.Equal(got, want) {
				t.Fatalf("%d rows, ones %#x: %#x", n, x, got)
			}
		}
	}
}

// TestLengths holds the lengths of lists, which joins compute by a multiplication of floats, to their
// definition for each number of lists and each length.
func TestLengths(t *testing.T) {
	for lists := group; lists <= mostLists+group; lists += group {
		each := 1 / float32(lists)
		for length := range rows + mostAside(MostWords) + 1 {
			if got := math.RoundToEven(float64(float32(length*lists) * each)); got != float64(length) {
				t.Fatalf("%d lists: length %d becomes %g", lists, length, got)
			}
		}
	}
}
