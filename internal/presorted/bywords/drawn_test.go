package bywords

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// row has keys for all columns.
type row struct {
	small uint16
	word  uint64
	pair  sortkey.Uint128
	text  string
}

// drawn are rows in an order by some columns, or nearly.
type drawn struct {
	rows    []row
	columns []extract.Column
	compare []func(a, b *row) int
	reads   int // calls of key functions
}

func addColumn[K sortkey.Key](d *drawn, inMemory, desc bool, key func(x *row) K, compare func(a, b *row) int) {
	c := extract.ColumnOf[K](column.Func[row, K](func(x row) K {
		d.reads++
		return key(&x)
	}))
	if inMemory {
		keys := make([]K, len(d.rows))
		for i := range keys {
			keys[i] = key(&d.rows[i])
		}
		spec := column.SpecOfSlice(sortkey.KindOf[K](), unsafe.Pointer(unsafe.SliceData(keys)), len(keys))
		c = extract.AppendColumns(nil, []column.Spec{spec})[0]
	}
	c.Order.Desc = desc
	d.columns = append(d.columns, c)
	if desc {
		ascending := compare
		compare = func(a, b *row) int { return ascending(b, a) }
	}
	d.compare = append(d.compare, compare)
}

// draw draws n rows, in order by the first of up to four columns, by all, or from the last to the first, except for some.
func draw(r *rand.Rand, n int, inMemory bool) *drawn {
	d := &drawn{rows: make([]row, n)}
	value := func() func() int {
		values := 1 + r.IntN([]int{1, 3, 1 + n/8, 1 << 16}[r.IntN(4)])
		return func() int { return r.IntN(values) }
	}
	small, word, high, low, text, shared := value(), value(), value(), value(), value(), strings.Repeat("s", r.IntN(12))
	for i := range d.rows {
		d.rows[i] = row{uint16(small()), uint64(word()) << 40, sortkey.Uint128{Hi: uint64(high()), Lo: uint64(low())}, shared + fmt.Sprint(text())}
	}
	kinds := make([]int, 1+r.IntN(4))
	for i := range kinds {
		kinds[i] = r.IntN(4)
	}
	descending := make([]bool, len(kinds))
	for i := range descending {
		descending[i] = r.IntN(2) == 0
	}
	add := func(inMemory bool) {
		d.columns, d.compare = nil, nil
		for i, kind := range kinds {
			switch kind {
			case 0:
				addColumn(d, inMemory, descending[i], func(x *row) uint16 { return x.small }, func(a, b *row) int { return cmp.Compare(a.small, b.small) })
			case 1:
				addColumn(d, inMemory, descending[i], func(x *row) uint64 { return x.word }, func(a, b *row) int { return cmp.Compare(a.word, b.word) })
			case 2:
				addColumn(d, inMemory, descending[i], func(x *row) sortkey.Uint128 { return x.pair }, func(a, b *row) int {
					return cmp.Or(cmp.Compare(a.pair.Hi, b.pair.Hi), cmp.Compare(a.pair.Lo, b.pair.Lo))
				})
			default:
				addColumn(d, inMemory, descending[i], func(x *row) string { return x.text }, func(a, b *row) int { return cmp.Compare(a.text, b.text) })
			}
		}
	}
	add(false)
	switch sorted := r.IntN(4); sorted {
	case 0, 1:
		slices.SortFunc(d.rows, func(a, b row) int { return d.by(&a, &b, len(kinds)) })
		if sorted == 1 {
			slices.Reverse(d.rows)
		}
	case 2:
		k := 1 + r.IntN(len(kinds))
		slices.SortFunc(d.rows, func(a, b row) int { return d.by(&a, &b, k) })
	}
	for range r.IntN(2) * r.IntN(1+n/20) {
		i, j := r.IntN(n), r.IntN(n)
		d.rows[i], d.rows[j] = d.rows[j], d.rows[i]
	}
	add(inMemory)
	return d
}

// by compares rows by the first columns.
func (d *drawn) by(a, b *row, columns int) int {
	for _, compare := range d.compare[:columns] {
		if c := compare(a, b); c != 0 {
			return c
		}
	}
	return 0
}

// step compares a row with its predecessor by the columns of the first words.
func (d *drawn) step(i int, words []extract.Word) int {
	columns := 0
	for k := range words {
		columns += words[k].Columns()
	}
	return d.by(&d.rows[i-1], &d.rows[i], columns)
}

func (d *drawn) input(env *engine.Env, inMemory bool) extract.Input {
	input := extract.InputOf(cpu.PayloadOf(d.rows))
	if inMemory {
		input = extract.RowNumbers(len(d.rows))
	}
	input.Arena = &env.Arena
	return input
}

// TestDrawnSteps follows rows block by block, as a check of whole keys does, and compares their steps with a loop.
func TestDrawnSteps(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(61, 62))
	exact, unfinished := 0, 0
	for i := range testkit.Pick(400, 1200) {
		n := []int{1, 2, 65, extract.Piece, extract.Piece + 1, 700, engine.Block, engine.Block + 1, 3 * engine.Block}[r.IntN(9)]
		inMemory := r.IntN(2) == 0
		d := draw(r, n, inMemory)
		env := new(engine.Env)
		env.Loop.Workers = 1
		input, words := d.input(env, inMemory), extract.Words(d.columns, sortkey.Order{})
		if inMemory {
			extract.ForRows(d.columns, n)
			words = extract.Words(d.columns, sortkey.Order{})
		}
		keys := extract.NewKeys(env, input, words)
		words[0].Open(input, env)
		name := fmt.Sprintf("case %d: %d rows by %d columns, %d words, in memory %t", i, n, len(d.columns), len(words), inMemory)
		early := r.IntN(4) > 0
		if words[0].Bits <= 32 {
			checkFollow(t, name, r, d, &Steps[uint32]{Keys: &keys, Source: extract.Source32(input, &words[0]), Early: early}, &exact, &unfinished)
		} else {
			checkFollow(t, name, r, d, &Steps[uint64]{Keys: &keys, Source: extract.Source64(input, &words[0]), Early: early}, &exact, &unfinished)
		}
		most := Bytes(1, input.Slice.Size(), words) + extract.FullBytes(n, words) + extract.EarlyBytes(n, words) + scratch.Size(engine.Block, input.Slice.Size())
		if extract.Decisive(words) {
			most = env.Arena.Peak()
		}
		if env.Arena.Peak() > most {
			t.Fatalf("%s: %d bytes, of %d", name, env.Arena.Peak(), most)
		}
		env.Arena.Release(1)
	}
	if exact < 100 || unfinished < 20 {
		t.Errorf("%d exact counts, %d unfinished ones", exact, unfinished)
	}
}

func checkFollow[C sortkey.Code](t *testing.T, name string, r *rand.Rand, d *drawn, s *Steps[C], exact, unfinished *int) {
	t.Helper()
	n := len(d.rows)
	ties := make(engine.Ties, engine.TieWords(n))
	codes := make([]C, n)
	for lo := 0; lo < n; {
		hi := min(n, lo+1+r.IntN(engine.Block-1))
		if r.IntN(2) == 0 {
			hi = min(n, lo+engine.Block-1)
		}
		from := max(lo-1, 0)
		seen := s.Follow(codes[from:hi], from, hi-lo, ties)
		var want presorted.Steps
		var first, whole presorted.Steps // by the codes of the first word, and by its keys
		tied := 0                        // by the latter
		for i := max(lo, 1); i < hi; i++ {
			switch c := d.step(i, s.Words); {
			case c < 0:
				want.Rises++
			case c > 0:
				want.Falls++
			default:
				want.Ties++
			}
			switch {
			case codes[i-1] < codes[i]:
				first.Rises++
			case codes[i-1] > codes[i]:
				first.Falls++
			}
			switch c := d.step(i, s.Words[:1]); {
			case c < 0:
				whole.Rises++
			case c > 0:
				whole.Falls++
			default:
				tied++
			}
		}
		ends := max(first.Disorder(), whole.Disorder()) > mostBlockSteps || !s.Early && len(s.Words) > 1 && tied > 0
		switch {
		case seen == want:
			*exact++
		case !ends || seen.Rises < want.Rises || seen.Falls < want.Falls || seen.Ties < want.Ties:
			t.Fatalf("%s: rows [%d, %d): %+v, want %+v, may end early: %t", name, lo, hi, seen, want, ends)
		default:
			*unfinished++
		}
		for i := max(lo, 1); i < hi && want.Rises == 0 && seen == want; i++ {
			if tied := d.step(i, s.Words) == 0; ties.Tied(i) != tied {
				t.Fatalf("%s: rows [%d, %d): row %d tied %t", name, lo, hi, i, !tied)
			}
		}
		lo = hi
	}
	if len(s.Words) > 1 && s.Early {
		checkRest(t, name, r, d, s)
	}
	if len(s.Words) == 1 && s.RestDecides() {
		t.Fatalf("%s: there is no rest", name)
	}
	if d.reads > n*len(d.columns) {
		t.Fatalf("%s: %d keys are read", name, d.reads)
	}
	if s.Concurrent() != (len(s.Words) == 1) {
		t.Fatalf("%s: concurrent %t", name, s.Concurrent())
	}
	for range 20 {
		i, j := r.IntN(n), r.IntN(n)
		if codes[i] != codes[j] {
			continue
		}
		if got, want := s.Compare(uint32(i), uint32(j)), d.by(&d.rows[i], &d.rows[j], len(d.compare)); cmp.Compare(got, 0) != want {
			t.Fatalf("%s: rows %d and %d compare as %d, want %d", name, i, j, got, want)
		}
	}
}

// checkRest holds the codes of the words after the first to the columns of the second.
func checkRest[C sortkey.Code](t *testing.T, name string, r *rand.Rand, d *drawn, s *Steps[C]) {
	t.Helper()
	s.Open(1, true)
	if s.RestDecides() != s.Words[0].Exact() {
		t.Fatalf("%s: the rest decides: %t", name, s.RestDecides())
	}
	rest, from, n := s.Rest(), s.Words[0].Columns(), len(d.rows)
	to := from + s.Words[1].Columns()
	if len(rest.Words) != len(s.Words)-1 || rest.Runs != nil {
		t.Fatalf("%s: %d words in the rest", name, len(rest.Words))
	}
	codes := make([]uint64, n)
	for lo := 0; lo < n; lo += engine.Block {
		rest.Source(codes[lo:min(lo+engine.Block, n)], lo)
	}
	for range 50 {
		i, j := r.IntN(n), r.IntN(n)
		want := 0
		for _, compare := range d.compare[from:to] {
			want = cmp.Or(want, compare(&d.rows[i], &d.rows[j]))
		}
		if got := cmp.Compare(codes[i], codes[j]); got != want && (got != 0 || s.Words[1].Exact()) {
			t.Fatalf("%s: codes of rows %d and %d compare as %d, want %d", name, i, j, got, want)
		}
	}
}

// TestFiner makes codes of the bytes after those that all texts share.
func TestFiner(t *testing.T) {
	const n = 5000
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("https://%05d", i*7919%n)
	}
	env, input := new(engine.Env), extract.InputOf(cpu.PayloadOf(texts))
	words := extract.Words([]extract.Column{extract.Self[string]()}, sortkey.Order{})
	keys := extract.NewKeys(env, input, words)
	words[0].Open(input, env)
	s := &Steps[uint64]{Keys: &keys, Source: extract.Source64(input, &words[0])}
	codes := make([]uint64, n)
	read := func(src cpu.Source[uint64]) {
		for lo := 0; lo < n; lo += engine.Block {
			src(codes[lo:min(lo+engine.Block, n)], lo)
		}
	}
	read(s.Source)
	src := s.Finer(codes, slices.Min(codes), slices.Max(codes))
	if src == nil {
		t.Fatal("no finer codes")
	}
	read(src)
	for i := range texts {
		if j := i * 31 % n; cmp.Compare(codes[i], codes[j]) != cmp.Compare(texts[i], texts[j]) {
			t.Fatalf("codes of %q and %q are %x and %x", texts[i], texts[j], codes[i], codes[j])
		}
	}
	numbers := &Steps[uint32]{Keys: &keys}
	if numbers.Finer(make([]uint32, n), 0, 9) != nil {
		t.Error("finer codes of numbers")
	}
	env.Arena.Release(1)
}

// TestOfTies marks elements that tie, unless another rises.
func TestOfTies(t *testing.T) {
	r := rand.New(rand.NewPCG(69, 70))
	for range 2000 {
		const n = 200
		var at []uint32
		for x := 1 + r.IntN(9); x < n && len(at) < 1+r.IntN(n); x++ {
			if r.IntN(40) > 0 {
				at = append(at, uint32(x))
			}
		}
		seen := presorted.Steps{Rises: r.IntN(2), Falls: r.IntN(3)}
		w := worker{ties: make(engine.Ties, engine.TieWords(n))}
		if got := w.ofTies(at, seen); got != (presorted.Steps{Rises: seen.Rises, Ties: len(at), Falls: seen.Falls}) {
			t.Fatalf("%+v after %+v and %d ties", got, seen, len(at))
		}
		for i := range n {
			if tied := slices.Contains(at, uint32(i)) && seen.Rises == 0; w.ties.Tied(i) != tied {
				t.Fatalf("%d after %+v: %d tied %t", at, seen, i, !tied)
			}
		}
	}
}

// TestRunsDecide finds the runs of rows that are in order by the first word.
func TestRunsDecide(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	found, none := 0, 0
	for i := range testkit.Pick(120, 500) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := []int{100, 2*engine.Block - 1, 2 * engine.Block, 2*engine.Block + 77, 5*engine.Block + 1001, 6*engine.Block + 999}[r.IntN(6)]
		d := draw(r, n, false)
		if r.IntN(8) == 0 { // all first codes are equal, except the last, or all are
			for i := range d.rows {
				last := i == n-1 && r.IntN(2) == 0
				d.rows[i].small, d.rows[i].word = uint16(bit(last)), uint64(bit(last))
			}
		}
		if r.IntN(2) == 0 { // in order by the first word
			columns := extract.Words(d.columns, sortkey.Order{})[0].Columns()
			slices.SortFunc(d.rows, func(a, b row) int { return d.by(&a, &b, columns) })
		}
		env := new(engine.Env)
		env.Loop.Workers = r.IntN(4)
		input, words := d.input(env, false), extract.Words(d.columns, sortkey.Order{})
		keys := extract.NewKeys(env, input, words)
		words[0].Open(input, env)
		early := r.IntN(8) > 0
		name := fmt.Sprintf("case %d: %d rows by %d columns, %d words", i, n, len(d.columns), len(words))
		decides, runs := false, engine.Ties(nil)
		if words[0].Bits <= 32 {
			s := &Steps[uint32]{Keys: &keys, Source: extract.Source32(input, &words[0]), Early: early}
			decides, runs = runsDecide(s, n)
		} else {
			s := &Steps[uint64]{Keys: &keys, Source: extract.Source64(input, &words[0]), Early: early}
			decides, runs = runsDecide(s, n)
		}
		tied, falls := 0, false
		for i := 1; i < n; i++ {
			c := d.step(i, words[:1])
			falls = falls || c > 0
			if c == 0 {
				tied++
			}
		}
		constant := tied == n-1 && words[0].Exact()
		want := len(words) > 1 && early && n >= 2*engine.Block && !constant && !falls && tied >= n/leastTiedRows
		if decides != want || decides != (runs != nil) {
			t.Fatalf("%s: %d tie, falls %t, early %t: runs decide %t", name, tied, falls, early, decides)
		}
		if !decides {
			none++
			continue
		}
		found++
		for i := range n {
			if tied := i > 0 && d.step(i, words[:1]) == 0; runs.Tied(i) != tied {
				t.Fatalf("%s: row %d tied %t", name, i, !tied)
			}
		}
		env.Arena.Release(1)
	}
	if (found < 10 || none < 20) && !testkit.ThinnedByRace(1) {
		t.Errorf("runs decide %d times, and not %d times", found, none)
	}
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

func runsDecide[C sortkey.Code](s *Steps[C], n int) (bool, engine.Ties) {
	codes := make([]C, n)
	for lo := 0; lo < n; lo += engine.Block {
		s.Source(codes[lo:min(n, lo+engine.Block)], lo)
	}
	return s.RunsDecide(codes), s.runs
}

// TestRowOf takes rows of neighbours, or of elements at most two apart: less than a block.
func TestRowOf(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(65, 66))
	for range 3000 {
		at, x, gaps, longest := []uint32(nil), uint32(1+r.IntN(9)), 1+r.IntN(200), 1+r.IntN(3)
		for range 1 + r.IntN(2*engine.Block) {
			at = append(at, x)
			if x++; r.IntN(gaps) == 0 {
				x += uint32(r.IntN(1 + longest))
			}
		}
		want := 1
		for want < len(at) && at[want] == at[want-1]+1 && want+1 < engine.Block-1 {
			want++
		}
		if want < longRow {
			for want = 1; want < len(at) && at[want]-at[want-1] <= 2 && at[want]-at[0]+2 < engine.Block; want++ {
			}
		}
		if k, n := rowOf(at); k != want || n != int(at[k-1]-at[0])+2 {
			t.Fatalf("%d of %d elements, %d in all, want %d", k, len(at), n, want)
		}
	}
}

// TestBytes holds bounds to the sums of their parts.
func TestBytes(t *testing.T) {
	one := extract.Words([]extract.Column{extract.Self[uint64]()}, sortkey.Order{})
	text := extract.Words([]extract.Column{extract.Self[string]()}, sortkey.Order{})
	two := extract.Words([]extract.Column{extract.Self[uint64](), extract.Self[uint32]()}, sortkey.Order{})
	for workers := range 4 {
		each := int64(unsafe.Sizeof(worker{})) + scratch.Size(engine.Block, 4)
		if got := Bytes(workers, 40, one); got != 0 {
			t.Errorf("%d bytes for whole keys", got)
		}
		if got, want := Bytes(workers, 40, text), int64(workers)*each; got != want {
			t.Errorf("%d workers: %d bytes, want %d", workers, got, want)
		}
		if got, want := Bytes(workers, 40, two), int64(workers)*(each+scratch.Size(extract.Piece, 40)); got != want {
			t.Errorf("%d workers, two words: %d bytes, want %d", workers, got, want)
		}
	}
}

// TestLeadRuns finds the runs of rows in memory that are in order by the first word, and not by all.
func TestLeadRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 68))
	found, none := 0, 0
	for i := range testkit.Pick(200, 400) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := 2*LeadRows + r.IntN(3*LeadRows)
		inMemory := r.IntN(8) > 0
		d := draw(r, n, inMemory)
		env := new(engine.Env)
		env.Loop.Workers = r.IntN(4)
		if inMemory {
			extract.ForRows(d.columns, n)
		}
		input, words := d.input(env, inMemory), extract.Words(d.columns, sortkey.Order{})
		if len(words) == 1 {
			continue
		}
		least := []int{0, 1, LeadRows / 2, LeadRows}[r.IntN(4)]
		runs := LeadRuns(env, input, words, least)
		name := fmt.Sprintf("case %d: %d rows by %d columns, %d words, %d ties at least", i, n, len(d.columns), len(words), least)
		tied, falls, ordered, sampled, disorder := 0, false, true, 0, false
		places := map[int]bool{}
		for k := range leadSamples {
			for j := range leadSample {
				places[leadPlace(k, n)+j] = true
			}
		}
		for i := 1; i < n; i++ {
			c := d.step(i, words[:1])
			if falls = falls || c > 0; c == 0 {
				tied++
			}
			whole := d.step(i, words)
			if ordered = ordered && whole <= 0; places[i] && c == 0 {
				sampled++
				disorder = disorder || whole > 0
			}
		}
		var must, mustNot bool
		mustNot = !inMemory || falls || tied < n/leastTiedRows || sampled < least || ordered
		must = !mustNot && disorder && allExact(words)
		if runs != nil && mustNot || runs == nil && must {
			t.Fatalf("%s: %d tie, %d of a sample, falls %t, in order %t: runs %t", name, tied, sampled, falls, ordered, runs != nil)
		}
		if used := env.Arena.Used(); runs == nil && inMemory && allExact(words) && used > 0 {
			t.Fatalf("%s: %d bytes are held without runs", name, used)
		}
		if runs == nil {
			none++
			env.Arena.Release(1)
			continue
		}
		found++
		for i := range n {
			if tied := i > 0 && d.step(i, words[:1]) == 0; runs.Tied(i) != tied {
				t.Fatalf("%s: row %d tied %t", name, i, !tied)
			}
		}
		env.Arena.Release(1)
	}
	if (found < 10 || none < 20) && !testkit.ThinnedByRace(1) {
		t.Errorf("runs were found %d times, and not %d times", found, none)
	}
}

// allExact reports whether codes of all words hold whole keys.
func allExact(words []extract.Word) bool {
	return !slices.ContainsFunc(words, func(l extract.Word) bool { return !l.Exact() })
}
