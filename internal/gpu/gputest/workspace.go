//go:build linux && (amd64 || arm64)

package gputest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
)

// Open opens the first device, with the kernels of checks, or skips the test where there is
// none.
func Open(t *testing.T) *device.Device {
	t.Helper()
	devs, err := device.Open([]int{0})
	if errors.Is(err, engine.ErrNoDevice) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := device.Close(devs); err != nil {
			t.Error(err)
		}
	})
	if err := devs[0].Load(codes.Modules); err != nil {
		t.Fatal(err)
	}
	return devs[0]
}

// Workspace returns a workspace of the first device, with kernels, for the time of the test.
func Workspace(t *testing.T, modules ...*device.Module) *device.Workspace {
	t.Helper()
	return WorkspaceOf(t, Open(t), modules...)
}

// WorkspaceOf returns a workspace of a device, with kernels, for the time of the test.
func WorkspaceOf(t *testing.T, d *device.Device, modules ...*device.Module) *device.Workspace {
	t.Helper()
	w, err := d.Workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Done)
	if err := d.Load(modules); err != nil {
		t.Fatal(err)
	}
	return w
}

// Up copies words to device memory that the test gives back in the end.
func Up[W codes.Word](t *testing.T, w *device.Workspace, words []W) cuda.Ptr {
	t.Helper()
	size := int(unsafe.Sizeof(*new(W)))
	b, err := w.Take(size*len(words) + 1)
	if err == nil && len(words) > 0 {
		q := w.Queue()
		q.ToDevice(b.At, unsafe.Pointer(&words[0]), size*len(words))
		err = q.Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Put(b) })
	return b.At
}

// Down copies n words from device memory.
func Down[W codes.Word](t *testing.T, w *device.Workspace, at cuda.Ptr, n int) []W {
	t.Helper()
	words := make([]W, n)
	q := w.Queue()
	q.ToHost(unsafe.Pointer(unsafe.SliceData(words)), at, n*int(unsafe.Sizeof(*new(W))))
	if err := q.Sync(); err != nil {
		t.Fatal(err)
	}
	return words
}

// Way is one way to order codes on the device.
type Way func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error)

// OrderBy runs codes through the device.
func OrderBy[W codes.Word](t *testing.T, w *device.Workspace, by Way, list []W) []uint32 {
	t.Helper()
	order, _ := OnDevice[uint32](t, w, by, false, list)
	return order
}

// OnDevice runs codes through the device, checks the result, and brings it back.
func OnDevice[R, W codes.Word](t *testing.T, w *device.Workspace, by Way, keys bool, list []W) ([]R, codes.Outcome) {
	t.Helper()
	in := codes.Input{Wide: IsWide[W](), N: len(list), Keys: keys}
	size, resultSize := in.Size()*in.N, in.ResultSize()*in.N
	b, err := w.Take(size + resultSize + 512)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Put(b)
	to := b.At + cuda.Ptr(size+255)&^255
	in.Codes = b.At
	result := make([]R, in.N)
	var f codes.Outcome
	q := w.Queue()
	q.ToDevice(in.Codes, unsafe.Pointer(unsafe.SliceData(list)), size)
	q.Then(func() (err error) { f, err = by(w, in, to); return err })
	q.Then(func() error { return codes.Check(w, in, to) })
	q.ToHost(unsafe.Pointer(unsafe.SliceData(result)), to, resultSize)
	if err := q.Sync(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d codes: %+v", in.N, f)
	return result, f
}

// CheckSort orders codes, and their high halves, by each of the ways, and sorts them as keys
// alone.
func CheckSort(t *testing.T, w *device.Workspace, wide []uint64, by ...Way) {
	t.Helper()
	checkSort(t, w, wide, by)
	checkSort(t, w, Fill32(wide), by)
}

func checkSort[W codes.Word](t *testing.T, w *device.Workspace, list []W, by []Way) {
	t.Helper()
	// In a short run, half of the lists are ordered and the others sorted alone.
	short, odd := testing.Short(), len(list) > 0 && list[0]%2 == 1
	if !short || !odd {
		checkOrder(t, w, list, by...)
	}
	if !short || odd {
		checkKeys(t, w, list, by...)
	}
}

// CheckWay orders codes, and sorts them as keys alone.
func CheckWay[W codes.Word](t *testing.T, w *device.Workspace, by Way, list []W) {
	t.Helper()
	checkOrder(t, w, list, by)
	checkKeys(t, w, list, by)
}

func checkOrder[W codes.Word](t *testing.T, w *device.Workspace, list []W, by ...Way) {
	t.Helper()
	order := Stable(list)
	for _, way := range by {
		if got, f := OnDevice[uint32](t, w, way, false, list); !slices.Equal(got, order) {
			t.Errorf("%d codes, wide %v: wrong order: %+v", len(list), IsWide[W](), f)
		}
	}
}

func checkKeys[W codes.Word](t *testing.T, w *device.Workspace, list []W, by ...Way) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(list))
	for _, way := range by {
		if got, f := OnDevice[W](t, w, way, true, list); !slices.Equal(got, sorted) {
			t.Errorf("%d keys, wide %v: wrong order: %+v", len(list), IsWide[W](), f)
		}
	}
}

// CheckOrders compares orders of codes, of their upper halves, and of codes close
// together with those of the plain twin.
func CheckOrders(t *testing.T, w *device.Workspace, by Way, wide []uint64) {
	t.Helper()
	checkOrder(t, w, Fill32(wide), by)
	checkOrder(t, w, wide, by)
	checkOrder(t, w, Fill(len(wide), func(i int) uint64 { return 1<<63 + wide[i]>>30 }), by)
}

// CheckAlgorithm orders codes of all distributions, and of the given sizes.
func CheckAlgorithm(t *testing.T, w *device.Workspace, sizes []int, by Way) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		CheckOrders(t, w, by, CodesOf["uniform"](r, n))
	}
	for name, make := range CodesOf {
		for _, n := range SmallSizes(name) {
			t.Run(name, func(t *testing.T) { CheckOrders(t, w, by, make(r, n)) })
		}
	}
}

// TileSizes are sizes about those of items, tiles and merges, for a tile of elements.
func TileSizes(tile int) []int {
	if testing.Short() {
		return []int{0, 1, 2, 17, tile + 1}
	}
	return append([]int{0, 1, 2, 15, 16, 17, 257, 1000, tile - 1, tile, tile + 1,
		2*tile - 1, 2*tile + 1, 3 * tile, 5*tile + 77, 70_000}, Large...)
}

// Drawing returns a source of other draws in every run, and has a failing test say which.
func Drawing(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// TiesBy is the plain twin of mark_ties.
func TiesBy[W codes.Word](list []W, order []uint32) []uint32 {
	ties := make([]uint32, engine.TieWords(len(order)))
	for i := 1; i < len(order); i++ {
		if list[order[i]] == list[order[i-1]] {
			ties[i/32] |= 1 << (i % 32)
		}
	}
	return ties
}

// CheckMarked compares marked ties with those of codes in an order.
func CheckMarked[W codes.Word](t *testing.T, got []uint32, list []W, order []uint32) {
	t.Helper()
	for i, want := range TiesBy(list, order) {
		if got[i] != want {
			t.Errorf("%d codes: ties %#x of places %d to %d, want %#x", len(list), got[i], 32*i, 32*i+31, want)
			return
		}
	}
}
