package scratch

import (
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"
)

func TestLargeBlocksAreReusedUntilIdle(t *testing.T) {
	const n = 1 << 20
	var a Arena
	first := unsafe.SliceData(Take[uint64](&a, n))
	a.Release(1)
	if again := unsafe.SliceData(Take[uint32](&a, 2*n)); unsafe.Pointer(again) != unsafe.Pointer(first) {
		t.Error("a block of the same size was not reused")
	}
	a.Release(1)
	dropIdle(time.Now().Add(idleTime))
	idle.Lock()
	defer idle.Unlock()
	if len(idle.blocks) != 0 {
		t.Errorf("%d blocks are kept after %v", len(idle.blocks), idleTime)
	}
}

func TestGiveMakesRoom(t *testing.T) {
	const n = 1 << 18
	var a Arena
	Give(&a, Take[uint64](&a, n)[8:], 1)
	Give(&a, Take[uint32](&a, 2*n), 1)
	s := Take[*int](&a, n)
	s[7] = new(int)
	Give(&a, s, 2)
	if s[7] != nil {
		t.Error("memory with pointers was given back without being cleared")
	}
	Take[uint64](&a, n)
	if got := a.Peak(); got > Size(n, 8) {
		t.Errorf("Peak() = %d for blocks of %d taken one after the other", got, Size(n, 8))
	}
	a.Release(1)
}

func TestPeakCountsWhatIsHeld(t *testing.T) {
	var a Arena
	Take[uint64](&a, 1<<18)
	Take[*int](&a, 1<<18)
	a.Release(1)
	Take[uint64](&a, 1)
	if got, least := a.Peak(), int64((8+wordSize)<<18); got < least || got > 2*Size(1<<18, 8) {
		t.Errorf("Peak() = %d, want %d or a little more", got, least)
	}
}

func TestNoMoreIsKeptThanWasInUse(t *testing.T) {
	dropIdle(time.Now().Add(idleTime))
	most := 0
	for i := range 50 { // ever new sizes
		var a Arena
		Take[uint64](&a, 1<<18+i<<16)
		Take[uint64](&a, 1<<18)
		idle.Lock()
		most = max(most, idle.used)
		if idle.words+idle.used > most {
			t.Errorf("%d words are kept beside %d in use, of which there were %d at most", idle.words, idle.used, most)
		}
		idle.Unlock()
		a.Release(1)
	}
	idle.Lock()
	defer idle.Unlock()
	if idle.words > most {
		t.Errorf("%d words are kept, %d were in use at most", idle.words, most)
	}
}

// TestAboutEqualSizesShareBlocks takes blocks of a class: sizes of sorts of parts that are to be equal.
func TestAboutEqualSizesShareBlocks(t *testing.T) {
	Trim()
	blocks := map[*uint64]bool{}
	for i := range 50 {
		var a Arena
		blocks[unsafe.SliceData(Take[uint64](&a, 1_000_000+700*i))] = true
		if got, most := a.Peak(), Size(1_000_000+700*i, 8); got > most {
			t.Fatalf("%d bytes are held, at most %d are counted", got, most)
		}
		a.Release(1)
	}
	if len(blocks) > 3 {
		t.Errorf("%d blocks for sizes that differ by a 28th", len(blocks))
	}
}

func TestTypedMemoryIsClearedOnRelease(t *testing.T) {
	var a Arena
	s := Take[*int](&a, 1000)
	s[5] = new(int)
	a.Release(1)
	if s[5] != nil {
		t.Error("a released buffer still holds a pointer")
	}
}

func TestHasPointers(t *testing.T) {
	for name, c := range map[string]struct{ got, want bool }{
		"int":             {HasPointers[int](), false},
		"[3]float32":      {HasPointers[[3]float32](), false},
		"string":          {HasPointers[string](), true},
		"[2]string":       {HasPointers[[2]string](), true},
		"[0]string":       {HasPointers[[0]string](), false},
		"struct{uintptr}": {HasPointers[struct{ p uintptr }](), false},
		"struct{func()}":  {HasPointers[struct{ f func() }](), true},
		"time.Time":       {HasPointers[time.Time](), true},
	} {
		if c.got != c.want {
			t.Errorf("HasPointers[%s] = %v", name, c.got)
		}
	}
}

func TestUnsetHoldsWhatIsWritten(t *testing.T) {
	for _, n := range []int{0, 1, exact - 1, exact, exact + 1, 1 << 20} {
		s := Unset(n)
		for i := range s {
			s[i] = uint32(i)
		}
		again := Unset(n)
		clear(again)
		runtime.GC()
		if len(s) != n || n > 0 && (s[n-1] != uint32(n-1) || s[n/2] != uint32(n/2)) {
			t.Errorf("%d numbers: %d, or they have changed", n, len(s))
		}
	}
}

func TestTrimKeepsNothing(t *testing.T) {
	var a, held Arena
	Take[uint64](&a, 1<<20)
	Take[uint64](&a, 100)
	Take[*int](&a, 1000)
	kept := Take[uint64](&held, 1<<18)
	kept[5] = 7
	a.Release(1)
	Trim()
	idle.Lock()
	blocks, timer := len(idle.blocks), idle.timer
	idle.Unlock()
	if blocks != 0 || timer != nil {
		t.Errorf("%d large blocks are kept, and the timer is %v", blocks, timer)
	}
	if b := pools[8].Get(); b != nil {
		t.Error("a small block is kept")
	}
	typedPools.Range(func(kind, pool any) bool {
		if pool.(*sync.Pool).Get() != nil {
			t.Errorf("a block of %v is kept", kind)
		}
		return true
	})
	if kept[5] != 7 {
		t.Error("memory that an arena holds has changed")
	}
	held.Release(1)
}
