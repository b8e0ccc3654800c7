//go:build linux && (amd64 || arm64)

package device_test

import (
	"errors"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
)

// first and second are the pinned memory of two algorithms.
type (
	first  struct{ a, b uint64 }
	second [3]uint32
)

// TestPinned has each type keep memory of its own in a workspace, zero at first, and again
// when the workspace comes back.
func TestPinned(t *testing.T) {
	d := gputest.Open(t)
	for turn := range 2 {
		w, err := d.Workspace(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		one, err := device.Pinned[first](w)
		if err != nil {
			t.Fatal(err)
		}
		two, err := device.Pinned[second](w)
		if err != nil {
			t.Fatal(err)
		}
		if want := uint64(turn); one.a != want || one.b != 0 || two[2] != uint32(turn) {
			t.Errorf("turn %d: %v and %v", turn, *one, *two)
		}
		one.a, two[2] = one.a+1, two[2]+1
		if again, err := device.Pinned[first](w); err != nil || again != one {
			t.Errorf("turn %d: other memory, or error %v", turn, err)
		}
		w.Done()
	}
}

// TestQueue has calls after one that fails do nothing.
func TestQueue(t *testing.T) {
	w := gputest.Workspace(t)
	at := gputest.Up(t, w, []uint32{1, 2, 3, 4})
	failed := errors.New("a step failed")
	var got [4]uint32
	q := w.Queue()
	q.Fill(at, 7, 2)
	q.Then(func() error { return failed })
	q.Fill(at, 9, 4)
	q.ToHost(unsafe.Pointer(&got), at, 16)
	q.Then(func() error { t.Error("a step after the one that failed"); return nil })
	if err := q.Sync(); err != failed || q.Err() != failed || got != [4]uint32{} {
		t.Errorf("error %v, and %v was fetched", err, got)
	}
	if words := gputest.Down[uint32](t, w, at, 4); words[0] != 7 || words[1] != 7 || words[2] != 3 || words[3] != 4 {
		t.Errorf("device memory holds %v", words)
	}
}

// TestArea lays parts out at multiples of 256 bytes.
func TestArea(t *testing.T) {
	a := device.Area{At: 512}
	for i, want := range []uint64{512, 768, 1280} {
		if got := a.Take([]int{1, 257, 0}[i]); uint64(got) != want {
			t.Errorf("part %d at %d, want %d", i, got, want)
		}
	}
	if a.At != 1280 {
		t.Errorf("the next part at %d", a.At)
	}
}

// TestTakeAgain has requests that grow a little find the block of the one before, in no more memory than an eighth or 256 bytes above them.
func TestTakeAgain(t *testing.T) {
	w := gputest.Workspace(t)
	for _, bytes := range []int{1, 257, 1000, 1<<20 - 5, 1 << 20, 1<<20 + 1} {
		before := w.Held()
		b, err := w.Take(bytes)
		if err != nil {
			t.Fatal(err)
		}
		got := w.Held() - before
		if got < bytes || got > bytes+max(256, bytes/8) {
			t.Errorf("a request of %d bytes takes %d", bytes, got)
		}
		w.Put(b)
		if again, err := w.Take(got); err != nil || again != b {
			t.Errorf("a request of %d bytes after one of %d: other memory, or error %v", got, bytes, err)
		}
	}
}

// TestTakeWithinLimit has a workspace of limited memory take what is asked for, and no more.
func TestTakeWithinLimit(t *testing.T) {
	w := gputest.Workspace(t)
	w.Limit = 1_000_001
	if _, err := w.Take(w.Limit - w.Held()); err != nil {
		t.Error(err)
	}
	if _, err := w.Take(1); !errors.Is(err, cuda.OutOfMemory) {
		t.Errorf("a byte more: error %v", err)
	}
}
