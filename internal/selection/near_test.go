package selection

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// sampledInputs are codes of n rows. Of those named misleading, the rows of a sample have other codes than all others.
var sampledInputs = map[string]func(r *rand.Rand, i, n int) uint32{
	"uniform":  func(r *rand.Rand, _, _ int) uint32 { return r.Uint32() },
	"rising":   func(_ *rand.Rand, i, _ int) uint32 { return uint32(i) },
	"falling":  func(_ *rand.Rand, i, _ int) uint32 { return ^uint32(i) },
	"some tie": func(r *rand.Rand, _, n int) uint32 { return r.Uint32N(uint32(n / 50)) },
	"few":      func(r *rand.Rand, _, _ int) uint32 { return r.Uint32N(3) - 1 },
	"zeros":    func(*rand.Rand, int, int) uint32 { return 0 },
	"greatest": func(*rand.Rand, int, int) uint32 { return ^uint32(0) },
	"misleading, low": func(r *rand.Rand, i, n int) uint32 {
		if isSampled(i, n) {
			return r.Uint32N(1000)
		}
		return 1000 + r.Uint32()/2
	},
	"misleading, high": func(r *rand.Rand, i, n int) uint32 {
		if isSampled(i, n) {
			return 1<<31 + r.Uint32N(1000)
		}
		return r.Uint32() / 2
	},
}

func isSampled(i, n int) bool {
	m := sampledOf(n, mostSampled) // for fewer than 2^19 rows also that of the first k
	at := (i*m + n - 1) / n        // the first that is not before row i
	return at < m && at*n/m == i
}

// drawn returns codes and the order of their rows.
func drawn(n int, code func(r *rand.Rand, i, n int) uint32) (codes []uint32, order []int) {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	codes, order = make([]uint32, n), make([]int, n)
	for i := range codes {
		codes[i], order[i] = code(r, i, n), i
	}
	testkit.SortStable(order, func(i, j int) int { return cmp.Compare(codes[i], codes[j]) })
	return codes, order
}

// TestNear selects rows between bounds, and finds bounds that do not hold.
func TestNear(t *testing.T) {
	found, missed := 0, 0
	for name, code := range sampledInputs {
		for _, n := range []int{leastSampled - 1, leastSampled, 70_001, 200_000} {
			codes, order := drawn(n, code)
			for _, ks := range [][]int{{0}, {n - 1}, {n / 2}, {n / 3, n/3 + 1}, {n/4 + 9, n / 4, n/4 + 9}, {n / 4, n / 2}, {1, 2, 3, 4, 5}} {
				for workers := 1; workers <= 3; workers++ {
					env := new(engine.Env)
					env.Loop.Workers = workers
					defer env.Arena.Release(workers)
					rows := slices.Clone(ks)
					src := func(dst []uint32, lo int) { copy(dst, codes[lo:]) }
					done, err := byBounds(env, n, rows, src)
					if err != nil {
						t.Fatal(err)
					}
					if near := n >= leastSampled && ks[len(ks)-1] != n/2 || len(ks) == 1 && n >= leastSampled; name == "uniform" && done != near {
						t.Errorf("%d uniform codes, ranks %d: done is %t", n, ks, done)
					}
					if name == "few" && done {
						t.Errorf("%d codes of few values, ranks %d: rows are collected", n, ks)
					}
					for i, k := range ks {
						if want := order[k]; done && rows[i] != want || !done && rows[i] != k {
							t.Fatalf("%s, %d codes, %d workers, ranks %d: %d, want %d", name, n, workers, ks, rows[i], want)
						}
					}
					rows = slices.Clone(ks)
					if !bucket.Splits() {
						continue
					}
					if err := selectWhole(env, n, rows, src); err != nil {
						t.Fatal(err)
					}
					byAll := slices.Clone(ks)
					switch done, err := byCodes(env, n, byAll, src); {
					case err != nil:
						t.Fatal(err)
					case done:
						found++
					default:
						missed++
						copy(byAll, rows)
					}
					for i, k := range ks {
						if byAll[i] != order[k] {
							t.Fatalf("%s, some of %d codes, %d workers, ranks %d: %d, want %d", name, n, workers, ks, byAll[i], order[k])
						}
						if rows[i] != order[k] {
							t.Fatalf("%s, all of %d codes, ranks %d: %d, want %d", name, n, ks, rows[i], order[k])
						}
					}
				}
			}
		}
	}
	if bucket.Splits() && (found == 0 || missed == 0) {
		t.Errorf("bounds held %d times, and did not %d times", found, missed)
	}
}

// TestFirst selects the first rows with a sampled bound, which may be too low.
func TestFirst(t *testing.T) {
	tooLow := 0
	for name, code := range sampledInputs {
		for _, n := range []int{leastSampled - 1, leastSampled, 100_000, 270_000} {
			codes, order := drawn(n, code)
			for _, k := range []int{1, 10, n / 100, n / 20} {
				for workers := 1; workers <= 3; workers++ {
					env := new(engine.Env)
					env.Loop.Workers = workers
					input, words := extract.InputOf(cpu.PayloadOf(codes)), extract.Words([]extract.Column{extract.Self[uint32]()}, sortkey.Order{})
					input.Arena = &env.Arena
					rows, err := First(env, input, words, k)
					if err != nil {
						t.Fatal(err)
					}
					bound := sampledBound(env, n, k, func(dst []uint32, lo int) { copy(dst, codes[lo:]) })
					if uint64(codes[order[k-1]]) > bound {
						tooLow++
					}
					for i, row := range rows {
						if len(rows) != k || int(row) != order[i] {
							t.Fatalf("%s, the first %d of %d, %d workers: row %d is %d, want %d", name, k, n, workers, i, row, order[i])
						}
					}
					env.Arena.Release(workers)
				}
			}
		}
	}
	if tooLow == 0 {
		t.Error("no bound was too low")
	}
}

// TestRanksFew selects rows of few elements.
func TestRanksFew(t *testing.T) {
	if !bucket.Splits() {
		t.Skip("no AVX-512")
	}
	for name, code := range sampledInputs {
		for _, n := range []int{leastSelected, 129, 1000, 4095, cpu.SmallLen} {
			codes, order := drawn(n, code)
			for _, ks := range [][]int{{0}, {n - 1}, {n / 2}, {n / 3, n/3 + 1}, {n - 1, 0}} {
				rows, ok := RanksFew([]extract.Column{extract.Self[uint32]()}, n, ks, extract.Batch{Block: cpu.PayloadOf(codes).Raw()}, new(call.Options))
				if ok != (n >= len(ks)*leastSelected) {
					t.Fatalf("%s, %d ranks of %d codes: selected: %t", name, len(ks), n, ok)
				}
				if !ok {
					continue
				}
				for i, k := range ks {
					if int(rows[i]) != order[k] {
						t.Fatalf("%s, %d codes: row %d at rank %d, want %d", name, n, rows[i], k, order[k])
					}
				}
			}
		}
	}
}
