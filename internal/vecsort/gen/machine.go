package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// mostRows is the number of rows of the largest network.
const mostRows = 32

// networks are the numbers of rows of all networks, the largest first.
var networks = []int{32, 24, 16, 8}

// machine emits the instructions of a set of vector instructions.
type machine struct {
	name      string
	lanes     int
	registers int // without the one that holds the lengths
	vectors   []VecPhysical

	table Mem // the numbers of all rows, as words or as vectors

	// Registers.
	lengths, rows, end, spilled Register
	strides                     [8]Register // of 1, 3, 5 and 7 rows
	row                         GPPhysical
	drop                        GPPhysical
	mask                        Mem
}

// The memory for spills begins with the mask, the parameters that vectors are made of, and the
// distances by which lists move the end.
const (
	maskAt  = 0
	eachAt  = 32
	firstAt = 36
	moveAt  = 64
	slotAt  = 128
)

func (m *machine) size() int { return m.registers }

func (m *machine) bytes() int { return 4 * m.lanes }

func (m *machine) wide() bool { return m.lanes == 16 }

func (m *machine) slot(n int) Mem {
	return Mem{Base: m.spilled, Disp: slotAt + n*m.bytes()}
}

func (m *machine) spill(register, slot int) { m.move(m.vectors[register], m.slot(slot)) }

func (m *machine) reload(register, slot int) { m.move(m.slot(slot), m.vectors[register]) }

func (m *machine) move(from, to Op) {
	if m.wide() {
		VMOVDQU32(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

// rowAt returns the memory of a row. Rows are addressed in eights.
func (m *machine) rowAt(n int) Mem {
	if n%8 == 0 && n > 0 {
		LEAQ(Mem{Base: m.row, Index: m.strides[1], Scale: 8}, m.row)
	}
	at := Mem{Base: m.row}
	switch k := n % 8; k {
	case 1, 3, 5, 7:
		at.Index, at.Scale = m.strides[k], 1
	case 2, 6:
		at.Index, at.Scale = m.strides[k/2], 2
	case 4:
		at.Index, at.Scale = m.strides[1], 4
	}
	return at
}

// emit emits an instruction; registers are those of its result and its operands.
func (m *machine) emit(in instruction, registers [3]int) {
	to, a, b := m.vectors[registers[0]], m.vectors[registers[1]], m.vectors[registers[2]]
	switch in.op {
	case load:
		m.load(in.n, to)
	case least:
		VPMINUD(b, a, to)
	case most:
		VPMAXUD(b, a, to)
	case shuffle:
		m.shuffle(in.n, a, b, to)
	case zero:
		if m.wide() {
			VPXORD(to, to, to)
		} else {
			VPXOR(to, to, to)
		}
	case store:
		m.store(in, a)
	}
}

// load reads row n of the lists that have one, and zeros for others.
func (m *machine) load(n int, to VecPhysical) {
	at := m.rowAt(n)
	if m.wide() {
		k := []Register{K1, K2, K3, K4}[n%4]
		VPCMPUD_BCST(Imm(6), m.table.Offset(4*n), m.lengths, k)
		VMOVDQU32_Z(at, k, to)
		return
	}
	VPCMPGTD(m.table.Offset(32*n), m.lengths, to)
	VPAND(at, to, to)
}

// The shuffles of a transposition.
const (
	lowWords = iota
	highWords
	lowPairs
	highPairs
	evenQuarters
	oddQuarters
	lowHalves
	highHalves
)

func (m *machine) shuffle(n int, a, b, to VecPhysical) {
	switch n {
	case lowWords:
		VPUNPCKLDQ(b, a, to)
	case highWords:
		VPUNPCKHDQ(b, a, to)
	case lowPairs:
		VPUNPCKLQDQ(b, a, to)
	case highPairs:
		VPUNPCKHQDQ(b, a, to)
	case evenQuarters:
		VSHUFI32X4(Imm(0x88), b, a, to)
	case oddQuarters:
		VSHUFI32X4(Imm(0xdd), b, a, to)
	case lowHalves:
		VPERM2I128(Imm(0x20), b, a, to)
	case highHalves:
		VPERM2I128(Imm(0x31), b, a, to)
	}
}

// transpose returns the columns of as many rows as there are lanes.
func (m *machine) transpose(rows []value, do func(a, b value, n int) value) []value {
	quads := make([]value, m.lanes) // quads[4*q+c], lane l: column 4*l+c of rows 4*q to 4*q+3
	for q := 0; q < m.lanes; q += 4 {
		r := rows[q:]
		ab, cd := do(r[0], r[1], lowWords), do(r[2], r[3], lowWords)
		quads[q], quads[q+1] = do(ab, cd, lowPairs), do(ab, cd, highPairs)
		ab, cd = do(r[0], r[1], highWords), do(r[2], r[3], highWords)
		quads[q+2], quads[q+3] = do(ab, cd, lowPairs), do(ab, cd, highPairs)
	}
	columns := make([]value, m.lanes)
	for c := range 4 {
		if !m.wide() {
			columns[c], columns[4+c] = do(quads[c], quads[4+c], lowHalves), do(quads[c], quads[4+c], highHalves)
			continue
		}
		even, odd := do(quads[c], quads[4+c], evenQuarters), do(quads[c], quads[4+c], oddQuarters)
		even2, odd2 := do(quads[8+c], quads[12+c], evenQuarters), do(quads[8+c], quads[12+c], oddQuarters)
		columns[c], columns[8+c] = do(even, even2, evenQuarters), do(even, even2, oddQuarters)
		columns[4+c], columns[12+c] = do(odd, odd2, evenQuarters), do(odd, odd2, oddQuarters)
	}
	return columns
}

// store stores a chunk of a list, or moves the end to the list before it.
func (m *machine) store(in instruction, a VecPhysical) {
	chunks := mostRows / m.lanes
	list, chunk := in.n/chunks, in.n%chunks
	if in.a == none {
		MOVLQSX(Mem{Base: m.spilled, Disp: moveAt + 4*list}, m.drop)
		ADDQ(m.drop, m.end)
		return
	}
	if m.wide() {
		VPANDD_BCST(m.mask, a, a)
	} else {
		VPAND(m.mask, a, a)
	}
	m.move(a, Mem{Base: m.end, Disp: 4 * (chunk*m.lanes - mostRows)})
}

// function emits the function that sorts and joins groups of lists.
func (m *machine) function() {
	TEXT(m.name, NOSPLIT, "func(memory *uint32, words int, rows *uint32, stride uintptr, next *uint32, groups int, first uint32, each float32, mask uint32, spill *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s joins groups of %d lists, of which the last one ends at the last of the words.", m.name, m.lanes))
	m.end, m.rows, m.spilled = RDI, RSI, R8
	m.strides[1], m.strides[3], m.strides[5], m.strides[7] = R9, R10, R11, R12
	m.row, m.drop = RAX, RBX
	next, groups := RDX, RCX
	m.lengths = m.vectors[m.registers]
	Load(Param("memory"), RAX)
	Load(Param("words"), RBX)
	LEAQ(Mem{Base: RAX, Index: RBX, Scale: 4}, m.end)
	Load(Param("rows"), m.rows)
	Load(Param("stride"), m.strides[1])
	ADDQ(m.strides[1], m.rows) // the end of row 0
	LEAQ(Mem{Base: m.strides[1], Index: m.strides[1], Scale: 2}, m.strides[3])
	LEAQ(Mem{Base: m.strides[1], Index: m.strides[1], Scale: 4}, m.strides[5])
	LEAQ(Mem{Base: m.strides[3], Index: m.strides[1], Scale: 4}, m.strides[7])
	Load(Param("next"), next)
	ADDQ(m.strides[1], next)
	Load(Param("groups"), groups)
	Load(Param("spill"), m.spilled)
	m.constants()

	Label("group")
	ADDQ(I8(-m.bytes()), m.rows)
	ADDQ(I8(-m.bytes()), next)
	m.measure(Mem{Base: next})
	for i, rows := range networks[1:] {
		m.jumpAbove(rows, fmt.Sprintf("rows%d", networks[i]))
	}
	for i := len(networks) - 1; i >= 0; i-- {
		if i < len(networks)-1 {
			Label(fmt.Sprintf("rows%d", networks[i]))
		}
		MOVQ(m.rows, m.row)
		a := allocate(m, build(m, networks[i]))
		slots = max(slots, a.most*m.bytes())
		if i > 0 {
			JMP(LabelRef("done"))
		}
	}
	Label("done")
	DECQ(groups)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// slots is the size of the memory for spills without its head.
var slots int

func (m *machine) head(at int) Mem { return Mem{Base: m.spilled, Disp: at} }

// constants stores the mask and other parameters.
func (m *machine) constants() {
	m.mask = m.head(maskAt)
	x := Load(Param("first"), EBX)
	MOVL(x, m.head(firstAt))
	x = Load(Param("mask"), EBX)
	MOVL(x, m.mask)
	Load(Param("each"), X0)
	MOVSS(X0, m.head(eachAt))
	if !m.wide() {
		VPBROADCASTD(m.mask, m.vectors[0])
		VMOVDQU(m.vectors[0], m.mask)
	}
}

// measure turns the next places of a group's lists into their lengths. It stores these, and the
// distances by which the lists move the end.
func (m *machine) measure(next Mem) {
	x, y := m.vectors[0], m.vectors[1]
	z := m.lengths.(VecPhysical)
	moves := m.head(moveAt)
	first := m.head(firstAt) // place of list 0 of the group
	MOVL(first, EBX)
	SUBL(U8(m.lanes), EBX)
	MOVL(EBX, first)
	if m.wide() {
		VPBROADCASTD(first, x)
		VPADDD(m.table, x, x)
		VMOVDQU32(next, z)
		VPSUBD(x, z, z)
		VCVTDQ2PS(z, z)
		VMULPS_BCST(m.head(eachAt), z, z)
		VCVTPS2DQ(z, z)
		VMOVDQU32(z, next)
		VPXORD(y, y, y)
		VPSUBD(z, y, y)
		VPSLLD(Imm(2), y, y)
		VMOVDQU32(y, moves)
		return
	}
	VPBROADCASTD(first, x)
	VPADDD(columns, x, x)
	VMOVDQU(next, z)
	VPSUBD(x, z, z)
	VCVTDQ2PS(z, z)
	VBROADCASTSS(m.head(eachAt), x)
	VMULPS(x, z, z)
	VCVTPS2DQ(z, z)
	VMOVDQU(z, next)
	VPXOR(y, y, y)
	VPSUBD(z, y, y)
	VPSLLD(Imm(2), y, y)
	VMOVDQU(y, moves)
}

// jumpAbove jumps if a list has more elements than rows.
func (m *machine) jumpAbove(rows int, label string) {
	if m.wide() {
		VPCMPUD_BCST(Imm(6), m.table.Offset(4*rows), m.lengths, K1)
		KORTESTW(K1, K1)
		JNZ(LabelRef(label))
		return
	}
	x := m.vectors[0]
	VPCMPGTD(m.table.Offset(32*rows), m.lengths, x)
	VPTEST(x, x)
	JNZ(LabelRef(label))
}
