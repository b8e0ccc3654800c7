//go:build linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
	"weak"

	"example.com/sorter"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// pin pins s until the test ends.
func pin[E any](t testing.TB, s []E) []E {
	t.Helper()
	if err := Pin(s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Unpin(s); err != nil {
			t.Error(err)
		}
	})
	return s
}

// directJob is a job over pinned keys that are their codes, in which nothing may be pulled or
// emitted. It returns the memory of the result: an order, or the keys.
func directJob[W codes.Word](t *testing.T, a engine.Algorithm, list []W, keys bool) (job *engine.Job, order []uint32) {
	job, _ = newJob(t.Context(), a, list)
	order = make([]uint32, len(list))
	wrong := func() { t.Error("pulled, or emitted") }
	passed := make([]bool, len(list))
	job.Plain = &engine.Plain{At: unsafe.Pointer(unsafe.SliceData(list)), Pass: func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if passed[i] {
				t.Errorf("key %d passes twice", i)
			}
			passed[i] = true
		}
	}}
	job.Index, job.Emit = pin(t, order), func(int, []uint32) { wrong() }
	if job.Codes32 != nil {
		job.Codes32 = func([]uint32, int) { wrong() }
	} else {
		job.Codes64 = func([]uint64, int) { wrong() }
	}
	if keys {
		job.EmitCodes32, job.EmitCodes64 = func(int, []uint32) { wrong() }, func(int, []uint64) { wrong() }
		if job.Bits > 32 {
			job.EmitCodes32 = nil
		} else {
			job.EmitCodes64 = nil
		}
		job.Plain.Overwrite = func() {
			if slices.Contains(passed, false) {
				t.Error("keys are overwritten that have not passed")
			}
		}
	}
	return job, order
}

// pinnedSizes are around a block and the pieces of a copy.
var pinnedSizes = []int{1, 2, engine.Block - 1, engine.Block, 3*engine.Block + 5, 30_000}

// TestPinnedJobs sorts pinned keys: no code is pulled, nothing is emitted, and every key passes.
func TestPinnedJobs(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t, Verify())
	for _, n := range append(pinnedSizes, gputest.Large...) {
		if !testkit.Long() && n > 10_000 {
			continue
		}
		list := gputest.CodesOf["gauss"](rand.New(rand.NewPCG(31, uint64(n))), n)
		testPinnedJobs(t, e, list)
		testPinnedJobs(t, e, gputest.Fill32(list))
	}
}

func testPinnedJobs[W codes.Word](t *testing.T, e *Engine, list []W) {
	t.Helper()
	s := pin(t, slices.Clone(list))
	job, order := directJob(t, engine.Auto, s, false)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, gputest.Stable(list)) || !slices.Equal(s, list) {
		t.Errorf("%d codes of %d bits: error %v, or wrong order", len(list), job.Bits, err)
	}
	job.Arena.Release(1)
	job, _ = directJob(t, engine.Auto, s, true)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(s, slices.Sorted(slices.Values(list))) {
		t.Errorf("%d keys of %d bits: error %v, or wrong order", len(list), job.Bits, err)
	}
	job.Arena.Release(1)
}

// TestPinnedKeys sorts and orders pinned keys of every kind in every direction as the CPU does, bit
// for bit: whole slices, parts of them, and slices of which a part is not pinned.
func TestPinnedKeys(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t)
	testPinnedKeys(t, e, func(v uint64) uint32 { return uint32(v) })
	testPinnedKeys(t, e, func(v uint64) int32 { return int32(v) })
	testPinnedKeys(t, e, func(v uint64) uint64 { return v })
	testPinnedKeys(t, e, func(v uint64) int64 { return int64(v) })
	testPinnedKeys(t, e, func(v uint64) float32 { return odd32(uint32(v)) })
	testPinnedKeys(t, e, func(v uint64) float64 { return float64(odd32(uint32(v))) * float64(int32(v>>32)) })
	testPinnedKeys(t, e, func(v uint64) int16 { return int16(v) }) // codes are wider
	testPinnedKeys(t, e, func(v uint64) [2]float32 { return [2]float32{float32(v % 7), odd32(uint32(v))} })
	testPinnedKeys(t, e, func(v uint64) [4]float32 { return [4]float32{odd32(uint32(v % 50))} })
}

// odd32 returns a float, often a NaN or a zero of either sign.
func odd32(bits uint32) float32 {
	switch bits % 8 {
	case 0:
		return float32(math.Copysign(0, float64(int32(bits))))
	case 1:
		return math.Float32frombits(0x7f800001 | bits&0x803fffff)
	case 2:
		return float32(math.Inf(int(int32(bits)) | 1))
	}
	return math.Float32frombits(bits)
}

func testPinnedKeys[K sorter.Key](t *testing.T, e *Engine, of func(v uint64) K) {
	t.Helper()
	const n = 6000
	r := rand.New(rand.NewPCG(32, 33))
	in := make([]K, n)
	for i := range in {
		in[i] = of(r.Uint64())
	}
	s, index := make([]K, n), pin(t, make(perm.Perm, n))
	pin(t, s[:n-1000])
	for i, part := range [][2]int{{0, n - 1000}, {3, 4500}, {0, n}, {n - 1500, n}, {n - 1000, n}} {
		for j, opts := range [][]sorter.Option{nil, {sorter.Descending()}, {sorter.NaNsLast()}, {sorter.Stable()}, {sorter.Stable(), sorter.Descending(), sorter.NaNsFirst()}} {
			if i > 0 && i != j {
				continue
			}
			copy(s, in)
			lo, hi := part[0], part[1]
			keys, want := s[lo:hi], slices.Clone(in[lo:hi])
			text := fmt.Sprintf("%T, part %d, options %d", s, i, j)
			onCPU, onDevice := append(opts, sorter.On(sorter.CPU())), append(opts, sorter.On(e))
			wantOrder, _ := sorter.OrderKeys(want, append(onCPU, sorter.Stable())...)
			order, err := sorter.OrderKeys(keys, append(onDevice, sorter.Stable(), sorter.Into(index))...)
			if err != nil || !slices.Equal(order, wantOrder) {
				t.Errorf("%s: OrderKeys: error %v, or wrong order", text, err)
			}
			order, err = sorter.RowsBy(hi-lo, sorter.AscOf(keys)).Order(append(onDevice, sorter.Stable())...)
			if err != nil || !slices.Equal(order, wantOrder) {
				t.Errorf("%s: Rows.Order: error %v, or wrong order", text, err)
			}
			if err := sorter.SortKeys(want, onCPU...); err != nil {
				t.Fatal(err)
			}
			if err := sorter.SortKeys(keys, onDevice...); err != nil || !slices.Equal(bytesOf(keys), bytesOf(want)) {
				t.Errorf("%s: SortKeys: error %v, or wrong keys", text, err)
			}
			if !slices.Equal(bytesOf(s[:lo]), bytesOf(in[:lo])) || !slices.Equal(bytesOf(s[hi:]), bytesOf(in[hi:])) {
				t.Errorf("%s: keys outside have changed", text)
			}
		}
	}
}

func bytesOf[E any](s []E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(E))))
}

// TestPinRefuses pins and unpins memory that it must not.
func TestPinRefuses(t *testing.T) {
	open(t)
	if err := Pin([]struct{ next *int }{{}}); err == nil || !strings.Contains(err.Error(), "hold pointers") {
		t.Errorf("elements with pointers: %v", err)
	}
	if s, err := Alloc[string](3); err == nil || s != nil {
		t.Errorf("strings: %v", err)
	}
	if err := errors.Join(Pin([]int(nil)), Pin([]int{}), Unpin([]int{}), Pin(make([]struct{}, 5)), Unpin(make([]struct{}, 5))); err != nil {
		t.Errorf("nothing to pin: %v", err)
	}
	if s, err := Alloc[uint64](0); err != nil || len(s) != 0 {
		t.Errorf("Alloc(0): %v", err)
	}
	s := make([]int64, 5000)
	if err := Unpin(s); err == nil || !strings.Contains(err.Error(), "not pinned") {
		t.Errorf("a slice that is not pinned: %v", err)
	}
	if err := Pin(s[1000:4000]); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lo, hi int
		want   bool
	}{{1000, 4000, true}, {1000, 1001, true}, {3999, 4000, true}, {999, 4000, false}, {1000, 4001, false}, {0, 1000, false}, {4000, 5000, false}, {2000, 2000, false}} {
		done, ok := pinned.Use(unsafe.Pointer(&s[c.lo]), 8*(c.hi-c.lo))
		if ok {
			done()
		}
		if ok != c.want {
			t.Errorf("elements %d to %d are pinned: %v", c.lo, c.hi, ok)
		}
	}
	for name, part := range map[string][]int64{"again": s[1000:4000], "all": s, "front": s[:1001], "back": s[3999:], "inside": s[2000:2001]} {
		if err := Pin(part); err == nil || !strings.Contains(err.Error(), "pinned already") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Unpin(s[2000:4000]); err == nil {
		t.Error("a part was unpinned")
	}
	if err := errors.Join(Pin(s[:1000]), Pin(s[4000:]), Unpin(s[:1]), Unpin(s[4000:]), Unpin(s[1000:])); err != nil {
		t.Errorf("neighbours: %v", err)
	}
	if err := errors.Join(Pin(s), Unpin(s)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Alloc(-1) did not panic")
		}
	}()
	Alloc[int](-1)
}

// TestPinKeepsAlive drops a pinned slice: it is collected once it is unpinned, not before.
func TestPinKeepsAlive(t *testing.T) {
	open(t)
	s, err := Alloc[uint32](1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Max(s) != 0 {
		t.Error("not zeros")
	}
	w := weak.Make(unsafe.SliceData(s))
	s = nil
	runtime.GC()
	runtime.GC()
	p := w.Value()
	if p == nil {
		t.Fatal("pinned memory was collected")
	}
	if err := Unpin(unsafe.Slice(p, 1<<16)); err != nil {
		t.Fatal(err)
	}
	p = nil
	if !testkit.Eventually(func() bool { runtime.GC(); return w.Value() == nil }) {
		t.Error("unpinned memory stays")
	}
}

// TestUnpinWaits unpins keys in the middle of a sort: that ends well, and then Unpin does.
func TestUnpinWaits(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t)
	s := make([]uint32, 20_000)
	for i := range s {
		s[i] = uint32(i) * 0x9e3779b9
	}
	if err := Pin(s); err != nil {
		t.Fatal(err)
	}
	unpinned := make(chan error, 1)
	sorting := false
	err := sorter.SortKeys(s, sorter.On(e), sorter.OnProgress(func(p sorter.Progress) {
		if sorting {
			return
		}
		sorting = true
		go func() { unpinned <- Unpin(s) }()
		select {
		case err := <-unpinned:
			t.Error("unpinned in the middle of a sort")
			unpinned <- err
		case <-time.After(20 * time.Millisecond):
		}
	}))
	if err != nil || !slices.IsSorted(s) || !sorting {
		t.Errorf("error %v, or wrong order", err)
	}
	if err := <-unpinned; err != nil {
		t.Error(err)
	}
}

// TestPinnedOnClosed sorts pinned keys on an engine that is closed, and by another.
func TestPinnedOnClosed(t *testing.T) {
	closed, e := open(t), open(t)
	s := pin(t, []int64{3, 1, 2})
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := sorter.SortKeys(s, sorter.On(closed)); !errors.Is(err, sorter.ErrNoDevice) || s[0] != 3 {
		t.Errorf("on a closed engine: error %v, %v", err, s)
	}
	if err := sorter.SortKeys(s, sorter.On(e)); err != nil || !slices.IsSorted(s) {
		t.Errorf("on another: error %v, %v", err, s)
	}
}
