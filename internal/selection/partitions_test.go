package selection

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/testkit"
)

// codesOf returns the codes of rows by a word.
func codesOf(d *drawnRows, word extract.Word) []uint64 {
	env := new(engine.Env)
	defer env.Arena.Release(1)
	word = extract.Fresh([]extract.Word{word})[0]
	word.Open(d.input(env), env)
	src, codes := extract.Source64(d.input(env), &word), make([]uint64, len(d.rows))
	for lo := 0; lo < len(codes); lo += engine.Block {
		src(codes[lo:min(lo+engine.Block, len(codes))], lo)
	}
	return codes
}

// TestFirstOfPartitions drops rows after k others of their partition: one worker those alone.
func TestFirstOfPartitions(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	defer func(seed uint64) { texts.PivotSeed = seed }(texts.PivotSeed)
	texts.PivotSeed = 1
	found, none := 0, 0
	for i := range testkit.Pick(100, 500) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n, k := 3000+r.IntN(9000), 1+r.IntN(4)
		if i%10 == 0 { // heaps of one code and of many
			k = 1 + r.IntN(n/mostLeft)
		}
		if i%10 == 1 { // tables that grow
			n, k = 60_000, 1
		}
		d := drawRows(r, n)
		parts := 1 + r.IntN(1+n/mostLeft/k*(1+r.IntN(2)))
		for i := range d.rows {
			d.rows[i].part = r.Uint32N(uint32(parts)) * 977
			if r.IntN(40) == 0 {
				d.rows[i].wide = math.MaxUint64
			}
		}
		lead := new(drawnRows)
		addColumn(lead, false, func(x row) uint32 { return x.part }, func(a, b *row) int { return cmp.Compare(a.part, b.part) })
		leads, words := lead.words(), d.words()
		env, ctx := newEnv(t, r, r.IntN(4) == 0)
		name := fmt.Sprintf("case %d: the first %d of each of %d partitions of %d rows, %d workers", i, k, parts, n, env.Loop.Workers)
		left, err := FirstOfPartitions(env, d.input(env), &leads[0], words, k)
		if stopped(t, ctx, name, err) {
			env.Arena.Release(1)
			continue
		}
		if left == nil {
			none++
			if parts < n/mostLeft/k*2/3 && float64(parts) < mostTable/2/float64(unsafe.Sizeof(partitionSlot{})+8*uintptr(k)) {
				t.Fatalf("%s: nothing is dropped", name)
			}
			env.Arena.Release(1)
			continue
		}
		found++
		if !slices.IsSorted(left) || len(slices.Compact(slices.Clone(left))) != len(left) {
			t.Fatalf("%s: rows do not ascend", name)
		}
		checkPartitions(t, name, d, words, left, k, env.Loop.Workers)
		env.Arena.Release(1)
	}
	if (found < 50 || none < 5) && !testkit.ThinnedByRace(1) {
		t.Errorf("rows were dropped %d times, and not %d times", found, none)
	}
}

// checkPartitions holds the rows that are left to the first k of each partition, and to what one worker drops.
func checkPartitions(t *testing.T, name string, d *drawnRows, words []extract.Word, left []uint32, k, workers int) {
	t.Helper()
	kept := make([]bool, len(d.rows))
	for _, x := range left {
		kept[x] = true
	}
	seen := map[uint32]int{}
	for _, x := range d.order() {
		if seen[d.rows[x].part]++; seen[d.rows[x].part] <= k && !kept[x] {
			t.Fatalf("%s: row %d, number %d of its partition, is dropped", name, x, seen[d.rows[x].part])
		}
	}
	if workers > 1 {
		return
	}
	codes, members := codesOf(d, words[0]), map[uint32][]int{}
	for i := range d.rows {
		members[d.rows[i].part] = append(members[d.rows[i].part], i)
	}
	for _, rows := range members {
		if len(rows) > 400 { // the loop is quadratic
			continue
		}
		for at, x := range rows {
			less, before := 0, 0
			for j, y := range rows {
				if codes[y] < codes[x] {
					less++
				}
				if j < at && codes[y] <= codes[x] {
					before++
				}
			}
			want := less < k && (before < k || !extract.Decisive(words))
			if kept[x] != want {
				t.Fatalf("%s: row %d, of which %d are less and %d before it, is left: %t", name, x, less, before, kept[x])
			}
		}
	}
}

// TestReplace has a heap hold the least codes that it was given.
func TestReplace(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 2000 {
		k := 1 + r.IntN(20)
		heap := slices.Repeat([]uint64{math.MaxUint64}, k)
		slot, all := partitionSlot{bound: math.MaxUint64}, []uint64(nil)
		for range r.IntN(60) {
			c := r.Uint64N(1 + r.Uint64N(40))
			if c < slot.bound || int(slot.rows) < k {
				slot.replace(heap, c)
			}
			all = append(all, c)
			slices.Sort(all)
			want := uint64(math.MaxUint64)
			if len(all) >= k {
				want = all[k-1]
			}
			if slot.bound != want || int(slot.rows) != min(len(all), k) {
				t.Fatalf("%d: bound %d of the least %d, %d rows", all, slot.bound, k, slot.rows)
			}
		}
		got := slices.Sorted(slices.Values(heap))
		for i := range min(k, len(all)) {
			if got[i] != all[i] {
				t.Fatalf("%d: heap %d", all, got)
			}
		}
	}
}

// TestSlots finds each partition in a table that grows, in slots of its own.
func TestSlots(t *testing.T) {
	for _, k := range []int{1, 2, 3, partitionChunk, partitionChunk + 1} {
		f := &partitionFilter{k: k, each: max(1, partitionChunk/k)}
		w := new(partitionWorker)
		w.open(f)
		parts := map[int]int{1: 512, 2: 513, 3: 5000}[k] // half of the table, and more
		if k > 3 {
			parts = 30
		}
		heaps := map[*uint64]bool{}
		for turn := range 2 {
			for i := range parts {
				lead := uint64(i) << 40
				s := w.slot(lead)
				if s.lead != lead || s.heap == 0 {
					t.Fatalf("slot of %d: %+v", lead, *s)
				}
				heap := w.heap(s.heap)
				if len(heap) != k || cap(heap) != k || turn == 0 && s.rows == 0 && slices.Min(heap) != math.MaxUint64 {
					t.Fatalf("a heap of %d", len(heap))
				}
				heaps[&heap[0]] = true
			}
		}
		distinct := map[uint64]bool{}
		for i := range parts {
			distinct[uint64(i)<<40] = true
		}
		slots := 1024
		for 2*len(distinct) > slots {
			slots *= 2
		}
		if w.parts != len(distinct) || len(heaps) != w.parts || len(w.slots) != slots || len(w.smalls) != (w.parts+f.each-1)/f.each {
			t.Errorf("%d partitions, %d heaps, %d slots, want %d", w.parts, len(heaps), len(w.slots), len(distinct))
		}
	}
}

// TestEstimate estimates numbers of partitions: few exactly, many about.
func TestEstimate(t *testing.T) {
	const n = 1 << 20
	defer func(seed uint64) { texts.PivotSeed = seed }(texts.PivotSeed)
	texts.PivotSeed = 1
	for _, parts := range []int{1, 3, 100, 1000, 5000, 20_000} {
		f := &partitionFilter{n: n, k: 3, lead: func(dst []uint64, lo int) {
			for i := range dst {
				dst[i] = uint64(lo+i) * 0x9e3779b97f4a7c15 >> 20 % uint64(parts)
			}
		}}
		w := new(partitionWorker)
		w.open(f)
		if got := f.estimate(w); got < 0.7*float64(parts) || got > 1.5*float64(parts) || parts <= 3 && got != float64(parts) {
			t.Errorf("%d partitions are estimated as %.1f", parts, got)
		}
	}
}

// TestLeftInRuns drops rows after k others of their run in a block.
func TestLeftInRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	found := 0
	for i := range testkit.Pick(120, 666) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n, k := 1+r.IntN(4*engine.Block), 1+r.IntN([]int{1, 3, 100}[r.IntN(3)])
		if r.IntN(3) == 0 {
			n = (1+r.IntN(3))*engine.Block - 1 + r.IntN(3)
		}
		d := drawRows(r, n)
		offsets := []int{0}
		for longest := 1 + r.IntN(1+n/2); offsets[len(offsets)-1] < n; {
			last := offsets[len(offsets)-1]
			next := last + 1 + r.IntN(longest)
			if r.IntN(4) == 0 {
				next = (last/engine.Block + 1) * engine.Block
			}
			offsets = append(offsets, min(n, next))
		}
		if i == 0 { // half of the rows are left
			n, k, offsets = 1000, 1, nil
			d = &drawnRows{rows: make([]row, n)}
			for i := range d.rows {
				d.rows[i].wide, offsets = uint64(i), append(offsets, i&^1)
			}
			offsets = append(slices.Compact(offsets), n)
			addColumn(d, false, func(x row) uint64 { return x.wide }, nil)
		}
		env, ctx := newEnv(t, r, i > 0 && r.IntN(5) == 0)
		words := d.words()
		name := fmt.Sprintf("case %d: the first %d of %d runs of %d rows, %d workers", i, k, len(offsets)-1, n, env.Loop.Workers)
		left, err := LeftInRuns(env, d.input(env), &words[0], offsets, k)
		if stopped(t, ctx, name, err) {
			env.Arena.Release(1)
			continue
		}
		codes, want, run := codesOf(d, words[0]), []uint32(nil), 0
		for x := range codes {
			for offsets[run+1] <= x {
				run++
			}
			block := x / engine.Block * engine.Block
			less := 0
			for y := max(block, offsets[run]); y < min(block+engine.Block, offsets[run+1], n) && less < k; y++ {
				if codes[y] < codes[x] {
					less++
				}
			}
			if less < k {
				want = append(want, uint32(x))
			}
		}
		if len(want) > n/2 {
			want = nil
		}
		if len(want) > 0 {
			found++
		}
		if !slices.Equal(left, want) {
			t.Fatalf("%s: %d rows are left, want %d", name, len(left), len(want))
		}
		env.Arena.Release(1)
	}
	if found < 20 && !testkit.ThinnedByRace(1) {
		t.Errorf("rows were dropped %d times", found)
	}
	for _, c := range []struct {
		n, runs, k int
		few        bool
	}{{8 * engine.Block, engine.Block - 8, 1, true}, {8 * engine.Block, engine.Block - 7, 1, false}, {16 * engine.Block, engine.Block - 16, 2, true}, {16 * engine.Block, engine.Block - 15, 2, false}} {
		if FewInRuns(c.n, c.runs, c.k) != c.few {
			t.Errorf("the first %d of %d runs of %d rows are few: %t", c.k, c.runs, c.n, !c.few)
		}
	}
}
