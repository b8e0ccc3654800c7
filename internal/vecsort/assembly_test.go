package vecsort

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A machine interprets the functions joinAVX512, joinAVX2, sortFew32 and sortFew64 of join_amd64.s, the file that the
// assembler reads. The words that are sorted are terms instead of numbers, so that one run stands for
// all words. An instruction, an operand or a jump that the machine does not know is an error, and so is
// a jump, an address or a length that depends on a term: the code is oblivious if it ends without one.

//go:embed join_amd64.s
var assembly string

// operand is a register, a number, or memory at base + index·scale + disp.
type operand struct {
	kind   operandKind
	n      int // vector or mask register
	value  int64
	base   string // general register, parameter's frame "FP", or name of read-only data
	index  string
	scale  int64
	symbol bool // memory of read-only data
}

type operandKind int

const (
	immediate operandKind = iota
	general               // named by base
	vector
	maskBits
	memory
	target // of a jump: value is the number of its instruction
)

// step is one instruction.
type step struct {
	op    string
	args  []operand
	label string // target of a jump
	begin bool   // of a group
	line  string
}

// readOnly returns the words of the file's read-only data by name.
var readOnly = sync.OnceValue(func() map[string][]uint32 {
	data := map[string][]uint32{}
	for line := range strings.Lines(assembly) {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != "DATA" {
			continue
		}
		name, rest, _ := strings.Cut(f[1], "<>+")
		at, _, _ := strings.Cut(rest, "(SB)")
		i, err := strconv.Atoi(at)
		word, err2 := strconv.ParseUint(f[2], 0, 32)
		if f[2][0] == '$' {
			word, err2 = strconv.ParseUint(f[2][1:], 0, 32)
		}
		if err != nil || err2 != nil || i != 4*len(data[name]) {
			panic("data: " + line)
		}
		data[name] = append(data[name], uint32(word))
	}
	return data
})

// function returns the instructions of a function of the file.
func function(name string) []step {
	_, text, found := strings.Cut(assembly, "\nTEXT ·"+name+"(SB)")
	if !found {
		panic("no function " + name)
	}
	text, _, _ = strings.Cut(text[strings.Index(text, "\n"):], "\nTEXT ")
	var steps []step
	labels := map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "//") || line == "" {
			continue
		}
		if label, ok := strings.CutSuffix(line, ":"); ok {
			labels[label] = len(steps)
			continue
		}
		op, rest, _ := strings.Cut(line, " ")
		s := step{op: op, line: line}
		if strings.HasPrefix(op, "J") {
			s.label = strings.TrimSpace(rest)
		} else if rest = strings.TrimSpace(rest); rest != "" {
			for arg := range strings.SplitSeq(rest, ", ") {
				s.args = append(s.args, operandOf(arg))
			}
		}
		steps = append(steps, s)
	}
	for i, s := range steps {
		if s.label != "" {
			at, ok := labels[s.label]
			if !ok {
				panic("no label " + s.label)
			}
			steps[i].args = []operand{{kind: target, value: int64(at)}}
		}
	}
	steps[labels["group"]].begin = true
	return steps
}

func operandOf(arg string) operand {
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 0, 64)
		if err != nil {
			panic("operand " + arg)
		}
		return n
	}
	switch {
	case arg[0] == '$':
		return operand{kind: immediate, value: number(arg[1:])}
	case strings.HasSuffix(arg, "(FP)"):
		_, at, _ := strings.Cut(arg[:len(arg)-4], "+")
		return operand{kind: memory, base: "FP", value: number(at)}
	case strings.HasSuffix(arg, "(SB)"):
		name, at, _ := strings.Cut(arg[:len(arg)-4], "<>+")
		return operand{kind: memory, base: name, value: number(at), symbol: true}
	case strings.Contains(arg, "("):
		disp, rest, _ := strings.Cut(arg, "(")
		o := operand{kind: memory, scale: 1}
		if disp != "" {
			o.value = number(disp)
		}
		base, rest, _ := strings.Cut(rest, ")")
		if o.base = base; rest != "" {
			index, scale, _ := strings.Cut(strings.Trim(rest, "()"), "*")
			o.index, o.scale = index, number(scale)
		}
		return o
	case (arg[0] == 'X' || arg[0] == 'Y' || arg[0] == 'Z') && len(arg) > 1:
		return operand{kind: vector, n: int(number(arg[1:]))}
	case arg[0] == 'K':
		return operand{kind: maskBits, n: int(number(arg[1:]))}
	}
	return operand{kind: general, base: arg}
}

// word is a lane of a vector or a word of memory: a number, or a term if that is not noTerm.
type word struct {
	term  term
	value uint32
}

// region is memory that may be accessed; reading is all that read-only data allow.
type region struct {
	name     string
	base     uint64
	words    []word
	readOnly bool
}

// machine is the state of an interpretation.
type machine struct {
	terms   *terms
	lanes   int
	general map[string]uint64
	vectors [32][]word
	masks   [8]uint32
	regions []region
	zero    bool // the flag, if known
	known   bool
	upTo    bool // so was the last comparison of lengths: no greater

	watch *watch // unless it is nil
}

// watch records what is executed.
type watch struct {
	executed []bool // by instruction
	words    []bool // by instruction: its second operand from the last had other than zeros
}

// fault is an error of an interpretation.
type fault string

func fail(format string, args ...any) { panic(fault(fmt.Sprintf(format, args...))) }

// add adds memory and returns its address. Regions lie far apart.
func (m *machine) add(name string, words []word, readOnly bool) uint64 {
	base := uint64(len(m.regions)+1) << 32
	m.regions = append(m.regions, region{name, base, words, readOnly})
	return base
}

// at returns the word at an address.
func (m *machine) at(address uint64, write bool) *word {
	for i := range m.regions {
		r := &m.regions[i]
		if at := address - r.base; at < uint64(4*len(r.words)) {
			if at%4 != 0 || write && r.readOnly {
				fail("access to %s at %d", r.name, at)
			}
			return &r.words[at/4]
		}
	}
	fail("access beyond memory at %#x", address)
	return nil
}

// address returns the address of an operand in memory.
func (m *machine) address(o operand) uint64 {
	if o.kind != memory {
		fail("not memory")
	}
	if o.symbol || o.base == "FP" {
		for _, r := range m.regions {
			if r.name == o.base {
				return r.base + uint64(o.value)
			}
		}
		fail("no data %s", o.base)
	}
	address := m.register(o.base) + uint64(o.value)
	if o.index != "" {
		address += m.register(o.index) * uint64(o.scale)
	}
	return address
}

func (m *machine) register(name string) uint64 {
	v, ok := m.general[name]
	if !ok {
		fail("register %s is not set", name)
	}
	return v
}

// number returns a word that has to be a number.
func number(w word) uint32 {
	if w.term != noTerm {
		fail("a number depends on words")
	}
	return w.value
}

// word reads 32 bits of a general register, a number or memory.
func (m *machine) word(o operand) uint32 {
	switch o.kind {
	case immediate:
		return uint32(o.value)
	case general:
		return uint32(m.register(o.base))
	}
	return number(*m.at(m.address(o), false))
}

// long reads 64 bits.
func (m *machine) long(o operand) uint64 {
	switch o.kind {
	case immediate:
		return uint64(o.value)
	case general:
		return m.register(o.base)
	}
	at := m.address(o)
	return uint64(number(*m.at(at, false))) | uint64(number(*m.at(at+4, false)))<<32
}

// vector reads a vector; each says that memory has one word for all lanes.
func (m *machine) vector(o operand, each bool) []word {
	lanes := make([]word, m.lanes)
	switch o.kind {
	case vector:
		copy(lanes, m.vectors[o.n])
	case memory:
		at := m.address(o)
		for i := range lanes {
			if lanes[i] = *m.at(at, false); !each {
				at += 4
			}
		}
	default:
		fail("not a vector")
	}
	return lanes
}

// store writes a vector.
func (m *machine) store(o operand, lanes []word) {
	if o.kind == vector {
		m.vectors[o.n] = lanes
		return
	}
	at := m.address(o)
	for i, w := range lanes {
		*m.at(at+uint64(4*i), true) = w
	}
}

// forget makes vectors unknown.
func (m *machine) forget() {
	for i := range m.vectors {
		m.vectors[i] = make([]word, m.lanes)
		for k := range m.vectors[i] {
			m.vectors[i][k].term = unknown
		}
	}
}

// run interprets a function. No vector and no mask of a group is known to the next one.
func (m *machine) run(steps []step) (err error) {
	at := 0
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fault)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("%s: %s", steps[at].line, string(f))
		}
	}()
	m.forget()
	for count := 0; ; count++ {
		if count > 1<<20 {
			fail("does not end")
		}
		if steps[at].begin {
			m.forget()
		}
		if m.watch != nil {
			m.watch.see(m, steps[at], at)
		}
		switch s := steps[at]; s.op {
		case "RET":
			return nil
		case "JMP":
			at = int(s.args[0].value)
		case "JNZ":
			if !m.known {
				fail("a jump without a comparison")
			}
			if at++; !m.zero {
				at = int(s.args[0].value)
			}
		case "JLE":
			if at++; m.upTo {
				at = int(s.args[0].value)
			}
		default:
			m.do(s)
			at++
		}
	}
}

// see records an instruction before it is executed.
func (w *watch) see(m *machine, s step, at int) {
	w.executed[at] = true
	if n := len(s.args); n > 2 && s.args[n-2].kind == vector {
		for _, x := range m.vectors[s.args[n-2].n] {
			w.words[at] = w.words[at] || x != word{}
		}
	}
}

// do interprets an instruction that does not jump. The result is its last operand.
func (m *machine) do(s step) {
	last := operand{}
	if len(s.args) > 0 {
		last = s.args[len(s.args)-1]
	}
	op, each := strings.CutSuffix(s.op, ".BCST")
	switch op {
	case "MOVQ", "LEAQ", "MOVL", "MOVLQSX", "MOVSS", "ADDQ", "SUBL", "DECQ", "CMPQ", "SUBQ", "SHRQ", "BZHIQ":
		m.scalar(op, s.args, last)
	case "VZEROUPPER", "NOP":
	case "KORTESTW":
		m.zero, m.known = uint16(m.masks[s.args[0].n]|m.masks[s.args[1].n]) == 0, true
	case "VPTEST":
		a, b := m.vector(s.args[0], false), m.vector(s.args[1], false)
		m.zero, m.known = true, true
		for i := range a {
			if number(a[i])&number(b[i]) != 0 {
				m.zero = false
			}
		}
	case "VPCMPUD":
		if s.args[0].value != 6 {
			fail("not a comparison for greater")
		}
		b, a := m.vector(s.args[1], each), m.vector(s.args[2], false)
		m.masks[last.n] = 0
		for i := range a {
			if number(a[i]) > number(b[i]) {
				m.masks[last.n] |= 1 << i
			}
		}
	case "VMOVDQU32.Z":
		lanes, at := make([]word, m.lanes), m.address(s.args[0])
		for i := range lanes {
			if m.masks[s.args[1].n]>>i&1 != 0 {
				lanes[i] = *m.at(at+uint64(4*i), false)
			}
		}
		m.store(last, lanes)
	case "KMOVW":
		m.masks[last.n] = uint32(uint16(m.register(s.args[0].base)))
	case "VMOVDQU", "VMOVDQU32", "VMOVDQU64":
		if len(s.args) == 3 {
			m.moveSome(s.args[0], last, m.masks[s.args[1].n], op == "VMOVDQU64")
			break
		}
		m.store(last, m.vector(s.args[0], false))
	case "VPTERNLOGD":
		if s.args[0].value != 0xff {
			fail("not all ones")
		}
		lanes := make([]word, m.lanes)
		for i := range lanes {
			lanes[i].value = ^uint32(0)
		}
		m.store(last, lanes)
	case "VPERMD", "VPSHUFD":
		m.store(last, m.permuted(op, s.args))
	case "VPMINUQ", "VPMAXUQ":
		m.compare64(op, s.args)
	case "VPBROADCASTD", "VBROADCASTSS":
		m.store(last, m.vector(s.args[0], true))
	case "VSHUFI32X4", "VPERM2I128", "VPUNPCKLDQ", "VPUNPCKHDQ", "VPUNPCKLQDQ", "VPUNPCKHQDQ":
		m.store(last, m.shuffle(op, s.args))
	case "VCVTDQ2PS", "VCVTPS2DQ":
		lanes := m.vector(s.args[0], false)
		for i := range lanes {
			v := number(lanes[i])
			if lanes[i].value = math.Float32bits(float32(int32(v))); op == "VCVTPS2DQ" {
				lanes[i].value = uint32(int32(math.RoundToEven(float64(math.Float32frombits(v)))))
			}
		}
		m.store(last, lanes)
	case "VPSLLD":
		lanes := m.vector(s.args[1], false)
		for i := range lanes {
			lanes[i].value = number(lanes[i]) << s.args[0].value
		}
		m.store(last, lanes)
	default:
		b, a := m.vector(s.args[0], each), m.vector(s.args[1], false)
		same := s.args[0] == s.args[1]
		to := slices.Clone(m.vectors[last.n])
		for i := range a {
			if len(s.args) < 4 || m.masks[s.args[2].n]>>i&1 != 0 {
				to[i] = m.lane(op, a[i], b[i], same)
			}
		}
		m.store(last, to)
	}
}

// moveSome moves the lanes of a mask, which are of 32 bits or wide.
func (m *machine) moveSome(from, to operand, mask uint32, wide bool) {
	some := func(i int) bool {
		if wide {
			i /= 2
		}
		return mask>>i&1 != 0
	}
	if to.kind == memory {
		for i, w := range m.vector(from, false) {
			if some(i) {
				*m.at(m.address(to)+uint64(4*i), true) = w
			}
		}
		return
	}
	lanes := slices.Clone(m.vectors[to.n])
	for i := range lanes {
		if some(i) {
			lanes[i] = *m.at(m.address(from)+uint64(4*i), false)
		}
	}
	m.store(to, lanes)
}

// permuted returns the words of a shuffle of one vector.
func (m *machine) permuted(op string, args []operand) []word {
	to := make([]word, m.lanes)
	if op == "VPERMD" {
		from, index := m.vector(args[0], false), m.vector(args[1], false)
		for i := range to {
			to[i] = from[number(index[i])%16]
		}
		return to
	}
	from := m.vector(args[1], false)
	for i := range to {
		to[i] = from[i&^3|int(args[0].value>>(2*(i&3))&3)]
	}
	return to
}

// compare64 interprets a minimum or maximum of lanes of 64 bits: both words of a term have its number, and 0 and 1 as values.
func (m *machine) compare64(op string, args []operand) {
	b, a, to := m.vector(args[0], false), m.vector(args[1], false), slices.Clone(m.vectors[args[len(args)-1].n])
	for i := 0; i < m.lanes; i += 2 {
		if len(args) == 4 && m.masks[args[2].n]>>(i/2)&1 == 0 {
			continue
		}
		for _, w := range [][]word{a[i:], b[i:]} {
			if w[0].term != w[1].term || w[0].term > 0 && (w[0].value != 0 || w[1].value != 1) || w[0].term == noTerm && w[0].value != w[1].value {
				fail("half of a word")
			}
		}
		x := m.lane(op[:len(op)-1]+"D", a[i], b[i], false)
		to[i], to[i+1] = x, x
		if x.term > 0 {
			to[i].value, to[i+1].value = 0, 1
		}
	}
	m.store(args[len(args)-1], to)
}

// scalar interprets an instruction of general registers.
func (m *machine) scalar(op string, args []operand, to operand) {
	from := args[0]
	switch op {
	case "LEAQ":
		m.general[to.base] = m.address(from)
	case "MOVQ":
		m.general[to.base] = m.long(from)
	case "MOVLQSX":
		m.general[to.base] = uint64(int64(int32(m.word(from))))
	case "MOVL":
		if v := m.word(from); to.kind == general {
			m.general[to.base] = uint64(v)
		} else {
			*m.at(m.address(to), true) = word{value: v}
		}
	case "MOVSS":
		if to.kind == vector {
			lanes := make([]word, m.lanes)
			lanes[0].value = m.word(from)
			m.vectors[to.n] = lanes
		} else {
			*m.at(m.address(to), true) = word{value: number(m.vectors[from.n][0])}
		}
	case "ADDQ":
		m.general[to.base] = m.register(to.base) + m.long(from)
		m.known = false
	case "SUBL":
		m.general[to.base] = uint64(m.word(to) - m.word(from))
		m.known = false
	case "CMPQ":
		m.upTo = int64(m.long(from)) <= int64(m.long(to))
	case "SUBQ":
		m.general[to.base] = m.register(to.base) - m.long(from)
		m.known = false
	case "SHRQ":
		m.general[to.base] = m.register(to.base) >> from.value
		m.known = false
	case "BZHIQ":
		m.general[to.base] = m.register(args[1].base)
		if n := m.register(from.base) & 0xff; n < 64 {
			m.general[to.base] &= 1<<n - 1
		}
		m.known = false
	case "DECQ":
		m.general[to.base] = m.register(to.base) - 1
		m.zero, m.known = m.general[to.base] == 0, true
	}
}

// shuffle returns the words of a shuffle. Operands are in the assembler's order: the second source first.
func (m *machine) shuffle(op string, args []operand) []word {
	n := len(args)
	b, a := m.vector(args[n-3], false), m.vector(args[n-2], false)
	to := make([]word, m.lanes)
	switch op {
	case "VSHUFI32X4":
		for q := range 4 {
			copy(to[4*q:4*q+4], [][]word{a, a, b, b}[q][4*(args[0].value>>(2*q)&3):])
		}
		return to
	case "VPERM2I128":
		for h := range 2 {
			k := args[0].value >> (4 * h) & 15
			if k > 3 {
				fail("zeros")
			}
			copy(to[4*h:4*h+4], [][]word{a, b}[k/2][4*(k%2):])
		}
		return to
	}
	for q := 0; q < m.lanes; q += 4 {
		a, b := a[q:q+4], b[q:q+4]
		copy(to[q:], map[string][]word{
			"VPUNPCKLDQ": {a[0], b[0], a[1], b[1]}, "VPUNPCKHDQ": {a[2], b[2], a[3], b[3]},
			"VPUNPCKLQDQ": {a[0], a[1], b[0], b[1]}, "VPUNPCKHQDQ": {a[2], a[3], b[2], b[3]},
		}[op])
	}
	return to
}

// lane interprets a lane of an instruction whose lanes are apart; same says that both operands are one
// register.
func (m *machine) lane(op string, a, b word, same bool) word {
	switch op {
	case "VPMINUD":
		return m.terms.least(a, b)
	case "VPMAXUD":
		return m.terms.most(a, b)
	case "VPAND", "VPANDD":
		if a.term == noTerm {
			a, b = b, a
		}
		return m.terms.and(a, number(b))
	case "VPXOR", "VPXORD":
		if same {
			return word{}
		}
		return word{value: number(a) ^ number(b)}
	case "VPADDD":
		return word{value: number(a) + number(b)}
	case "VPSUBD":
		return word{value: number(a) - number(b)}
	case "VPCMPGTD":
		if int32(number(a)) > int32(number(b)) {
			return word{value: ^uint32(0)}
		}
		return word{}
	case "VMULPS":
		return word{value: math.Float32bits(math.Float32frombits(number(a)) * math.Float32frombits(number(b)))}
	}
	fail("unknown instruction")
	return word{}
}
