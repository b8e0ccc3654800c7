//go:build cudacpu && linux && amd64

package terms

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/bitonic"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/testkit/zeroone"
	"example.com/sorter/kernels"
)

// Each network of the kernels is run once, on terms, and the circuit that it makes is proved. The
// merges of a whole tile, of 4097² pairs each, take minutes, and so does a refutation of each comparator of a
// warp:
//
//	SORTER_LONG_TESTS=1 go test -tags cudacpu ./internal/cudacpu/terms -whole

var whole = flag.Bool("whole", false, "prove whole tiles, and refute networks with any comparator dropped or exchanged")

// pick returns the value for a short test, a long one, or one of all.
func pick(short, long, all int) int {
	if *whole {
		return all
	}
	return testkit.Pick(short, long)
}

// tileShared is the shared memory of a tile of terms.
const tileShared = 8 * bitonic.Tile

var module = &device.Module{Image: []byte("cudacpu"), Kernels: map[string]int{
	"lane_2": 0, "lane_4": 0, "lane_8": 0, "lane_16": 0, "lane_32": 0, "warp_1024": 0,
	"bitonic_inplace_term": tileShared, "bitonic_merge_term": tileShared,
	"bitonic_inplace_wide": tileShared, "bitonic_merge_wide": tileShared,
}}

// circuit returns the circuit of n terms that run computes in device memory.
func circuit(t *testing.T, w *device.Workspace, n int, run func(at cuda.Ptr) error) *zeroone.Circuit {
	t.Helper()
	block, err := w.Take(8 * n)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Put(block)
	reset(n)
	if err := run(block.At); err != nil {
		t.Fatal(err)
	}
	if err := w.SyncStream(w.Stream); err != nil {
		t.Fatal(err)
	}
	terms := gputest.Down[uint64](t, w, block.At, n)
	c := &zeroone.Circuit{Inputs: n, Gates: gates(), Outputs: make([]int, n)}
	for i, x := range terms {
		if c.Outputs[i] = int(x); x >= uint64(n+len(c.Gates)) {
			t.Fatalf("output %d is no term: %#x", i, x)
		}
	}
	return c
}

// inPlace returns 0, 1, ….
func inPlace(n int) []int {
	place := make([]int, n)
	for i := range place {
		place[i] = i
	}
	return place
}

// TestLanes proves the networks of a lane and of a warp, and refutes them with any comparator dropped or exchanged.
func TestLanes(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t, module)
	for _, n := range []int{2, 4, 8, 16, 32, kernels.LocalSize} {
		name, threads := fmt.Sprint("lane_", n), 1
		if n == kernels.LocalSize {
			name, threads = fmt.Sprint("warp_", n), 32
		}
		c := circuit(t, w, n, func(at cuda.Ptr) error { return w.RunTiles(name, 1, threads, 0, uint64(at)) })
		if err := c.ByLemmas(inPlace(n)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n <= testkit.Pick(16, 32) {
			if err := c.Exhaustive(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		pairs := comparatorsOf(t, c)
		t.Logf("%s: %d comparators", name, len(pairs))
		step := 1
		if n == kernels.LocalSize {
			step = len(pairs) / pick(4, 12, len(pairs))
		}
		for i := 0; i < len(pairs); i += step {
			refute(t, name, n, pairs, i)
		}
	}
}

// comparatorsOf returns the comparators of a circuit. Each has a minimum and a maximum of the same operands, of
// which the minimum stays at the first of their places.
func comparatorsOf(t *testing.T, c *zeroone.Circuit) (pairs [][2]int) {
	t.Helper()
	most, place := map[[2]int]int{}, inPlace(c.Inputs+len(c.Gates))
	for i, g := range c.Gates {
		if g.Most {
			most[[2]int{g.A, g.B}] = c.Inputs + i
		}
	}
	for i, g := range c.Gates {
		if g.Most {
			continue
		}
		a, b := place[g.A], place[g.B]
		a, b = min(a, b), max(a, b)
		pairs = append(pairs, [2]int{a, b})
		place[c.Inputs+i], place[most[[2]int{g.A, g.B}]] = a, b
	}
	for j, out := range c.Outputs {
		if place[out] != j || 2*len(pairs) != len(c.Gates) {
			t.Fatalf("output %d is at place %d", j, place[out])
		}
	}
	return pairs
}

// refute shows that a network does not sort without comparator i, or with it exchanged.
func refute(t *testing.T, name string, n int, pairs [][2]int, i int) {
	t.Helper()
	exchanged := slices.Clone(pairs)
	exchanged[i] = [2]int{pairs[i][1], pairs[i][0]}
	dropped := slices.Delete(slices.Clone(pairs), i, i+1)
	for _, wrong := range [][][2]int{exchanged, dropped} {
		if zeroone.Of(n, wrong).ByLemmas(inPlace(n)) == nil {
			t.Errorf("%s: comparator %d of %d is not needed", name, i, len(pairs))
		}
	}
}

// TestTile proves the bitonic network of a tile, which is of any number of elements. The thread of element i
// holds it as one of 16, or 8, of its own.
func TestTile(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t, module)
	for kind, items := range map[string]int{"_term": 16, "_wide": 8} {
		for _, n := range []int{2, 17, 100, pick(600, 1000, bitonic.Tile-5), pick(512, 1024, bitonic.Tile)} {
			c := circuit(t, w, n, func(at cuda.Ptr) error {
				return w.RunTiles("bitonic_inplace"+kind, 1, bitonic.Tile/items, tileShared, uint64(at), uint64(n))
			})
			lanes := (n + items - 1) / items
			place := make([]int, n)
			for i := range place {
				place[i] = i%lanes*items + i/lanes
			}
			if err := c.ByLemmas(place); err != nil {
				t.Errorf("%d elements of %s: %v", n, kind, err)
			}
		}
	}
}

// TestMerges compares the network of several tiles, in the host's passes, with that of Batcher's definition: each
// output is the same term. That the definition sorts is proved for TestTile's sizes; its step from
// sorted halves to a whole is the same for all powers of two. A kernel may leave out a comparator of two
// places of a half that is in order already, as it does where nothing comes after the half: such a comparator is no
// term.
func TestMerges(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t, module)
	for kind, items := range map[string]int{"_term": 16, "_wide": 8} {
		if kind == "_wide" && !testkit.Long() {
			continue
		}
		sizes := testkit.Pick([]int{bitonic.Tile + 1}, []int{bitonic.Tile + 77, 2*bitonic.Tile + 1234})
		if *whole {
			sizes = append(sizes, 3*bitonic.Tile+1234, 4*bitonic.Tile)
		}
		for _, n := range sizes {
			e := bitonic.Elements{Kind: kind, Size: 8, Threads: bitonic.Tile / items, Shared: tileShared}
			c := circuit(t, w, n, func(at cuda.Ptr) error { return bitonic.SortElements(w, e, at, n) })
			known := terms{map[zeroone.Gate]int{}, map[int][]spot{}}
			want := known.defined(n, items)
			got := inPlace(n + len(c.Gates))
			for i, g := range c.Gates {
				got[n+i] = known.gate(g.Most, got[g.A], got[g.B])
			}
			for j, out := range c.Outputs {
				if got[out] != want[j] {
					t.Fatalf("%d elements of %s: output %d is another term", n, kind, j)
				}
			}
		}
	}
}

// terms numbers gates, from 1<<32 on, and knows which terms are in order.
type terms struct {
	numbers map[zeroone.Gate]int
	spots   map[int][]spot
}

// spot is the place of a term in a list that is in order.
type spot struct{ list, at int }

// inOrder notes that a list of terms is in order.
func (t terms) inOrder(id int, list []int) {
	for at, x := range list {
		if x != end {
			t.spots[x] = append(t.spots[x], spot{id, at})
		}
	}
}

// sorted returns two terms of one list in their order, if there is such a list.
func (t terms) sorted(a, b int) (low, high int, ok bool) {
	for _, x := range t.spots[a] {
		for _, y := range t.spots[b] {
			if x.list == y.list {
				if x.at < y.at {
					return a, b, true
				}
				return b, a, true
			}
		}
	}
	return 0, 0, false
}

const end = -1 // a place without an element, which is after all of them

func (t terms) gate(most bool, a, b int) int {
	if a > b {
		a, b = b, a
	}
	if a == end {
		if most {
			return end
		}
		return b
	}
	if low, high, ok := t.sorted(a, b); ok && most {
		return high
	} else if ok {
		return low
	}
	g := zeroone.Gate{Most: most, A: a, B: b}
	at, ok := t.numbers[g]
	if !ok {
		at = 1<<32 + len(t.numbers)
		t.numbers[g] = at
	}
	return at
}

// defined returns the terms of a sort of n elements. Threads sort their items by Batcher's odd-even merge sort, and
// merges are bitonic: the first step mirrors.
func (t terms) defined(n, items int) []int {
	size := 1
	for size < n || size < items {
		size *= 2
	}
	all := make([]int, size)
	for i := range all {
		all[i] = end
	}
	for first := 0; first < n; first += bitonic.Tile {
		tile := min(bitonic.Tile, n-first)
		lanes := (tile + items - 1) / items
		for i := range tile {
			all[first+i%lanes*items+i/lanes] = first + i
		}
	}
	exchange := func(i, j int) { all[i], all[j] = t.gate(false, all[i], all[j]), t.gate(true, all[i], all[j]) }
	for first := 0; first < size; first += items {
		oddEven(items, func(i, j int) { exchange(first+i, first+j) })
	}
	for p := 2 * items; p <= size; p *= 2 {
		for first := 0; first < n; first += p {
			if tile := first / bitonic.Tile * bitonic.Tile; p <= bitonic.Tile && min(n-tile, bitonic.Tile) <= p/2 {
				continue // a tile of few elements is sorted
			}
			merge(p, func(i, j int) { exchange(first+i, first+j) })
		}
		for first := 0; first < n && p >= bitonic.Tile; first += p {
			t.inOrder(p+first/p, all[first:first+p])
		}
	}
	return all[:n]
}

// merge calls exchange for the comparators of a bitonic merge of n places, in order.
func merge(n int, exchange func(i, j int)) {
	for i := range n / 2 {
		exchange(i, n-1-i)
	}
	for k := n / 4; k > 0; k /= 2 {
		for i := range n {
			if i&k == 0 {
				exchange(i, i|k)
			}
		}
	}
}

// oddEven calls exchange for the comparators of Batcher's odd-even merge sort, in order.
func oddEven(n int, exchange func(i, j int)) {
	for p := 1; p < n; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := range min(k, n-j-k) {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						exchange(i+j, i+j+k)
					}
				}
			}
		}
	}
}
