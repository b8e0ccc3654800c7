package scratch

import (
	"math"
	"strings"
	"testing"
)

// TestAreaCounts holds every way to lay memory out to the sizes that it stands for.
func TestAreaCounts(t *testing.T) {
	one, other := Size(1000, 4), Size(5000, 8)
	for name, c := range map[string]struct {
		layOut func(a *Area)
		want   int64
	}{
		"memory":  {func(a *Area) { a.Memory(1000, 4) }, one},
		"each":    {func(a *Area) { a.MemoryEach(3, 1000, 4); a.Memory(5000, 8) }, 3*one + other},
		"aligned": {func(a *Area) { a.Aligned(1000, 4) }, AlignedSize(1000, 4)},
		"shares":  {func(a *Area) { a.Shares(1000, 3, 500, 4) }, Shares(1000, 3, 500, 4)},
		"times":   {func(a *Area) { a.Hold(7); a.Times(3, func() { a.Memory(1000, 4) }) }, 7 + 3*one},
		"never":   {func(a *Area) { a.Times(0, func() { a.Memory(math.MaxInt, 8) }) }, 0},
		"either": {func(a *Area) {
			a.Hold(7)
			a.Either(func() { a.Memory(1000, 4) }, func() { a.Memory(5000, 8) }, func() { a.Memory(1000, 4) })
			a.Hold(5)
		}, 12 + other},
		"nested": {func(a *Area) {
			a.Times(2, func() { a.Either(func() { a.Memory(1000, 4); a.Times(2, func() { a.Memory(5000, 8) }) }) })
		}, 2 * (one + 2*other)},
		"too large":  {func(a *Area) { a.Memory(math.MaxInt, 8); a.Memory(math.MaxInt, 8) }, TooLarge},
		"many":       {func(a *Area) { a.MemoryEach(math.MaxInt, 1<<20, 8) }, TooLarge},
		"many times": {func(a *Area) { a.Times(math.MaxInt, func() { a.Memory(1<<28, 8) }) }, TooLarge},
	} {
		var a Area
		if c.layOut(&a); math.MaxInt == math.MaxInt32 && strings.HasPrefix(name, "many") {
			continue // less than TooLarge
		}
		if a.Bytes() != c.want {
			t.Errorf("%s: %d bytes, want %d", name, a.Bytes(), c.want)
		}
		c.layOut(nil)
	}
}

// TestMemoryIsTaken takes laid out memory, and more than that.
func TestMemoryIsTaken(t *testing.T) {
	var a Area
	var arena Arena
	defer arena.Release(1)
	m := a.Memory(1000, 4)
	if got, part := In[uint32](&arena, m), PartIn[uint32](&arena, m, 10); len(got) != 1000 || len(part) != 10 {
		t.Errorf("%d and %d elements, want 1000 and 10", len(got), len(part))
	}
	if most := a.Bytes() + Size(10, 4); arena.Peak() > most {
		t.Errorf("%d bytes are held, want at most %d", arena.Peak(), most)
	}
	for name, take := range map[string]func(){
		"more":         func() { PartIn[uint32](&arena, m, 1001) },
		"other":        func() { In[uint64](&arena, m) },
		"not laid out": func() { PartIn[uint32](&arena, Memory{}, 1) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "sorter: scratch for ") {
					t.Errorf("%s: panicked with %q", name, text)
				}
			}()
			take()
		}()
	}
}
