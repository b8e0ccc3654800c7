//go:build cudacpu && linux && amd64

package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// The specification again, on the GPU engine, whose kernels run on the CPU.

func onGPU(t *testing.T, opts ...gpu.Option) *gpu.Engine {
	t.Helper()
	before := cudacpu.Holding()
	e, err := gpu.Open(append(opts, gpu.Verify())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if held := cudacpu.Holding(); held != before {
			t.Errorf("%+v are held after Close, %+v were before", held, before)
		}
	})
	return e
}

// on returns m on the engine b, by one of its algorithms.
func (m mode) on(b sorter.Backend, turn int) mode {
	var all []sorter.Algorithm
	for a := sorter.Auto; a < engine.Algorithms; a++ {
		if b.Runs(a) {
			all = append(all, a)
		}
	}
	a := all[turn%len(all)]
	return mode{fmt.Sprintf("%s on %s by %v", m.name, b.Name(), a), m.order, append(slices.Clone(m.opts), sorter.On(b), sorter.Use(a))}
}

// TestGPU sorts every kind of key, distribution and direction.
func TestGPU(t *testing.T) {
	e := onGPU(t)
	for turn, k := range keyKinds {
		if !testkit.Long() && !k.isLarge() {
			continue
		}
		for i := range inputs {
			if !testkit.Long() && (i+turn)%4 != 0 {
				continue
			}
			checkOnGPU(t, e, turn, i)
		}
	}
}

// checkOnGPU sorts one kind of key with one distribution.
func checkOnGPU(t *testing.T, e *gpu.Engine, turn, i int) {
	t.Helper()
	cudacpu.Seed(uint64(turn*100 + i))
	ref := drawn(keyKinds[turn], inputs[i], gpuSizes[(turn+i)%len(gpuSizes)], uint64(i))
	m := directions[(turn/2+i)%len(directions)].on(e, turn/3+i)
	switch (turn + i) % 3 {
	case 0:
		ref.checkSort(t, m)
	case 1:
		ref.checkOrder(t, m)
	default:
		ref.checkSortKeys(t, m)
		ref.checkSortKeysDefault(t, m)
		ref.checkSortPairs(t, m)
	}
}

// TestGPUSmall sorts every kind of key on a device with little shared memory.
func TestGPUSmall(t *testing.T) {
	cudacpu.Configure(cudacpu.SmallDevice)
	t.Cleanup(func() { cudacpu.Configure(cudacpu.DefaultDevice) })
	e := onGPU(t)
	for turn := range keyKinds {
		checkOnGPU(t, e, turn, turn%len(inputs))
	}
}

// TestGPUInto orders into memory that the caller keeps.
func TestGPUInto(t *testing.T) {
	e := onGPU(t)
	for _, n := range gpuSizes {
		checkInto(t, n, sorter.On(e))
	}
}

// gpuSizes are around the sizes of a bucket and a tile.
var gpuSizes = []int{
	0, 1, 2, 3, 31, 33, 500,
	kernels.LocalSize - 1, kernels.LocalSize, kernels.LocalSize + 1,
	kernels.Tile - 1, kernels.Tile, kernels.Tile + 1, 2*kernels.Tile + 3,
}

// TestGPUSizes sorts every distribution at every size, as codes of both widths.
func TestGPUSizes(t *testing.T) {
	e := onGPU(t)
	for i, input := range inputs {
		for j, n := range gpuSizes {
			if !testkit.Long() && (i+j)%5 != 0 {
				continue
			}
			for _, k := range keyKinds {
				if k.Name() == "float32" || k.Name() == "float64" {
					drawn(k, input, n, uint64(n)).checkOrder(t, directions[(i+j)%4].on(e, i+2*j))
				}
			}
		}
	}
}

// TestGPUKeys sorts keys that are nothing but their codes, of both widths, by every
// algorithm.
func TestGPUKeys(t *testing.T) {
	e := onGPU(t)
	for i, d := range dist.All {
		for j, n := range gpuSizes {
			if !testkit.Long() && (i+j)%5 != 0 {
				continue
			}
			cudacpu.Seed(uint64(i*100 + j))
			m := mode{}.on(e, i+3*j)
			values := d.Draw(n, dist.Rand(uint64(n)))
			keysAlone(t, d.Name+m.name, values, func(v uint64) uint64 { return v }, m.opts...)
			keysAlone(t, d.Name+m.name, values, func(v uint64) uint32 { return uint32(v >> 32) }, m.opts...)
			keysAlone(t, d.Name+m.name, values, func(v uint64) int8 { return int8(v >> 56) }, m.opts...)
		}
	}
}

// TestGPUCrowds sorts codes that lie close to the ends of their range, 0 and the
// highest of 32 and of 64 bits: by every algorithm, by every way of spreading that one
// of them has, in both directions.
func TestGPUCrowds(t *testing.T) {
	for way := bucket.BySample; way <= bucket.Quantiles; way++ {
		e := onGPU(t, settings.Spread(way))
		for a := sorter.Auto; a < engine.Algorithms; a++ {
			if e.Runs(a) && (way == bucket.BySample || a == sorter.BucketBitonic) {
				t.Run(fmt.Sprint(way, " ", a), func(t *testing.T) { testCrowds(t, e, a) })
			}
		}
	}
}

func testCrowds(t *testing.T, e *gpu.Engine, a sorter.Algorithm) {
	t.Helper()
	r := dist.Rand(uint64(a))
	for _, keys := range [][]uint64{ // whose complements crowd at the highest code
		drawOf(300, r, 0, 1), drawOf(300, r, 0, 77), drawOf(5, r, 1, 1<<6, 1<<10), drawOf(33, r, 1, 2, 4, 8, 16, 32, 64), drawOf(1100, r, 1, 1<<3, 1<<20, 1<<40),
	} {
		checkCrowd(t, e, a, "few keys", keys, 1)
	}
	for end := range dist.CrowdEnds {
		for kind := range dist.CrowdKinds {
			c := dist.Crowd{End: end, Kind: kind, Width: 1 + r.IntN(64), Extremes: r.IntN(3) == 0}
			n, turn := 2+r.IntN(1<<r.IntN(12)), r.IntN(2)
			if c.Width > 32 || r.IntN(2) == 0 {
				checkCrowd(t, e, a, c.String(), c.Draw(n, 64, r), turn)
			} else {
				checkCrowd(t, e, a, c.String(), mapped(c.Draw(n, 32, r), func(v uint64) uint32 { return uint32(v) }), turn)
			}
		}
	}
}

// drawOf draws n of the values, equally many of each.
func drawOf(n int, r *rand.Rand, values ...uint64) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = values[i%len(values)]
	}
	r.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// checkCrowd orders keys in one direction, and sorts them alone in the other.
func checkCrowd[K uint32 | uint64](t *testing.T, e *gpu.Engine, a sorter.Algorithm, name string, keys []K, turn int) {
	t.Helper()
	ref := newReference(fmt.Sprintf("%s, %T", name, keys), keyKind[K]{order: oracle.Ordered[K]}.set(keys))
	by := []sorter.Option{sorter.Stable(), sorter.On(e), sorter.Use(a)}
	m := directions[turn]
	_, p, err := ref.orderKeys(append(by, m.opts...)...)
	checkSame(t, ref.name+", "+m.name, err, p, permOf(ref.in(m.order)))
	m = directions[1-turn]
	m.opts = append(by, m.opts...)
	ref.checkSortKeys(t, m)
}

// keysAlone sorts what become of values, and holds the result to slices.Sort.
func keysAlone[K cmp.Ordered](t *testing.T, name string, values []uint64, key func(uint64) K, opts ...sorter.Option) {
	t.Helper()
	keys := make([]K, len(values))
	for i, v := range values {
		keys[i] = key(v)
	}
	want := slices.Sorted(slices.Values(keys))
	err := sorter.SortKeys(keys, opts...)
	reportSame(t, fmt.Sprintf("%s: %d of %T", name, len(keys), keys), err, keys, want)
}

// TestGPUTies breaks ties that the device has marked.
func TestGPUTies(t *testing.T) {
	checkTiedOn(t, []int{1, 33, 1 << 15, 70_001}, sorter.On(onGPU(t)))
}

// TestGPULarge sorts as many elements as need two levels of partition.
func TestGPULarge(t *testing.T) {
	if !testkit.Long() {
		t.Skip("takes minutes under a sanitizer")
	}
	const n = 1 << 20
	e := onGPU(t)
	for i, d := range dist.All {
		values := d.Draw(n, dist.Rand(uint64(i)))
		var st sorter.Stats
		got, err := sorter.OrderKeys(values, sorter.On(e), sorter.Use(sorter.BucketBitonic), sorter.Report(&st))
		want, _ := sorter.OrderKeys(values, sorter.On(sorter.CPU()))
		checkSame(t, d.Name, err, got, want)
		if st.Shape == "" && st.Rounds < 2 {
			t.Errorf("%s: %d levels of partition", d.Name, st.Rounds)
		}
		if d.Name == "uniform" || d.Name == "gauss" { // keys alone of other kinds are sorted digit by digit
			opts := []sorter.Option{sorter.On(e), sorter.Use(sorter.BucketBitonic), sorter.Report(&st)}
			keysAlone(t, d.Name, values, func(v uint64) uint64 { return v }, opts...)
			if st.Algorithm != "BucketBitonic" || st.Rounds < 2 {
				t.Errorf("%s, keys: %s, %d levels of partition", d.Name, st.Algorithm, st.Rounds)
			}
			keysAlone(t, d.Name, values, func(v uint64) uint32 { return uint32(v >> 32) }, opts...)
			if st.Algorithm != "BucketBitonic" || st.Rounds < 2 {
				t.Errorf("%s, narrow keys: %s, %d levels of partition", d.Name, st.Algorithm, st.Rounds)
			}
		}
	}
}

// TestGPUHybridLimit holds the host's part of a hybrid sort to the memory limit, from the
// least that is enough on.
func TestGPUHybridLimit(t *testing.T) {
	e := onGPU(t, gpu.Memory(24<<20))
	values := dist.Named("uniform").Draw(1_200_000, dist.Rand(5))
	want := slices.Sorted(slices.Values(values))
	for _, v := range []struct {
		name string
		run  func(opts ...sorter.Option) ([]uint64, error)
	}{
		{"SortKeys", func(opts ...sorter.Option) ([]uint64, error) {
			s := slices.Clone(values)
			return s, sorter.SortKeys(s, opts...)
		}},
		{"OrderKeys", func(opts ...sorter.Option) ([]uint64, error) {
			p, err := sorter.OrderKeys(values, opts...)
			return mapped(p, func(i uint32) uint64 { return values[i] }), err
		}},
	} {
		accepted := 0
		for limit := int64(4 << 20); accepted < 2 && limit < 1<<30; limit += limit / 2 {
			var st sorter.Stats
			got, err := v.run(sorter.On(e), sorter.Use(sorter.Hybrid), sorter.MemoryLimit(limit), sorter.Report(&st), sorter.Workers(2))
			if errors.Is(err, sorter.ErrMemoryLimit) {
				continue
			}
			checkSame(t, fmt.Sprintf("%s under a limit of %d bytes", v.name, limit), err, got, want)
			if st.Scratch > limit {
				t.Errorf("%s took %d bytes under a limit of %d", v.name, st.Scratch, limit)
			}
			accepted++
		}
		if accepted == 0 {
			t.Errorf("%s: no limit was enough", v.name)
		}
	}
}
