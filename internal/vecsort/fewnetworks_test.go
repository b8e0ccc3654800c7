package vecsort

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/internal/testkit"
)

// The tests of this file prove the networks of sortFew32 and sortFew64 for all codes, as those of networks_test.go
// prove the joins.

// fewFunctions are the functions that sort few codes, by the 32-bit words of a code.
var fewFunctions = map[int]string{1: "sortFew32", 2: "sortFew64"}

// fewRows are the numbers of rows of their networks.
var fewRows = []int{1, 2, 3, 4, 6, 8, 12, 16}

// networkRowsOf returns the rows of the network of n codes.
func networkRowsOf(n, lanes int) int {
	for _, rows := range fewRows {
		if n <= rows*lanes {
			return rows
		}
	}
	return 0
}

// proveFew proves that a function sorts n codes and accesses no other memory.
func proveFew(steps []step, words, n int, watch *watch) error {
	m := &machine{terms: newTerms(), lanes: 16, general: map[string]uint64{}, watch: watch}
	src, dst := make([]word, n*words), make([]word, n*words)
	for i := range src {
		src[i] = word{m.terms.term(termKey{kind: input, a: term(i / words)}), uint32(i % words)}
		dst[i].term = unknown
	}
	frame := make([]word, 6)
	long := func(at int, v uint64) { frame[at/4].value, frame[at/4+1].value = uint32(v), uint32(v>>32) }
	long(0, m.add("dst", dst, false))
	long(8, m.add("src", src, true))
	long(16, uint64(n))
	m.add("FP", frame, true)
	for name, data := range readOnly() {
		words := make([]word, len(data))
		for i, x := range data {
			words[i].value = x
		}
		m.add(name, words, true)
	}
	if err := m.run(steps); err != nil {
		return err
	}
	var outputs []term
	for i, w := range dst {
		if w.value != uint32(i%words) || w.term != dst[i/words*words].term {
			return fmt.Errorf("word %d of code %d is of another code", i%words, i/words)
		}
		if i%words == 0 {
			outputs = append(outputs, w.term)
		}
	}
	c, err := m.terms.circuitOf(0, n, outputs)
	if err != nil {
		return err
	}
	// Columns are blocks, those that are merged first are neighbours.
	lanes := 16 / words
	column := 1 << bits.Len(uint(networkRowsOf(n, lanes)-1))
	place := make([]int, n)
	for i := range place {
		lane := bits.Reverse16(uint16(i%lanes)) >> bits.LeadingZeros16(uint16(lanes-1))
		place[i] = int(lane)*column + i/lanes
	}
	return c.ByLemmas(place)
}

// TestFewNetworks proves that lists of all lengths are sorted, whatever their codes are.
func TestFewNetworks(t *testing.T) {
	testkit.SkipRace(t) // terms, on one goroutine
	for words, name := range fewFunctions {
		steps, lanes, last := function(name), 16/words, 0
		for n := 1; n <= 16*lanes; n++ {
			rows := networkRowsOf(n, lanes)
			if edge := n == rows*lanes || n == last*lanes+1; !edge && !testkit.Long() && n%13 != 0 {
				continue
			}
			if n == rows*lanes {
				last = rows
			}
			if err := proveFew(steps, words, n, nil); err != nil {
				t.Fatalf("%s of %d codes: %v", name, n, err)
			}
		}
	}
}

// TestFewChanged changes some of the vector instructions, in several ways. The proof has to fail. It did for each of the
// 18,962 changes of all.
func TestFewChanged(t *testing.T) {
	testkit.SkipRace(t) // terms, on one goroutine
	for words, name := range fewFunctions {
		steps, lanes, tried := function(name), 16/words, 0
		type call struct {
			n int
			*watch
		}
		var calls []call
		for k, rows := range fewRows {
			less := 1
			if k > 0 {
				less = fewRows[k-1]*lanes + 1
			}
			for _, n := range []int{less, rows * lanes, rows*lanes - 1} {
				c := call{n, &watch{make([]bool, len(steps)), make([]bool, len(steps))}}
				if err := proveFew(steps, words, n, c.watch); err != nil {
					t.Fatal(err)
				}
				calls = append(calls, c)
			}
		}
		for i, s := range steps {
			if i%testkit.Pick(67, 7) != 0 {
				continue
			}
			for _, changed := range fewChanges(steps, i) {
				tried++
				if !slices.ContainsFunc(calls, func(c call) bool {
					return c.executed[i] && proveFew(changed, words, c.n, nil) != nil
				}) {
					t.Errorf("%s: instruction %d, %q, becomes %q %v, and nothing fails", name, i, s.line, changed[i].op, changed[i].args)
				}
			}
		}
		t.Logf("%s: %d changes", name, tried)
		if tried < testkit.Pick(50, 1000) {
			t.Errorf("%s: %d changes", name, tried)
		}
	}
}

// fewChanges returns the function with instruction i changed, in several ways.
func fewChanges(steps []step, i int) (all [][]step) {
	s := steps[i]
	change := func(f func(s *step)) {
		changed := slices.Clone(steps)
		changed[i].args = slices.Clone(s.args)
		f(&changed[i])
		all = append(all, changed)
	}
	if !strings.HasPrefix(s.op, "V") || s.op == "VZEROUPPER" {
		return nil
	}
	change(func(s *step) { s.op, s.args = "NOP", nil })
	for _, other := range [][2]string{{"VPMIN", "VPMAX"}, {"VPMAX", "VPMIN"}} {
		if rest, ok := strings.CutPrefix(s.op, other[0]); ok {
			change(func(s *step) { s.op = other[1] + rest })
		}
	}
	for k, arg := range s.args {
		switch {
		case arg.kind == immediate:
			change(func(s *step) { s.args[k].value ^= 1 })
		case arg.kind == vector && k < len(s.args)-1 && (s.op == "VPTERNLOGD" || s.op == "VSHUFI32X4"): // the same twice
		case arg.kind == vector && k < 2 && comparator(s): // and an instruction of the comparator alone may do no harm
			if next := steps[i+1]; comparator(next) && next.args[0] == s.args[0] && next.args[1] == s.args[1] {
				change(func(s *step) { s.args[k].n = (arg.n + 1) % 32 })
				changed := all[len(all)-1]
				changed[i+1].args = slices.Clone(next.args)
				changed[i+1].args[k] = changed[i].args[k]
			}
		case arg.kind == vector:
			change(func(s *step) { s.args[k].n = (arg.n + 1) % 32 })
		case arg.kind == maskBits:
			change(func(s *step) { s.args[k].n = arg.n%5 + 1 })
		case arg.kind == memory:
			change(func(s *step) { s.args[k].value += 4 })
		}
	}
	return all
}

func comparator(s step) bool {
	return strings.HasPrefix(s.op, "VPMIN") || strings.HasPrefix(s.op, "VPMAX")
}
