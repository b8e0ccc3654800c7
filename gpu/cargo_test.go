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

	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// TestGather moves elements of all kinds of sizes through orders of any length, from
// any place on.
func TestGather(t *testing.T) {
	w := workspaceOf(t)
	if err := w.load(gatherModules); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
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
// and memory for them, and come back in the stable order of the codes, each once.
// Otherwise, and where codes tie and the library asks for ties, positions come.
func TestCargo(t *testing.T) {
	e := open(t)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	for _, c := range []struct {
		n, size int
		ties    bool // of few codes, and asked for
		memory  int  // limit, 0: none
		travel  bool
	}{
		{n: 33, size: 8, travel: true},
		{n: 1000, size: 4, travel: true},
		{n: engine.Block, size: 64, travel: true},
		{n: engine.Block + 1, size: 12, travel: true},
		{n: kernels.RadixTile + 1, size: 24, travel: true},
		{n: 40_000, size: 40, travel: true}, // several slots
		{n: 1000, size: 6},
		{n: 1000, size: 0},
		{n: 1000, size: mostCargo + 4},
		{n: 1000, size: 16, ties: true},
		{n: 40_000, size: 64, memory: 4 << 20},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			e.dev.limit = c.memory
			defer func() { e.dev.limit = 0 }()
			testCargo(t, e, r, c.n, c.size, c.ties, c.travel)
		})
	}
}

func testCargo(t *testing.T, e *Engine, r *rand.Rand, n, size int, ties, travel bool) {
	codes := make([]uint32, n)
	for i := range codes {
		if codes[i] = r.Uint32(); ties {
			codes[i] %= 100
		}
	}
	in := make([]byte, n*size)
	for i := range in {
		in[i] = byte(r.Uint32())
	}
	order := make([]uint32, n)
	out := bytes.Repeat([]byte{0xa5}, n*size)
	pulled, pushed, emitted := make([]bool, n), make([]bool, n), 0
	job := &engine.Job{N: n, Bits: 32, Env: new(engine.Env),
		Codes32: func(dst []uint32, lo int) { copy(dst, codes[lo:]) },
		Emit: func(lo int, part []uint32) {
			emitted += len(part)
			copy(order[lo:], part)
		},
		Elements: &engine.Elements{
			Size: size,
			Pull: func(dst []byte, lo int) {
				mark(t, pulled, lo, len(dst)/size)
				copy(dst, in[lo*size:])
			},
			Push: func(lo int, elements []byte) {
				mark(t, pushed, lo, len(elements)/size)
				copy(out[lo*size:], elements)
			},
		},
	}
	if ties {
		job.Ties = make([]uint32, engine.TieWords(n))
	}
	if err := e.Order(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	want := stable(codes)
	if !travel {
		if !slices.Equal(order, want) || slices.Contains(pushed, true) {
			t.Error("elements are pushed, or wrong order")
		}
		return
	}
	if emitted > 0 {
		t.Errorf("%d positions emitted", emitted)
	}
	for i, p := range want {
		if !pulled[i] || !pushed[i] || !bytes.Equal(out[i*size:][:size], in[int(p)*size:][:size]) {
			t.Fatalf("place %d: pulled %v, pushed %v, or not element %d", i, pulled[i], pushed[i], p)
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
	job := &engine.Job{N: 3000, Bits: 32, Env: new(engine.Env), Codes32: func(dst []uint32, lo int) {
		for i := range dst {
			dst[i] = uint32(lo + i)
		}
	}, Elements: &engine.Elements{Size: 8, Pull: func(dst []byte, _ int) { clear(dst) }, Push: func(int, []byte) { t.Error("an element is pushed") }}}
	if err := e.Order(t.Context(), job); err != nil || job.Trace.Shape != "sorted" {
		t.Errorf("error %v, shape %q", err, job.Trace.Shape)
	}
}
