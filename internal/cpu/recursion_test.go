package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ways"
)

// skewedCodes have buckets that the first cut cannot keep small: all but a few
// codes are in the given number of clusters narrower than a cell.
func skewedCodes(n, heavy int) []uint64 {
	r := rand.New(rand.NewPCG(uint64(n), uint64(heavy)))
	codes := make([]uint64, n)
	for i := range codes {
		codes[i] = r.Uint64()
		if i%100_000 != 0 {
			codes[i] = uint64(i*7919%heavy)*((1<<64-1)/uint64(heavy)) + codes[i]>>40
		}
	}
	return codes
}

func sourceOf[C Code](codes []C) Source[C] {
	return func(dst []C, lo int) { copy(dst, codes[lo:]) }
}

func newEnv(workers int) *engine.Env {
	env := new(engine.Env)
	env.Loop.Workers = workers
	return env
}

// sorts are the sorts of codes that go through rounds, each giving an order.
func sorts(t *testing.T, codes []uint64) map[string]func(env *engine.Env) ([]uint32, error) {
	n := len(codes)
	return map[string]func(env *engine.Env) ([]uint32, error){
		"Order": func(env *engine.Env) ([]uint32, error) {
			order := make([]uint32, n)
			return order, Order(env, n, sourceOf(codes), false, func(_, lo int, part []uint32, _ []uint64) { copy(order[lo:], part) })
		},
		"Order with ties": func(env *engine.Env) ([]uint32, error) {
			order := make([]uint32, n)
			return order, Order(env, n, sourceOf(codes), true, func(_, lo int, part []uint32, sorted []uint64) {
				copy(order[lo:], part)
				for i, c := range sorted {
					if c != codes[part[i]] {
						t.Errorf("place %d: code %x of element %d with %x", lo+i, c, part[i], codes[part[i]])
						return
					}
				}
			})
		},
		"Move": func(env *engine.Env) ([]uint32, error) {
			s := make([]uint32, n)
			presorted.Forward(s, 0)
			return s, Move(env, PayloadOf(s), sourceOf(codes))
		},
		"Move, cancellable": func(env *engine.Env) ([]uint32, error) {
			env.Loop.Ctx = context.Background()
			s := make([]uint32, n)
			presorted.Forward(s, 0)
			return s, Move(env, PayloadOf(s), sourceOf(codes))
		},
		"SortPairs": func(env *engine.Env) ([]uint32, error) {
			return sortPairs(t, env, codes)
		},
		"SortPairs, cancellable": func(env *engine.Env) ([]uint32, error) {
			env.Loop.Ctx = context.Background()
			return sortPairs(t, env, codes)
		},
		"MoveRefined": func(env *engine.Env) ([]uint32, error) {
			s := make([]uint32, n)
			presorted.Forward(s, 0)
			_, err := MoveRefined[uint64](env, PayloadOf(s), sourceOf(codes), unrefined{sourceOf(codes)})
			return s, err
		},
	}
}

// sortPairs sorts codes as keys, and their numbers with them.
func sortPairs(t *testing.T, env *engine.Env, codes []uint64) ([]uint32, error) {
	keys, values := slices.Clone(codes), make([]uint32, len(codes))
	presorted.Forward(values, 0)
	err := SortPairs(env, keysOf(env, keys), PayloadOf(values))
	for i, x := range values {
		if keys[i] != codes[x] {
			t.Errorf("place %d: key %x with the value of %x", i, keys[i], codes[x])
			break
		}
	}
	return values, err
}

// TestSecondRound sorts inputs with many large buckets, which workers arrange
// alone, and with few, which they share, in every way: the order is right, two
// rounds are enough, and memory is within the planner's bound.
func TestSecondRound(t *testing.T) {
	defer ways.SwitchOff(ways.Of(ways.SplitKeys))() // which take no round
	const n = 1_200_000
	crews := testkit.Pick([]int{5}, []int{1, 2, 5})
	turn := 0
	for _, heavy := range []int{2, 12} {
		codes := skewedCodes(n, heavy)
		for _, workers := range crews {
			b := bucketsOf(t, codes, workers)
			alone, shared := b.schedule(workers)
			large := slices.ContainsFunc(alone, func(i int) bool { return !b.local(i) })
			if many := heavy == 12 && workers > 1; large != many || (len(shared) > 0) == many {
				t.Fatalf("%d clusters, %d workers: alone %v, shared %v", heavy, workers, large, shared)
			}
			for name, sort := range sorts(t, codes) {
				if turn++; testkit.Thinned(turn) {
					continue
				}
				name := fmt.Sprintf("%s, %d clusters, %d workers", name, heavy, workers)
				env := newEnv(workers)
				got, err := sort(env)
				if err != nil || !testkit.IsStable(got, codes) {
					t.Errorf("%s: wrong order, error %v", name, err)
				}
				checkRounds(t, name, env, MoveRefinedBytes(n, workers, 4, 8, 0))
			}
			for name, ctx := range map[string]context.Context{"Keys": nil, "Keys, cancellable": context.Background()} {
				name := fmt.Sprintf("%s, %d clusters, %d workers", name, heavy, workers)
				env := newEnv(workers)
				env.Loop.Ctx = ctx
				s := slices.Clone(codes)
				err := keysOf(env, s).Sort(env)
				if err != nil || !slices.IsSorted(s) {
					t.Errorf("%s: not sorted, error %v", name, err)
				}
				checkRounds(t, name, env, KeysBytes(n, workers, 8))
			}
		}
	}
}

// TestKnownOrderOfBucket sorts inputs with a bucket, left by two rounds, that
// takes several parts to deliver and is in order, nearly so, or reversed: no part may
// write over what another has to read.
func TestKnownOrderOfBucket(t *testing.T) {
	const n = 600_000
	r, turn := rand.New(rand.NewPCG(n, 1)), 0
	for shape, low := range map[string]func(i int) uint64{
		"reversed":            func(i int) uint64 { return uint64(n - i) },
		"in order, with ties": func(i int) uint64 { return uint64(i) &^ 3 },
		"nearly in order": func(i int) uint64 {
			if i%9_999 == 1 {
				return uint64(r.IntN(n))
			}
			return uint64(i)
		},
		"nearly in order, with ties": func(i int) uint64 {
			if i%9_999 == 1 {
				return uint64(r.IntN(n)) &^ 3
			}
			return uint64(i) &^ 3
		},
	} {
		codes := make([]uint64, n)
		for i := range codes {
			codes[i] = r.Uint64()
			if i%20 != 0 {
				codes[i] = 0xabcd8<<44 | codes[i]>>20
			}
			if i%5 != 0 {
				codes[i] = 0xabcd1234<<32 | low(i)
			}
		}
		codes[0], codes[1] = 0, 1<<64-1 // so that prefixes are cells
		for _, workers := range []int{1, 3} {
			for name, sort := range sorts(t, codes) {
				if turn++; testkit.Thinned(turn) {
					continue
				}
				env := newEnv(workers)
				got, err := sort(env)
				if err != nil || !testkit.IsStable(got, codes) {
					t.Errorf("%s, %s, %d workers: wrong order, error %v", shape, name, workers, err)
				}
				if env.Trace.Rounds != 2 {
					t.Errorf("%s, %s, %d workers: %d rounds", shape, name, workers, env.Trace.Rounds)
				}
			}
		}
	}
}

// TestCellsOfFloats cuts codes of float64 between -1 and 1, a quarter of which have
// one of some two thousand exponents: the first cut leaves no large bucket, unless
// stripes have fewer elements than they would have counters.
func TestCellsOfFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	codes := make([]uint64, 3<<20)
	for i := range codes {
		bits := math.Float64bits(2*r.Float64() - 1)
		codes[i] = bits ^ (-(bits >> 63) | 1<<63)
	}
	for _, c := range []struct {
		n, workers int
		fine       bool
	}{{3 << 20, 1, true}, {3 << 19, 1, true}, {3 << 19, 2, true}, {3 << 19, 5, false}} {
		workers, fine := c.workers, c.fine
		b := bucketsOf(t, codes[:c.n], workers)
		if b.used > 1<<unevenCellBits != fine {
			t.Errorf("%d workers: %d cells", workers, b.used)
		}
		for i := range b.len() {
			if size := b.size(i); fine && size > leastTarget+leastTarget/4 {
				t.Errorf("%d workers: bucket %d of %d has %d elements", workers, i, b.len(), size)
			}
		}
	}
}

// TestPrivateRound sorts codes of which one cell takes a further round. Its places are in memory of
// its worker, so that there is no second side.
func TestPrivateRound(t *testing.T) {
	defer ways.SwitchOff(ways.Of(ways.SplitKeys))()
	const n = 5 << 18
	r := rand.New(rand.NewPCG(7, 8))
	codes := make([]uint64, n)
	for i := range codes {
		codes[i] = r.Uint64()
		if i%10 == 0 { // more than MaxLen
			codes[i] = 1<<63 | codes[i]>>16
		}
	}
	want := slices.Clone(codes)
	slices.Sort(want)
	env := newEnv(1)
	must(t, keysOf(env, codes).Sort(env))
	if !slices.Equal(codes, want) {
		t.Error("codes are not in order")
	}
	checkRounds(t, "one cell", env, 8*n*3/2)
}

// bucketsOf returns the first cut of codes.
func bucketsOf(t *testing.T, codes []uint64, workers int) *buckets[uint64] {
	t.Helper()
	b, err := split(newEnv(workers), 0, len(codes), in(codes), surveyOf(codes), leastTarget, func(*engine.Env, *buckets[uint64]) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// surveyOf is a survey of codes whose blocks are not known.
func surveyOf[C Code](codes []C) presorted.Survey[C] {
	v := presorted.SummaryOf(codes)
	return presorted.Survey[C]{Min: v.Min, Max: v.Max, Marks: presorted.Marks{Falls: v.Falls, Rises: v.Rises}}
}

func keysOf(env *engine.Env, s []uint64) Keys[uint64] {
	return Keys[uint64]{
		Len:   len(s),
		View:  in(s),
		At:    func(i uint32) uint64 { return s[i] },
		Write: func(lo int, codes []uint64) { copy(s[lo:], codes) },
		Own:   PayloadOf(s),
		Words: s,
		Bits:  s,
		Code:  func(bits uint64) uint64 { return bits },
	}
}

func checkRounds(t *testing.T, name string, env *engine.Env, most int64) {
	t.Helper()
	if env.Trace.Rounds != 2 {
		t.Errorf("%s: %d rounds", name, env.Trace.Rounds)
	}
	if env.Arena.Peak() > most {
		t.Errorf("%s: %d bytes of scratch, want at most %d", name, env.Arena.Peak(), most)
	}
	env.Arena.Release(1)
}

// unrefined leaves ties in input order.
type unrefined struct{ src Source[uint64] }

func (u unrefined) Follow(codes []uint64, lo, fresh int, _ engine.Ties) presorted.Steps {
	known := len(codes) - fresh
	u.src(codes[known:], lo+known)
	steps := len(codes) - 1
	return presorted.Steps{Rises: steps, Falls: steps}
}
func (unrefined) Compare(_, _ uint32) int  { return 0 }
func (unrefined) RestDecides() bool        { return false }
func (unrefined) RunsDecide([]uint64) bool { return false }
func (unrefined) Concurrent() bool         { return true }

func (unrefined) Finer([]uint64, uint64, uint64) Source[uint64] { return nil }
func (unrefined) Along(*Placement[uint64]) error                { return nil }
func (unrefined) Moved(Payload)                                 {}
func (unrefined) Refine(int, []uint32, []uint64)                {}
func (unrefined) Finish(err error) error                        { return err }

// TestDeepRounds has clusters in clusters: every round leaves one large bucket,
// and all of them together take the memory of two.
func TestDeepRounds(t *testing.T) {
	const n = 1_000_000
	r := rand.New(rand.NewPCG(3, 4))
	codes := make([]uint64, n)
	for i := range codes {
		codes[i] = r.Uint64() >> (15 * r.IntN(5))
	}
	for _, workers := range []int{1, 3} {
		env := newEnv(workers)
		order := make([]uint32, n)
		err := Order(env, n, sourceOf(codes), false, func(_, lo int, part []uint32, _ []uint64) { copy(order[lo:], part) })
		if err != nil || !testkit.IsStable(order, codes) {
			t.Errorf("%d workers: wrong order, error %v", workers, err)
		}
		if most := OrderBytes(n, workers, 8); env.Trace.Rounds < 3 || env.Arena.Peak() > most {
			t.Errorf("%d workers: %d rounds, %d bytes of scratch, want at most %d", workers, env.Trace.Rounds, env.Arena.Peak(), most)
		}
	}
}

// TestCancelAlone cancels while a worker is alone with a large bucket, which
// then delivers no more than what every worker had begun.
func TestCancelAlone(t *testing.T) {
	codes := skewedCodes(3_000_000, 24)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	env := newEnv(2)
	env.Loop.Ctx = ctx
	var late atomic.Int64
	err := Order(env, len(codes), sourceOf(codes), false, func(_, _ int, order []uint32, _ []uint64) {
		if ctx.Err() != nil {
			late.Add(int64(len(order)))
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if most := int64(2 * 2 * leastTarget); late.Load() > most {
		t.Errorf("%d elements delivered after the cancellation, want at most %d", late.Load(), most)
	}
}
