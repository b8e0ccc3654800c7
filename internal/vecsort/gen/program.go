package main

// A program is straight-line vector code over values, each of which is assigned once. It is
// built first and gets its registers afterwards: a processor has fewer than a network has rows.

// value is the number of a value; none is the vector of zeros, which is never computed.
type value int

const none value = -1

// instruction computes to from its operands, or stores its operand.
type instruction struct {
	op       operation
	to, a, b value
	n        int // row, list or shuffle
}

type operation int

const (
	load    operation = iota // row n
	least                    // min(a, b)
	most                     // max(a, b)
	shuffle                  // shuffle n of a and b
	store                    // a is chunk n%chunks of list n/chunks
	zero                     // zeros

	// Of lists of few codes.
	exchange         // lanes of a and b: the maximum where mask n is set, the minimum elsewhere
	exchangeMirrored // and the other way round
	indices          // table n
	permute          // a by the indices b
	mirror           // a, see few.mirror
)

// early reports whether the result is written before all operands are read.
func (op operation) early() bool { return op == exchange || op == exchangeMirrored }

type program struct {
	code   []instruction
	values int
}

func (p *program) emit(op operation, a, b value, n int) value {
	to := none
	if op != store {
		to = value(p.values)
		p.values++
	}
	p.code = append(p.code, instruction{op, to, a, b, n})
	return to
}

// comparators returns the comparators of Batcher's odd-even merge sort of n values, a power of
// two ("Sorting networks and their applications", 1968), in order.
func comparators(n int) (pairs [][2]int) {
	for p := 1; p < n; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := range min(k, n-j-k) {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						pairs = append(pairs, [2]int{i + j, i + j + k})
					}
				}
			}
		}
	}
	return pairs
}

// network returns the comparators of mostRows values of which all but the last ones, the number given,
// are zeros: those of comparators that exchange some of the last ones. By the 0-1 principle a comparator that
// exchanges no zeros and ones exchanges nothing.
func network(rows int) (pairs [][2]int) {
	all, first := comparators(mostRows), mostRows-rows
	if rows == mostRows {
		return all // 2^32 zeros and ones take a minute; the tests of vecsort show that all are needed
	}
	exchanges := make([]bool, len(all))
	var values [mostRows]uint64 // a bit for each of 64 inputs
	for from := uint64(0); from < 1<<rows; from += 64 {
		for i := range rows {
			if values[first+i] = -(from >> i & 1); i < len(lowBits) {
				values[first+i] = lowBits[i]
			}
		}
		for i, c := range all {
			a, b := values[c[0]], values[c[1]]
			exchanges[i] = exchanges[i] || a&^b != 0
			values[c[0]], values[c[1]] = a&b, a|b
		}
	}
	for i, c := range all {
		if exchanges[i] {
			pairs = append(pairs, c)
		}
	}
	return pairs
}

// lowBits are the lowest bits of 64 consecutive numbers.
var lowBits = [...]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000}

// sorted loads rows and sorts each column of them. The result has mostRows rows, of which the
// last ones are the rows that are loaded; those before are zeros, which no comparator moves.
func (p *program) sorted(rows int) []value {
	all := make([]value, mostRows)
	first := mostRows - rows
	for i := range all {
		all[i] = none
		if i >= first {
			all[i] = p.emit(load, none, none, i-first)
		}
	}
	for _, c := range network(rows) {
		a, b := all[c[0]], all[c[1]]
		all[c[0]], all[c[1]] = p.emit(least, a, b, 0), p.emit(most, a, b, 0)
	}
	return all
}

// shuffled is shuffle n of a and b. Any shuffle of zeros is zeros.
func (p *program) shuffled(a, b value, n int, zeros *value) value {
	if a == none && b == none {
		return none
	}
	for _, v := range []*value{&a, &b} {
		if *v == none {
			if *zeros == none {
				*zeros = p.emit(zero, none, none, 0)
			}
			*v = *zeros
		}
	}
	return p.emit(shuffle, a, b, n)
}

// build returns the program that sorts the given number of rows and stores their columns.
func build(m *machine, rows int) *program {
	p, zeros := &program{}, none
	all := p.sorted(rows)
	chunks := mostRows / m.lanes
	var lists [][]value // by chunk and column
	for c := range chunks {
		lists = append(lists, m.transpose(all[c*m.lanes:(c+1)*m.lanes], func(a, b value, n int) value { return p.shuffled(a, b, n, &zeros) }))
	}
	for list := m.lanes - 1; list >= 0; list-- {
		for c := range chunks {
			if lists[c][list] != none {
				p.emit(store, lists[c][list], none, list*chunks+c)
			}
		}
		p.emit(store, none, none, list*chunks) // the list is done
	}
	return p
}

// place is where the allocation puts a value: a register, memory, or both.
type place struct{ register, slot int }

// target emits a program.
type target interface {
	size() int // registers
	emit(in instruction, registers [3]int)
	spill(register, slot int)
	reload(register, slot int)
}

// allocation gives registers to the values of a program. A register is taken from the value
// whose next use is farthest (Belady, "A study of replacement algorithms", 1966).
type allocation struct {
	m     target
	uses  [][]int // by value: the instructions that use it, in order
	at    []place
	held  []value // by register
	slots []bool  // of memory, whether used
	most  int     // slots
}

func allocate(m target, p *program) *allocation {
	a := &allocation{m: m, uses: make([][]int, p.values), at: make([]place, p.values), held: make([]value, m.size())}
	for i := range a.at {
		a.at[i] = place{-1, -1}
	}
	for i := range a.held {
		a.held[i] = none
	}
	for i, in := range p.code {
		for _, v := range []value{in.a, in.b} {
			if v != none {
				a.uses[v] = append(a.uses[v], i)
			}
		}
	}
	for i, in := range p.code {
		for _, v := range []value{in.a, in.b} {
			if v != none {
				a.bring(v, in)
			}
		}
		registers := [3]int{}
		for k, v := range []value{in.a, in.b} {
			if v != none {
				registers[k+1] = a.at[v].register
			}
		}
		if in.op.early() {
			registers[0] = a.free(in)
		}
		for _, v := range []value{in.a, in.b} {
			if v != none {
				a.used(v, i)
			}
		}
		if in.to != none {
			if !in.op.early() {
				registers[0] = a.free(in)
			}
			a.held[registers[0]] = in.to
			a.at[in.to].register = registers[0]
		}
		m.emit(in, registers)
	}
	return a
}

// used removes the use of v by instruction i, and v with its last use.
func (a *allocation) used(v value, i int) {
	for len(a.uses[v]) > 0 && a.uses[v][0] == i {
		a.uses[v] = a.uses[v][1:]
	}
	if len(a.uses[v]) > 0 {
		return
	}
	if r := a.at[v].register; r >= 0 {
		a.held[r] = none
	}
	if s := a.at[v].slot; s >= 0 {
		a.slots[s] = false
	}
	a.at[v] = place{-1, -1}
}

// bring makes v be in a register.
func (a *allocation) bring(v value, in instruction) {
	if a.at[v].register >= 0 {
		return
	}
	r := a.free(in)
	a.m.reload(r, a.at[v].slot)
	a.held[r], a.at[v].register = v, r
}

// free returns a register for an instruction, which is none of its operands'.
func (a *allocation) free(in instruction) int {
	far, register := -1, -1
	for r, v := range a.held {
		if v == none {
			return r
		}
		if v == in.a && len(a.uses[v]) > 0 || v == in.b && len(a.uses[v]) > 0 {
			continue
		}
		if next := a.uses[v][0]; next > far {
			far, register = next, r
		}
	}
	v := a.held[register]
	if a.at[v].slot < 0 {
		a.at[v].slot = a.slot()
		a.m.spill(register, a.at[v].slot)
	}
	a.at[v].register = -1
	return register
}

func (a *allocation) slot() int {
	for i, used := range a.slots {
		if !used {
			a.slots[i] = true
			return i
		}
	}
	a.slots = append(a.slots, true)
	a.most = max(a.most, len(a.slots))
	return len(a.slots) - 1
}
