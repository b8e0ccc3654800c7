//go:build linux && (amd64 || arm64)

package gpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// drawing returns a source of other draws in every run, and has a failing test say which.
func drawing(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// TestGather moves elements of all kinds of sizes through orders of any length, from
// any place on.
func TestGather(t *testing.T) {
	w := workspaceOf(t)
	if err := w.load(gatherModules); err != nil {
		t.Fatal(err)
	}
	r := drawing(t)
	counts := []int{1, 3, kernels.GatherTile - 1, kernels.GatherTile, kernels.GatherTile + 1, 5000}
	if testing.Short() {
		counts = counts[1:4]
	}
	for _, size := range []int{4, 8, 12, 16, 24, 32, 36, 64, 1000} {
		for _, n := range counts {
			elements, order := make([]byte, n*size), r.Perm(n)
			for i := range elements {
				elements[i] = byte(r.Uint32())
			}
			positions := make([]uint32, n)
			for i, p := range order {
				positions[i] = uint32(p)
			}
			lo := r.IntN(n)
			hi := lo + 1 + r.IntN(n-lo)
			want := bytes.Repeat([]byte{0xa5}, n*size) // what no element may touch
			for i, p := range order[lo:hi] {
				copy(want[i*size:], elements[p*size:][:size])
			}
			if got := gathered(t, w, elements, positions, lo, hi, size); !bytes.Equal(got, want) {
				t.Errorf("elements %d to %d of %d, %d bytes: wrong", lo, hi, n, size)
			}
		}
	}
}

// gathered returns what the device makes of places [lo, hi) of the order, in memory
// that was full of something else.
func gathered(t *testing.T, w *workspace, elements []byte, order []uint32, lo, hi, size int) []byte {
	t.Helper()
	b, err := w.take(2*len(elements) + 4*len(order) + 3*256)
	if err != nil {
		t.Fatal(err)
	}
	defer w.put(b)
	space := area{b.at}
	from, positions, to := space.take(len(elements)), space.take(4*len(order)), space.take(len(elements))
	got := make([]byte, len(elements))
	err = first(
		func() error { return w.CopyToDevice(from, unsafe.Pointer(&elements[0]), len(elements), w.stream) },
		func() error { return w.CopyToDevice(positions, unsafe.Pointer(&order[0]), 4*len(order), w.stream) },
		func() error { return w.Memset32(to, 0xa5a5a5a5, len(elements)/4, w.stream) },
		func() error { return w.gather(w.stream, from, positions, lo, hi-lo, size, to) },
		func() error { return w.CopyToHost(unsafe.Pointer(&got[0]), to, len(got), w.stream) },
		func() error { return w.SyncStream(w.stream) },
	)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestCargo sorts jobs that offer their elements: those travel if the device has words
// and memory for them, and come back in the stable order of the codes, each place once.
// Otherwise, and where codes tie and the library asks for ties, positions come, before
// ties are settled and elements come.
func TestCargo(t *testing.T) {
	e := open(t)
	for _, c := range []cargoCase{
		{n: 33, size: 8, travel: true},
		{n: 1000, size: 4, travel: true},
		{n: engine.Block, size: costmodel.CarriedSize, travel: true},
		{n: engine.Block + 1, size: 12, travel: true},
		{n: kernels.RadixTile + 1, size: 24, travel: true},
		{n: 40_000, size: 40, travel: true}, // several slots
		{n: 1000, size: 6},
		{n: 1000, size: 16, least: 16_001},
		{n: 1000, size: 0},
		{n: 1000, size: costmodel.CarriedSize + 4},
		{n: 1000, size: 16, ties: 900},
		{n: 40_000, size: 40, ties: 1, travel: true}, // four
		{n: 40_000, size: costmodel.CarriedSize, memory: 4 << 20},
		{n: 1000, size: costmodel.CarriedSize, travel: true}, // by the slots of a larger one
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			e.dev.limit, e.cargo = c.memory, max(c.least, 1)
			defer func() { e.dev.limit = 0 }()
			if testing.Short() && c.n > 10_000 && c.ties == 0 {
				t.Skip("seconds under the thread sanitizer")
			}
			testCargo(t, e, c)
		})
	}
}

// cargoCase is a job that offers elements.
type cargoCase struct {
	n, size int
	ties    int  // codes that equal another, which the library asks for; 0: it does not
	memory  int  // limit, 0: none
	least   int  // bytes that travel
	travel  bool // elements do
}

func testCargo(t *testing.T, e *Engine, c cargoCase) {
	r := drawing(t)
	codes := make([]uint64, c.n)
	for i := range codes {
		if codes[i] = r.Uint64(); i > 0 && i <= c.ties {
			codes[i] = codes[0]
		}
	}
	in, out := make([]byte, c.n*c.size), bytes.Repeat([]byte{0xa5}, c.n*c.size)
	for i := range in {
		in[i] = byte(r.Uint32())
	}
	order, settled := make([]uint32, c.n), false
	pulled, pushed, emitted := make([]bool, c.n), make([]bool, c.n), make([]bool, c.n)
	job := &engine.Job{N: c.n, Bits: 64, Env: new(engine.Env),
		Codes64: func(dst []uint64, lo int) { copy(dst, codes[lo:]) },
		Emit: func(lo int, part []uint32) {
			if settled {
				t.Error("a position comes behind Settle")
			}
			mark(t, emitted, lo, len(part))
			copy(order[lo:], part)
		},
		Elements: &engine.Elements{
			Size: c.size,
			Pull: func(dst []byte, lo int) {
				mark(t, pulled, lo, len(dst)/c.size)
				copy(dst, in[lo*c.size:])
			},
			Settle: func() error { settled = true; return nil },
			Push: func(lo int, elements []byte) {
				if !settled {
					t.Error("an element comes before Settle")
				}
				mark(t, pushed, lo, len(elements)/c.size)
				copy(out[lo*c.size:], elements)
			},
		},
	}
	job.Loop.Workers = 3
	if c.ties > 0 {
		job.Ties = make([]uint32, engine.TieWords(c.n))
	}
	if err := e.Order(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	for i, p := range stable(codes) {
		tied := c.ties > 0 && (i > 0 && codes[order[i-1]] == codes[p] && emitted[i-1] || i+1 < c.n && emitted[i+1] && codes[order[i+1]] == codes[p])
		switch {
		case emitted[i] == pushed[i], tied && pushed[i]:
			t.Fatalf("place %d: position %v, element %v, tied %v", i, emitted[i], pushed[i], tied)
		case emitted[i] && order[i] != p:
			t.Fatalf("place %d: position %d, want %d", i, order[i], p)
		case pushed[i] && (!pulled[i] || !bytes.Equal(out[i*c.size:][:c.size], in[int(p)*c.size:][:c.size])):
			t.Fatalf("place %d: pulled %v, or not element %d", i, pulled[i], p)
		}
	}
	if moved, left := slices.Contains(pushed, true), slices.Contains(emitted, true); moved != c.travel || left != (c.ties > 0 || !c.travel) {
		t.Errorf("elements moved: %v, left: %v", moved, left)
	}
}

// TestSpans cuts orders with ties at any place: pieces without one have none at their
// edges either.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		n, grain := 1+r.IntN(300), 1+r.IntN(100)
		job := &engine.Job{N: n, Ties: make([]uint32, engine.TieWords(n))}
		marked := make([]bool, n+1)
		for range r.IntN(3) {
			i := r.IntN(n)
			job.Ties[i/32] |= 1 << (i % 32)
			marked[i] = true
		}
		free, tied := spans(job, grain)
		next := 0
		for len(free)+len(tied) > 0 {
			list, want := &free, false
			if len(free) == 0 || len(tied) > 0 && tied[0].lo < free[0].lo {
				list, want = &tied, true
			}
			s := (*list)[0]
			if *list = (*list)[1:]; s.lo != next || slices.Contains(marked[s.lo:s.hi+1], true) != want {
				t.Fatalf("%d places by %d, %+v, tied %v: marks %v", n, grain, s, want, job.Ties)
			}
			next = s.hi
		}
		if next != n {
			t.Fatalf("%d places by %d end at %d", n, grain, next)
		}
	}
}

// mark notes that n elements from lo on come.
func mark(t *testing.T, seen []bool, lo, n int) {
	for i := lo; i < lo+n; i++ {
		if seen[i] {
			t.Errorf("element %d twice", i)
		}
		seen[i] = true
	}
}

// TestCargoInOrder has elements in order stay where they are.
func TestCargoInOrder(t *testing.T) {
	e := open(t)
	e.cargo = 1
	job := &engine.Job{N: 20_000, Bits: 32, Env: new(engine.Env), Emit: func(int, []uint32) {}, Codes32: func(dst []uint32, lo int) {
		for i := range dst {
			dst[i] = uint32(lo + i)
		}
	}, Elements: &engine.Elements{Size: 8, Pull: func(dst []byte, _ int) { clear(dst) }, Push: func(int, []byte) { t.Error("an element is pushed") }}}
	if err := e.Order(t.Context(), job); err != nil || job.Trace.Shape != "sorted" {
		t.Errorf("error %v, shape %q", err, job.Trace.Shape)
	}
}
