package ties

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted/bywords"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// row has a key of each kind that words treat in a way of its own.
type row struct {
	small  uint8
	word   uint64
	pair   sortkey.Uint128
	text   string
	null   bool // of another column by word
	number uint32
}

// drawnColumn makes a column of rows, and compares rows by it.
type drawnColumn struct {
	column  extract.Column
	compare func(a, b *row) int
}

// reads counts the calls of key functions. Once the context is cancelled, late does.
type reads struct {
	ctx  *testkit.Ending
	late atomic.Int64
}

func (c *reads) count() {
	if c.ctx != nil && c.ctx.Left.Load() < 0 {
		c.late.Add(1)
	}
}

// drawColumn draws one of the columns.
func drawColumn(r *rand.Rand, c *reads) drawnColumn {
	var d drawnColumn
	switch r.IntN(6) {
	case 0:
		d.column = extract.ColumnOf[uint8](column.Func[row, uint8](func(x row) uint8 { c.count(); return x.small }))
		d.compare = func(a, b *row) int { return cmp.Compare(a.small, b.small) }
	case 1:
		d.column = extract.ColumnOf[uint64](column.Func[row, uint64](func(x row) uint64 { c.count(); return x.word }))
		d.compare = func(a, b *row) int { return cmp.Compare(a.word, b.word) }
	case 2:
		d.column = extract.ColumnOf[sortkey.Uint128](column.Func[row, sortkey.Uint128](func(x row) sortkey.Uint128 { c.count(); return x.pair }))
		d.compare = func(a, b *row) int {
			return cmp.Or(cmp.Compare(a.pair.Hi, b.pair.Hi), cmp.Compare(a.pair.Lo, b.pair.Lo))
		}
	case 3:
		isNull := func(x row) bool { return x.null }
		get := column.Func[row, uint64](func(x row) uint64 { c.count(); return x.word })
		spec := column.SpecOf(sortkey.Uint64, get).WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsFirst)
		d.column = extract.AppendColumns(nil, []column.Spec{spec})[0]
		d.compare = func(a, b *row) int {
			if a.null || b.null {
				return cmp.Compare(bit(b.null), bit(a.null))
			}
			return cmp.Compare(a.word, b.word)
		}
	default:
		d.column = extract.ColumnOf[string](column.Func[row, string](func(x row) string { c.count(); return x.text }))
		d.compare = func(a, b *row) int { return cmp.Compare(a.text, b.text) }
	}
	if ascending := d.compare; r.IntN(3) == 0 && d.column.Nulls == column.NoNulls {
		d.column.Order.Desc = true
		d.compare = func(a, b *row) int { return ascending(b, a) }
	}
	return d
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

// drawTexts draws texts that share a beginning, of some length, and differ after it soon or late.
func drawTexts(r *rand.Rand, values int) []string {
	texts := make([]string, values)
	shared := strings.Repeat("s", []int{0, 2, 7, 8, 9, 30, 300}[r.IntN(7)])
	for i := range texts {
		texts[i] = shared + strings.Repeat("t", r.IntN(1+r.IntN(40))) + fmt.Sprint(i*7919) + strings.Repeat("\x00", r.IntN(2)*r.IntN(10))
	}
	texts[0] = shared[:r.IntN(len(shared)+1)]
	return texts
}

// drawRows draws rows whose keys have few values each or many, one of them more often than others.
func drawRows(r *rand.Rand, n int) []row {
	value := func() func() int {
		values, often := 1+r.IntN([]int{1, 3, 10, 1 + n}[r.IntN(4)]), r.IntN(4)
		return func() int {
			if r.IntN(4) < often {
				return 0
			}
			return r.IntN(values)
		}
	}
	texts := drawTexts(r, 1+r.IntN([]int{1, 5, 100}[r.IntN(3)]))
	small, word, high, low, text, null := value(), value(), value(), value(), value(), r.IntN(3) == 0
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{
			uint8(small()), uint64(word()) << 40, sortkey.Uint128{Hi: uint64(high()), Lo: uint64(low())},
			texts[text()%len(texts)], null && r.IntN(3) == 0, uint32(i),
		}
	}
	return rows
}

// drawnOrder is an order by some columns, for which runs by the first columns are asked.
type drawnOrder struct {
	rows    []row
	columns []drawnColumn
	asked   *call.Marks
	reads   reads
}

func drawOrder(r *rand.Rand, n int) *drawnOrder {
	d := &drawnOrder{rows: drawRows(r, n)}
	for range 1 + r.IntN(4) {
		d.columns = append(d.columns, drawColumn(r, &d.reads))
	}
	for range r.IntN(4) {
		d.asked = &call.Marks{Columns: r.IntN(len(d.columns)+2) - 1, Runs: new(perm.Runs), Next: d.asked}
	}
	return d
}

// compare compares rows by the first columns.
func (d *drawnOrder) compare(a, b *row, columns int) int {
	for _, c := range d.columns[:columns] {
		if c := c.compare(a, b); c != 0 {
			return c
		}
	}
	return 0
}

func (d *drawnOrder) words() []extract.Word {
	var cols []extract.Column
	for _, c := range d.columns {
		cols = append(cols, c.column)
	}
	return MarkedWords(d.asked, cols, sortkey.Order{})
}

// way refines an order by the first codes. It returns the order, and the ties that are asked for.
type way[C sortkey.Code] func(env *engine.Env, d *drawnOrder, words []extract.Word, src cpu.Source[C]) ([]uint32, Marks, error)

// input returns the rows.
func (d *drawnOrder) input(env *engine.Env) extract.Input {
	input := extract.InputOf(cpu.PayloadOf(d.rows))
	input.Arena = &env.Arena
	return input
}

// inPlace refines codes in order, in place.
func inPlace[C sortkey.Code](env *engine.Env, d *drawnOrder, words []extract.Word, src cpu.Source[C]) ([]uint32, Marks, error) {
	index, marks := make([]uint32, len(d.rows)), NewMarks(d.asked, len(d.rows), words)
	codes, err := cpu.OrderInPlace(env, index, src)
	switch {
	case err != nil:
		return nil, nil, err
	case !extract.Decisive(words):
		err = RefineSorted(env, d.input(env), words, index, codes, marks)
	case marks != nil:
		err = MarkSorted(env, codes, marks[0])
	}
	return index, marks, err
}

// byTies refines the ties that an engine has found.
func byTies[C sortkey.Code](env *engine.Env, d *drawnOrder, words []extract.Word, src cpu.Source[C]) ([]uint32, Marks, error) {
	index, marks := make([]uint32, len(d.rows)), NewMarks(d.asked, len(d.rows), words)
	codes, err := cpu.OrderInPlace(env, index, src)
	if err != nil {
		return nil, nil, err
	}
	found := make(engine.Ties, engine.TieWords(len(d.rows)))
	engine.MarkTies(found, 0, false, codes)
	scratch.Give(&env.Arena, codes, 1)
	return index, marks, NewFurther(env, d.input(env), words, index, found, marks, Forget).Refine()
}

// byFurther has an engine order by further codes, too, as often as it may, or less.
func byFurther[C sortkey.Code](env *engine.Env, d *drawnOrder, words []extract.Word, src cpu.Source[C]) ([]uint32, Marks, error) {
	n := len(d.rows)
	index, marks := make([]uint32, n), NewMarks(d.asked, n, words)
	codes, err := cpu.OrderInPlace(env, index, src)
	if err != nil {
		return nil, nil, err
	}
	found := make(engine.Ties, engine.TieWords(n))
	engine.MarkTies(found, 0, false, codes)
	scratch.Give(&env.Arena, codes, 1)
	keeps := Keeps(n % 3) // nothing is begun anew
	if env.Limit > 0 {
		keeps = Refuse
	}
	f := NewFurther(env, d.input(env), words, index, found, marks, keeps)
	for e := f.Offer(); n%4 > 0; {
		tied, runs := tiedRows(found, n)
		bits := e.Next(tied, runs)
		if bits == 0 || n%4 == 1 && tied < n/2 {
			if bits > 0 {
				pullFurther(e, bits, n) // it has no memory left
			}
			break
		}
		orderFurther(pullFurther(e, bits, n), index, found)
		tied, _ = tiedRows(found, n)
		e.Done(tied)
	}
	return index, marks, f.Refine()
}

// tiedRows counts rows that tie, and their runs.
func tiedRows(found engine.Ties, n int) (tied, runs int) {
	for i := found.Next(true, 0, n); i < n; i = found.Next(true, i, n) {
		end := found.Next(false, i, n)
		tied, runs, i = tied+end-i+1, runs+1, end
	}
	return tied, runs
}

// pullFurther pulls the codes that were begun.
func pullFurther(e *engine.Further, bits, n int) []uint64 {
	codes := make([]uint64, n)
	for lo := 0; lo < n; lo += engine.Block {
		block := codes[lo:min(lo+engine.Block, n)]
		if bits > 32 {
			e.Codes64(block, lo)
			continue
		}
		narrow := make([]uint32, len(block))
		e.Codes32(narrow, lo)
		for i, c := range narrow {
			block[i] = uint64(c)
		}
	}
	return codes
}

// orderFurther orders rows that tie by further codes.
func orderFurther(codes []uint64, index []uint32, found engine.Ties) {
	n := len(index)
	for i := found.Next(true, 0, n); i < n; i = found.Next(true, i, n) {
		first, end := i-1, found.Next(false, i, n)
		testkit.SortStable(index[first:end], func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
		for i = first + 1; i < end; i++ {
			if codes[index[i-1]] != codes[index[i]] {
				found[i/32] &^= 1 << (i % 32)
			}
		}
	}
}

// whereFound refines ties where an order finds them.
func whereFound[C sortkey.Code](env *engine.Env, d *drawnOrder, words []extract.Word, src cpu.Source[C]) ([]uint32, Marks, error) {
	index, marks := make([]uint32, len(d.rows)), NewMarks(d.asked, len(d.rows), words)
	breaker := New(env, d.input(env), words)
	breaker.Mark(marks, index)
	err := cpu.Order(env, len(index), src, true, func(worker, lo int, order []uint32, codes []C) {
		final := index[lo : lo+len(order)]
		copy(final, order)
		Refine(breaker, worker, final, codes, extract.Level{})
	})
	return index, marks, breaker.Finish(err)
}

// moved moves a copy of the rows.
func moved[C sortkey.Code](env *engine.Env, d *drawnOrder, words []extract.Word, src cpu.Source[C]) ([]uint32, Marks, error) {
	breaker := New(env, d.input(env), words)
	refiner := &Refiner[C]{Breaker: breaker, Steps: bywords.Steps[C]{Keys: &breaker.Keys, Source: src}}
	before := slices.Clone(d.rows)
	defer func() { copy(d.rows, before) }()
	if _, err := cpu.MoveRefined[C](env, cpu.PayloadOf(d.rows), src, refiner); err != nil {
		return nil, nil, err
	}
	index := make([]uint32, len(d.rows))
	for i := range d.rows {
		index[i] = d.rows[i].number
	}
	return index, nil, nil
}

const ways = 5

// wayOf returns a way by number.
func wayOf[C sortkey.Code](number int) way[C] {
	return []way[C]{inPlace[C], byTies[C], whereFound[C], moved[C], byFurther[C]}[number]
}

// run orders by a way. With a limit, it allows as much memory as that needs in place.
func (d *drawnOrder) run(env *engine.Env, number int) ([]uint32, Marks, []extract.Word, error) {
	words := d.words()
	words[0].Open(d.input(env), env)
	if words[0].Bits <= 32 {
		index, marks, err := wayOf[uint32](number)(env, d, words, extract.Source32(d.input(env), &words[0]))
		return index, marks, words, err
	}
	index, marks, err := wayOf[uint64](number)(env, d, words, extract.Source64(d.input(env), &words[0]))
	return index, marks, words, err
}

// check holds an order, and runs, to those of a stable sort.
func (d *drawnOrder) check(t *testing.T, name string, index []uint32) {
	t.Helper()
	want, all := ascending32(len(d.rows)), len(d.columns)
	testkit.SortStable(want, func(a, b uint32) int { return d.compare(&d.rows[a], &d.rows[b], all) })
	if !slices.Equal(index, want) {
		at := 0
		for index[at] == want[at] {
			at++
		}
		t.Fatalf("%s: row %d at place %d, want %d", name, index[at], at, want[at])
	}
	for m := d.asked; m != nil; m = m.Next {
		columns := m.Columns
		if columns == call.AllColumns {
			columns = all
		}
		if m.Runs.Rows() != len(want) {
			t.Fatalf("%s: runs of %d rows", name, m.Runs.Rows())
		}
		for i := range want {
			begins := i == 0 || d.compare(&d.rows[want[i-1]], &d.rows[want[i]], columns) != 0
			if m.Runs.Begins(i) != begins {
				t.Fatalf("%s: a run by %d of %d columns begins at %d: %t", name, m.Columns, all, i, !begins)
			}
		}
	}
}

// ties counts the rows that tie on the first word, if anything decides after it.
func (d *drawnOrder) ties(words []extract.Word, index []uint32) (n int) {
	if len(words) == 1 && words[0].Whole() {
		return 0
	}
	codes := make([]uint64, len(index))
	env := new(engine.Env)
	defer env.Arena.Release(1)
	first := extract.Fresh(words)[0]
	first.Open(d.input(env), env)
	for lo := 0; lo < len(codes); lo += engine.Block {
		hi := min(lo+engine.Block, len(codes))
		extract.Source64(d.input(env), &first)(codes[lo:hi], lo)
	}
	for lo, hi := 0, 0; lo < len(index); lo = hi {
		for hi < len(index) && codes[index[hi]] == codes[index[lo]] {
			hi++
		}
		if hi-lo > 1 {
			n += hi - lo
		}
	}
	return n
}

// bytes bounds the memory of a way, in which an engine has ordered the rows by the first codes.
func (d *drawnOrder) bytes(number, workers int, words []extract.Word) int64 {
	n, size, code := len(d.rows), unsafe.Sizeof(row{}), extract.CodeSize(words)
	bytes := extract.FullBytes(n, words) + Bytes(workers, size, words, n) + LargeTieBytes(words, n)
	switch number {
	case 0:
		return bytes + cpu.InPlaceBytes(n, code)
	case 1:
		return bytes + PairsBytes(workers, words, n) + cpu.InPlaceBytes(n, code)
	}
	return bytes + PairsBytes(workers, words, n) + cpu.OrderBytes(n, workers, code)
}

// lengths are those at which runs are sorted in another way, and one more and less.
var lengths = []int{1, 2, 3, 30, together/2 - 1, together / 2, together/2 + 1, together - 1, together, together + 1, extract.Piece, extract.Piece + 1, 700, engine.Block, engine.Block + 1, 3*engine.Block + 5}

// TestDrawnOrders draws rows, columns, runs that are asked for, and ways.
func TestDrawnOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range testkit.Pick(700, 3000) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := lengths[r.IntN(len(lengths))]
		if i%140 == 0 { // runs that all workers sort together
			n = largeTie - 1 + r.IntN(3) + r.IntN(2)*r.IntN(9000)
		}
		number := r.IntN(ways)
		if i%20 == 1 { // runs that begin and end where workers' pieces do
			n, number = 3*engine.Block+5, 1
		}
		d := drawOrder(r, n)
		if number == 3 { // moves mark no ties
			d.asked = nil
		}
		env := new(engine.Env)
		env.Loop.Workers = 1 + r.IntN(3)
		env.Found(engine.Sorted)
		words := d.words()
		if r.IntN(2) == 0 && number != 3 && (number == 0 || !extract.Decisive(words)) { // engines order by whole keys without a breaker
			env.Limit = d.bytes(number, env.Loop.Workers, words)
		}
		name := fmt.Sprintf("case %d: %d rows by %d columns, %d words, way %d, %d workers, limit %d", i, n, len(d.columns), len(words), number, env.Loop.Workers, env.Limit)
		index, marks, words, err := d.run(env, number)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		PutRuns(d.asked, marks, words, n, []int{0, n})
		d.check(t, name, index)
		if most := d.bytes(number, env.Loop.Workers, words); env.Limit > 0 && env.Arena.Peak() > most {
			t.Fatalf("%s: %d bytes, of %d", name, env.Arena.Peak(), most)
		}
		if number != 2 && number != 3 && !extract.Decisive(words) {
			if want := d.ties(words, index); env.Trace.Ties != want || (env.Trace.Shape == "") != (want > 0) {
				t.Fatalf("%s: %d ties, want %d; shape %q", name, env.Trace.Ties, want, env.Trace.Shape)
			}
		}
		env.Arena.Release(1)
	}
}

// TestFurther has an engine order by further codes, where runs by each of the columns are asked for.
func TestFurther(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range testkit.Pick(400, 3000) {
		n := 1 + r.IntN(300)
		d := drawOrder(r, n)
		d.asked = nil
		for k := range d.columns {
			d.asked = &call.Marks{Columns: k + 1, Runs: new(perm.Runs), Next: d.asked}
		}
		shared, longest := strings.Repeat("s", r.IntN(40)), 6+r.IntN(4)
		for k, way := 0, r.IntN(3); way > 0 && k < n; k++ {
			if x := &d.rows[k]; way == 1 {
				x.text = shared + string(rune('a'+r.IntN(3))) + x.text
			} else { // about as many bytes as a further code has
				x.text = shared + strings.Repeat("t", r.IntN(longest)) + string(rune('s'+r.IntN(3)))
			}
		}
		env := new(engine.Env)
		env.Loop.Workers = 1 + r.IntN(3)
		index, marks, words, err := d.run(env, 4)
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		PutRuns(d.asked, marks, words, n, []int{0, n})
		d.check(t, fmt.Sprintf("case %d: %d rows by %d columns, %d words", i, n, len(d.columns), len(words)), index)
		env.Arena.Release(1)
	}
}

// TestFurtherStops has texts whose runs have more in common than codes reach: no codes follow those that split no run.
func TestFurtherStops(t *testing.T) {
	const n = 1000
	d := &drawnOrder{rows: make([]row, n)}
	for i := range d.rows {
		d.rows[i] = row{text: fmt.Sprint("https://", i%8, strings.Repeat("/", 20), i), number: uint32(i)}
	}
	get := column.Func[row, string](func(x row) string { return x.text })
	d.columns = []drawnColumn{{extract.ColumnOf[string](get), func(a, b *row) int { return cmp.Compare(a.text, b.text) }}}
	env, words := new(engine.Env), d.words()
	words[0].Open(d.input(env), env)
	index, found := ascending32(n), make(engine.Ties, engine.TieWords(n))
	extract.Source64(d.input(env), &words[0])(make([]uint64, n), 0)
	found.SetAll(1, n)
	f := NewFurther(env, d.input(env), words, index, found, nil, Forget)
	given, e := 0, f.Offer()
	for tied, runs := tiedRows(found, n); ; tied, runs = tiedRows(found, n) {
		bits := e.Next(tied, runs)
		if bits == 0 {
			break
		}
		given++
		orderFurther(pullFurther(e, bits, n), index, found)
		e.Done(tied)
	}
	if err := f.Refine(); err != nil || given != 2 || env.Trace.Ties != n {
		t.Errorf("error %v, %d codes were given, %d ties", err, given, env.Trace.Ties)
	}
	d.check(t, "texts of 8 hosts", index)
	env.Arena.Release(1)
}

// TestCancelled cancels orders at each question, about. They report it, and read few keys after it.
func TestCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	cancelled := 0
	for i := range testkit.Pick(400, 1333) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := lengths[r.IntN(len(lengths))]
		if i%100 == 0 {
			n = largeTie + 1 + r.IntN(5000)
		}
		d := drawOrder(r, n)
		d.asked = nil
		ctx := &testkit.Ending{Context: t.Context()}
		ctx.Left.Store(r.Int64N(1 + r.Int64N(1<<r.IntN(10))))
		d.reads.ctx = ctx
		env := new(engine.Env)
		env.Loop.Workers, env.Loop.Ctx = r.IntN(4), ctx
		number := r.IntN(ways)
		name := fmt.Sprintf("case %d: %d rows by %d columns, way %d, %d workers", i, n, len(d.columns), number, env.Loop.Workers)
		index, _, _, err := d.run(env, number)
		switch {
		case ctx.Left.Load() >= 0:
			if err != nil {
				t.Fatalf("%s: %v without a cancellation", name, err)
			}
			d.check(t, name, index)
		case !errors.Is(err, context.Canceled):
			t.Fatalf("%s: cancelled, error %v", name, err)
		default:
			cancelled++
			if late, most := d.reads.late.Load(), int64(max(1, env.Loop.Workers)*2*extract.Piece); late > most {
				t.Fatalf("%s: %d keys are read after the cancellation", name, late)
			}
		}
		env.Arena.Release(1)
	}
	if cancelled < 100 && !testkit.ThinnedByRace(1) {
		t.Errorf("%d orders were cancelled", cancelled)
	}
}
