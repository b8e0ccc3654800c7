package scratch

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"example.com/sorter/internal/testkit"
)

// TestPagesAreAdvised reads from the system whether the memory of Pages is advised to be on huge pages.
func TestPagesAreAdvised(t *testing.T) {
	p := Pages(4 * hugePage)
	at := uintptr(unsafe.Pointer(&p[0]))
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil || !bytes.Contains(text, []byte("VmFlags:")) {
		t.Skip("the system does not say")
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		var begin, end uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &begin, &end); n == 2 {
			inside = begin <= at && at < end
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			if !strings.Contains(flags+" ", " hg ") {
				t.Errorf("flags of the memory: %s", flags)
			}
			return
		}
	}
	t.Error("the memory is in no range of the process")
}

// TestDroppedBlocksGiveTheirMemoryBack reads dropped blocks, whose pages are zero once they are new.
func TestDroppedBlocksGiveTheirMemoryBack(t *testing.T) {
	page := os.Getpagesize() / 8 // words
	for _, c := range []struct {
		words int
		limit bool
	}{{1 << 20, false}, {1 << 18, true}} {
		dropIdle()
		var a Arena
		s := Take[uint64](&a, c.words)
		for i := range s {
			s[i] = 1
		}
		end := func() {}
		if c.limit {
			end = Limit()
		}
		a.Release(1)
		if s[len(s)/2] != 1 {
			t.Errorf("a block of %d words is not kept", c.words)
		}
		dropIdle()
		end()
		for i := page; i < c.words-page; i++ {
			if s[i] != 0 {
				t.Fatalf("word %d of a dropped block of %d is in memory", i, c.words)
			}
		}
	}
	if limits.Load() != 0 {
		t.Errorf("%d limits have not ended", limits.Load())
	}
}

// TestTrimGivesPartsBack reads the rest of a region of which a block is in use, and then the block.
func TestTrimGivesPartsBack(t *testing.T) {
	page := os.Getpagesize() / 8
	for _, c := range []struct{ words, part int }{{1 << 21, 1 << 18}, {1 << 20, 1 << 17}} {
		Trim()
		var a Arena
		s := Take[uint64](&a, c.words)
		for i := range s {
			s[i] = 1
		}
		a.Release(1)
		own := Take[uint64](&a, c.part)
		Trim()
		if &own[0] != &s[0] || own[c.part-1] != 1 || s[c.part+page] != 0 || s[c.words-page-1] != 0 {
			t.Errorf("the block keeps %d, of the rest words %d and %d are in memory", own[c.part-1], s[c.part+page], s[c.words-page-1])
		}
		if a.Release(1); s[page] != 0 || s[c.part-page-1] != 0 {
			t.Errorf("words %d and %d of the block are in memory", s[page], s[c.part-page-1])
		}
		checkIdle(t)
	}
}

// TestDropIdleGivesPooledMemoryBack reads pooled memory, without pointers and with, after DropIdle: its pages are zero,
// and no collection ran that frees it. Nothing of the pools is taken again.
func TestDropIdleGivesPooledMemoryBack(t *testing.T) {
	testkit.SkipInstrumented(t)                     // pools drop some of what is put back
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // and keep a block for each processor
	page := os.Getpagesize()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, n := range []int{10, 1 << 13, 1 << 17} {
		var a Arena
		words, texts := Take[uint64](&a, n/2), Take[*int](&a, n)
		for i := range words {
			words[i] = 1
		}
		a.Release(1)
		DropIdle()
		for i := page / 8; i < len(words)-page/8; i++ {
			if words[i] != 0 {
				t.Fatalf("word %d of %d is in memory", i, len(words))
			}
		}
		if again, others := Take[uint64](&a, n/2), Take[*int](&a, n); &again[0] == &words[0] || &others[0] == &texts[0] {
			t.Errorf("of %d elements memory was kept", n)
		}
		a.Release(1)
	}
	if runtime.ReadMemStats(&after); after.NumForcedGC != before.NumForcedGC {
		t.Errorf("%d collections", after.NumForcedGC-before.NumForcedGC)
	}
}

// TestDropIdleGivesTypedPagesBack counts the resident pages of pooled memory with pointers, which is zero, before and after
// DropIdle.
func TestDropIdleGivesTypedPagesBack(t *testing.T) {
	testkit.SkipInstrumented(t)                     // pools drop some of what is put back
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // and keep a block for each processor
	var a Arena
	texts := Take[*int](&a, 1<<20)
	x := 1
	for i := range texts {
		texts[i] = &x
	}
	a.Release(1)
	start := unsafe.Pointer(&texts[0])
	before := resident(t, start, 8<<20)
	DropIdle()
	if after := resident(t, start, 8<<20); before < 1<<10 || after > 1<<10 {
		t.Errorf("%d pages were resident, %d are", before, after)
	}
	runtime.KeepAlive(texts)
}

// resident returns how many of the pages of [p, p+size) are in memory.
func resident(t *testing.T, p unsafe.Pointer, size int) (n int) {
	t.Helper()
	page := os.Getpagesize()
	in := make([]byte, size/page)
	if _, _, failed := syscall.Syscall(syscall.SYS_MINCORE, uintptr(p)&^uintptr(page-1), uintptr(size), uintptr(unsafe.Pointer(&in[0]))); failed != 0 {
		t.Skip(failed)
	}
	for _, b := range in {
		n += int(b & 1)
	}
	return n
}

// TestDroppedPagesAreGivenBack reads memory after Drop: its pages are zero.
func TestDroppedPagesAreGivenBack(t *testing.T) {
	for _, n := range []int{0, 100, 3 * os.Getpagesize(), 2*hugePage + 100} {
		p := Pages(n)
		for i := range p {
			p[i] = 1
		}
		Drop(p)
		for i := range p[:n/os.Getpagesize()*os.Getpagesize()] {
			if p[i] != 0 {
				t.Fatalf("byte %d of %d is in memory", i, n)
			}
		}
	}
}
