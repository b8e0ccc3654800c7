package cpu

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/testkit"
)

// memoryCodes are the codes of inputs that take different ways through the engine.
var memoryCodes = map[string]func(r *rand.Rand, codes []uint64){
	"uniform": func(r *rand.Rand, codes []uint64) { fill(codes, r.Uint64) },
	"few":     func(r *rand.Rand, codes []uint64) { fill(codes, func() uint64 { return r.Uint64N(7) << 50 }) },
	"narrow":  func(r *rand.Rand, codes []uint64) { fill(codes, func() uint64 { return r.Uint64N(1 << 12) }) },
	"nested": func(r *rand.Rand, codes []uint64) {
		fill(codes, func() uint64 { return r.Uint64() >> (15 * r.IntN(5)) })
	},
	"long runs": func(r *rand.Rand, codes []uint64) {
		fill(codes, func() uint64 {
			c := r.Uint64N(1000)
			if r.IntN(100) == 0 {
				c |= 1 << r.IntN(64)
			}
			return c
		})
	},
	"long runs that samples miss": func(r *rand.Rand, codes []uint64) {
		left := make([]int, len(codes)) // positions of a run, and of those in it
		for i := range left {
			left[i] = i
		}
		for _, bits := range []int{64, 42, 20} {
			var inner []int
			for k, i := range left {
				if codes[i] = r.Uint64() >> (64 - bits); k%64 > 0 /* package bucket samples every 64th */ {
					inner = append(inner, i)
				}
			}
			left = inner
		}
		for _, i := range left {
			codes[i] = r.Uint64N(1000)
		}
	},
	"nearly sorted": func(r *rand.Rand, codes []uint64) {
		for i := range codes {
			codes[i] = uint64(i) << 20
		}
		for range len(codes) / 40 {
			codes[r.IntN(len(codes))] = r.Uint64() >> 20
		}
	},
	"rotated": func(_ *rand.Rand, codes []uint64) {
		for i := range codes {
			codes[i] = uint64((i+len(codes)/3)%len(codes)) << 20
		}
	},
	"blocks": func(r *rand.Rand, codes []uint64) {
		for i, b := range r.Perm((len(codes) + 1023) / 1024) {
			for j := i * 1024; j < min(i*1024+1024, len(codes)); j++ {
				codes[j] = uint64(b*1024 + j%1024)
			}
		}
	},
	"falling with ties and strays": func(r *rand.Rand, codes []uint64) {
		for i := range codes {
			codes[i] = uint64(len(codes)-i/3) << 20
		}
		for range len(codes) / 40 {
			codes[r.IntN(len(codes))] = r.Uint64() >> 20
		}
	},
	"few and strays": func(r *rand.Rand, codes []uint64) {
		fill(codes, func() uint64 {
			if r.IntN(6) == 0 {
				return r.Uint64()
			}
			return r.Uint64N(3) << 60
		})
	},
	"falling": func(_ *rand.Rand, codes []uint64) {
		for i := range codes {
			codes[i] = uint64(len(codes) - i)
		}
	},
}

func fill(codes []uint64, draw func() uint64) {
	for i := range codes {
		codes[i] = draw()
	}
}

// TestMemoryBounds holds every way to sort to the bound on its memory.
func TestMemoryBounds(t *testing.T) {
	lengths := []int{1, 2, 30, 1000, leastTarget, leastTarget + 1, 17_000, 33_000, bucket.MaxLen + 1}
	lengths = append(lengths, testkit.Pick(nil, []int{150_000, 1_200_000})...)
	r, turn := rand.New(rand.NewPCG(5, 6)), 0
	for shape, draw := range memoryCodes {
		for _, n := range lengths {
			codes := make([]uint64, n)
			draw(r, codes)
			workers := 1 + r.IntN(9)
			for name, c := range memoryWays(codes, workers) {
				if turn++; n > 1_000_000 && turn%6 != 0 || testkit.Thinned(turn) {
					continue
				}
				env := newEnv(workers)
				if r.IntN(2) == 0 {
					env.Loop.Ctx = context.Background()
				}
				if err := c.sort(env); err != nil {
					t.Fatal(err)
				}
				if env.Arena.Peak() > c.most {
					t.Errorf("%s, %s, n=%d, %d workers: %d bytes, want at most %d", name, shape, n, workers, env.Arena.Peak(), c.most)
				}
				env.Arena.Release(1)
			}
		}
	}
}

// TestMemoryBoundsAreNear holds the bounds to the peaks of the worst of a few inputs, on one
// worker. Where there are partitions, the bounds cover more rounds than one input has, and
// moves that these inputs do not have. They cover matrices and radix passes, of which a bucket
// takes one: with SORTER_VECTORS=none keys are nearest to half of their bound.
func TestMemoryBoundsAreNear(t *testing.T) {
	testkit.SkipRace(t) // one worker
	const few, many = 34_000, 150_000
	least := map[string][2]float64{ // peak/bound, for few and for many elements
		"Order": {.7, .26}, "Move": {.65, .32}, "MoveRefined": {.7, .27}, "Keys": {.48, .2}, "SortPairs": {.6, .4},
		"Pairs": {.8, 0}, "QuickMerge": {.4, .4}, // one worker does not merge
	}
	for i, n := range []int{few, many} {
		most := map[string]float64{}
		for _, shape := range []string{"uniform", "long runs", "long runs that samples miss", "nested"} {
			codes := make([]uint64, n)
			memoryCodes[shape](rand.New(rand.NewPCG(5, 6)), codes)
			for name, c := range memoryWays(codes, 1) {
				for _, ctx := range []context.Context{nil, context.Background()} {
					env := newEnv(1)
					env.Loop.Ctx = ctx
					if err := c.sort(env); err != nil {
						t.Fatal(err)
					}
					most[name] = max(most[name], float64(env.Arena.Peak())/float64(c.most))
					if n == few && (name == "Order" || name == "MoveRefined" || name == "SortPairs") {
						t.Log(shape, name, ctx != nil, env.Arena.Peak(), c.most)
					}
					env.Arena.Release(1)
				}
			}
		}
		for name, got := range most {
			want, ok := least[name]
			if !ok { // the algorithms of papers, and in place
				want = [2]float64{.8, .8}
			}
			if got < want[i] {
				t.Errorf("%s, n=%d: the peak is %.2f of the bound, want at least %.2f", name, n, got, want[i])
			}
		}
	}
}

// TestBounds holds the bounds to figures: what calls plan to take changes only on purpose.
func TestBounds(t *testing.T) {
	segments := NewSegments([]int{0, 10, 3000, 3000 + 2*bucket.MaxLen})
	for _, c := range []struct {
		n, workers int
		size, code uintptr
		want       [7]int64 // of Order, Move, MoveRefined, SortPairs, Keys, OrderWithin, MoveWithin
	}{
		{2, 9, 8, 8, [7]int64{206_880, 147_824, 206_904, 354_344, 480_472, 36_737_544, 1_198_512}},
		{8373, 1, 300, 4, [7]int64{1_202_368, 4_316_008, 4_653_928, 4_639_784, 933_920, 15_122_576, 47_813_184}},
		{8373, 1, 300, 8, [7]int64{2_047_816, 4_545_384, 5_022_568, 5_198_512, 1_486_776, 20_517_312, 47_813_184}},
		{1000, 1, 8, 8, [7]int64{474_784, 270_336, 487_072, 499_232, 574_504, 19_132_864, 1_206_560}},
		{1000, 3, 200, 4, [7]int64{328_992, 455_840, 595_232, 615_584, 619_336, 22_859_104, 30_745_744}},
		{leastTarget + 1, 1, 24, 8, [7]int64{2_007_880, 1_671_168, 2_335_560, 2_284_360, 1_446_072, 20_517_312, 3_857_256}},
		{17_000, 2, 4, 4, [7]int64{2_238_496, 1_736_704, 2_500_640, 2_381_856, 1_554_088, 23_215_616, 786_432}},
		{33_000, 1, 48, 8, [7]int64{6_964_040, 8_402_648, 10_215_416, 9_837_088, 3_318_600, 25_039_296, 9_006_512}},
		{bucket.MaxLen + 1, 1, 8, 8, [7]int64{15_018_848, 13_772_368, 16_127_008, 16_217_216, 7_969_312, 28_298_944, 1_722_656}},
		{bucket.MaxLen + 1, 9, 24, 4, [7]int64{12_609_200, 12_620_944, 14_967_512, 14_473_464, 6_235_144, 36_483_928, 19_773_080}},
		{300_000, 1, 4, 4, [7]int64{17_029_728, 13_488_576, 20_490_392, 18_348_640, 11_475_552, 18_041_264, 786_432}},
		{300_000, 4, 24, 8, [7]int64{54_651_248, 52_726_744, 64_192_752, 62_880_696, 38_471_664, 62_927_672, 10_785_320}},
		{1 << 22, 1, 16, 8, [7]int64{251_780_840, 252_555_104, 368_345_568, 327_978_136, 158_612_064, 62_785_680, 3_595_112}},
		{1 << 22, 16, 8, 4, [7]int64{270_896_592, 225_955_512, 362_639_864, 308_860_656, 171_588_968, 104_512_064, 9_586_976}},
		{1 << 26, 2, 128, 8, [7]int64{4_470_226_512, 12_703_857_536, 15_024_998_040, 14_277_749_768, 2_242_947_536, 1_114_262_552, 38_347_912}},
	} {
		n, workers, size, code := c.n, c.workers, c.size, c.code
		got := [...]int64{
			OrderBytes(n, workers, code), MoveBytes(n, workers, size, code), MoveRefinedBytes(n, workers, size, code, 16), SortPairsBytes(n, workers, size, code),
			KeysBytes(n, workers, code), OrderWithinBytes(n, workers, segments, code), MoveWithinBytes(n, workers, segments, size),
		}
		if got != c.want && bits.UintSize == 64 {
			t.Errorf("%d elements of %d bytes, codes of %d, %d workers: %d", n, size, code, workers, got)
		}
	}
	if got := MoveRefinedBytes(8373, 1, 300, 8, 0); got != 4_987_568 && bits.UintSize == 64 { // moves take more than a partition
		t.Errorf("without further arrays: %d", got)
	}
}

// TestPlanMemory holds a plan to its part of the bound, for any number of cells.
func TestPlanMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range testkit.Pick(30, 1000) {
		n, workers := leastTarget+r.IntN(1<<(14+r.IntN(7))), 1+r.IntN(16)
		codes := make([]uint64, n)
		values, heavy := 1+r.Uint64N(1<<(1+r.IntN(60))), r.IntN(2) == 0
		fill(codes, func() uint64 {
			if heavy && r.IntN(2) == 0 {
				return 0
			}
			return r.Uint64N(values)
		})
		v := surveyOf(codes)
		if v.Sorted() {
			continue
		}
		env := newEnv(workers)
		b, err := plan(env, 0, n, in(codes), v, bucketTarget(n, workers, maxBuckets))
		if err != nil {
			t.Fatal(err)
		}
		var a scratch.Area
		sizePlan(&a, n, workers, 8, 0)
		if env.Arena.Peak() > a.Bytes() {
			t.Errorf("n=%d, %d workers, %d values, heavy %v: %d cells in %d stripes take %d bytes, want at most %d", n, workers, values, heavy, b.used, b.count, env.Arena.Peak(), a.Bytes())
		}
		env.Arena.Release(1)
	}
}

// TestCountedRange counts the values of the widest range that is counted, and one wider, within the bound.
func TestCountedRange(t *testing.T) {
	const n = 8 * (1<<maxCellBits - 1)
	turn := -1
	for _, wider := range []uint64{0, 1} {
		for _, workers := range []int{3, 1} {
			if turn++; testkit.ThinnedByRace(turn) {
				continue
			}
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = 1<<60 + uint64(i)*0x9e3779b97f4a7c15>>13%(n/8+wider+1)
			}
			keys[0], keys[1] = 1<<60+n/8+wider, 1<<60
			want := slices.Sorted(slices.Values(keys))
			env := newEnv(workers)
			if err := keysOf(env, keys).Sort(env); err != nil || !slices.Equal(keys, want) {
				t.Fatalf("wider by %d: not sorted, %v", wider, err)
			}
			if counted := env.Trace.Algorithm == "Counting"; counted != (wider == 0) {
				t.Errorf("wider by %d: counted %v", wider, counted)
			} else if counted && env.Trace.Rounds > 0 {
				t.Errorf("keys that are counted are partitioned in %d rounds", env.Trace.Rounds)
			}
			if most := KeysBytes(n, workers, 8); env.Arena.Peak() > most {
				t.Errorf("%d workers: %d bytes, want at most %d", workers, env.Arena.Peak(), most)
			}
			env.Arena.Release(1)
		}
	}
}

type memoryWay struct {
	most int64
	sort func(env *engine.Env) error
}

func memoryWays(codes []uint64, workers int) map[string]memoryWay {
	n := len(codes)
	ways := map[string]memoryWay{
		"Order": {OrderBytes(n, workers, 8), func(env *engine.Env) error {
			return Order(env, n, sourceOf(codes), true, func(int, int, []uint32, []uint64) {})
		}},
		"Move": {MoveBytes(n, workers, 24, 8), func(env *engine.Env) error {
			return Move(env, PayloadOf(make([][3]uint64, n)), sourceOf(codes))
		}},
		"MoveRefined": {MoveRefinedBytes(n, workers, 4, 8, 0), func(env *engine.Env) error {
			_, err := MoveRefined[uint64](env, PayloadOf(make([]uint32, n)), sourceOf(codes), unrefined{sourceOf(codes)})
			return err
		}},
		"Keys": {KeysBytes(n, workers, 8), func(env *engine.Env) error { return keysOf(env, slices.Clone(codes)).Sort(env) }},
		"SortPairs": {SortPairsBytes(n, workers, 48, 8), func(env *engine.Env) error {
			return SortPairs(env, keysOf(env, slices.Clone(codes)), PayloadOf(make([][6]uint64, n)))
		}},
		"OrderInPlace": {InPlaceBytes(n, 8), func(env *engine.Env) error {
			_, err := OrderInPlace(env, make([]uint32, n), sourceOf(codes))
			return err
		}},
	}
	if n <= bucket.MaxLen {
		ways["Pairs"] = memoryWay{bucket.PairsBytes(n, 1), func(env *engine.Env) error {
			new(bucket.Pairs).Sort(env, slices.Clone(codes), make([]uint32, n))
			return nil
		}}
	}
	papers.Link()
	for a := engine.Auto; a < engine.Algorithms; a++ {
		if engine.OrdersCodes(a) && (Engine{}).Runs(a) {
			ways[fmt.Sprint(a)] = memoryWay{papers.Bytes(a, n, workers, 8), func(env *engine.Env) error {
				job := &engine.Job{N: n, Bits: 64, Algorithm: a, Codes64: sourceOf(codes), Emit: func(int, []uint32) {}, Env: env}
				return Engine{}.Order(env.Loop.Ctx, job)
			}}
		}
	}
	return ways
}

// TestFindingBytes holds the search for moves to the bound on its memory.
func TestFindingBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	found := 0
	for shape, draw := range memoryCodes {
		for _, n := range []int{2, 30, 1000, 17_000, 150_000} {
			codes := make([]uint64, n)
			draw(r, codes)
			for _, workers := range []int{1, 3} {
				env := newEnv(workers)
				v, err := presorted.SurveyCodes(env, "survey", n, in(codes))
				if err != nil || v.Sorted() {
					continue
				}
				l, err := movesOf(env, codes, v)
				if err != nil {
					t.Fatal(err)
				}
				if l != nil {
					found++
				}
				var a scratch.Area
				sizeFinding(&a, n, workers, 8)
				if most := a.Bytes(); env.Arena.Peak() > most {
					t.Errorf("%s, n=%d, %d workers: %d bytes, want at most %d", shape, n, workers, env.Arena.Peak(), most)
				}
				env.Arena.Release(1)
			}
		}
	}
	if found < 20 {
		t.Errorf("moves were found %d times", found)
	}
}
