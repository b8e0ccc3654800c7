package selection

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ways"
)

// TestLeastOf bounds the k-th smallest code: not far above it for codes in random order, rising or falling.
func TestLeastOf(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	memory := make([]uint64, engine.Block)
	for _, n := range []int{1, 63, 64, 65, 500, 2000, engine.Block} {
		for _, k := range []int{1, 2, leastWays - 1, leastWays, leastWays + 1, 100, n / 4, n/4 + 1, engine.Block / 2} {
			for shape := range 4 {
				if k < 1 || k > n {
					continue
				}
				codes := make([]uint32, n)
				for i := range codes {
					codes[i] = []uint32{r.Uint32(), uint32(i), ^uint32(i), 7}[shape]
				}
				got, sorted := leastOf(memory, codes, k), slices.Sorted(slices.Values(codes))
				if few := n/max(k, leastWays) < 4; few != (got == math.MaxUint64) {
					t.Fatalf("%d codes, k=%d: bound %d", n, k, got)
				} else if few {
					continue
				}
				upTo := 0
				for upTo < n && uint64(sorted[upTo]) <= got {
					upTo++
				}
				most := 40 * max(k, leastWays)
				if shape == 3 {
					most = n
				}
				if upTo < k || upTo > most || !slices.Contains(codes, uint32(got)) {
					t.Fatalf("%d codes of shape %d: %d of them are up to the bound of the first %d", n, shape, upTo, k)
				}
				if shape == 1 && int(got) != k-1 || shape == 2 && n%max(k, leastWays) == 0 && k >= leastWays && upTo != k {
					t.Fatalf("%d codes in order: bound %d of the first %d", n, got, k)
				}
			}
		}
	}
}

// TestCandidateLimit has memory for k candidates, and as many more as let cuts take linear time.
func TestCandidateLimit(t *testing.T) {
	for n := range 5000 {
		for _, k := range []int{0, 1, 2, 100, n / 4, n/2 - 1, n / 2, n/2 + 1, n - 1, n} {
			if k < 0 || k > n {
				continue
			}
			want := n
			if 2*k <= n {
				want = min(n, 2*k+512)
			}
			if got := candidateLimit(n, k); got != want {
				t.Fatalf("the first %d of %d: %d candidates, want %d", k, n, got, want)
			}
		}
	}
}

// TestSelectors divides elements: whole blocks, and no more workers than take some.
func TestSelectors(t *testing.T) {
	for _, n := range []int{1, engine.Block - 1, engine.Block, engine.Block + 1, 2 * engine.Block, 100_000, 1 << 22} {
		for workers := range 20 {
			count, each := selectors(n, workers)
			if each%engine.Block != 0 || each < engine.Block || each > selectPiece || count < 1 || count > max(1, workers) {
				t.Fatalf("%d elements: %d of %d workers take %d", n, count, workers, each)
			}
			turns := (n + each - 1) / each
			if count != min(max(1, workers), turns) || each > engine.Block && each*4*max(1, workers) > n {
				t.Fatalf("%d elements: %d of %d workers take %d", n, count, workers, each)
			}
		}
	}
}

// TestSplitCandidates moves candidates before and at a bound to the front, as loops do.
func TestSplitCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	for range 3000 {
		all := make([]candidate, r.IntN(30))
		for i := range all {
			all[i] = candidate{r.Uint64N(8), uint32(i)}
		}
		bound := r.Uint64N(8)
		var less, equal, upTo []candidate
		for _, c := range all {
			if c.code < bound {
				less = append(less, c)
			}
			if c.code == bound {
				equal = append(equal, c)
			}
			if c.code <= bound {
				upTo = append(upTo, c)
			}
		}
		byNumber := func(a, b candidate) int { return cmp.Compare(a.at, b.at) }
		moved := slices.Clone(all)
		below, tied := split(moved, bound)
		slices.SortFunc(tied, byNumber)
		before := slices.SortedFunc(slices.Values(moved[:below]), byNumber)
		if !slices.Equal(before, less) || !slices.Equal(tied, equal) {
			t.Fatalf("%v at %d: %v, %v", all, bound, before, tied)
		}
		moved = slices.Clone(all)
		first := slices.SortedFunc(slices.Values(moved[:partitionAt(moved, bound)]), byNumber)
		if slices.SortFunc(moved, byNumber); !slices.Equal(first, upTo) || !slices.Equal(moved, all) {
			t.Fatalf("%v up to %d: %v", all, bound, first)
		}
	}
}

// TestSpan divides intervals of codes by digits.
func TestSpan(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 46))
	for range 5000 {
		a, b := r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64)
		s := span[uint64]{min(a, b), max(a, b)}
		if r.IntN(10) == 0 {
			s.most = s.least
		}
		digit := 1 + r.IntN(11)
		shift := s.digitShift(digit)
		if shift > 0 && (s.most-s.least)>>shift>>(digit-1) != 1 || (s.most-s.least)>>shift>>digit != 0 {
			t.Fatalf("%x: %d bits from %d on", s, digit, shift)
		}
		for _, c := range []uint64{s.least, s.most, s.least + (s.most-s.least)/3, r.Uint64(), s.least - 1, s.most + 1} {
			in := c >= s.least && c <= s.most
			if s.has(c) != in {
				t.Fatalf("%x has %x: %t", s, c, !in)
			}
			if !in {
				continue
			}
			k := int((c - s.least) >> shift)
			p := s.part(k, shift)
			if !p.has(c) || p.least < s.least || p.most > s.most || (p.least-s.least)>>shift != uint64(k) || (p.most-s.least)>>shift != uint64(k) ||
				p.least > s.least && (p.least-1-s.least)>>shift == uint64(k) || p.most < s.most && (p.most+1-s.least)>>shift == uint64(k) {
				t.Fatalf("%x: digit %d from bit %d on is %x", s, k, shift, p)
			}
		}
	}
}

// TestDigitAt finds ranks in counts.
func TestDigitAt(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 48))
	for range 300 {
		counts, rank, before := make([]int, 1+r.IntN(9)), 0, 0
		for i := range counts {
			counts[i] = r.IntN(3)
		}
		for digit, n := range counts {
			for range n {
				if d, b := digitAt(counts, rank); d != digit || b != before {
					t.Fatalf("%d: rank %d is of digit %d after %d, want %d after %d", counts, rank, d, b, digit, before)
				}
				rank++
			}
			before += n
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Fatalf("%d: rank %d has a digit", counts, rank)
				}
			}()
			digitAt(counts, rank)
		}()
	}
}

// TestPlaceOf finds equal codes by their number.
func TestPlaceOf(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 50))
	for range 2000 {
		codes := make([]uint32, 1+r.IntN(300))
		for i := range codes {
			codes[i] = r.Uint32N(4) * r.Uint32N(2)
		}
		code, k := r.Uint32N(5), r.IntN(1+r.IntN(300))
		want, left := -1, k
		for i, c := range codes {
			if c == code && want < 0 {
				if left == 0 {
					want = i
				} else {
					left--
				}
			}
		}
		if place, rest := placeOf(codes, code, k); place != want || rest != left {
			t.Fatalf("%d: code %d number %d at %d, %d left, want %d, %d", codes, code, k, place, rest, want, left)
		}
	}
}

// TestLower has the least of some values.
func TestLower(t *testing.T) {
	var a atomic.Uint64
	a.Store(9)
	for _, c := range [][2]uint64{{12, 9}, {9, 9}, {4, 4}, {5, 4}, {0, 0}, {1, 0}} {
		if lower(&a, c[0]); a.Load() != c[1] {
			t.Errorf("%d, want %d", a.Load(), c[1])
		}
	}
}

// reporter takes no statistics.
type reporter struct{}

func (reporter) Report(*call.Stats) {}

// fewOptions are options of calls, and whether these select.
func fewOptions(t *testing.T) map[string]struct {
	options call.Options
	selects bool
} {
	type entry = struct {
		options call.Options
		selects bool
	}
	return map[string]entry{
		"none":       {call.Options{}, true},
		"descending": {call.Options{Descending: true}, true},
		"context":    {call.Options{Ctx: context.WithoutCancel(t.Context())}, false},
		"report":     {call.Options{Report: reporter{}}, false},
	}
}

// TestFirstFew selects the first of few elements by keys of all widths, or leaves them to an order of all.
func TestFirstFew(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(51, 52))
	for name, o := range fewOptions(t) {
		for _, n := range []int{1, 63, 64, 65, 1000, 4095, cpu.SmallLen} {
			for _, k := range []int{0, 1, 16, 17, n / 4, n/4 + 1, n} {
				values := 1 + r.IntN(2*n)
				checkFirstFew(t, name, n, k, &o.options, o.selects, func() uint8 { return uint8(r.IntN(values)) })
				checkFirstFew(t, name, n, k, &o.options, o.selects, func() int32 { return int32(r.IntN(values)) - 9 })
				checkFirstFew(t, name, n, k, &o.options, o.selects, func() float64 { return float64(r.IntN(values)) - 9 })
				checkFirstFew(t, name, n, k, &o.options, o.selects, func() int64 { return int64(r.IntN(values)) << 40 })
				checkFirstFew(t, name, n, k, &o.options, false, func() string { return string(rune('a' + r.IntN(20))) })
			}
		}
	}
	defer ways.SwitchOff(ways.Of(ways.SelectFew))()
	checkFirstFew(t, "way off", 1000, 1, new(call.Options), false, func() int64 { return r.Int64() })
}

func checkFirstFew[K orderedKey](t *testing.T, name string, n, k int, o *call.Options, selects bool, key func() K) {
	t.Helper()
	keys, order := make([]K, n), make([]int, n)
	for i := range keys {
		keys[i], order[i] = key(), i
	}
	testkit.SortStable(order, func(i, j int) int {
		if o.Descending {
			i, j = j, i
		}
		return cmp.Compare(keys[i], keys[j])
	})
	selects = selects && k > 0 && k <= n/4 && leastWays <= n/4
	type element struct {
		number int
		key    K
	}
	elements := make([]element, n)
	for i, key := range keys {
		elements[i] = element{i, key}
	}
	get := column.Func[element, K](func(x element) K {
		if keys[x.number] != x.key {
			t.Errorf("element %d is read elsewhere", x.number)
		}
		return x.key
	})
	for way := range 4 {
		var first []uint32
		use := func(some []uint32) { first = slices.Clone(some) }
		done := false
		payload, batch := cpu.PayloadOf(elements), extract.Batch{Block: cpu.PayloadOf(elements).Raw()}
		switch kind := sortkey.KindOf[K](); way {
		case 0:
			done = FirstFew(kind, cpu.PayloadOf(keys), k, nil, o, use)
		case 1:
			done = FirstFew(kind, payload, k, get, o, use)
		case 2:
			done = FirstFewBy([]extract.Column{extract.ColumnOf[K](get)}, n, k, batch, o, use)
		case 3:
			done = FirstFewBy([]extract.Column{extract.Self[K]()}, n, k, extract.Batch{Block: cpu.PayloadOf(keys).Raw()}, o, use)
		}
		if done != selects || done && len(first) != k {
			t.Fatalf("%s, the first %d of %d by %T, way %d: selected %t, %d rows", name, k, n, keys[0], way, done, len(first))
		}
		for i, x := range first {
			if int(x) != order[i] {
				t.Fatalf("%s, the first %d of %d by %T, way %d: row %d is %d, want %d", name, k, n, keys[0], way, i, x, order[i])
			}
		}
	}
	if kind := sortkey.KindOf[K](); selects && !kind.Wide() { // rows whose keys lie in memory are not read
		spec := column.SpecOfSlice(kind, unsafe.Pointer(unsafe.SliceData(keys)), n)
		inMemory := extract.AppendColumns(nil, []column.Spec{spec})
		if extract.ForRows(inMemory, n); !FirstFewBy(inMemory, n, k, extract.Batch{}, o, func(some []uint32) {
			for i, x := range some {
				if int(x) != order[i] {
					t.Fatalf("%s, the first %d of %d rows: row %d is %d, want %d", name, k, n, i, x, order[i])
				}
			}
		}) {
			t.Fatalf("%s, the first %d of %d rows: not selected", name, k, n)
		}
	}
	columns := []extract.Column{extract.ColumnOf[K](get)}
	batch := extract.Batch{Block: cpu.PayloadOf(elements).Raw()}
	use := func([]uint32) { t.Fatalf("%s: selected", name) }
	if FirstFewBy(columns, n, k, extract.Batch{}, o, use) || FirstFewBy([]extract.Column{columns[0], columns[0]}, n, k, batch, o, use) {
		t.Fatalf("%s: selected without elements, or by two columns", name)
	}
}

// TestRanksFewBounds leaves ranks of few elements to an order of all where there are too few elements, or too many ranks.
func TestRanksFewBounds(t *testing.T) {
	if !bucket.Splits() {
		t.Skip("no AVX-512")
	}
	keys := make([]float64, 1000)
	for i := range keys {
		keys[i] = float64(i * 7919 % 1000)
	}
	batch := extract.Batch{Block: cpu.PayloadOf(keys).Raw()}
	self := []extract.Column{extract.Self[float64]()}
	for name, o := range fewOptions(t) {
		for _, n := range []int{leastSelected - 1, leastSelected, 2*leastSelected - 1, 2 * leastSelected, 1000} {
			for count := range mostFewRanks + 2 {
				ks := make([]int, count)
				for i := range ks {
					ks[i] = i * 50
				}
				order := make([]uint32, n)
				for i := range order {
					order[i] = uint32(i)
				}
				slices.SortFunc(order, func(i, j uint32) int {
					if o.options.Descending {
						i, j = j, i
					}
					return cmp.Compare(keys[i], keys[j])
				})
				rows, ok := RanksFew(self, n, ks, batch, &o.options)
				if want := o.selects && n >= count*leastSelected && count > 0 && count <= mostFewRanks; ok != want || ok && len(rows) != count {
					t.Errorf("%s: %d ranks of %d elements are selected: %t", name, count, n, ok)
				}
				for i := range rows {
					if rows[i] != order[ks[i]] {
						t.Errorf("%s: row %d at rank %d of %d, want %d", name, rows[i], ks[i], n, order[ks[i]])
					}
				}
			}
		}
	}
	small := make([]uint8, 1000)
	isNull := func(x uint8) bool { return x%5 == 0 }
	for i := range small {
		small[i] = uint8(i*7) % 251
	}
	spec := column.SpecOf(sortkey.Uint8, column.Func[uint8, uint8](func(x uint8) uint8 { return x }))
	nullable := extract.AppendColumns(nil, []column.Spec{spec.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)})
	if rows, ok := RanksFew(nullable, 1000, []int{0, 999}, extract.Batch{Block: cpu.PayloadOf(small).Raw()}, new(call.Options)); !ok || small[rows[0]] != 1 || !isNull(small[rows[1]]) {
		t.Errorf("rows %d, selected %t", rows, ok)
	}
	get := extract.ColumnOf[float64](column.Func[float64, float64](func(x float64) float64 { return x }))
	for name, ok := range map[string]bool{
		"two columns": func() bool {
			_, ok := RanksFew([]extract.Column{get, get}, 1000, []int{1}, batch, new(call.Options))
			return ok
		}(),
		"no elements": func() bool {
			_, ok := RanksFew([]extract.Column{get}, 1000, []int{1}, extract.Batch{}, new(call.Options))
			return ok
		}(),
		"way off": func() bool {
			defer ways.SwitchOff(ways.Of(ways.SelectRanks))()
			_, ok := RanksFew(self, 1000, []int{1}, batch, new(call.Options))
			return ok
		}(),
	} {
		if ok {
			t.Errorf("%s: selected", name)
		}
	}
}
