package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A list of few codes lies in rows of one vector each. A network over rows sorts columns. Then columns are merged in pairs,
// fours and so on, those in distant lanes first, so that the codes of merged columns are in order row by row. The merges are
// those of the balanced sorting network ("The periodic balanced sorting network", Dowd, Perl, Rudolph, Saks, 1989): each step
// compares the first code of a block with the last one, the second one with the last but one, and so on, and blocks are halved
// from step to step. So rows are compared with rows whose lanes are mirrored, and then lanes within rows. Since one of two
// rows that are compared is of odd number, the odd ones stay mirrored during a merge.
//
// Rows beyond the list would hold the greatest code: no comparison with them is emitted.

// fewRows are the numbers of rows of the networks.
var fewRows = []int{1, 2, 3, 4, 6, 8, 12, 16}

// few emits the functions that sort a list.
type few struct {
	bytes  int // of a code
	tables *tables
	full   int // rows of the network that every list fills
}

// tables are vectors of indices, in read-only data.
type tables struct {
	at Mem
	of map[int]int
}

// number returns the number of the table that exchanges 32-bit words whose numbers differ in the bits of n.
func (t *tables) number(n int) int {
	at, ok := t.of[n]
	if !ok {
		at = len(t.of)
		t.of[n] = at
		for i := range 16 {
			DATA(64*at+4*i, U32(i^n))
		}
	}
	return at
}

func (f *few) lanes() int { return 64 / f.bytes }

// laneBits is the number of bits of a lane's number.
func (f *few) laneBits() int { return bits.Len(uint(f.lanes() - 1)) }

func (f *few) size() int { return len(vectors) }

func (f *few) spill(int, int) { panic("a list takes more than the registers") }

func (f *few) reload(int, int) { panic("a list takes more than the registers") }

// laneMasks has the lanes whose number has a bit, by the bit. partials has those of rows that may be partial, which some
// is set to before their moves.
var laneMasks, partials, some = []Register{K1, K2, K3, K4}, []Register{EAX, ECX, EDX, R8L}, K5

func (f *few) emit(in instruction, registers [3]int) {
	to, a, b := vectors[registers[0]], vectors[registers[1]], vectors[registers[2]]
	lower, upper, move := VPMINUD, VPMAXUD, VMOVDQU32
	if f.bytes == 8 {
		lower, upper, move = VPMINUQ, VPMAXUQ, VMOVDQU64
	}
	switch in.op {
	case load:
		from := Mem{Base: RSI, Disp: 64 * in.n}
		if in.n < f.full {
			VMOVDQU32(from, to)
			return
		}
		VPTERNLOGD(Imm(0xff), to, to, to)
		KMOVW(partials[in.n-f.full], some)
		move(from, some, to)
	case store:
		at := Mem{Base: RDI, Disp: 64 * in.n}
		if in.n < f.full {
			VMOVDQU32(a, at)
			return
		}
		KMOVW(partials[in.n-f.full], some)
		move(a, some, at)
	case least:
		lower(b, a, to)
	case most:
		upper(b, a, to)
	case exchange:
		lower(b, a, to)
		upper(b, a, laneMasks[in.n], to)
	case exchangeMirrored:
		upper(b, a, to)
		lower(b, a, laneMasks[in.n], to)
	case indices:
		VMOVDQU32(f.tables.at.Offset(64*in.n), to)
	case permute:
		VPERMD(a, b, to)
	case mirror:
		f.mirror(in.n, a, to)
	}
}

// mirror exchanges 32-bit words whose numbers differ in the bits of n.
func (f *few) mirror(n int, a, to VecPhysical) {
	switch n {
	case 1, 2, 3:
		VPSHUFD(quarters(n), a, to)
	case 4, 8, 12:
		VSHUFI32X4(quarters(n/4), a, a, to)
	}
}

// quarters returns the numbers of four things, those that differ in the bits of n exchanged.
func quarters(n int) Op {
	all := 0
	for i := range 4 {
		all |= (i ^ n) << (2 * i)
	}
	return Imm(uint64(all))
}

// comparator compares two rows of a network, of which none is the greatest code in all lanes.
func (p *program) comparator(a, b *value) {
	switch {
	case *b == none:
	case *a == none:
		*a, *b = *b, none
	default:
		*a, *b = p.emit(least, *a, *b, 0), p.emit(most, *a, *b, 0)
	}
}

// list returns the program that sorts a list of a number of rows.
func (f *few) list(rows int) *program {
	p, all := &program{}, 1<<bits.Len(uint(rows-1))
	r := make([]value, all)
	for i := range r {
		if r[i] = none; i < rows {
			r[i] = p.emit(load, none, none, i)
		}
	}
	for _, c := range comparators(all) {
		p.comparator(&r[c[0]], &r[c[1]])
	}
	words, index := f.bytes/4, map[int]value{}
	mirrored := func(v value, lanes int) value {
		n := lanes * words
		if n < 4 || n&3 == 0 {
			return p.emit(mirror, v, none, n)
		}
		if _, ok := index[n]; !ok {
			index[n] = p.emit(indices, none, none, f.tables.number(n))
		}
		return p.emit(permute, v, index[n], 0)
	}
	odd := func(lanes int) {
		for i := 1; i < rows; i += 2 {
			r[i] = mirrored(r[i], lanes)
		}
	}
	for lane := f.lanes() / 2; lane > 0; lane /= 2 {
		odd(lane)
		for block := all; block > 1; block /= 2 {
			for i := range r {
				if j := i ^ (block - 1); i < j {
					p.comparator(&r[i], &r[j])
				}
			}
		}
		for top := f.lanes() / 2; top >= lane; top /= 2 {
			for i, v := range r[:rows] {
				op := exchange
				if i&1 > 0 {
					op = exchangeMirrored
				}
				r[i] = p.emit(op, v, mirrored(v, 2*top-lane), bits.Len(uint(top))-1)
			}
		}
		clear(index)
	}
	odd(f.lanes() - 1)
	for i, v := range r[:rows] {
		p.emit(store, v, none, i)
	}
	return p
}

// function emits the function that sorts a list of up to the codes of the last network.
func (f *few) function() {
	name := fmt.Sprintf("sortFew%d", 8*f.bytes)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst, src *uint%d, n int)", 8*f.bytes))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s sorts 0 < n <= %d codes. dst may be src.", name, fewRows[len(fewRows)-1]*f.lanes()))
	Load(Param("dst"), RDI)
	Load(Param("src"), RSI)
	Load(Param("n"), RBX)
	for i, mask := range []uint32{0xaaaa, 0xcccc, 0xf0f0, 0xff00}[:f.laneBits()] {
		MOVL(U32(mask), EAX)
		KMOVW(EAX, laneMasks[i])
	}
	for _, rows := range fewRows[:len(fewRows)-1] {
		CMPQ(RBX, U32(rows*f.lanes()))
		JLE(LabelRef(fmt.Sprintf("rows%d", rows)))
	}
	for i := len(fewRows) - 1; i >= 0; i-- {
		rows := fewRows[i]
		if f.full = 0; i > 0 {
			f.full = fewRows[i-1]
		}
		Label(fmt.Sprintf("rows%d", rows))
		if f.full > 0 {
			SUBQ(U32(f.full*f.lanes()), RBX)
		}
		MOVQ(I32(-1), RAX)
		BZHIQ(RBX, RAX, RAX) // codes in rows that may be partial
		for k := rows - f.full - 1; k >= 0; k-- {
			to := partials[k].(GPPhysical).As64()
			if k > 0 {
				MOVQ(RAX, to)
				SHRQ(Imm(uint64(k*f.lanes())), to)
			}
		}
		allocate(f, f.list(rows))
		VZEROUPPER()
		RET()
	}
}
