package extract

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/testkit"
)

// list is the keys of some rows, and the columns that have them.
type list struct {
	kind  sortkey.Kind
	keys  stream.Raw
	null  []bool // of rows whose keys no function and no format may be asked for, if the column has nulls
	asked []int  // calls of the key function, by row
	forms map[string]column.Spec
}

// compare compares two rows by a column.
func (l *list) compare(c *Column, i, j int) int {
	switch {
	case c.Nulls == column.NoNulls || !l.null[i] && !l.null[j]:
		return compareKeys(l.kind, l.keys.At(i), l.keys.At(j), c.Order)
	case l.null[i] && l.null[j]:
		return 0
	case l.null[i] == (c.Nulls == column.NullsFirst):
		return -1
	}
	return 1
}

// compareKeys compares the keys of a kind at two addresses.
func compareKeys(k sortkey.Kind, a, b unsafe.Pointer, o sortkey.Order) int {
	switch {
	case k != sortkey.String && k != sortkey.Bytes:
		return sortkey.CompareAt(k, a, b, o)
	case o.Desc:
		a, b = b, a
	}
	return strings.Compare(*(*string)(a), *(*string)(b)) // byte slices begin as strings do
}

// listOf returns n drawn keys, about half of them equal to earlier ones.
func listOf[K sortkey.Key](draw func(r *rand.Rand) K) func(r *rand.Rand, n int) *list {
	return func(r *rand.Rand, n int) *list {
		keys, equal := make([]K, n), r.IntN(12) == 0
		for i := range keys {
			if keys[i] = draw(r); i > 0 && (equal || r.IntN(2) == 0) {
				keys[i] = keys[max(r.IntN(i), r.IntN(i))]
			}
		}
		return newList(r, keys)
	}
}

func newList[K sortkey.Key](r *rand.Rand, keys []K) *list {
	n := len(keys)
	l := &list{kind: sortkey.KindOf[K](), keys: stream.RawOf(keys), null: make([]bool, n), asked: make([]int, n)}
	for i := range l.null {
		l.null[i] = r.IntN(3) == 0
	}
	slice := column.InSlice(keys)
	l.forms = map[string]column.Spec{
		"function": column.SpecOf(l.kind, column.Func[int, K](func(row int) K { l.asked[row]++; return keys[row] })),
		"slice":    column.SpecOfSlice(l.kind, unsafe.Pointer(unsafe.SliceData(keys)), n),
	}
	if slice.Kind() == l.kind {
		l.forms["format"] = column.SpecOfFormat(slice)
		l.forms["parts"] = column.SpecOfFormat(concat(r, n, func(lo, hi int) column.Format { return column.InSlice(keys[lo:hi]) }))
	}
	return l
}

// concat draws parts of a format, some of them empty, and some made of parts themselves.
func concat(r *rand.Rand, n int, part func(lo, hi int) column.Format) column.Format {
	parts := []column.Format{part(0, 0)}
	for lo := 0; lo < n; {
		hi := min(n, lo+r.IntN(2+r.IntN(2+n/2)))
		if parts = append(parts, part(lo, hi)); r.IntN(8) == 0 {
			all, _ := column.Concat(parts)
			parts = []column.Format{all}
		}
		lo = hi
	}
	all, ok := column.Concat(parts)
	if !ok {
		panic("parts of one kind")
	}
	return all
}

// word draws numbers that tie often, and those at the ends of their range.
func word(r *rand.Rand) uint64 {
	switch r.IntN(4) {
	case 0:
		return uint64(r.IntN(3))
	case 1:
		return ^uint64(r.IntN(3))
	case 2:
		return 1<<r.IntN(64) - uint64(r.IntN(2))
	}
	return r.Uint64()
}

func float(r *rand.Rand) float64 {
	return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1), 1, 1.5, -1, float64(r.IntN(100)), r.NormFloat64()}[r.IntN(11)]
}

func bytesOf(r *rand.Rand, to []byte) {
	for i := range to {
		to[i] = byte(word(r))
	}
	if r.IntN(2) == 0 && len(to) > 0 { // the last byte decides
		clear(to[:len(to)-1])
	}
}

func addr(r *rand.Rand) netip.Addr {
	var b [16]byte
	bytesOf(r, b[:])
	switch r.IntN(5) {
	case 0:
		return netip.Addr{}
	case 1:
		return netip.AddrFrom16(b)
	case 2:
		return netip.AddrFrom16(b).WithZone(strings.Repeat("z", r.IntN(9)) + string(rune('a'+r.IntN(3))))
	}
	return netip.AddrFrom4([4]byte(b[12:]))
}

// lists make lists of each type of keys and of each format.
var lists = []func(r *rand.Rand, n int) *list{
	listOf(func(r *rand.Rand) bool { return r.IntN(2) == 0 }),
	listOf(func(r *rand.Rand) int8 { return int8(word(r)) }),
	listOf(func(r *rand.Rand) int16 { return int16(word(r)) }),
	listOf(func(r *rand.Rand) int32 { return int32(word(r)) }),
	listOf(func(r *rand.Rand) int64 { return int64(word(r)) }),
	listOf(func(r *rand.Rand) uint8 { return uint8(word(r)) }),
	listOf(func(r *rand.Rand) uint16 { return uint16(word(r)) }),
	listOf(func(r *rand.Rand) uint32 { return uint32(word(r)) }),
	listOf(word),
	listOf(func(r *rand.Rand) float32 { return float32(float(r)) }),
	listOf(float),
	listOf(func(r *rand.Rand) [2]float32 { return [2]float32{float32(float(r)), float32(float(r))} }),
	listOf(func(r *rand.Rand) [3]float32 { return [3]float32{1, float32(r.IntN(2)), float32(float(r))} }),
	listOf(func(r *rand.Rand) [4]float32 { return [4]float32{1, 2, float32(r.IntN(2)), float32(float(r))} }),
	listOf(func(r *rand.Rand) sortkey.Int128 { return sortkey.Int128{Lo: word(r), Hi: int64(r.IntN(3)) - 1} }),
	listOf(func(r *rand.Rand) sortkey.Uint128 { return sortkey.Uint128{Lo: word(r), Hi: word(r)} }),
	listOf(func(r *rand.Rand) time.Time { return time.Unix(int64(r.IntN(3)), int64(r.IntN(1e9))) }),
	listOf(func(r *rand.Rand) (k [3]byte) { bytesOf(r, k[:]); return k }),
	listOf(func(r *rand.Rand) (k [4]byte) { bytesOf(r, k[:]); return k }),
	listOf(func(r *rand.Rand) (k [8]byte) { bytesOf(r, k[:]); return k }),
	listOf(func(r *rand.Rand) (k [9]byte) { bytesOf(r, k[:]); return k }),
	listOf(func(r *rand.Rand) (k [16]byte) { bytesOf(r, k[:]); return k }),
	listOf(func(r *rand.Rand) (k [20]byte) { bytesOf(r, k[:]); return k }),
	listOf(func(r *rand.Rand) (k [32]byte) { bytesOf(r, k[:]); return k }),
	listOf(func(r *rand.Rand) (k [64]byte) { bytesOf(r, k[:]); return k }),
	listOf(addr),
	textList, textList, byteSliceList,
	octetsList(2), octetsList(3), octetsList(4), octetsList(5), octetsList(7), octetsList(8), octetsList(16), octetsList(9),
}

// textList has texts in all formats.
func textList(r *rand.Rand, n int) *list {
	l := listOf(testkit.Text)(r, n)
	texts := stream.SliceOf[string](l.keys)
	l.forms["parts"] = column.SpecOfFormat(concat(r, n, func(lo, hi int) column.Format { return textsIn(r, texts[lo:hi]) }))
	l.forms["format"] = column.SpecOfFormat(textsIn(r, texts))
	return l
}

// textsIn returns a drawn format of texts.
func textsIn(r *rand.Rand, texts []string) column.Format {
	data := []byte("before")
	offsets32, offsets := []uint32{6}, []uint64{6}
	var views []byte
	for _, s := range texts {
		view := binary.LittleEndian.AppendUint32(nil, uint32(len(s)))
		if view = append(view, s[:min(len(s), column.ViewSize-4)]...); len(s) > column.ViewSize-4 {
			view = binary.LittleEndian.AppendUint32(view[:8], 1)
			view = binary.LittleEndian.AppendUint32(view, uint32(len(data)))
		}
		views = append(views, append(view, make([]byte, column.ViewSize-len(view))...)...)
		data = append(data, s...)
		offsets32, offsets = append(offsets32, uint32(len(data))), append(offsets, uint64(len(data)))
	}
	switch r.IntN(5) {
	case 0:
		return column.InSlice(texts)
	case 1:
		if len(texts) == 0 {
			return column.Arena[uint32](nil, nil)
		}
		return column.Arena(data, offsets32)
	case 2:
		return column.Arena(data, offsets)
	case 3:
		return column.Views(views, [][]byte{nil, data})
	}
	all := make([][]byte, len(texts))
	for i, s := range texts {
		all[i] = []byte(s)
	}
	return column.InSlice(all)
}

func byteSliceList(r *rand.Rand, n int) *list {
	return listOf(func(r *rand.Rand) []byte { return []byte(testkit.Text(r)) })(r, n)
}

// octetsList has byte strings of one width.
func octetsList(width int) func(r *rand.Rand, n int) *list {
	return func(r *rand.Rand, n int) *list {
		data := make([]byte, n*width)
		for i := range n {
			if bytesOf(r, data[i*width:][:width]); i > 0 && r.IntN(2) == 0 {
				copy(data[i*width:][:width], data[r.IntN(i)*width:])
			}
		}
		texts := make([]string, n)
		for i := range texts {
			texts[i] = string(data[i*width:][:width])
		}
		var l *list
		switch format := column.Octets(data, width); format.Kind() {
		case sortkey.String:
			l = newList(r, texts)
		case sortkey.Uint16:
			l = newList(r, numbers[uint16](texts))
		case sortkey.Uint32:
			l = newList(r, numbers[uint32](texts))
		case sortkey.Uint64:
			l = newList(r, numbers[uint64](texts))
		default:
			l = newList(r, sortkey.At[[16]byte](unsafe.Pointer(unsafe.SliceData(data)), n))
		}
		l.forms = map[string]column.Spec{
			"octets": column.SpecOfFormat(column.Octets(data, width)),
			"parts":  column.SpecOfFormat(concat(r, n, func(lo, hi int) column.Format { return column.Octets(data[lo*width:hi*width], width) })),
		}
		return l
	}
}

// numbers reads texts as big-endian numbers.
func numbers[K uint16 | uint32 | uint64](texts []string) []K {
	all := make([]K, len(texts))
	for i, s := range texts {
		for _, b := range []byte(s) {
			all[i] = all[i]<<8 | K(b)
		}
	}
	return all
}

// drawn is an input of rows, by row numbers or ints, and columns of it.
type drawn struct {
	what  string
	lists []*list
	cols  []Column
	rows  Input
	row   []int // by element
	call  sortkey.Order
}

// drawSpec draws a form and an order, and nulls of a list that has them.
func drawSpec(r *rand.Rand, l *list) (name string, spec column.Spec) {
	names := make([]string, 0, len(l.forms))
	for name := range l.forms {
		names = append(names, name)
	}
	slices.Sort(names)
	name = names[r.IntN(len(names))]
	spec = l.forms[name].WithNaNs(sortkey.NaNs(r.IntN(int(sortkey.NaNPlaces))))
	if r.IntN(2) == 0 {
		spec = spec.Descending()
	}
	place := column.NullPlace(1 + r.IntN(2))
	null := r.IntN(4)
	if keys, ok := spec.Slice(); ok && l.null != nil && null < 2 { // nulls at the end may have no keys
		rows := len(l.null) - r.IntN(1+len(l.null)/3)
		for i := rows; i < len(l.null); i++ {
			l.null[i] = true
		}
		order := spec.Order()
		if spec = column.SpecOfSlice(l.kind, keys.Data(), rows).WithNaNs(order.NaNs); order.Desc {
			spec = spec.Descending()
		}
	}
	switch {
	case spec.Nulls() != column.NoNulls || l.null == nil:
	case null == 0:
		f := column.NullFunc[int](func(row int) bool { return l.null[row] })
		spec, name = spec.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&f)), place), name+" with null function"
	case null == 1:
		spec, name = spec.WithBits(bitsOf(r, l.null), place), name+" with null bits"
	}
	return name, spec
}

// bitsOf returns the validity bits of rows.
func bitsOf(r *rand.Rand, null []bool) *column.NullBits {
	offset := r.IntN(20)
	valid := make([]byte, (offset+len(null)+7)/8)
	for i := range valid {
		valid[i] = byte(r.Uint32())
	}
	for i, null := range null {
		valid[(offset+i)/8] &^= 1 << ((offset + i) % 8)
		if !null {
			valid[(offset+i)/8] |= 1 << ((offset + i) % 8)
		}
	}
	return column.NewNullBits(valid, offset)
}

// sizes are lengths about those of pieces, of words of nulls, and of what is read at a time.
var sizes = []int{1, 2, 3, 5, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 71, 255, 256, 257, 300, 2*Piece + 1}

// draw draws columns of n rows, and elements. The first column is of the given list.
func draw(r *rand.Rand, n, list int) drawn {
	d := drawn{call: sortkey.Order{Desc: r.IntN(4) == 0}}
	var specs []column.Spec
	for range 1 + r.IntN(3) {
		l := lists[list%len(lists)](r, n)
		list = r.IntN(len(lists))
		name, spec := drawSpec(r, l)
		d.what += fmt.Sprintf("kind %d %s, ", l.kind, name)
		d.lists, specs = append(d.lists, l), append(specs, spec)
	}
	d.cols = AppendColumns(nil, specs)
	some := make([]uint32, 1+r.IntN(n))
	for i := range some {
		some[i] = uint32(r.IntN(n))
	}
	switch how := r.IntN(4); how {
	case 0:
		ForRows(d.cols, n)
		d.rows, d.what = RowNumbers(n), d.what+"numbered"
		for i := range n {
			d.row = append(d.row, i)
		}
	case 1:
		if above := ForSelected(d.cols, some, n); above != int(slices.Max(some))+1 {
			panic("not above all rows")
		}
		ForPicked(d.cols, some)
		d.rows, d.what = RowNumbers(n).Pick(some), d.what+"picked"
		for _, row := range some {
			d.row = append(d.row, int(row))
		}
	default:
		elements := make([]int, n)
		for i := range elements {
			elements[i] = r.IntN(n)
		}
		column.CheckElements(specs, elements)
		if d.rows, d.row, d.what = InputOf(cpu.PayloadOf(elements)), elements, d.what+"ints"; how == 3 {
			ForPicked(d.cols, some)
			d.rows, d.row, d.what = d.rows.Pick(some), nil, d.what+" picked"
			for _, i := range some {
				d.row = append(d.row, elements[i])
			}
		}
	}
	d.what += fmt.Sprintf(" of %d, %d", n, len(d.row))
	return d
}

// compare compares elements i and j by columns [lo, hi).
func (d *drawn) compare(lo, hi, i, j int) int {
	for k := lo; k < hi; k++ {
		c := d.cols[k].Under(d.call)
		if order := d.lists[k].compare(&c, d.row[i], d.row[j]); order != 0 {
			return order
		}
	}
	return 0
}

// sign is the sign of a comparison.
func sign(c int) int { return cmp.Compare(c, 0) }

// pairs returns neighbours in the order of compare, and some others.
func pairs(r *rand.Rand, n int, compare func(i, j int) int) (all [][2]int) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	for i := 1; i < n; i++ {
		all = append(all, [2]int{order[i-1], order[i]})
	}
	for range 2 * n {
		all = append(all, [2]int{r.IntN(n), r.IntN(n)})
	}
	return all
}

// drawnEnv returns an environment, whose context ends never, or does not exist.
func drawnEnv(r *rand.Rand, t *testing.T) *engine.Env {
	env := new(engine.Env)
	if r.IntN(2) == 0 {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		env.Loop.Ctx = ctx
	}
	t.Cleanup(func() { env.Arena.Release(1) })
	return env
}

// TestDrawnWords draws rows and columns. It holds the codes of words, read in all ways, and full keys to comparisons of the keys.
func TestDrawnWords(t *testing.T) {
	r := dist.Rand(11)
	for i := range testkit.Pick(500, 20_000) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		d := draw(r, sizes[r.IntN(len(sizes))], i)
		d.check(t, r)
		if t.Failed() {
			t.Fatal(i, d.what)
		}
	}
}

func (d *drawn) check(t *testing.T, r *rand.Rand) {
	n, words := len(d.row), Words(d.cols, d.call)
	env := drawnEnv(r, t)
	d.rows.Arena = &env.Arena
	k, first := NewKeys(env, d.rows, words), 0
	var w Reader
	all := make([][]uint64, len(words))
	for word := range words {
		l := &words[word]
		k.Open(word, word > 0)
		codes := make([]uint64, n)
		all[word] = codes
		switch {
		case word > 0:
			d.readEarly(r, &k, &w, codes, word)
		case l.Bits <= 32:
			read(l, d.rows, codes)
		default:
			Source64(d.rows, l)(codes, 0)
		}
		last := first + l.Columns()
		d.checkAsked(t, first, last)
		d.checkCodes(t, r, l, codes, first, last)
		if !l.Exact() {
			d.checkFull(t, r, l, codes, last-1)
		}
		d.checkAgain(t, r, words, word, codes)
		first = last
	}
	d.checkCompare(t, r)
	d.checkLead(t, words)
	if !d.rows.Numbered && d.rows.Picked == nil {
		d.checkMoved(t, r, &k, all)
	}
	if CodeSize(words) != map[bool]uintptr{true: 4, false: 8}[words[0].Bits <= 32] || Decisive(words) != (len(words) == 1 && words[0].Exact()) {
		t.Errorf("%s: codes of %d bytes, decisive %t", d.what, CodeSize(words), Decisive(words))
	}
	for i := range words {
		if full := words[i].Full; full != nil && words[i].FullSize() > 0 && d.rows.Numbered { // others read keys in elements
			full.Forget(n)
		}
	}
}

// checkCompare compares elements whose first codes are equal, before and after later codes are known.
func (d *drawn) checkCompare(t *testing.T, r *rand.Rand) {
	env, rows := drawnEnv(r, t), d.rows
	rows.Arena = &env.Arena
	k := NewKeys(env, rows, Words(d.cols, d.call))
	k.Open(0, false)
	codes := make([]uint64, len(d.row))
	Source64(rows, &k.Words[0])(codes, 0)
	var w Reader
	for _, p := range pairs(r, len(codes), func(i, j int) int { return d.compare(0, len(d.cols), i, j) }) {
		i, j := p[0], p[1]
		if codes[i] != codes[j] {
			continue
		}
		if got, want := k.Compare(&w, uint32(i), uint32(j)), d.compare(0, len(d.cols), i, j); sign(got) != want {
			t.Fatalf("%s: elements %d and %d compared as %d, want %d", d.what, i, j, got, want)
		}
	}
}

// checkMoved compares whole keys where the elements were moved to.
func (d *drawn) checkMoved(t *testing.T, r *rand.Rand, k *Keys, codes [][]uint64) {
	n, first := len(d.row), 0
	type pair struct{ word, a, b, want int }
	var some []pair
	for i := range k.Words {
		l := &k.Words[i]
		first += l.Columns()
		for range n {
			if a, b := r.IntN(n), r.IntN(n); !l.Whole() && codes[i][a] == codes[i][b] {
				some = append(some, pair{i, a, b, d.compare(first-1, first, a, b)})
			}
		}
	}
	moved := d.rows.Slice.Take(&k.Env.Arena, n)
	moved.Copy(d.rows.Slice)
	d.rows.Slice.Clear()
	defer func() { d.rows.Slice.Copy(moved) }()
	k.Moved(moved)
	for _, p := range some {
		if got := k.Words[p.word].Full.Compare(uint32(p.a), uint32(p.b)); sign(got) != p.want {
			t.Fatalf("%s: moved elements %d and %d compared as %d, want %d", d.what, p.a, p.b, got, p.want)
		}
	}
}

// checkLead expects what is known of the first column of words.
func (d *drawn) checkLead(t *testing.T, words []Word) {
	lead := &d.cols[0]
	own := lead.WithoutNulls()
	if LeadingNulls(words) != lead.Nulls || LeadingWide(words) != lead.kind.Wide() || LeadingInMemory(words) != (lead.Key.inMemory(lead) && own.Bits() <= 64) {
		t.Errorf("%s: leading nulls %d, wide %t, in memory %t", d.what, LeadingNulls(words), LeadingWide(words), LeadingInMemory(words))
	}
	values, nulls := ApartWords(words)
	if a, b := Columns(values), Columns(nulls); len(a) != len(d.cols) || len(b) != len(a)-1 || a[0].Nulls != column.NoNulls || a[0].Order != lead.Under(d.call).Order {
		t.Errorf("%s: %d columns of values, %d of nulls", d.what, len(a), len(b))
	}
}

// read reads 32-bit codes.
func read(l *Word, rows Input, codes []uint64) {
	narrow := make([]uint32, len(codes))
	Source32(rows, l)(narrow, 0)
	for i, c := range narrow {
		codes[i] = uint64(c)
	}
}

// readEarly reads the codes of all elements, each once, in pieces of any elements and in ranges.
func (d *drawn) readEarly(r *rand.Rand, k *Keys, w *Reader, codes []uint64, word int) {
	n := len(codes)
	for range r.IntN(4) {
		at := make([]uint32, 1+r.IntN(min(n, Piece)))
		lo := r.IntN(n - len(at) + 1)
		for i := range at {
			if at[i] = uint32(lo + i); r.IntN(2) == 0 && len(at) < 9 {
				at[i] = uint32(r.IntN(n))
			}
		}
		dst := make([]uint64, len(at))
		k.Read(w, dst, at, word)
		for i, x := range at {
			codes[x] = dst[i]
		}
	}
	lo := r.IntN(n)
	copy(codes[lo:], k.ReadRange(word, lo, n-lo))
	copy(codes[:lo], k.ReadRange(word, 0, lo))
}

// checkCodes compares codes with columns [first, last).
func (d *drawn) checkCodes(t *testing.T, r *rand.Rand, l *Word, codes []uint64, first, last int) {
	for _, p := range pairs(r, len(codes), func(i, j int) int { return d.compare(first, last, i, j) }) {
		i, j := p[0], p[1]
		got, want := cmp.Compare(codes[i], codes[j]), d.compare(first, last, i, j)
		if got == 0 && !l.Whole() {
			if got = d.compare(first, last-1, i, j); got == 0 {
				got = sign(l.Full.Compare(uint32(i), uint32(j)))
			}
		}
		if got != want {
			t.Fatalf("%s: codes %#x and %#x of elements %d and %d, compared as %d, want %d", d.what, codes[i], codes[j], i, j, got, want)
		}
		if l.Bits < 64 && codes[i]>>l.Bits != 0 {
			t.Fatalf("%s: code %#x of %d bits", d.what, codes[i], l.Bits)
		}
	}
}

// checkAgain reads the codes of a word again, of fresh words and of any elements.
func (d *drawn) checkAgain(t *testing.T, r *rand.Rand, words []Word, word int, codes []uint64) {
	fresh := Fresh(words)
	env := drawnEnv(r, t)
	rows := d.rows
	rows.Arena = &env.Arena
	k := NewKeys(env, rows, fresh)
	k.Open(word, false)
	var w Reader
	for range 3 {
		n := min(len(codes), Piece, 1+r.IntN(2*column.OnStack)*r.IntN(column.OnStack))
		at, dst := make([]uint32, n), make([]uint64, n)
		lo := r.IntN(len(codes) - n + 1)
		scattered := r.IntN(2) == 0
		for i := range at {
			if at[i] = uint32(lo + i); scattered {
				at[i] = uint32(r.IntN(len(codes)))
			}
		}
		k.Read(&w, dst, at, word)
		for i, x := range at {
			if dst[i] != codes[x] {
				t.Fatalf("%s: code %#x of element %d of %v read again as %#x", d.what, codes[x], x, at, dst[i])
			}
		}
		if _, own := d.cols[0].Key.(selfKey); !own && !d.rows.Numbered && d.rows.Picked == nil && fresh[word].Exact() { // where they lie
			clear(dst)
			fresh[word].Codes(dst, Elements(d.rows.Slice.Raw(), at))
			for i, x := range at {
				if dst[i] != codes[x] {
					t.Fatalf("%s: code %#x of element %d read where it lies as %#x", d.what, codes[x], x, dst[i])
				}
			}
		}
		if d.rows.Numbered && d.rows.Picked == nil {
			numbers := make([]int, n)
			fresh[word].Codes(dst, Rows(numbers, at))
			for i, x := range at {
				if dst[i] != codes[x] {
					t.Fatalf("%s: code %#x of row %d read as %#x", d.what, codes[x], x, dst[i])
				}
			}
		}
	}
}

// checkAsked expects a call of each key function for each element that is not null.
func (d *drawn) checkAsked(t *testing.T, first, last int) {
	for i := first; i < last; i++ {
		want, got := 0, 0
		for _, row := range d.row {
			if d.cols[i].Nulls == column.NoNulls || !d.lists[i].null[row] {
				want++
			}
		}
		for _, n := range d.lists[i].asked {
			got += n
		}
		if _, self := d.cols[i].Key.(selfKey); !self && d.cols[i].made.Field() == nil && !d.cols[i].made.ByRow() && got != want {
			t.Errorf("%s: %d calls of the key function of column %d, want %d", d.what, got, i, want)
		}
	}
}

// checkFull sorts runs of ties by full keys, which are those of column k.
func (d *drawn) checkFull(t *testing.T, r *rand.Rand, l *Word, codes []uint64, k int) {
	runs := map[uint64][]uint32{}
	var at, tied []uint32
	var seen presorted.Steps
	for x, c := range codes {
		runs[c] = append(runs[c], uint32(x))
		if x == 0 || c != codes[x-1] {
			continue
		}
		at = append(at, uint32(x))
		switch d.compare(k, k+1, x-1, x) {
		case -1:
			seen.Rises++
		case 1:
			seen.Falls++
		default:
			tied = append(tied, uint32(x))
		}
	}
	compare := func(i, j uint32) int { return d.compare(k, k+1, int(i), int(j)) }
	if !l.Whole() {
		if still, steps := l.Full.Follow(at, l.PrefixBits); !slices.Equal(still, tied) || steps != seen {
			t.Errorf("%s: follows %v to %v, %v, want %v, %v", d.what, at, still, steps, tied, seen)
		}
		for _, run := range runs {
			want := slices.Clone(run)
			slices.SortStableFunc(want, compare)
			refine(t, r, l.Full, run, Level{Tail: true, Depth: l.Full.TieDepth(l.PrefixBits)}, compare)
			if !slices.Equal(run, want) {
				t.Errorf("%s: a run of ties is %v, want %v", d.what, run, want)
			}
		}
	}
	for _, run := range runs {
		for i := 1; i < len(run) && l.Whole(); i++ {
			if compare(run[i-1], run[i]) != 0 {
				t.Errorf("%s: elements %d and %d have equal codes, which are whole", d.what, run[i-1], run[i])
			}
		}
	}
}

// refine sorts elements that tie up to p by their codes there, slowly.
func refine(t *testing.T, r *rand.Rand, full FullKeys, order []uint32, p Level, compare func(i, j uint32) int) {
	if len(order) < 2 {
		return
	}
	if p.Depth > 1<<20 {
		t.Fatal("no end")
	}
	if len(order) <= cpu.Few && r.IntN(2) == 0 {
		if same, ok := full.SortFew(order, p); ok {
			for i := range order {
				if tie := i > 0 && compare(order[i-1], order[i]) == 0; tie != (same>>i&1 != 0) {
					t.Errorf("element %d of few ties: %t", i, !tie)
				}
			}
			return
		}
	}
	p = full.WithPivot(order, p)
	codes := make([]uint64, len(order))
	full.Codes(codes, order, p)
	places := make([]int, len(order))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(i, j int) int { return cmp.Compare(codes[i], codes[j]) })
	before := slices.Clone(order)
	for i, at := range places {
		order[i] = before[at]
	}
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && codes[places[hi]] == codes[places[lo]] {
			hi++
		}
		depth, more := full.NextDepth(codes[places[lo]], p)
		if !more {
			for i := lo + 1; i < hi; i++ {
				if compare(order[i-1], order[i]) != 0 {
					t.Errorf("equal codes of elements %d and %d, whose keys differ", order[i-1], order[i])
				}
			}
		} else if hi-lo > 1 {
			if hi-lo == len(order) && depth <= p.Depth {
				t.Errorf("%d elements still tie up to %d, before up to %d", hi-lo, depth, p.Depth)
				return
			}
			refine(t, r, full, order[lo:hi], Level{Tail: true, Depth: depth}, compare)
		}
		lo = hi
	}
}
