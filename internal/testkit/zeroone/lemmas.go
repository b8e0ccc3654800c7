package zeroone

import (
	"fmt"
	"math/bits"
)

// base is the size of blocks of which all zeros and ones are run.
const base = 16

// A proof is of aligned blocks of places, each twice as long as those before. An operand belongs to
// the smallest block that all its inputs are in. An end of a block is an operand of the block, or of one within it,
// that others use, or an output. The lemma of a block: each of its ends is one of its inputs in order.
// That is, of zeros and ones it is a one if more than rank of the block's inputs are. So ends of a block depend
// on two numbers, those of ones in its halves: all pairs of them are run, for the gates of the block alone.
type proof struct {
	c     *Circuit
	place []int // by input
	size  []int // by operand: binary logarithm of its block's size
	first []int // by operand: any place of its block
	used  []int // by operand: logarithm of the size of the largest block of its users, outputs included
	rank  []int // by operand, of the ends of the last blocks that were proved
}

// ByLemmas proves that a circuit sorts, from the networks of blocks of 16 places and the merges of two
// blocks. place says where inputs are; places that no input has hold zeros. It takes 2^16
// evaluations of blocks of 16, and (n/2+1)² evaluations of the merge of n places.
func (c *Circuit) ByLemmas(place []int) error {
	p := &proof{c: c, place: place}
	top := p.assign()
	for size := bits.Len(base - 1); size <= top; size++ {
		for _, b := range p.blocks(size) {
			if err := b.prove(); err != nil {
				return err
			}
		}
	}
	for j, out := range c.Outputs {
		if p.rank[out] != c.Inputs-1-j {
			return fmt.Errorf("output %d is number %d from the end", j, p.rank[out])
		}
	}
	return nil
}

// assign gives operands their blocks. It returns the logarithm of the size of the block of all.
func (p *proof) assign() (top int) {
	c := p.c
	n := c.Inputs + len(c.Gates)
	p.size, p.first, p.used, p.rank = make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	top = bits.Len(base - 1)
	for _, at := range p.place {
		top = max(top, bits.Len(uint(at)))
	}
	for i := range n {
		if p.rank[i] = 0; i < c.Inputs {
			p.first[i] = p.place[i]
			continue
		}
		g := c.Gates[i-c.Inputs]
		size := max(p.size[g.A], p.size[g.B])
		for p.first[g.A]>>size != p.first[g.B]>>size {
			size++
		}
		p.size[i], p.first[i] = size, p.first[g.A]
		p.used[g.A], p.used[g.B] = max(p.used[g.A], size), max(p.used[g.B], size)
	}
	for _, out := range c.Outputs {
		p.used[out] = top + 1
	}
	return top
}

// block is a block to be proved.
type block struct {
	*proof
	size  int
	gates []int // by number, that belong to the block itself
	ends  []int
	halfs [2][]int // ends of halves; of a block of the base, inputs of the first
	n     [2]int   // inputs of the halves
}

// blocks returns the blocks of a size.
func (p *proof) blocks(size int) []*block {
	all := map[int]*block{}
	at := func(place int) *block {
		b := all[place>>size]
		if b == nil {
			b = &block{proof: p, size: size}
			all[place>>size] = b
		}
		return b
	}
	least := size == bits.Len(base-1)
	for i, place := range p.place {
		b, half := at(place), place>>(size-1)&1
		if least {
			half = 0
			b.halfs[0] = append(b.halfs[0], i)
		}
		b.n[half]++
	}
	for i := range p.size {
		if p.size[i] > size {
			continue
		}
		b := at(p.first[i])
		if p.used[i] > size {
			b.ends = append(b.ends, i)
		}
		switch own := p.size[i] == size || least; {
		case own && i >= p.c.Inputs:
			b.gates = append(b.gates, i-p.c.Inputs)
		case !own && p.used[i] >= size: // the rank is that of the half
			half := p.first[i] >> (size - 1) & 1
			b.halfs[half] = append(b.halfs[half], i)
		}
	}
	var list []*block
	for _, b := range all {
		list = append(list, b)
	}
	return list
}

func (b *block) prove() error {
	if b.size == bits.Len(base-1) {
		return b.proveAll()
	}
	return b.provePairs()
}

// proveAll runs all zeros and ones of a block.
func (b *block) proveAll() error {
	values, ones := make([]slice, len(b.proof.size)), newCounter(b.n[0])
	for i, at := range b.halfs[0] { // bit w: the first w inputs are ones
		values[at][0] = ^uint64(0) << (i + 1)
	}
	b.c.evaluate(values, b.gates)
	for _, end := range b.ends {
		b.rank[end] = bits.TrailingZeros64(values[end][0]) - 1
	}
	for from := uint64(0); from < 1<<b.n[0]; from += 64 * words {
		fill(values, b.halfs[0], from)
		b.c.evaluate(values, b.gates)
		ones.begin(from)
		for _, end := range b.ends {
			if r := b.rank[end]; r < 0 || r >= b.n[0] || values[end] != *ones.moreThan(r) {
				return fmt.Errorf("operand %d is no input of %d in order", end, b.n[0])
			}
		}
	}
	return nil
}

// provePairs runs all pairs of numbers of ones of two halves: those of the second half are bits of
// a value, from none to all.
func (b *block) provePairs() error {
	all := b.n[0] + b.n[1]
	wide := all/64 + 1
	operands := append(append([]int{}, b.halfs[0]...), b.halfs[1]...)
	local := make(map[int]int, len(operands)+len(b.gates)) // by operand
	for i, x := range operands {
		local[x] = i
	}
	gates := make([]Gate, len(b.gates))
	for i, x := range b.gates {
		g := b.c.Gates[x]
		gates[i] = Gate{g.Most, local[g.A], local[g.B]}
		local[b.c.Inputs+x] = len(operands) + i
	}
	values := make([]uint64, wide*(len(operands)+len(gates)))
	value := func(i, wide int) []uint64 { return values[i*wide : (i+1)*wide] }
	halves := make([]int, len(operands))
	for i, x := range operands {
		halves[i] = b.rank[x]
	}
	// With the first half's ones before those of the second, bit w has w ones: ranks.
	for i, rank := range halves {
		if i >= len(b.halfs[0]) {
			rank += b.n[0]
		}
		above(value(i, wide), rank)
	}
	run(gates, values, len(operands), wide)
	ranks := make([]int, len(b.ends))
	for i, end := range b.ends {
		ranks[i] = firstBit(value(local[end], wide)) - 1
	}
	wide = b.n[1]/64 + 1
	want := make([]uint64, wide)
	valid := ^uint64(0) >> (63 - b.n[1]%64)
	for i, rank := range halves[len(b.halfs[0]):] {
		above(value(len(b.halfs[0])+i, wide), rank)
	}
	for ones := range b.n[0] + 1 {
		for i, rank := range halves[:len(b.halfs[0])] {
			if rank < ones {
				above(value(i, wide), -1)
			} else {
				clear(value(i, wide))
			}
		}
		run(gates, values, len(operands), wide)
		for i, end := range b.ends {
			above(want, ranks[i]-ones)
			for k, got := range value(local[end], wide) {
				if diff := got ^ want[k]; ranks[i] >= all || diff != 0 && (k < wide-1 || diff&valid != 0) {
					return fmt.Errorf("operand %d is wrong for %d ones of %d and some of %d", end, ones, b.n[0], b.n[1])
				}
			}
		}
	}
	for i, end := range b.ends {
		b.rank[end] = ranks[i]
	}
	return nil
}

// above sets all bits above number rank, which may be negative.
func above(value []uint64, rank int) {
	for k := range value {
		switch from := rank + 1 - 64*k; {
		case from <= 0:
			value[k] = ^uint64(0)
		case from < 64:
			value[k] = ^uint64(0) << from
		default:
			value[k] = 0
		}
	}
}

func firstBit(value []uint64) int {
	for k, v := range value {
		if v != 0 {
			return 64*k + bits.TrailingZeros64(v)
		}
	}
	return 64 * len(value)
}

// run evaluates gates, whose values follow those of the operands.
func run(gates []Gate, values []uint64, operands, wide int) {
	for i, g := range gates {
		a, b, to := values[g.A*wide:][:wide], values[g.B*wide:][:wide], values[(operands+i)*wide:][:wide]
		if g.Most {
			for k := range to {
				to[k] = a[k] | b[k]
			}
		} else {
			for k := range to {
				to[k] = a[k] & b[k]
			}
		}
	}
}
