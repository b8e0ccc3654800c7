package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/testkit"
)

// TestGatherPast gathers elements of all kinds of sizes to all alignments, from
// memory that fits the cache and from more, and writes nothing else.
func TestGatherPast(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 200, 1000} {
		checkGather(t, n, 1000, func(i int) uint8 { return uint8(i) })
		checkGather(t, n, 1000, func(i int) uint16 { return uint16(i) })
		checkGather(t, n, 1000, func(i int) [3]uint16 { return [3]uint16{uint16(i)} })
		checkGather(t, n, 1000, func(i int) [3]uint32 { return [3]uint32{uint32(i), 5} })
		checkGather(t, n, 1000, func(i int) [2]uint64 { return [2]uint64{uint64(i), 5} })
		checkGather(t, n, 1000, func(i int) [5]uint64 { return [5]uint64{uint64(i), 5} })
		checkGather(t, n, 1000, func(i int) [25]uint64 { return [25]uint64{uint64(i), 5} })
		checkGather(t, n, 1000, func(i int) *int { return new(int) })
		checkGather(t, n, 1000, func(i int) struct{} { return struct{}{} })
	}
	const far = 8 << 20 // bytes
	checkGather(t, 1000, far/8, func(i int) uint64 { return uint64(i) })
	checkGather(t, 1000, far/24, func(i int) [3]uint64 { return [3]uint64{uint64(i), 5} })
	checkGather(t, 1000, far/64, func(i int) [8]uint64 { return [8]uint64{uint64(i), 5} })
	checkGather(t, 1000, far/200, func(i int) [25]uint64 { return [25]uint64{uint64(i), 5} })
	checkGather(t, 1000, far/16, func(i int) any { return i })
}

// checkGather gathers n of m elements.
func checkGather[T comparable](t *testing.T, n, m int, of func(i int) T) {
	t.Helper()
	src, index := make([]T, m), make([]uint32, n)
	for i := range src {
		src[i] = of(i + 1)
	}
	for i := range index {
		index[i] = uint32(i * 7919 % m)
	}
	for offset := range 9 {
		dst := make([]T, n+offset+3)
		want := slices.Clone(dst)
		for i, x := range index {
			want[offset+i] = src[x]
		}
		clear(dst)
		to, from := PayloadOf(dst[offset:offset+n]), PayloadOf(src)
		if to.GatherPast(from, index); !slices.Equal(dst, want) {
			t.Fatalf("%d of %d elements of %T to %d: wrong", n, m, src[0], offset)
		}
		clear(dst)
		if to.by.Gather(to.data, from.data, from.n, index, true); !slices.Equal(dst, want) {
			t.Fatalf("%d of %d elements of %T to %d: wrong", n, m, src[0], offset)
		}
	}
}

// TestPayloads goes to the bounds of parts, and moves elements in each way.
func TestPayloads(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for range testkit.Pick(500, 1666) {
		n := r.IntN(Few + 1)
		order := r.Perm(Few)
		var few [Few]uint32
		k := 0
		for _, x := range order {
			if x < n {
				few[k] = uint32(x)
				k++
			}
		}
		want := slices.Clone(few[:n])
		for _, by := range moveBySize {
			again := few
			got, _ := by(n, func(s Payload, _ uintptr) error { s.FollowFew(&again); return nil })
			cycles := slices.Clone(few[:n])
			other, _ := by(n, func(s Payload, _ uintptr) error { s.FollowCycles(cycles); return nil })
			if !slices.Equal(got, want) || !slices.Equal(other, want) {
				t.Fatalf("%d elements are at %v and %v, want %v", n, got, other, want)
			}
		}
	}
	s := []uint32{0, 1, 2, 3, 4}
	p := PayloadOf(s)
	p.Swap(1, 3)
	p.Swap(2, 2)
	p.Swap(4, 3)
	p.Swap(3, 4)
	if p.Part(0, 2).Exchange(p.Part(3, 5)); !slices.Equal(s, []uint32{4, 1, 2, 3, 0}) {
		t.Errorf("exchanged are %v", s)
	}
	p.Part(0, 2).Exchange(p.Part(2, 5)) // not as many
	if p.From(3).Clear(); !slices.Equal(s, []uint32{4, 1, 2, 0, 0}) || p.First(0).Len() != 0 || p.From(5).Len() != 0 {
		t.Errorf("cleared is %v", s)
	}
	for what, f := range map[string]func(){
		"a longer part": func() { p.First(6) }, "a negative part": func() { p.First(-1) }, "a part past the end": func() { p.Part(2, 6) },
		"a copy of another length": func() { p.Copy(p.First(4)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", what)
				}
			}()
			f()
		}()
	}
}

// TestHasPointers finds the pointers of elements.
func TestHasPointers(t *testing.T) {
	if !PayloadOf([]*int{}).HasPointers() || !PayloadOf([]struct{ s string }{}).HasPointers() || PayloadOf([]int{}).HasPointers() {
		t.Error("other pointers")
	}
}

// TestCopyPast copies elements of all kinds to a place within others, of few, and of more than fit the caches.
func TestCopyPast(t *testing.T) {
	for i, by := range moveBySize {
		n := 1000
		if i == 9 { // of 204 bytes
			n = 400_000
		}
		got, _ := by(n, func(s Payload, _ uintptr) error {
			var a scratch.Arena
			src := s.Take(&a, 100)
			src.Copy(s.Part(100, 200))
			s.CopyPast(300, src)
			s.CopyPast(n-100, src)
			s.CopyPast(7, s.First(0))
			return nil
		})
		for at, x := range got {
			want := at
			switch {
			case 300 <= at && at < 400:
				want = at - 200
			case at >= n-100:
				want = at - n + 200
			}
			if x != uint32(want) {
				t.Fatalf("kind %d, %d elements: at %d is %d, want %d", i, n, at, x, want)
			}
		}
	}
}
