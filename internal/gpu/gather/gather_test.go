//go:build linux && (amd64 || arm64)

package gather

import (
	"bytes"
	"testing"
	"unsafe"

	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// TestGather moves elements of all kinds of sizes through orders of any length, from
// any place on.
func TestGather(t *testing.T) {
	w := gputest.Workspace(t, Modules...)
	r := gputest.Drawing(t)
	counts := []int{1, 3, kernels.GatherTile - 1, kernels.GatherTile, kernels.GatherTile + 1, 5000}
	if !testkit.Long() {
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
			want := bytes.Repeat([]byte{0xa5}, n*size) // which no element may touch elsewhere
			for i, p := range order[lo:hi] {
				copy(want[i*size:], elements[p*size:][:size])
			}
			if got := gathered(t, w, elements, positions, lo, hi, size); !bytes.Equal(got, want) {
				t.Errorf("elements %d to %d of %d, %d bytes: wrong", lo, hi, n, size)
			}
		}
	}
}

// gathered returns elements of places [lo, hi) of the order, in memory that was full of
// something else.
func gathered(t *testing.T, w *device.Workspace, elements []byte, order []uint32, lo, hi, size int) []byte {
	t.Helper()
	b, err := w.Take(2*len(elements) + 4*len(order) + 3*256)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Put(b)
	space := device.Area{At: b.At}
	from, positions, to := space.Take(len(elements)), space.Take(4*len(order)), space.Take(len(elements))
	got := make([]byte, len(elements))
	q := w.Queue()
	q.ToDevice(from, unsafe.Pointer(&elements[0]), len(elements))
	q.ToDevice(positions, unsafe.Pointer(&order[0]), 4*len(order))
	q.Fill(to, 0xa5a5a5a5, len(elements)/4)
	q.Then(func() error { return Elements(w, w.Stream, from, positions, lo, hi-lo, size, to) })
	q.ToHost(unsafe.Pointer(&got[0]), to, len(got))
	if err := q.Sync(); err != nil {
		t.Fatal(err)
	}
	return got
}
