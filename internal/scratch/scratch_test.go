package scratch

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"
)

func TestLargeBlocksAreReusedUntilIdle(t *testing.T) {
	Trim()
	const n = 1 << 20
	var a Arena
	first := unsafe.SliceData(Take[uint64](&a, n))
	a.Release(1)
	if again := unsafe.SliceData(Take[uint32](&a, 2*n)); unsafe.Pointer(again) != unsafe.Pointer(first) {
		t.Error("a block of the same size was not reused")
	}
	a.Release(1)
	for period, want := range []int{1, 1, 0} {
		Take[uint64](&a, 1<<17) // which does not keep the rest
		a.Release(1)
		if endPeriod(); len(idleExtents()) != want {
			t.Errorf("%d extents are kept after %d periods, want %d", len(idleExtents()), period+1, want)
		}
	}
	checkIdle(t)
}

// dropIdle lets the time pass after which nothing idle is kept.
func dropIdle() {
	for range 3 {
		endPeriod()
	}
}

// idleExtents returns copies of the extents.
func idleExtents() (all []block) {
	idle.Lock()
	defer idle.Unlock()
	for _, e := range idle.extents {
		all = append(all, *e)
	}
	return all
}

// idleWords returns the words of extents and of blocks in use.
func idleWords() int {
	idle.Lock()
	defer idle.Unlock()
	return idle.words
}

// checkIdle compares the counts of idle memory with the extents.
func checkIdle(t *testing.T) {
	t.Helper()
	idle.Lock()
	defer idle.Unlock()
	words := idle.used
	for i, e := range idle.extents {
		words += len(e.words)
		if &e.words[0] != &e.region.words[e.at] {
			t.Errorf("extent %d does not start at word %d of its region", i, e.at)
		}
		if e.region.old {
			t.Errorf("extent %d is of an old region", i)
		}
		for _, o := range idle.extents[:i] {
			if o.region == e.region && o.at <= e.at+len(e.words) && e.at <= o.at+len(o.words) {
				t.Errorf("words %d to %d and %d to %d of a region are two extents", o.at, o.at+len(o.words), e.at, e.at+len(e.words))
			}
		}
	}
	if words != idle.words || idle.used > idle.most {
		t.Errorf("%d words in extents and in use, want %d; %d in use, at most %d", words, idle.words, idle.used, idle.most)
	}
}

// TestUnlikeCallsInTurnsShareMemory makes calls that take blocks of unlike sizes. After a few rounds no
// region is new, and all are less memory than the calls would take by themselves.
func TestUnlikeCallsInTurnsShareMemory(t *testing.T) {
	Trim()
	calls := [][]int{{24, 8, 4, 4}, {10, 10, 10}, {16, 16}, {2, 2, 2, 2, 2, 2}, {30}} // units of 1<<17 words
	round := func() {
		for _, sizes := range calls {
			var a Arena
			for _, s := range sizes {
				Take[uint64](&a, s<<17)
			}
			checkIdle(t)
			a.Release(1)
		}
	}
	regions := func() map[*region]bool {
		all := map[*region]bool{}
		for _, e := range idleExtents() {
			all[e.region] = true
		}
		return all
	}
	for range 3 {
		round()
	}
	before := regions()
	for range 5 {
		round()
	}
	if after := regions(); !maps.Equal(before, after) {
		t.Errorf("%d regions became %d, some of them others", len(before), len(after))
	}
	if words, most := idleWords(), 60<<17; words > most {
		t.Errorf("%d words are kept, want at most %d", words, most)
	}
}

// TestBlocksDoNotOverlap takes blocks of random sizes and gives them back in random order, each full of a
// number of its own.
func TestBlocksDoNotOverlap(t *testing.T) {
	Trim()
	r := rand.New(rand.NewPCG(1, 2))
	var a Arena
	var held [][]uint64
	for i := range uint64(400) {
		if r.IntN(12) >= len(held) {
			s := Take[uint64](&a, 1<<17+r.IntN(1<<r.IntN(20)))
			for j := range s {
				s[j] = i
			}
			held = append(held, s)
		} else {
			k := r.IntN(len(held))
			if s := held[k]; s[0] != s[len(s)-1] || slices.Min(s) != slices.Max(s) {
				t.Fatalf("step %d: a block was written by others", i)
			}
			Give(&a, held[k], 1)
			held = slices.Delete(held, k, k+1)
		}
		checkIdle(t)
	}
	a.Release(1)
	checkIdle(t)
	for _, e := range idleExtents() {
		if len(e.words) != len(e.region.words) {
			t.Errorf("%d idle words of a region of %d", len(e.words), len(e.region.words))
		}
	}
}

// TestLimitTakesNoPart takes a block shorter than an idle extent.
func TestLimitTakesNoPart(t *testing.T) {
	Trim()
	defer Limit()()
	var a Arena
	Take[uint64](&a, 1<<20)
	a.Release(1)
	Take[uint64](&a, 1<<18)
	defer a.Release(1)
	if b := a.blocks[0]; len(b.region.words) != len(b.words) {
		t.Errorf("a block of %d words is part of a region of %d", len(b.words), len(b.region.words))
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
	dropIdle()
	most := 0
	for i := range 50 { // ever new sizes
		var a Arena
		Take[uint64](&a, 1<<18+i<<16)
		Take[uint64](&a, 1<<18)
		idle.Lock()
		most = max(most, idle.used)
		if idle.words > most {
			t.Errorf("%d words are held, %d were in use at most", idle.words, most)
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
	Trim()
	var a, held Arena
	Take[uint64](&a, 1<<20)
	Take[uint64](&a, 100)
	Take[*int](&a, 1000)
	kept := Take[uint64](&held, 1<<18)
	kept[5] = 7
	a.Release(1)
	Trim()
	idle.Lock()
	blocks, armed := len(idle.extents), idle.armed
	idle.Unlock()
	if blocks != 0 || armed {
		t.Errorf("%d large blocks are kept, and the timer runs: %v", blocks, armed)
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
	checkIdle(t)
}

// TestOneTimerEndsPeriods has a period end after Trim, as if Trim had come while the timer's function
// waited for the lock.
func TestOneTimerEndsPeriods(t *testing.T) {
	var a Arena
	timers := map[*time.Timer]bool{}
	for range 3 {
		Take[uint64](&a, 1<<18)
		a.Release(1)
		endPeriod()
		idle.Lock()
		timers[idle.timer] = true
		if !idle.armed {
			t.Error("the timer does not run")
		}
		idle.Unlock()
		Trim()
	}
	if len(timers) > 1 {
		t.Errorf("%d timers", len(timers))
	}
}

// TestLargeRegionsDrain has one long block, then calls that overlap, so that their region is never idle.
func TestLargeRegionsDrain(t *testing.T) {
	Trim()
	others := idleWords()
	var first, second Arena
	Take[uint64](&first, 32<<20)
	first.Release(1)
	turn := func() {
		Take[uint64](&first, 1<<19)
		second.Release(1)
		Take[uint64](&second, 1<<19)
		first.Release(1)
	}
	for range 3 {
		turn()
		endPeriod()
		checkIdle(t)
	}
	turn()
	if words := idleWords() - others; words > 2<<20 {
		t.Errorf("%d words are held", words)
	}
	if r := second.blocks[0].region; len(r.words) > 2<<20 || r.old {
		t.Errorf("a block is part of a region of %d words, old: %v", len(r.words), r.old)
	}
	second.Release(1)
	checkIdle(t)
}

// TestDropIdle drops idle memory, but not what a call holds or what is reserved.
func TestDropIdle(t *testing.T) {
	Trim()
	Reserve(16 << 20)
	defer Trim()
	var a, held Arena
	Take[uint64](&held, 1<<22)
	Take[uint64](&a, 1<<23)
	a.Release(1)
	DropIdle()
	idle.Lock()
	words, used, reserved := idle.words, idle.used, len(idle.reserved.words)
	idle.Unlock()
	if words != used+reserved {
		t.Errorf("%d words are kept, %d are used and %d reserved", words, used, reserved)
	}
	held.Release(1)
	checkIdle(t)
}
