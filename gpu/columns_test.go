//go:build linux && (amd64 || arm64)

package gpu

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/gputest"
)

// TestColumnsAreOrdered draws columns of all types, directions and places of nulls and NaNs, and compares order and ties with
// those of comparisons, of values as a program has them.
func TestColumnsAreOrdered(t *testing.T) {
	r, e := gputest.Drawing(t), open(t)
	draws := 250
	if testing.Short() {
		draws = 60
	}
	for range draws {
		d := &drawing{Rand: r, t: t, c: e.devs[0].Context}
		d.draw()
		d.check(e)
		d.free()
		if t.Failed() {
			return
		}
	}
}

// drawing is the columns of one call.
type drawing struct {
	*rand.Rand
	t     *testing.T
	c     cuda.Context
	n     int
	cols  []Column
	by    []func(a, b int) int
	named []string
	held  []cuda.Ptr

	moved    []func(i int) []byte // bytes of values or texts of each column, or a byte for a bit
	last     func(i int) []byte
	nullAt   []func(i int) bool // as validity says
	lastNull func(i int) bool
}

func (d *drawing) draw() {
	d.n = []int{0, 1, 2, 3, 31, 32, 33, 64, 500, 3000, 9000, 40_000}[d.IntN(12)]
	if d.IntN(4) == 0 {
		d.n += d.IntN(1 + d.n)
	}
	for range 1 + d.IntN(4) {
		d.column()
	}
	if d.IntN(30) == 0 {
		d.cols, d.by = nil, nil
	}
}

func (d *drawing) check(e *Engine) {
	want := make([]uint32, d.n)
	for i := range want {
		want[i] = uint32(i)
	}
	compare := func(a, b uint32) int {
		for _, by := range d.by {
			if c := by(int(a), int(b)); c != 0 {
				return c
			}
		}
		return 0
	}
	slices.SortStableFunc(want, compare)
	marks := make([]uint32, (d.n+31)/32)
	for i := 1; i < d.n; i++ {
		if compare(want[i-1], want[i]) == 0 {
			marks[i/32] |= 1 << (i % 32)
		}
	}
	poison := slices.Repeat([]byte{0xdb}, 4*d.n+4*len(marks))
	order := d.up(poison[:4*d.n])
	ties := Ptr(0)
	if d.IntN(2) == 0 {
		ties = d.up(poison[:4*len(marks)])
	}
	if err := e.OrderColumnsDevice(d.cols, d.n, order, ties); err != nil {
		d.t.Fatalf("%d rows by %s: %v", d.n, strings.Join(d.named, ", "), err)
	}
	got := d.down(order, d.n)
	for i := range got {
		if got[i] != want[i] {
			d.t.Fatalf("%d rows by %s: place %d has row %d, want %d", d.n, strings.Join(d.named, ", "), i, got[i], want[i])
		}
	}
	if ties != 0 {
		if got := d.down(ties, len(marks)); !slices.Equal(got, marks) {
			d.t.Fatalf("%d rows by %s: ties %#x, want %#x", d.n, strings.Join(d.named, ", "), got, marks)
		}
	}
	d.checkMoves(e, order, want[:d.n-d.IntN(1+d.n/2)])
}

// checkMoves moves the rows of the first places of an order.
func (d *drawing) checkMoves(e *Engine, order Ptr, rows []uint32) {
	n := len(rows)
	sorted, want := make([]Column, len(d.cols)), make([][][]byte, len(d.cols)) // of each column: validity, values, offsets
	for k, c := range d.cols {
		to := Column{Type: c.Type}
		poisoned := func(size, spare int) Ptr { return d.up(slices.Repeat([]byte{0xdb}, size+spare)) }
		bits := func(of func(i int) bool) []byte {
			b := make([]byte, (n+31)/32*4)
			for i, row := range rows {
				if of(int(row)) {
					b[i/8] |= 1 << (i % 8)
				}
			}
			return b
		}
		w := [][]byte{nil, nil, nil}
		if c.Validity != 0 || d.IntN(3) == 0 {
			w[0] = bits(func(i int) bool { return !d.nullAt[k](i) })
			to.Validity = poisoned(len(w[0]), 0)
		}
		var offsets []byte
		for i := range n + 1 {
			if c.Type == Text32 {
				offsets = binary.LittleEndian.AppendUint32(offsets, uint32(len(w[1])))
			} else {
				offsets = binary.LittleEndian.AppendUint64(offsets, uint64(len(w[1])))
			}
			if i < n {
				w[1] = append(w[1], d.moved[k](int(rows[i]))...)
			}
		}
		if c.Type == Bool {
			w[1] = bits(func(i int) bool { return d.moved[k](i)[0] != 0 })
		}
		to.Values = poisoned(len(w[1]), 0)
		if c.Type == Text32 || c.Type == Text64 {
			align := d.IntN(9)
			to.Values, to.Bytes, w[2] = poisoned(len(w[1])+align, 0)+Ptr(align), len(w[1]), offsets
			to.Offsets = poisoned(len(offsets), 0)
		}
		sorted[k], want[k] = to, w
	}
	if err := e.GatherColumnsDevice(order, n, d.cols, sorted); err != nil {
		d.t.Fatalf("%d rows of %s: %v", n, strings.Join(d.named, ", "), err)
	}
	for k, to := range sorted {
		for what, at := range []Ptr{to.Validity, to.Values, to.Offsets} {
			if got := d.bytesOf(at, len(want[k][what])); !bytes.Equal(got, want[k][what]) {
				d.t.Fatalf("%d rows of %s: column %d, memory %d: %x, want %x", n, strings.Join(d.named, ", "), k, what, got, want[k][what])
			}
		}
	}
}

func (d *drawing) bytesOf(p Ptr, n int) []byte {
	b := make([]byte, n+1)
	if n > 0 {
		if err := steps(func() error { return d.c.CopyToHost(unsafe.Pointer(&b[0]), cuda.Ptr(p), n, 0) }, func() error { return d.c.SyncStream(0) }); err != nil {
			d.t.Fatal(err)
		}
	}
	return b[:n]
}

// up brings bytes to device memory of that size.
func (d *drawing) up(b []byte) Ptr {
	if len(b) == 0 {
		b = []byte{1}
	}
	p, err := d.c.Alloc(len(b))
	if err == nil {
		d.held = append(d.held, p)
		err = steps(func() error { return d.c.CopyToDevice(p, unsafe.Pointer(&b[0]), len(b), 0) }, func() error { return d.c.SyncStream(0) })
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return Ptr(p)
}

func (d *drawing) down(p Ptr, n int) []uint32 {
	words := make([]uint32, n)
	if n > 0 {
		if err := steps(func() error { return d.c.CopyToHost(unsafe.Pointer(&words[0]), cuda.Ptr(p), 4*n, 0) }, func() error { return d.c.SyncStream(0) }); err != nil {
			d.t.Fatal(err)
		}
	}
	return words
}

func (d *drawing) free() {
	for _, p := range d.held {
		if err := d.c.Free(p); err != nil {
			d.t.Error(err)
		}
	}
}

// column draws a column.
func (d *drawing) column() {
	c, compare, isNull, name := d.values(d.n, true)
	c.Desc, c.NullsFirst = d.IntN(2) == 0, d.IntN(2) == 0
	d.by = append(d.by, func(a, b int) int {
		na, nb := isNull(a), isNull(b)
		switch {
		case na && nb:
			return 0
		case na || nb:
			if na == c.NullsFirst {
				return -1
			}
			return 1
		}
		return compare(a, b, c.Desc)
	})
	d.cols, d.moved, d.nullAt = append(d.cols, c), append(d.moved, d.last), append(d.nullAt, d.lastNull)
	d.named = append(d.named, fmt.Sprintf("%s desc %v nulls first %v %v", name, c.Desc, c.NullsFirst, c.Validity != 0))
}

// values draws n values with their nulls, and the comparison of two that are not.
func (d *drawing) values(n int, may bool) (c Column, compare func(a, b int, desc bool) int, isNull func(i int) bool, name string) {
	if may && d.IntN(6) == 0 {
		return d.positions(n)
	}
	c = Column{Type: ColumnType(d.IntN(15)), First: d.IntN(2) * d.IntN(20)}
	c.NaNs = NaNPlace(d.IntN(4))
	isNull = d.nulls(&c, n)
	name = fmt.Sprintf("type %d from %d", c.Type, c.First)
	switch {
	case c.Type == Text32 || c.Type == Text64:
		return d.texts(c, n, isNull, name)
	case c.Type == Bool:
		bits := d.bits(c.First+n, d.Float64())
		c.Values = d.up(bits)
		at := func(i int) int { return int(bits[(c.First+i)/8]>>((c.First+i)%8)) & 1 }
		d.last = func(i int) []byte { return []byte{byte(at(i))} }
		return c, ascending(func(a, b int) int { return cmp.Compare(at(a), at(b)) }), isNull, name
	}
	size := map[ColumnType]int{Int8: 1, Uint8: 1, Int16: 2, Uint16: 2, Int32: 4, Uint32: 4, Float32: 4, Int64: 8, Uint64: 8, Float64: 8, Int128: 16, Uint128: 16}[c.Type]
	memory := make([]byte, size*n+1)[:size*n]
	span := d.IntN(8 * size)
	few := d.IntN(3) == 0
	for i := range n {
		low, high := d.Uint64(), d.Uint64()
		if few {
			high = 7 * (high % 2)
		}
		if few && (size < 16 || span < 64) {
			low = (low % 5) << span
		}
		if size < 16 && d.IntN(2) == 0 {
			low = uint64(int64(low) >> min(63, span)) // small, of both signs
		}
		switch c.Type {
		case Float32:
			low = uint64(math.Float32bits(float32(d.float(few))))
		case Float64:
			low = math.Float64bits(d.float(few))
		}
		var wide [16]byte
		binary.LittleEndian.PutUint64(wide[:], low)
		binary.LittleEndian.PutUint64(wide[8:], high)
		copy(memory[size*i:], wide[:size])
	}
	c.Values = d.up(memory)
	at := func(i int) []byte { return memory[size*i : size*i+size] }
	d.last = at
	return c, numbers(c.Type, c.NaNs, at), isNull, name + fmt.Sprintf(" few %v span %d NaNs %d", few, span, c.NaNs)
}

func ascending(compare func(a, b int) int) func(a, b int, desc bool) int {
	return func(a, b int, desc bool) int {
		if desc {
			return compare(b, a)
		}
		return compare(a, b)
	}
}

func (d *drawing) float(few bool) float64 {
	if few || d.IntN(10) == 0 {
		return []float64{0, math.Copysign(0, -1), math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1), 1.5, -2.25}[d.IntN(8)]
	}
	return d.NormFloat64()
}

// numbers returns the comparison of values in memory.
func numbers(t ColumnType, nans NaNPlace, at func(i int) []byte) func(a, b int, desc bool) int {
	u64 := binary.LittleEndian.Uint64
	u32 := binary.LittleEndian.Uint32
	u16 := binary.LittleEndian.Uint16
	switch t {
	case Int8:
		return ascending(func(a, b int) int { return cmp.Compare(int8(at(a)[0]), int8(at(b)[0])) })
	case Uint8:
		return ascending(func(a, b int) int { return cmp.Compare(at(a)[0], at(b)[0]) })
	case Int16:
		return ascending(func(a, b int) int { return cmp.Compare(int16(u16(at(a))), int16(u16(at(b)))) })
	case Uint16:
		return ascending(func(a, b int) int { return cmp.Compare(u16(at(a)), u16(at(b))) })
	case Int32:
		return ascending(func(a, b int) int { return cmp.Compare(int32(u32(at(a))), int32(u32(at(b)))) })
	case Uint32:
		return ascending(func(a, b int) int { return cmp.Compare(u32(at(a)), u32(at(b))) })
	case Int64:
		return ascending(func(a, b int) int { return cmp.Compare(int64(u64(at(a))), int64(u64(at(b)))) })
	case Uint64:
		return ascending(func(a, b int) int { return cmp.Compare(u64(at(a)), u64(at(b))) })
	case Int128:
		return ascending(func(a, b int) int {
			return cmp.Or(cmp.Compare(int64(u64(at(a)[8:])), int64(u64(at(b)[8:]))), cmp.Compare(u64(at(a)), u64(at(b))))
		})
	case Uint128:
		return ascending(func(a, b int) int {
			return cmp.Or(cmp.Compare(u64(at(a)[8:]), u64(at(b)[8:])), cmp.Compare(u64(at(a)), u64(at(b))))
		})
	case Float32:
		if nans == TotalOrder { // as integers: magnitudes of negative ones fall
			total := func(i int) int32 { b := int32(u32(at(i))); return b ^ int32(uint32(b>>31)>>1) }
			return ascending(func(a, b int) int { return cmp.Compare(total(a), total(b)) })
		}
		return floats(nans, func(i int) float64 { return float64(math.Float32frombits(u32(at(i)))) })
	}
	if nans == TotalOrder {
		total := func(i int) int64 { b := int64(u64(at(i))); return b ^ int64(uint64(b>>63)>>1) }
		return ascending(func(a, b int) int { return cmp.Compare(total(a), total(b)) })
	}
	return floats(nans, func(i int) float64 { return math.Float64frombits(u64(at(i))) })
}

// floats compares floats with NaNs in their place.
func floats(nans NaNPlace, at func(i int) float64) func(a, b int, desc bool) int {
	return func(a, b int, desc bool) int {
		x, y := at(a), at(b)
		nx, ny := math.IsNaN(x), math.IsNaN(y)
		switch {
		case nx && ny:
			return 0
		case nx || ny:
			first := nans == NaNsFirst || nans == NaNsLeast && !desc
			if nx == first {
				return -1
			}
			return 1
		case desc:
			x, y = y, x
		}
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
}

func (d *drawing) bits(n int, share float64) []byte {
	bits := make([]byte, n/8+1)
	for i := range n {
		if d.Float64() < share {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}

func (d *drawing) nulls(c *Column, n int) func(i int) bool {
	d.lastNull = func(int) bool { return false }
	if d.IntN(2) == 0 {
		return d.lastNull
	}
	first, bits := c.First, d.bits(c.First+n, []float64{0, 0.1, 0.9, 1}[d.IntN(4)])
	c.Validity = d.up(bits)
	d.lastNull = func(i int) bool { return bits[(first+i)/8]>>((first+i)%8)&1 == 0 }
	return d.lastNull
}

// texts draws texts: short or long ones, with prefixes in common, zeros in their end, of one length or of many.
func (d *drawing) texts(c Column, n int, isNull func(int) bool, name string) (Column, func(a, b int, desc bool) int, func(int) bool, string) {
	most := []int{0, 1, 2, 7, 8, 9, 20, 40}[d.IntN(8)]
	letters := 1 + d.IntN(3)
	one, zeros, few := d.IntN(3) == 0, d.IntN(2) == 0, d.IntN(3) == 0
	prefix := strings.Repeat("p", []int{0, 0, 3, 8, 30, 1500}[d.IntN(6)])
	var known []string
	texts := make([]string, n)
	all := []byte(strings.Repeat("x", d.IntN(9)))
	begins := []int{len(all)}
	for i := range texts {
		var b []byte
		size := most
		if !one {
			size = d.IntN(most + 1)
		}
		for range size {
			letter := byte('a' + d.IntN(letters))
			if zeros && d.IntN(2) == 0 {
				letter = 0
			}
			b = append(b, letter)
		}
		text := prefix + string(b)
		if d.IntN(50) == 0 && !one && len(prefix) < 100 {
			text = text[:d.IntN(len(text)+1)]
		}
		if few && len(known) > 5 {
			text = known[d.IntN(5)]
		}
		known = append(known, text)
		texts[i] = text
		if len(all) < 1<<22 || !isNull(i) {
			all = append(all, text...)
		} else {
			texts[i] = ""
		}
		begins = append(begins, len(all))
	}
	align := d.IntN(9)
	c.Values = d.up(append(make([]byte, align), all...)) + Ptr(align)
	c.Bytes = len(all)
	var offsets []byte
	for _, b := range begins {
		if c.Type == Text32 {
			offsets = binary.LittleEndian.AppendUint32(offsets, uint32(b))
		} else {
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(b))
		}
	}
	c.Offsets = d.up(offsets)
	d.last = func(i int) []byte { return []byte(texts[i]) }
	compare := ascending(func(a, b int) int { return bytes.Compare([]byte(texts[a]), []byte(texts[b])) })
	return c, compare, isNull, name + fmt.Sprintf(" up to %d of %d letters, prefix %d, one length %v, zeros %v, few %v", most, letters, len(prefix), one, zeros, few)
}

// positions draws positions in a dictionary.
func (d *drawing) positions(n int) (Column, func(a, b int, desc bool) int, func(int) bool, string) {
	entries := 1 + d.IntN(100)
	dictionary, compare, noEntry, name := d.values(entries, false)
	c := Column{Type: []ColumnType{Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64}[d.IntN(8)], First: d.IntN(20), Entries: entries, NaNs: dictionary.NaNs}
	c.Dictionary = &dictionary
	dictionary.NullsFirst, dictionary.Desc, dictionary.NaNs = d.IntN(2) == 0, d.IntN(2) == 0, NaNsLast // ignored
	isNull := d.nulls(&c, n)
	at := make([]int, n)
	size := map[ColumnType]int{Int8: 1, Uint8: 1, Int16: 2, Uint16: 2, Int32: 4, Uint32: 4, Int64: 8, Uint64: 8}[c.Type]
	memory := make([]byte, 0, size*n+8)
	for i := range at {
		at[i] = d.IntN(entries)
		v := uint64(at[i])
		if isNull(i) {
			v = d.Uint64() // not read
		}
		memory = binary.LittleEndian.AppendUint64(memory, v)[:size*i+size]
	}
	c.Values = d.up(memory)
	d.last = func(i int) []byte { return memory[size*i : size*i+size] }
	return c, func(a, b int, desc bool) int { return compare(at[a], at[b], desc) },
		func(i int) bool { return isNull(i) || noEntry(at[i]) }, fmt.Sprintf("positions of type %d in %d of %s", c.Type, entries, name)
}

// TestWrongColumns gives columns that cannot be right: an error says which, before anything is written.
func TestWrongColumns(t *testing.T) {
	e := open(t)
	d := &drawing{Rand: gputest.Drawing(t), t: t, c: e.devs[0].Context, n: 3}
	defer d.free()
	u32 := func(v ...uint32) Ptr { return d.up(unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*len(v))) }
	fine := Column{Type: Int32, Values: u32(3, 1, 2)}
	texts := func(bytes int, offsets ...uint32) Column {
		return Column{Type: Text32, Values: d.up(make([]byte, bytes)), Bytes: bytes, Offsets: u32(offsets...)}
	}
	nullText := texts(5, 0, 2, 9, 5) // of a null, too
	nullText.Validity = d.up([]byte{0b101})
	entries := Column{Type: Int32, Values: u32(7, 8)}
	positions := func(v ...uint32) Column {
		return Column{Type: Int32, Values: u32(v...), Dictionary: &entries, Entries: 2}
	}
	for _, c := range []struct {
		col  Column
		want string
	}{
		{texts(5, 0, 3, 2, 5), "column 1: row 1: offsets[2] is below offsets[1] or above 5"},
		{texts(5, 0, 1, 2, 6), "column 1: row 2: offsets[3] is below offsets[2] or above 5"},
		{texts(5, 7, 7, 7, 7), "column 1: row 0: offsets[1] is below offsets[0] or above 5"},
		{nullText, "column 1: row 1: offsets[2] is below offsets[1] or above 5"},
		{positions(0, 2, 1), "column 1: row 1 has no position in a dictionary of 2 entries"},
		{positions(0, 1, ^uint32(0)), "column 1: row 2 has no position in a dictionary of 2 entries"},
		{Column{Type: Int32, Values: u32(0, 0, 1), Dictionary: &nullText, Entries: 3}, "column 1: dictionary: row 1: offsets[2] is below offsets[1] or above 5"},
	} {
		order := u32(77, 78, 79)
		err := e.OrderColumnsDevice([]Column{fine, c.col}, d.n, order, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
		if got := d.down(order, 3); !slices.Equal(got, []uint32{77, 78, 79}) {
			t.Errorf("%s: order %d is written", c.want, got)
		}
	}
	order, to := u32(2, 0, 1), texts(4, 0, 0, 0, 0)
	for _, c := range []struct {
		from Column
		want string
	}{
		{texts(5, 0, 1, 2, 5), "column 0: 5 bytes of texts for memory or offsets of 4"},
		{texts(4, 0, 1, 2, 5), "column 0: the text for place 0 has offsets that descend or exceed 4"},
		{texts(4, 0, 3, 2, 4), "column 0: the text for place 2 has offsets that descend or exceed 4"},
	} {
		if err := e.GatherColumnsDevice(order, 3, []Column{c.from}, []Column{to}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// TestRefusedColumns lists misuse that panics, before there is a device.
func TestRefusedColumns(t *testing.T) {
	e, fine := &Engine{}, Column{Type: Int64, Values: 64}
	for want, call := range map[string]func(){
		"-1 rows: at most":                    func() { e.OrderColumnsDevice(nil, -1, 64, 0) },
		"column 0: type 15":                   func() { e.OrderColumnsDevice([]Column{{Type: 15, Values: 64}}, 1, 64, 0) },
		"place of NaNs 4":                     func() { e.OrderColumnsDevice([]Column{{Type: Float32, Values: 64, NaNs: 4}}, 1, 64, 0) },
		"column 1: values or offsets at 0x0":  func() { e.OrderColumnsDevice([]Column{fine, {Type: Int32}}, 1, 64, 0) },
		"column 0: values or offsets at 0x44": func() { e.OrderColumnsDevice([]Column{{Type: Int64, Values: 68}}, 1, 64, 0) },
		"column 0: values or offsets at 0x42": func() { e.OrderColumnsDevice([]Column{{Type: Text32, Offsets: 66}}, 1, 64, 0) },
		"column 0: texts of 7 bytes at 0x0":   func() { e.OrderColumnsDevice([]Column{{Type: Text32, Offsets: 64, Bytes: 7}}, 1, 64, 0) },
		"column 0: the first bit is -1":       func() { e.OrderColumnsDevice([]Column{{Type: Bool, Values: 64, First: -1}}, 1, 64, 0) },
		"a dictionary of 3 entries, for values": func() {
			e.OrderColumnsDevice([]Column{{Type: Bool, Values: 64, Dictionary: &fine, Entries: 3}}, 1, 64, 0)
		},
		"column 0: dictionary: values or offsets": func() {
			e.OrderColumnsDevice([]Column{{Type: Int8, Values: 64, Dictionary: &Column{Type: Int32}, Entries: 3}}, 1, 64, 0)
		},
		"an order at 0x0, ties at 0x0":   func() { e.OrderColumnsDevice([]Column{fine}, 1, 0, 0) },
		"an order at 0x40, ties at 0x42": func() { e.OrderColumnsDevice([]Column{fine}, 1, 64, 66) },
		"an order at 0x41, ties at 0x0":  func() { e.GatherColumnsDevice(65, 3, []Column{fine}, []Column{fine}) },
		"3 rows of 1 columns to 0":       func() { e.GatherColumnsDevice(64, 3, []Column{fine}, nil) },
		"column 0 of type 4 with validity at 0x0 to type 9": func() {
			e.GatherColumnsDevice(64, 3, []Column{fine}, []Column{{Type: Uint64, Values: 64}})
		},
		"column 0 of type 4 with validity at 0x40 to type 4, validity at 0x0": func() {
			e.GatherColumnsDevice(64, 3, []Column{{Type: Int64, Values: 64, Validity: 64}}, []Column{fine})
		},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "sorter: gpu: ") || !strings.Contains(text, want) {
					t.Errorf("panic %q, want %q", text, want)
				}
			}()
			call()
		}()
	}
}
