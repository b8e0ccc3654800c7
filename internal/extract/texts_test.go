package extract

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// stringsOf returns the full keys keys[x] of elements x.
func stringsOf[K texts.Key](keys []K, o sortkey.Order) *Strings[K] {
	return &Strings[K]{Column: Column{kind: sortkey.KindOf[K](), Order: o}, Keys: keys}
}

// TestFewTexts goes to the bounds of the number and the length of texts that are sorted without codes.
func TestFewTexts(t *testing.T) {
	long := strings.Repeat("x", texts.Turn+3)
	for _, c := range []struct {
		texts []string
		depth int
		ok    bool
	}{
		{slices.Repeat([]string{"a"}, fewTexts), 0, true}, {slices.Repeat([]string{"a"}, fewTexts+1), 0, false},
		{[]string{long, long}, 3, true}, {[]string{long, long}, 2, false}, {[]string{"xxxx", long}, 2, false}, {[]string{long, "xxxx"}, 2, false},
		{[]string{"xxxx", long, "xxx"}, 3, true}, {[]string{"xxxx", long, "xxx"}, 2, false},
	} {
		order := make([]uint32, len(c.texts))
		for i := range order {
			order[i] = uint32(i)
		}
		if _, ok := stringsOf(c.texts, sortkey.Order{}).SortFew(order, Level{Depth: c.depth}); ok != c.ok {
			t.Errorf("%d texts of %d bytes from %d on: %t", len(c.texts), len(c.texts[0]), c.depth, ok)
		}
	}
}

// TestDeepTexts refines texts of which many tie up to late bytes, in runs about the lengths that pivots treat in their own way.
func TestDeepTexts(t *testing.T) {
	r := dist.Rand(23)
	for i := range testkit.Pick(400, 4000) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := []int{2, 15, 16, 17, 18, 32, 33, 64, 200}[r.IntN(9)]
		stem := strings.Repeat("s", r.IntN(3)*r.IntN(40))
		keys := make([]string, n)
		for i := range keys {
			switch r.IntN(4) {
			case 0:
				keys[i] = stem[:r.IntN(len(stem)+1)] + "a"[:r.IntN(2)]
			case 1:
				keys[i] = stem + testkit.Text(r)
			case 2:
				keys[i] = stem + strings.Repeat("\x00", r.IntN(10))
			default:
				keys[i] = keys[r.IntN(i+1)] + string(rune('a' + r.IntN(2)))[:r.IntN(2)]
			}
		}
		o := sortkey.Order{Desc: r.IntN(2) == 0}
		full, order := stringsOf(keys, o), make([]uint32, n)
		for i := range order {
			order[i] = uint32(i)
		}
		compare := func(i, j uint32) int {
			if o.Desc {
				i, j = j, i
			}
			return strings.Compare(keys[i], keys[j])
		}
		want := slices.Clone(order)
		slices.SortStableFunc(want, compare)
		refine(t, r, full, order, Level{Tail: true}, compare)
		if !slices.Equal(order, want) {
			t.Fatalf("%q: %v, want %v", keys, order, want)
		}
		for range n {
			if i, j := uint32(r.IntN(n)), uint32(r.IntN(n)); sign(full.Compare(i, j)) != compare(i, j) {
				t.Fatalf("%q and %q", keys[i], keys[j])
			}
		}
	}
}

// TestWindows holds the bytes that codes compare to the lengths that texts share.
func TestWindows(t *testing.T) {
	all := make([]string, 100)
	for i := range all {
		all[i] = strings.Repeat("x", 1000) + string(rune('a'+i%26)) + strings.Repeat("y", i)
	}
	full, order := stringsOf(all, sortkey.Order{}), make([]uint32, len(all))
	for i := range order {
		order[i] = uint32(i)
	}
	for _, depth := range []int{0, 3, 999, 1000} {
		if p := full.WithPivot(order, Level{Depth: depth}); !p.stem || depth+p.Window != 1000 {
			t.Errorf("from %d on: stem %t, window %d", depth, p.stem, p.Window)
		}
		p := full.WithPivot(order[:column.OnStack], Level{Depth: depth})
		if p.stem || p.Pivot != column.OnStack/2 || p.Window != 1009-depth {
			t.Errorf("few from %d on: pivot %d, window %d", depth, p.Pivot, p.Window)
		}
	}
	for i := range all { // no two texts differ at the place where others do
		all[i] = strings.Repeat("x", 10*i) + "y" + strings.Repeat("z", 3000)
	}
	if p := full.WithPivot(order, Level{}); !p.stem && (p.Window > len(all[p.Pivot]) || p.Window < 17) {
		t.Errorf("window of %d bytes", p.Window)
	}
	long := stringsOf(slices.Repeat([]string{strings.Repeat("x", 3*texts.Turn)}, 40), sortkey.Order{})
	for _, n := range []int{column.OnStack, column.OnStack + 1} {
		if p := long.WithPivot(order[:n], Level{Depth: 5}); p.Window != texts.Turn {
			t.Errorf("window of %d bytes in a run of %d", p.Window, n)
		}
	}
}

// TestPrefixTied compares neighbours while codes are made, in pieces.
func TestPrefixTied(t *testing.T) {
	r := dist.Rand(25)
	for range testkit.Pick(300, 3000) {
		n := sizes[r.IntN(len(sizes))]
		keys := make([]string, n)
		for i := range keys {
			switch keys[i] = testkit.Text(r); {
			case i > 0 && r.IntN(3) > 0:
				keys[i] = keys[i-1]
			case i > 0 && r.IntN(3) == 0:
				keys[i] = strings.Clone(keys[i-1])
			}
		}
		if r.IntN(2) == 0 {
			slices.Sort(keys)
		}
		for i := range keys { // some of them share memory
			if i > 0 && keys[i] == keys[i-1] && r.IntN(2) == 0 {
				keys[i] = strings.Clone(keys[i])
			}
		}
		col := Self[string]()
		col.Order.Desc = r.IntN(2) == 0
		words, env := Words([]Column{col}, sortkey.Order{}), drawnEnv(r, t)
		rows := InputOf(cpu.PayloadOf(keys))
		if words[0].Open(rows, env); !words[0].FindsTies() || !OwnTexts(words) {
			t.Fatal("finds no ties")
		}
		flip := words[0].Full.(sharedKeys).flip()
		dst, lo := make([]uint64, n), 0
		var tied, want []uint32
		var seen, steps presorted.Steps
		for lo < n {
			hi := min(n, lo+1+r.IntN(2*Piece))
			rows.Block(&words[0], lo, hi, func(b Batch) {
				part, some := words[0].Full.(TieFinder).PrefixTied(dst[lo:hi], b, lo == 0, make([]uint32, hi-lo))
				tied, seen = append(tied, part...), seen.Plus(some)
			})
			lo = hi
		}
		longest := 0
		for i, s := range keys {
			if longest = max(longest, len(s)); strings.Contains(s, "\x00") {
				longest = 9
			}
			if dst[i] != sortkey.Prefix(s)^flip {
				t.Fatalf("code of %q is %#x", s, dst[i])
			}
			if i == 0 {
				continue
			}
			switch c := strings.Compare(keys[i-1], s); {
			case c == 0:
				want = append(want, uint32(i))
			case c < 0 != col.Order.Desc:
				steps.Rises++
			default:
				steps.Falls++
			}
		}
		if !slices.Equal(tied, want) || seen != steps {
			t.Fatalf("%q, descending %t: ties %v, %v, want %v, %v", keys, col.Order.Desc, tied, seen, want, steps)
		}
		if words[0].Full.PrefixIsWhole(64) != (longest <= 8) {
			t.Fatalf("%q: prefixes are whole: %t", keys, longest > 8)
		}
	}
}

// TestTextSteps compares neighbours of texts in one list.
func TestTextSteps(t *testing.T) {
	r := dist.Rand(26)
	var loop parallel.Loop
	for range testkit.Pick(300, 3000) {
		n := sizes[r.IntN(len(sizes))]
		keys := make([]string, n)
		few := r.IntN(2) == 0
		for i := range keys {
			if keys[i] = testkit.Text(r); few && i > 0 && r.IntN(4) > 0 {
				keys[i] = keys[i-1]
			}
		}
		desc := r.IntN(2) == 0
		s := texts.NewSteps(keys, desc, &loop)
		compare := func(i, j int) int {
			if desc {
				i, j = j, i
			}
			return strings.Compare(keys[i], keys[j])
		}
		lo := r.IntN(n)
		hi := lo + r.IntN(n-lo+1)
		ties := make(engine.Ties, engine.TieWords(n))
		var want presorted.Steps
		seen := s.Follow(lo, hi, ties)
		for x := range n {
			tie := false
			if x > 0 && lo <= x && x < hi {
				switch c := compare(x-1, x); {
				case c < 0:
					want.Rises++
				case c > 0:
					want.Falls++
				default:
					want.Ties++
					tie = true
				}
			}
			if ties.Tied(x) != tie {
				t.Fatalf("%q, %d to %d: text %d ties: %t", keys, lo, hi, x, !tie)
			}
		}
		if seen != want {
			t.Fatalf("%q, %d to %d: %v, want %v", keys, lo, hi, seen, want)
		}
		i, j := r.IntN(n), r.IntN(n)
		if sign(s.Compare(uint32(i), uint32(j))) != compare(i, j) || s.Equal(uint32(i), uint32(j)) != (keys[i] == keys[j]) {
			t.Fatalf("%q and %q", keys[i], keys[j])
		}
	}
}

// TestShared skips the bytes that all texts share, by codes, by runs in order, and of a few texts.
func TestShared(t *testing.T) {
	r := dist.Rand(27)
	for range testkit.Pick(500, 5000) {
		n := []int{2, 16, 17, 100, 300, 1000}[r.IntN(6)]
		shared := strings.Repeat("s", []int{0, 1, 3, 4, 5, 7, 8, 9, 30, 500, texts.MostShared - 1, texts.MostShared, texts.MostShared + 5}[r.IntN(13)])
		if len(shared) > 3 && r.IntN(8) == 0 {
			shared = shared[:2] + "\x00" + shared[3:]
		}
		keys := make([]string, n)
		for i := range keys {
			keys[i] = shared + string(rune('a'+i%7)) + strings.Repeat("t", r.IntN(3)*r.IntN(9))
		}
		slices.Sort(keys)
		o := sortkey.Order{Desc: r.IntN(2) == 0}
		if o.Desc {
			slices.Reverse(keys)
		}
		ends := []int{n}
		if r.IntN(2) == 0 { // two runs in order
			ends = []int{1 + r.IntN(n-1), n}
			keys = append(slices.Clone(keys[n-ends[0]:]), keys[:n-ends[0]]...)
		}
		checkShared(t, keys, o, ends, shared)
		checkFewShared(t, keys, o)
		byBytes := make([][]byte, n)
		for i, s := range keys {
			byBytes[i] = []byte(s)
		}
		checkFewShared(t, byBytes, o)
	}
}

func checkShared(t *testing.T, keys []string, o sortkey.Order, ends []int, shared string) {
	n := len(keys)
	col := Self[string]()
	for _, bySpan := range []bool{false, true} {
		words, env := Words([]Column{col.Under(o)}, sortkey.Order{}), new(engine.Env)
		env.Loop.Workers = 2
		rows := InputOf(cpu.PayloadOf(keys))
		words[0].Open(rows, env)
		codes := make([]uint64, n)
		Source64(rows, &words[0])(codes, 0)
		longest := 0
		for _, s := range keys {
			longest = max(longest, len(s))
		}
		var skipped bool
		if bySpan {
			skipped = words[0].SkipShared(env, codes, slices.Min(codes), slices.Max(codes))
		} else {
			skipped = words[0].SkipSharedOf(codes, ends)
		}
		tie := texts.TieOften(codes)
		zero := strings.IndexByte(shared, 0)
		if bySpan && zero >= 0 {
			shared = shared[:zero]
		}
		if want := len(shared) > 0 && len(shared) < texts.MostShared && tie && longest > 8; skipped != want && zero < 0 {
			t.Fatalf("%d texts that share %d bytes, by span %t: skipped %t, ties %t", n, len(shared), bySpan, skipped, tie)
		}
		if !skipped {
			continue
		}
		words[0].Again(codes, 0)
		longest = 0
		for i, s := range keys {
			rest := s[words[0].Full.(*Strings[string]).skipped:]
			if longest = max(longest, len(rest)); strings.Contains(rest, "\x00") {
				longest = 9
			}
			if words[0].Full.(*Strings[string]).skipped < len(shared) && zero < 0 || codes[i] != sortkey.Prefix(rest)^texts.Flip(o) {
				t.Fatalf("%q after %d bytes", s, words[0].Full.(*Strings[string]).skipped)
			}
		}
		if words[0].Whole() != (longest <= 8) {
			t.Fatalf("whole: %t, longest %d", longest > 8, longest)
		}
	}
}

// leastShared is that of package texts.
const leastShared = 4

func checkFewShared[K texts.Key](t *testing.T, keys []K, o sortkey.Order) {
	codes := make([]uint64, len(keys))
	whole, longest, shared := texts.CodesOf(codes, keys, o), 0, sortkey.TextOf(&keys[0])
	before := slices.Clone(codes)
	for i := range keys {
		s := sortkey.TextOf(&keys[i])
		if longest = max(longest, len(s)); strings.Contains(s, "\x00") {
			longest = math.MaxInt
		}
		for !strings.HasPrefix(s, shared) {
			shared = shared[:len(shared)-1]
		}
		if codes[i] != sortkey.Prefix(s)^texts.Flip(o) {
			t.Fatalf("code of %q", s)
		}
	}
	if whole != (longest <= 8) {
		t.Fatalf("whole: %t, longest %d", whole, longest)
	}
	whole = texts.CodesAfterShared(codes, keys, o)
	n := len(shared)
	if zero := strings.IndexByte(shared, 0); zero >= 0 && zero < 8 {
		n = zero
	}
	if n < leastShared || n >= texts.MostShared {
		if !slices.Equal(codes, before) || whole {
			t.Fatalf("codes of texts that share %d bytes are new", n)
		}
		return
	}
	longest = 0
	for i := range keys {
		s := sortkey.TextOf(&keys[i])[n:]
		if longest = max(longest, len(s)); strings.Contains(s, "\x00") {
			longest = math.MaxInt
		}
		if codes[i] != sortkey.Prefix(s)^texts.Flip(o) {
			t.Fatalf("code of %q, of which %d bytes are shared", s, n)
		}
	}
	if whole != (longest <= 8) {
		t.Fatalf("whole: %t, longest %d", whole, longest)
	}
}

// TestNotShared skips no bytes of texts with nulls, of packed texts, and of other keys.
func TestNotShared(t *testing.T) {
	const n = 100
	texts, null := make([]string, n), make([]bool, n)
	for i := range texts {
		texts[i] = "https://" + string(rune('a'+i%7)) + "shared"
	}
	text := column.SpecOf(sortkey.String, column.Func[int, string](func(row int) string { return texts[row] }))
	number := column.SpecOf(sortkey.Int8, column.Func[int, int8](func(int) int8 { return 1 }))
	addr := column.SpecOf(sortkey.Time, column.Func[int, time.Time](func(int) (t time.Time) { return t }))
	for name, specs := range map[string][]column.Spec{"texts": {text}, "nulls": {text.WithBits(bitsOf(dist.Rand(1), null), column.NullsLast)}, "packed": {number, text}, "number": {number}, "time": {addr}} {
		words, env := Words(AppendColumns(nil, specs), sortkey.Order{}), new(engine.Env)
		rows := RowNumbers(n)
		rows.Arena = &env.Arena
		words[0].Open(rows, env)
		codes := make([]uint64, n)
		Source64(rows, &words[0])(codes, 0)
		if got := words[0].SkipSharedOf(codes, []int{n}); got != (name == "texts") {
			t.Errorf("%s: skipped %t", name, got)
		}
		env.Arena.Release(1)
	}
}

// TestLongTexts ends comparisons of long texts once the context is cancelled, and no others.
func TestLongTexts(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ended := &parallel.Loop{Ctx: ctx}
	for _, c := range []struct {
		a, b int
		ends bool
	}{
		{texts.Long, texts.Long, false}, {texts.Long + 1, texts.Long + 1, true}, {texts.Long + 1, texts.Long, false}, {texts.Long, texts.Long + 1, false}, {3 * texts.Turn, 3*texts.Turn + 5, true},
	} {
		a, b := bytes.Repeat([]byte{'x'}, c.a), bytes.Repeat([]byte{'x'}, c.b)
		for _, at := range []int{0, texts.Long, texts.Turn - 1, texts.Turn, 2*texts.Turn + 100, min(c.a, c.b) - 1} {
			if at >= min(c.a, c.b) {
				continue
			}
			b[at]++
			for _, loop := range []*parallel.Loop{nil, {}, {Ctx: context.Background()}} {
				if texts.Compare(loop, string(a), string(b)) != -1 || texts.Compare(loop, string(b), string(a)) != 1 {
					t.Errorf("%d and %d bytes that differ at %d", c.a, c.b, at)
				}
			}
			if got := texts.Same(ended, unsafe.Pointer(&[]string{string(b)}[0]), unsafe.Sizeof(""), 1, string(a)); c.a == c.b && (got == 1) != c.ends {
				t.Errorf("%d texts of %d bytes are the same after the end", got, c.a)
			}
			if got := texts.Compare(ended, string(a), string(b)); (got == 0) != c.ends {
				t.Errorf("%d and %d bytes are compared as %d after the end", c.a, c.b, got)
			}
			b[at]--
		}
		if want := sign(c.a - c.b); texts.Compare(nil, string(a), string(b)) != want || texts.Compare(&parallel.Loop{}, string(a), string(b)) != want {
			t.Errorf("%d and %d equal bytes", c.a, c.b)
		}
	}
}

// TestCodesEnd makes no codes by a long window once the context is cancelled, and all by a short one.
func TestCodesEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, window := range []int{texts.Long, texts.Long + 1} {
		full := stringsOf(slices.Repeat([]string{strings.Repeat("x", window)}, 20), sortkey.Order{})
		for _, pace := range []*Pace{nil, {Loop: &parallel.Loop{}}, {Loop: &parallel.Loop{Ctx: ctx}}} {
			full.Paces.Key = pace
			dst, order := make([]uint64, 20), make([]uint32, 20)
			full.Codes(dst, order, Level{Window: window})
			if ends := pace != nil && pace.Loop.Ctx != nil && window > texts.Long; (dst[19] == 0) != ends || (dst[0] == 0) != ends {
				t.Errorf("window of %d bytes: codes %#x, %#x", window, dst[0], dst[19])
			}
		}
	}
}

// TestDrawer draws numbers in a range, the same ones again for the same run.
func TestDrawer(t *testing.T) {
	seen := map[[2]uint64]bool{}
	for n := 1; n < 40; n++ {
		for first := range uint32(5) {
			a, b := texts.Drawer(first, n, 3), texts.Drawer(first, n, 3)
			for range 20 {
				x, y := texts.Drawn(&a, n), texts.Drawn(&b, n)
				if x != y || x < 0 || x >= n {
					t.Fatalf("drew %d and %d of %d", x, y, n)
				}
			}
			for depth := range 3 {
				r := texts.Drawer(first, n, depth)
				state := [2]uint64{r.Uint64(), r.Uint64()}
				if seen[state] {
					t.Fatalf("runs of %d from %d on, depth %d, draw what others do", n, first, depth)
				}
				seen[state] = true
			}
		}
	}
}

// TestWholeTexts has whole texts in codes of up to as many bytes as a prefix holds, which is one fewer beside nulls.
func TestWholeTexts(t *testing.T) {
	for _, nullable := range []bool{false, true} {
		for n := 6; n < 10; n++ {
			s := []string{strings.Repeat("a", n), strings.Repeat("a", n-1) + "b"}
			text := ColumnOf[string](column.Func[string, string](func(s string) string { return s }))
			if nullable {
				text.Nulls, text.AreNull = column.NullsLast, column.NullFunc[string](func(string) bool { return false })
			}
			rows, words, env := InputOf(cpu.PayloadOf(s)), Words([]Column{text}, sortkey.Order{}), new(engine.Env)
			rows.Arena = &env.Arena
			words[0].Open(rows, env)
			codes := make([]uint64, 2)
			Source64(rows, &words[0])(codes, 0)
			if whole := words[0].Whole(); whole != (n < 8 || n == 8 && !nullable) || whole && codes[0] >= codes[1] {
				t.Errorf("texts of %d bytes, nulls %t: codes %#x are whole: %t", n, nullable, codes, whole)
			}
			env.Arena.Release(1)
		}
	}
}
