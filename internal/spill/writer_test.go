package spill

import (
	"testing"
	"time"
)

// slowDisk is a disk whose writes wait.
type slowDisk struct {
	memory
	begun, end chan struct{}
}

func (d *slowDisk) Create(string) (File, error) { return d, nil }

func (d *slowDisk) WriteAt(p []byte, off int64) (int, error) {
	d.begun <- struct{}{}
	<-d.end
	return d.memory.WriteAt(p, off)
}

// TestHalves fills one half of the buffer while the other is written.
func TestHalves(t *testing.T) {
	const block, blocks = 8 << 10, 7
	d := &slowDisk{memory: memory{space: map[int64]int64{}}, begun: make(chan struct{}, blocks), end: make(chan struct{})}
	s := NewStore(d, []string{"."}, 0, Packing{}, "")
	w, err := s.NewWriter(blocks*block, 0, 1, Aligned(make([]byte, 8*block+Align)))
	if err != nil {
		t.Fatal(err)
	}
	for range blocks {
		if err := w.AppendBlock(make([]byte, block)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-d.begun:
	case <-time.After(time.Minute):
		t.Fatal("no write has begun")
	}
	close(d.end)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
