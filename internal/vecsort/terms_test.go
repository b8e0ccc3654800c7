package vecsort

import (
	"fmt"

	"example.com/sorter/internal/testkit/zeroone"
)

// term is the number of a term: a word that is sorted, the minimum or the maximum of two terms, or one
// of these under a mask. Equal terms have one number.
type term int32

const (
	noTerm  term = 0
	unknown term = -1 // of memory or a register that has no meaning
)

type termKind uint8

const (
	input termKind = iota // word a of list b
	least
	most
	masked // a & mask
)

type termKey struct {
	kind termKind
	a, b term
	mask uint32
}

// terms are the terms of interpretations.
type terms struct {
	keys   []termKey       // by term; the first is none
	of     map[uint64]term // by kind, a and b: most of the time of an interpretation goes to these
	masked map[termKey]term
}

func newTerms() *terms {
	return &terms{keys: make([]termKey, 1, 1<<12), of: make(map[uint64]term, 1<<12), masked: map[termKey]term{}}
}

func (t *terms) term(k termKey) term {
	if k.kind == masked {
		at, ok := t.masked[k]
		if !ok {
			at = t.add(k)
			t.masked[k] = at
		}
		return at
	}
	if (k.kind == least || k.kind == most) && k.a > k.b {
		k.a, k.b = k.b, k.a
	}
	short := uint64(k.kind)<<62 | uint64(k.a)<<31 | uint64(k.b) // terms are not negative
	at, ok := t.of[short]
	if !ok {
		at = t.add(k)
		t.of[short] = at
	}
	return at
}

func (t *terms) add(k termKey) term {
	t.keys = append(t.keys, k)
	return term(len(t.keys) - 1)
}

// least returns the minimum. Zeros and the greatest number are the only numbers that are compared with terms.
func (t *terms) least(a, b word) word {
	if a.term == noTerm && b.term == noTerm {
		return word{value: min(a.value, b.value)}
	}
	switch other, n, ok := t.compared(a, b); {
	case ok && n == 0:
		return word{}
	case ok:
		return other
	}
	return word{term: t.term(termKey{kind: least, a: a.term, b: b.term})}
}

func (t *terms) most(a, b word) word {
	if a.term == noTerm && b.term == noTerm {
		return word{value: max(a.value, b.value)}
	}
	switch other, n, ok := t.compared(a, b); {
	case ok && n == 0:
		return other
	case ok:
		return word{value: n}
	}
	return word{term: t.term(termKey{kind: most, a: a.term, b: b.term})}
}

// compared returns a term and a number if these are compared. At least one is a term.
func (t *terms) compared(a, b word) (other word, n uint32, ok bool) {
	if a.term == noTerm {
		a, b = b, a
	}
	if b.term == noTerm && b.value != 0 && b.value != ^uint32(0) || a.term == unknown || b.term == unknown ||
		t.keys[a.term].kind == masked || t.keys[b.term].kind == masked {
		fail("a comparison with other than words")
	}
	return a, b.value, b.term == noTerm
}

func (t *terms) and(a word, mask uint32) word {
	switch {
	case mask == 0:
		return word{}
	case a.term == noTerm:
		return word{value: a.value & mask}
	case mask == ^uint32(0):
		return a
	case a.term == unknown || t.keys[a.term].kind == masked:
		fail("a mask of other than words")
	}
	return word{term: t.term(termKey{kind: masked, a: a.term, mask: mask})}
}

// circuitOf returns the minimums and maximums that outputs are, of the first words of a list alone.
func (t *terms) circuitOf(list, inputs int, outputs []term) (*zeroone.Circuit, error) {
	c, of := &zeroone.Circuit{Inputs: inputs}, map[term]int{}
	var at func(x term) (int, error)
	at = func(x term) (int, error) {
		if k, ok := of[x]; ok {
			return k, nil
		}
		if x == noTerm || x == unknown {
			return 0, fmt.Errorf("an output is none of the words")
		}
		k := t.keys[x]
		switch {
		case k.kind == masked:
			return 0, fmt.Errorf("an output has another mask")
		case k.kind == input && (int(k.b) != list || int(k.a) >= inputs):
			return 0, fmt.Errorf("an output depends on word %d of list %d", k.a, k.b)
		case k.kind == input:
			return int(k.a), nil
		}
		a, err := at(k.a)
		if err != nil {
			return 0, err
		}
		b, err := at(k.b)
		if err != nil {
			return 0, err
		}
		c.Gates = append(c.Gates, zeroone.Gate{Most: k.kind == most, A: a, B: b})
		of[x] = inputs + len(c.Gates) - 1
		return of[x], nil
	}
	for _, x := range outputs {
		k, err := at(x)
		if err != nil {
			return nil, err
		}
		c.Outputs = append(c.Outputs, k)
	}
	return c, nil
}
