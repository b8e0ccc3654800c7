package selection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ties"
)

// searchedCodes are codes of which intervals are cut in other ways, and passes that this takes for the rank n/2.
var searchedCodes = []struct {
	name   string
	n      int
	passes int
	code   func(r *rand.Rand, i, n int) uint32
}{
	{"uniform", 100_000, 1, func(r *rand.Rand, _, _ int) uint32 { return r.Uint32() }},
	{"equal", 100_000, 0, func(*rand.Rand, int, int) uint32 { return 7 }},
	{"two values", 150_000, 1, func(_ *rand.Rand, i, _ int) uint32 { return uint32(i%2) << 31 }},
	{"three values", 300_000, 3, func(_ *rand.Rand, i, _ int) uint32 { return uint32(i%3) << 30 }},
	{"few of many values", 1000, 0, func(r *rand.Rand, _, _ int) uint32 { return r.Uint32() }},
	{"close together but for one", 100_000, 2, func(r *rand.Rand, i, _ int) uint32 { return r.Uint32N(1<<20) + uint32(bit(i == 0))<<31 }},
	{"closer together", 140_000, 4, func(r *rand.Rand, i, _ int) uint32 { return r.Uint32N(1<<9) + uint32(bit(i == 0))<<31 }},
	{"one code, and codes close together", 400_000, 4, func(r *rand.Rand, i, _ int) uint32 {
		return uint32(i%2) * (1<<31 + r.Uint32N(1<<14) + uint32(bit(i == 1))<<20)
	}},
	{"neighbours", 140_000, 4, func(r *rand.Rand, i, _ int) uint32 { return 1<<9 + r.Uint32N(2) + uint32(bit(i == 0))<<31 }},
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

// TestSearch cuts intervals of codes until few rows or one code are left in each, in as few passes as it may.
func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	for _, c := range searchedCodes {
		codes := make([]uint32, c.n)
		for i := range codes {
			codes[i] = c.code(r, i, c.n)
		}
		sorted := slices.Sorted(slices.Values(codes))
		for count := range 6 {
			ks := []int{c.n / 2}
			for range count * count * 10 {
				ks = append(ks, r.IntN(c.n))
			}
			for turn := range 6 {
				cancels := turn > 0
				env, ctx := newEnv(t, r, cancels)
				passes := 0
				if cancels {
					ctx.Left.Store(r.Int64N(int64(40 + 3*c.n/engine.Block)))
				} else {
					env.Loop.Progress = func(stage string, done, total int) {
						if stage == "select" && done == total {
							passes++
						}
					}
				}
				s := &search[uint32]{env: env, codes: make([]uint32, c.n), ks: ks, decisive: true}
				err := s.extract(func(dst []uint32, lo int) { copy(dst, codes[lo:]) })
				if err == nil {
					err = s.cut()
				}
				name := fmt.Sprintf("%s, %d ranks", c.name, len(ks))
				if !stopped(t, ctx, name, err) {
					if count == 0 && !cancels && passes != c.passes {
						t.Errorf("%s: %d passes, want %d", name, passes, c.passes)
					}
					checkIntervals(t, name, s, sorted)
				}
				env.Arena.Release(1)
			}
		}
	}
}

// checkIntervals holds intervals to the codes in order.
func checkIntervals(t *testing.T, name string, s *search[uint32], sorted []uint32) {
	t.Helper()
	rank, large := map[int]bool{}, 0
	for _, in := range s.open {
		before, _ := slices.BinarySearch(sorted, in.least)
		end, _ := slices.BinarySearch(sorted, in.most)
		for end < len(sorted) && sorted[end] == in.most {
			end++
		}
		if in.before != before || in.n != end-before {
			t.Fatalf("%s: %d codes after %d are from %d to %d, want %d after %d", name, in.n, in.before, in.least, in.most, end-before, before)
		}
		for i, at := range in.at {
			if k := s.ks[at]; k < before || k >= end || i > 0 && k > s.ks[in.at[i-1]] || rank[at] {
				t.Fatalf("%s: rank %d in the interval of %d to %d", name, k, before, end-1)
			}
			rank[at] = true
		}
		if in.n > fewFound && in.least < in.most {
			large++
		}
	}
	if len(rank) != len(s.ks) || large > 0 && large <= mostCut {
		t.Fatalf("%s: %d ranks, %d large intervals", name, len(rank), large)
	}
	s.number(s.open)
	for _, c := range sorted[:min(len(sorted), 1000)] {
		if k := s.of(c); k > 0 && !s.open[k-1].has(c) {
			t.Fatalf("%s: code %d is in interval %d", name, c, k)
		}
	}
	for i, in := range s.open {
		if s.of(in.least) != i+1 || s.of(in.most) != i+1 {
			t.Fatalf("%s: interval %d is found as %d, %d", name, i, s.of(in.least), s.of(in.most))
		}
	}
}

// TestCutsTogether cuts intervals of few rows that have many together.
func TestCutsTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(93, 94))
	const n = 3 * fewFound / 2
	codes := make([]uint64, n)
	for i := range codes {
		codes[i] = uint64(i%3)<<62 + r.Uint64N(1<<50)
	}
	for turn, ks := range [][]int{{n / 6}, {n / 6, n / 2}, {n / 6, n / 2, n - 9}, {n / 6, n / 2, n - 9}} {
		if turn == 3 { // codes that share all digits that are counted
			for i := range codes {
				codes[i] = uint64(i%3)<<62 + r.Uint64N(1<<20)
			}
		}
		passes, env := 0, new(engine.Env)
		env.Loop.Progress = func(stage string, done, total int) { passes += bit(stage == "select" && done == total) }
		s := &search[uint64]{env: env, codes: make([]uint64, n), ks: ks, decisive: true}
		err := s.extract(func(dst []uint64, lo int) { copy(dst, codes[lo:]) })
		if err == nil {
			err = s.cut()
		}
		if want := 1 + bit(len(ks) == 3); err != nil || passes != want {
			t.Errorf("ranks %d: %d passes, want %d, error %v", ks, passes, want, err)
		}
		env.Arena.Release(1)
	}
}

// TestManyIntervals cuts no more intervals than there are counters for.
func TestManyIntervals(t *testing.T) {
	const n = 9 * fewFound
	codes := make([]uint32, n)
	for i := range codes {
		codes[i] = uint32(uint64(i) << 32 / n)
	}
	for count, want := range map[int]int{mostCut: 2, mostCut + 1: 1, MostRanks: 1} {
		passes, env, ks := 0, new(engine.Env), make([]int, count)
		for i := range ks {
			ks[i] = n / count * i
		}
		env.Loop.Progress = func(stage string, done, total int) { passes += bit(stage == "select" && done == total) }
		s := &search[uint32]{env: env, codes: make([]uint32, n), ks: ks, decisive: true}
		err := s.extract(func(dst []uint32, lo int) { copy(dst, codes[lo:]) })
		if err == nil {
			err = s.cut()
		}
		if err != nil || passes != want {
			t.Errorf("%d ranks: %d passes, want %d, error %v", count, passes, want, err)
		}
		env.Arena.Release(1)
	}
}

// TestCrowded bounds what selections take.
func TestCrowded(t *testing.T) {
	const n = 1 << 21
	in := func(n, ranks int, one bool) *interval[uint32] {
		return &interval[uint32]{span: span[uint32]{1, uint32(2 - bit(one))}, n: n, at: make([]int, ranks)}
	}
	many := func(count int, x *interval[uint32]) []*interval[uint32] {
		return slices.Repeat([]*interval[uint32]{x}, count)
	}
	most := mostFound(n)
	for i, c := range []struct {
		open          []*interval[uint32]
		decisive, any bool
		crowded       bool
	}{
		{many(mostScans, in(fewFound+1, 1, true)), true, false, false},
		{many(mostScans+1, in(fewFound+1, 1, true)), true, false, true},
		{many(mostScans+1, in(fewFound+1, 1, true)), true, true, false},
		{many(1, in(fewFound+1, 1, false)), true, true, true},
		{many(1, in(fewFound, 1, false)), true, false, false},
		{many(most/fewFound, in(fewFound, 1, false)), true, false, false},
		{append(many(most/fewFound, in(fewFound, 1, false)), in(1, 1, false)), true, false, true},
		{many(1, in(fewFound, mostPicked*n/fewFound, false)), true, false, false},
		{many(1, in(fewFound, mostPicked*n/fewFound+1, false)), true, false, true},
		{many(1, in(most, 1, true)), false, false, false},
		{many(1, in(most+1, 1, true)), false, false, true},
		{many(1, in(most+1, 1, true)), true, false, false},
	} {
		s := &search[uint32]{codes: make([]uint32, n), open: c.open, decisive: c.decisive, any: c.any}
		if s.crowded() != c.crowded {
			t.Errorf("case %d: crowded %t", i, !c.crowded)
		}
	}
	for n, want := range map[int]int{0: 0, 1: 1, fewFound: fewFound, fewFound + 1: fewFound, 8 * fewFound: fewFound, 8*fewFound + 8: fewFound + 1, 1 << 23: 1 << 20, 1 << 24: 1 << 20} {
		if mostFound(n) != want {
			t.Errorf("%d candidates of %d, want %d", mostFound(n), n, want)
		}
	}
}

// TestTiedRanks finds ranks of a sample that tie with an eighth of it, and decides for keys in memory by that.
func TestTiedRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(95, 96))
	tied := 0
	for range 500 {
		n := 1000 + r.IntN(100_000)
		long, equal := r.IntN(2*tiedSample/8), r.Uint32N(tiedSample)
		sample := make([]uint32, tiedSample)
		for i := range sample {
			if sample[i] = uint32(2 * i); i < long {
				sample[i] = 2 * equal
			}
		}
		r.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
		next := 0
		src := func(dst []uint32, lo int) {
			if len(dst) != 1 || lo != next*n/tiedSample {
				t.Fatalf("%d codes from %d on are read", len(dst), lo)
			}
			dst[0] = sample[next]
			next++
		}
		ks := make([]int, 1+r.IntN(2*mostScans))
		for i := range ks {
			ks[i] = r.IntN(n)
		}
		sorted := slices.Sorted(slices.Values(sample))
		wanted, count := map[uint32]bool{}, 0
		for _, k := range ks {
			wanted[sorted[k*tiedSample/n]] = true
		}
		for i, c := range sorted {
			if wanted[c] && (i > 0 && sorted[i-1] == c || i+1 < tiedSample && sorted[i+1] == c) {
				count++
			}
		}
		want := count > tiedSample/8
		tied += bit(want)
		if got := tiedRanks(n, ks, src); got != want {
			t.Fatalf("%d of the sample tie at ranks: %t", count, got)
		}
		memory := []extract.Word{{InMemory: true}}
		next = 0
		if few := FewRanks(extract.Input{Len: n}, memory, ks, src); few != (len(ks) <= mostScans || !want) {
			t.Fatalf("%d ranks, %d of the sample tie: few %t", len(ks), count, few)
		}
		next = 0
		if few := FewRanks(extract.Input{Len: n}, []extract.Word{{}}, ks, src); !few || next > 0 {
			t.Fatalf("%d ranks by functions: few %t", len(ks), few)
		}
	}
	if tied < 50 || tied > 450 {
		t.Errorf("%d of 500 tie", tied)
	}
	for _, count := range []int{MostRanks, MostRanks + 1} {
		if FewRanks(extract.Input{Len: 1000}, []extract.Word{{}}, make([]int, count), func([]uint32, int) {}) != (count == MostRanks) {
			t.Errorf("%d ranks are few: %t", count, count != MostRanks)
		}
	}
}

// TestMost bounds the codes of further elements.
func TestMost(t *testing.T) {
	whole := extract.Words([]extract.Column{extract.Self[uint64]()}, sortkey.Order{})
	text := extract.Words([]extract.Column{extract.Self[string]()}, sortkey.Order{})
	for _, c := range []struct {
		words      []extract.Word
		full       bool
		own, bound uint64
		most       uint64
		some       bool
	}{
		{whole, false, 9, 5, 5, true}, {whole, false, 5, 9, 5, true}, {whole, true, 9, 5, 5, true}, {whole, true, 5, 9, 4, true},
		{whole, true, 5, 5, 4, true}, {whole, true, 0, 5, 0, false}, {whole, true, 1, 5, 0, true}, {whole, false, 0, 5, 0, true},
		{text, true, 5, 9, 5, true}, {text, true, 0, 9, 0, true}, {text, true, 9, 5, 5, true},
	} {
		env := new(engine.Env)
		v := &selector{t: ties.New(env, extract.Input{}, c.words), full: c.full, own: c.own}
		var bound atomic.Uint64
		bound.Store(c.bound)
		if most, some := v.most(&bound); some != c.some || some && most != c.most {
			t.Errorf("%+v: %d, %t", c, most, some)
		}
	}
}

// TestFewAreHeld has a selector hold few candidates besides the first of a block, and lower the bound of all.
func TestFewAreHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(97, 98))
	for shape, code := range map[string]func(i int) uint64{
		"random":  func(int) uint64 { return r.Uint64N(1 << 60) },
		"falling": func(i int) uint64 { return 1<<40 - uint64(i) },
		"rising":  func(i int) uint64 { return uint64(i) },
		"equal":   func(int) uint64 { return 7 },
		"least":   func(int) uint64 { return 0 },
	} {
		for _, k := range []int{1, 10, 100} {
			for _, texts := range []bool{false, true} {
				const n = 8 * engine.Block
				codes, keys, env := make([]uint64, n), make([]string, n), new(engine.Env)
				for i := range codes {
					codes[i] = code(i)
					keys[i] = "same beginning" + string([]byte{byte(codes[i] >> 48), byte(codes[i] >> 40), byte(codes[i] >> 32), byte(codes[i] >> 24), byte(codes[i] >> 16), byte(codes[i] >> 8), byte(codes[i])})
				}
				input, words := extract.InputOf(cpu.PayloadOf(codes)), extract.Words([]extract.Column{extract.Self[uint64]()}, sortkey.Order{})
				if texts { // codes tie as these do
					input, words = extract.InputOf(cpu.PayloadOf(keys)), extract.Words([]extract.Column{extract.Self[string]()}, sortkey.Order{})
				}
				words[0].Open(input, env)
				var v selector
				v.open(ties.New(env, input, words), 0, n, k)
				var bound atomic.Uint64
				bound.Store(math.MaxUint64)
				for lo := 0; lo < n; lo += engine.Block {
					block := codes[lo : lo+engine.Block]
					if texts {
						block = make([]uint64, engine.Block)
						extract.Source64(input, &words[0])(block, lo)
					}
					before := len(v.found)
					add(&v, block, lo, &bound)
					equal := texts || shape == "equal" || shape == "least"
					if most := 40 * max(k, leastWays); !equal && (len(v.found)-before > most || bound.Load() >= 1<<60) {
						t.Fatalf("%s, k=%d: %d candidates of a block, bound %d", shape, k, len(v.found)-before, bound.Load())
					}
					if len(v.found) >= candidateLimit(n, k) {
						t.Fatalf("%s, k=%d: %d candidates", shape, k, len(v.found))
					}
					if v.full && bound.Load() > v.own {
						t.Fatalf("%s, k=%d: bound %d, after a cut at %d", shape, k, bound.Load(), v.own)
					}
					if lo == 0 && k <= 10 && !equal && v.full {
						t.Fatalf("%s, k=%d: a block is cut, of which few are among the first", shape, k)
					}
					if rises := shape != "falling" && shape != "random"; rises && lo > 0 && len(v.found) > before && (texts || equal) && v.full {
						t.Fatalf("%s, k=%d, texts %t: %d candidates come after the first", shape, k, texts, len(v.found)-before)
					}
				}
				env.Arena.Release(1)
			}
		}
	}
}

// TestBetween collects rows between bounds while there is memory, and counts them all.
func TestBetween(t *testing.T) {
	r := rand.New(rand.NewPCG(99, 100))
	for range 2000 {
		codes := make([]uint32, 1+r.IntN(300))
		for i := range codes {
			codes[i] = r.Uint32N(8)
		}
		least := r.Uint32N(8)
		b := between[uint32]{span: span[uint32]{least, least + r.Uint32N(8-least)}}
		var want []candidate
		before := 0
		for i, c := range codes {
			before += bit(c < b.least)
			if b.has(c) {
				want = append(want, candidate{uint64(c), uint32(i + 50)})
			}
		}
		memory := max(0, len(want)+r.IntN(3)-1)
		b.rows = make([]candidate, memory)
		got := b.add(codes, 50)
		if got != before || int(b.found.Load()) != len(want) {
			t.Fatalf("%d in %v: %d before, %d in it", codes, b.span, got, b.found.Load())
		}
		if len(want) <= memory && !slices.Equal(b.rows[:len(want)], want) {
			t.Fatalf("%d in %v: %v, want %v", codes, b.span, b.rows, want)
		}
		for k := range want {
			if len(want) > memory {
				break
			}
			by := slices.Clone(want)
			testkit.SortStable(by, func(x, y candidate) int { return int(x.code) - int(y.code) })
			if row := b.row(b.rows[:len(want)], k); row != int(by[k].at) {
				t.Fatalf("%v: row %d at rank %d, want %d", want, row, k, by[k].at)
			}
		}
	}
}

// stopping is a source that cancels at a call, and counts those after it. Calls for more than one code are for blocks.
type stopping struct {
	t     *testing.T
	ctx   *testkit.Ending
	codes []uint32
	left  atomic.Int64
	late  atomic.Int64
}

func (s *stopping) read(dst []uint32, lo int) {
	if len(dst) == 0 || len(dst) > 1 && (lo%engine.Block != 0 || len(dst) > engine.Block) {
		s.t.Errorf("%d codes from %d on are read", len(dst), lo)
	}
	if s.left.Add(-1) < 0 {
		s.ctx.Left.Store(-1)
		s.late.Add(1)
	}
	copy(dst, s.codes[lo:])
}

// TestSelectionsStop cancels while codes are read: each worker reads no block after it.
func TestSelectionsStop(t *testing.T) {
	r := rand.New(rand.NewPCG(101, 102))
	const n = 30 * engine.Block
	codes := make([]uint32, n)
	for i := range codes {
		codes[i] = r.Uint32()
	}
	payload := cpu.PayloadOf(codes)
	for range 200 {
		ctx, env := &testkit.Ending{Context: context.WithoutCancel(t.Context())}, new(engine.Env)
		ctx.Left.Store(1 << 60)
		env.Loop.Workers, env.Loop.Ctx = 1+r.IntN(3), ctx
		s := &stopping{t: t, ctx: ctx, codes: codes}
		sampled := int64(sampledOf(n, mostSampled))
		var err error
		var name string
		switch r.IntN(4) {
		case 0:
			name, err = "bounds", func() error {
				s.left.Store(sampled + r.Int64N(29))
				_, err := byBounds(env, n, []int{n / 2}, s.read)
				return err
			}()
		case 1:
			name, err = "whole", func() error {
				s.left.Store(r.Int64N(40))
				return selectWhole(env, n, []int{n / 2, 3}, s.read)
			}()
		case 2:
			name, err = "extract", func() error {
				s.left.Store(r.Int64N(29))
				q := &search[uint32]{env: env, codes: make([]uint32, n), ks: []int{1}}
				return q.extract(s.read)
			}()
		default:
			name, err = "sift", func() error {
				s.left.Store(sampledRowsOfFirst(n) + r.Int64N(29))
				words := extract.Words([]extract.Column{extract.Self[uint32]()}, sortkey.Order{})
				_, err := sift(env, ties.New(env, extract.InputOf(payload), words), 10, s.read)
				return err
			}()
		}
		if late := s.late.Load(); (err != nil) != (late > 0) || late > int64(env.Loop.Workers) {
			t.Fatalf("%s: %d blocks are read after a cancellation, error %v", name, late, err)
		}
		env.Arena.Release(1)
	}
}

func sampledRowsOfFirst(n int) int64 { return int64(sampledOf(n, engine.Block)) }

// TestRanksInOneCode selects rows by whole keys where more rows share a code than are collected with others.
func TestRanksInOneCode(t *testing.T) {
	const n = 9 * fewFound
	d := &drawnRows{rows: make([]row, n)}
	var shared []int
	for i := range d.rows {
		d.rows[i] = row{wide: 1 + uint64(i)*0x9e3779b97f4a7c15>>8, small: uint32(i*7919) % 30_011}
		if i%8 == 3 {
			d.rows[i].wide = 0
			shared = append(shared, i)
		}
	}
	testkit.SortStable(shared, func(i, j int) int { return int(d.rows[i].small) - int(d.rows[j].small) })
	addColumn(d, false, func(x row) uint64 { return x.wide }, nil)
	addColumn(d, false, func(x row) uint32 { return x.small }, nil)
	for workers := 1; workers <= 2; workers++ {
		env, words := new(engine.Env), d.words()
		env.Loop.Workers = workers
		words[0].Open(d.input(env), env)
		ks := []int{len(shared) - 1, 0, len(shared) / 2}
		rows := slices.Clone(ks)
		if crowded, err := ranked(env, d, words, rows[:workers], extract.Source64(d.input(env), &words[0]), true); err != nil || crowded {
			t.Fatalf("crowded %t, error %v", crowded, err)
		}
		for i, k := range ks[:workers] {
			if rows[i] != shared[k] {
				t.Errorf("row %d at rank %d, want %d", rows[i], k, shared[k])
			}
		}
		env.Arena.Release(1)
	}
}

// TestWaysOfRanks has keys in memory read twice rather than copied, where ranks are near, and functions called once.
func TestWaysOfRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(103, 104))
	const n = 400_000 // of 4 bytes: too many to be all moved
	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = r.Uint32()
	}
	has := func(env *engine.Env, stage string) bool {
		return slices.ContainsFunc(env.Trace.Stages, func(s engine.Stage) bool { return s.Name == stage })
	}
	calls := 0
	get := extract.ColumnOf[uint32](column.Func[uint32, uint32](func(x uint32) uint32 { calls++; return x }))
	for _, c := range []struct {
		column extract.Column
		ks     []int
		copies bool
	}{{extract.Self[uint32](), []int{n / 2}, false}, {extract.Self[uint32](), []int{5, n / 2}, true}, {extract.Self[uint32](), []int{1, 2, 3, 4}, false}, {extract.Self[uint32](), []int{1, 2, 3, 4, 5}, true}, {get, []int{n / 2}, true}} {
		env, input := new(engine.Env), extract.InputOf(cpu.PayloadOf(keys))
		input.Arena = &env.Arena
		words := extract.Words([]extract.Column{c.column}, sortkey.Order{})
		words[0].Open(input, env)
		if codes, err := Ranks(env, input, words, slices.Clone(c.ks), extract.Source32(input, &words[0]), false); err != nil || codes != nil {
			t.Fatal(err, len(codes))
		}
		if has(env, "extract") != c.copies {
			t.Errorf("ranks %d: codes copied %t", c.ks, !c.copies)
		}
		env.Arena.Release(1)
	}
	if calls != n {
		t.Errorf("%d calls for %d keys", calls, n)
	}
}

// TestSelectionBytes holds bounds to the sums of their parts.
func TestSelectionBytes(t *testing.T) {
	for _, n := range []int{1, 1000, engine.Block + 1, 1 << 20} {
		for _, k := range []int{1, 10, n / 3, n} {
			for workers := range 5 {
				for _, code := range []uintptr{4, 8} {
					held, _ := selectors(n, workers)
					block := scratch.Size(engine.Block, code) + scratch.Size(engine.Block, 8) + scratch.Size(engine.Block, 4) + scratch.AlignedSize(engine.Block/64, 8)
					want := int64(held)*(scratch.Size(candidateLimit(n, k), 16)+block) + scratch.Size(min(held*k, n), 16)
					want += 2*scratch.Size(k, 4) + max(cpu.OrderBytes(k, workers, 4), cpu.OrderBytes(k, workers, 8))
					if got := FirstBytes(n, k, workers, code); got != want {
						t.Errorf("the first %d of %d, %d workers: %d bytes, want %d", k, n, workers, got, want)
					}
					counts := max(1<<loneDigit, min(k, mostCut)<<manyDigit)
					codes, candidates := RanksBytes(n, k, workers, code)
					if want := scratch.Size(n, code) + int64(max(1, workers))*scratch.Size(counts, 8); codes != want {
						t.Errorf("%d ranks of %d, %d workers: %d bytes for codes, want %d", k, n, workers, codes, want)
					}
					if want := scratch.Size(mostFound(n), 16) + 2*scratch.Size(engine.Block, 8); candidates != want {
						t.Errorf("%d ranks of %d: %d bytes for candidates, want %d", k, n, candidates, want)
					}
				}
			}
		}
	}
}

// TestBoundOfSample is above the first rows, as far as half of the sample.
func TestBoundOfSample(t *testing.T) {
	const n = 1 << 17
	src := func(dst []uint32, lo int) { // in order
		for i := range dst {
			dst[i] = uint32(lo + i)
		}
	}
	if bound := sampledBound(new(engine.Env), leastSampled-1, 1, src); bound != math.MaxUint64 {
		t.Errorf("bound %d of few", bound)
	}
	sampled := sampledOf(n, engine.Block)
	for _, k := range []int{1, 100, n / 10, n / 3, n/2 - 1, n / 2, n} {
		rank := float64(sampled) * float64(k) / n
		at := int(rank + 3*math.Sqrt(rank*(1-rank/float64(sampled))) + 3)
		want := uint64(math.MaxUint64)
		if at < sampled/2 {
			want = uint64(at) * uint64(n/sampled)
		}
		if got := sampledBound(new(engine.Env), n, k, src); got != want {
			t.Errorf("the first %d: bound %d, want %d", k, got, want)
		}
	}
	for n, want := range map[int]int{1: 512, 1 << 17: 512, 1 << 18: 1024, 1 << 20: engine.Block} {
		if got := sampledOf(n, engine.Block); got != want {
			t.Errorf("a sample of %d of %d, want %d", got, n, want)
		}
	}
	for _, k := range []int{0, 1, n / 2, n - 2, n - 1} { // spans of rank k
		in, ok := bounds(new(engine.Env), n, []int{k}, src)
		if !ok || !in.has(uint32(k)) || in.most-in.least > n/mostNear && in.most != ^uint32(0) {
			t.Errorf("rank %d is between %d and %d", k, in.least, in.most)
		}
	}
	later := func(dst []uint32, lo int) { // no code is the least
		src(dst, lo)
		for i := range dst {
			dst[i] += 1000
		}
	}
	for k := range 40 { // the span begins at the least code of all, or at one after the first of the sample
		step := n / sampledOf(n, mostSampled)
		if in, _ := bounds(new(engine.Env), n, []int{k * step}, later); in.least != 0 && in.least < 1000+uint32(step) || in.least > uint32(k*step)+1000 {
			t.Errorf("rank %d: from %d on", k*step, in.least)
		}
	}
	for _, far := range []bool{false, true} {
		apart := n/mostNear - 8*n/sampled*int(math.Sqrt(float64(sampled)/4)) - 8*n/sampled
		if far {
			apart = n / mostNear
		}
		if _, ok := bounds(new(engine.Env), n, []int{n/2 - apart/2, n/2 + apart/2}, src); ok == far {
			t.Errorf("ranks %d apart are near: %t", apart, ok)
		}
	}
}

// TestCrowdedTable drops nothing if partitions are more than a sample has found.
func TestCrowdedTable(t *testing.T) {
	defer func(seed uint64) { texts.PivotSeed = seed }(texts.PivotSeed)
	texts.PivotSeed = 1
	const n, k = 30_000, 5
	for _, others := range []int{n/k - 3000, n/k + 3000} {
		d := &drawnRows{rows: make([]row, n)}
		sampled, draw := map[int]bool{}, texts.Drawer(0, n, k)
		for range sampledRows {
			sampled[texts.Drawn(&draw, n)] = true
		}
		for i := range d.rows {
			d.rows[i].wide = uint64(i * 7919 % n)
			if !sampled[i] && others > 0 {
				d.rows[i].part = uint32(i)
				others--
			}
		}
		lead := new(drawnRows)
		addColumn(lead, false, func(x row) uint32 { return x.part }, nil)
		addColumn(d, false, func(x row) uint64 { return x.wide }, nil)
		leads, env := lead.words(), new(engine.Env)
		left, err := FirstOfPartitions(env, d.input(env), &leads[0], d.words(), k)
		if err != nil || (left == nil) != (len(parts(d)) > n/k) {
			t.Errorf("%d partitions: %d rows are left, error %v", len(parts(d)), len(left), err)
		}
		env.Arena.Release(1)
	}
}

func parts(d *drawnRows) map[uint32]bool {
	all := map[uint32]bool{}
	for i := range d.rows {
		all[d.rows[i].part] = true
	}
	return all
}

// TestScan finds rows of few values, which functions have, in one pass over the codes of each; any row of more values.
func TestScan(t *testing.T) {
	const n = 10*fewFound + 10
	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = uint32(i*7) % 10
	}
	column := extract.ColumnOf[uint32](column.Func[uint32, uint32](func(x uint32) uint32 { return x }))
	each := n / 10
	for _, c := range []struct {
		ks      []int
		any     bool
		crowded bool
	}{
		{[]int{0, 1, each - 1, each, 5*each + 7, 5 * each, n - 1}, false, false}, {[]int{0, 1, each - 1, each, 5*each + 7, n - 1}, true, false},
		{[]int{0, each, 2 * each, 3 * each, 4 * each, 5 * each, 6 * each, 7 * each, 8 * each}, true, false},
		{[]int{0, each, 2 * each, 3 * each, 4 * each, 5 * each, 6 * each, 7 * each, 8 * each}, false, true},
	} {
		env, input := new(engine.Env), extract.InputOf(cpu.PayloadOf(keys))
		words := extract.Words([]extract.Column{column}, sortkey.Order{})
		words[0].Open(input, env)
		rows := slices.Clone(c.ks)
		codes, err := Ranks(env, input, words, rows, extract.Source32(input, &words[0]), c.any)
		if err != nil || (codes != nil) != c.crowded {
			t.Fatalf("ranks %d: crowded %t, error %v", c.ks, codes != nil, err)
		}
		for i, k := range c.ks {
			value, number := uint32(k/each), k%each
			if want := int(value*3%10) + 10*number; !c.crowded && rows[i] != want && !(c.any && keys[rows[i]] == value) {
				t.Errorf("row %d at rank %d, want %d", rows[i], k, want)
			}
		}
		env.Arena.Release(1)
	}
}

// TestShareSample narrows candidates of which the last is at the end of a step.
func TestShareSample(t *testing.T) {
	const k, workers = 2 * foundSampled, 16
	r, held := rand.New(rand.NewPCG(105, 106)), make([]selector, workers)
	for i := range held {
		for range k {
			held[i].found = append(held[i].found, candidate{r.Uint64(), 0})
		}
	}
	if err := share(new(engine.Env), held, k); err != nil || foundBy(held) < k || foundBy(held) > k+k/2 {
		t.Errorf("%d candidates are left, error %v", foundBy(held), err)
	}
}
