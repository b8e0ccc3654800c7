package scratch

import (
	"sync"
	"testing"
)

// extentsOf returns the words of the idle extents of a region.
func extentsOf(r *region) (words int) {
	idle.Lock()
	defer idle.Unlock()
	for _, e := range idle.extents {
		if e.region == r {
			words += len(e.words)
		}
	}
	return words
}

func reserved() *region {
	idle.Lock()
	defer idle.Unlock()
	return idle.reserved
}

// TestReserve: blocks come from what is reserved, which stays idle for any time, and goes by Trim.
func TestReserve(t *testing.T) {
	Trim()
	defer Trim()
	const bytes = 64 << 20
	Reserve(bytes)
	r := reserved()
	if r == nil || len(r.words)*8 < bytes || len(r.words)*8 > bytes+bytes/8 || extentsOf(r) != len(r.words) {
		t.Fatalf("reserved: %+v", r)
	}
	var a Arena
	var used []*block
	for _, size := range []int{20 << 20, 1 << 20, 30 << 20, 13 << 20} { // 64 MiB
		Take[byte](&a, size)
	}
	used = a.blocks
	for i, b := range used {
		if b.region != r {
			t.Errorf("block %d of %d words is from elsewhere", i, len(b.words))
		}
	}
	Take[byte](&a, 80<<20) // more than is left
	a.Release(1)
	for range 5 {
		endPeriod()
		if reserved() != r || extentsOf(r) != len(r.words) {
			t.Fatalf("after a period: %d of %d words", extentsOf(r), len(r.words))
		}
	}
	if idle.words != len(r.words) {
		t.Errorf("%d words are kept, %d are reserved", idle.words, len(r.words))
	}
	Trim()
	if reserved() != nil || extentsOf(r) != 0 || idle.words != 0 {
		t.Error("Trim left a reservation")
	}
}

// TestReserveAgain: what is reserved is the last number, except that less takes nothing new, and 0 ends it.
func TestReserveAgain(t *testing.T) {
	Trim()
	defer Trim()
	Reserve(8 << 20)
	first := reserved()
	Reserve(4 << 20)
	if reserved() != first {
		t.Error("less is reserved anew")
	}
	Reserve(32 << 20)
	second := reserved()
	if second == first || second == nil || extentsOf(first) != 0 {
		t.Errorf("more: %d words of the region before", extentsOf(first))
	}
	Reserve(0)
	if reserved() != nil || extentsOf(second) == 0 {
		t.Error("0 does not end the reservation, or drops what may be used soon")
	}
	endPeriod()
	endPeriod()
	if endPeriod(); extentsOf(second) != 0 {
		t.Error("memory is kept that nobody reserves")
	}
}

// TestReserveConcurrently reserves, trims and takes memory at the same time.
func TestReserveConcurrently(t *testing.T) {
	defer Trim()
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for j := range 20 {
				var a Arena
				switch (i + j) % 4 {
				case 0:
					Reserve(int64(1+j) << 20)
				case 1:
					Trim()
				case 2:
					Reserve(0)
				default:
					s := Take[uint64](&a, 3<<17)
					for k := range s {
						s[k] = uint64(k)
					}
				}
				a.Release(1)
			}
		})
	}
	wait.Wait()
	Trim()
	if idle.words != 0 || idle.used != 0 {
		t.Errorf("%d words, %d used", idle.words, idle.used)
	}
}
