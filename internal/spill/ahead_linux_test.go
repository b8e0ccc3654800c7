package spill

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"
)

// TestFetch reads ranges of several runs ahead, and changes the file then: Read returns what was
// fetched, and after a further call of Fetch that the blocks are damaged.
func TestFetch(t *testing.T) {
	const block, runs = 5000, 4
	for _, mode := range []Compression{Never, AlwaysS2} {
		r := rand.New(rand.NewPCG(21, uint64(mode)))
		packing := PackingOf(mode, 256<<20, 2, false, false)
		s := NewStore(System{}, []string{t.TempDir()}, 0, packing, "")
		defer s.Close()
		var all []*Run
		var texts [][]byte
		for i := range runs {
			p := packable(400_000, 0.5, r)
			run, err := writeRun(s, p, block, uint64(i), Aligned(make([]byte, 3*Align)), r)
			if err != nil {
				t.Fatal(err)
			}
			all, texts = append(all, run), append(texts, p)
		}
		d := NewReader(make([]byte, ReaderBytes(block)), packing)
		defer d.Close()
		d.ReadAhead(make([]byte, 2*runs*(30*block+2*Align)+Align))
		read := func(run, from, to int) error {
			next := from
			return d.Read(all[run], from, to, func(from, to int, got []byte) error {
				if want := texts[run][all[run].Offset(from):all[run].Offset(to)]; from != next || !bytes.Equal(got, want) {
					t.Errorf("run %d: blocks %d to %d are not what was written", run, from, to)
				}
				next = to
				return nil
			})
		}
		for half := range 2 { // of each run
			var some []Range
			for _, run := range all {
				some = append(some, Range{run, 30 * half, 30*half + 30})
			}
			d.Fetch(some)
		}
		for run := range all { // some blocks were not fetched
			if err := read(run, 0, 70); err != nil {
				t.Fatal(err)
			}
		}
		f := all[0].volume.file.(*file)
		if f.direct == f.cached || d.ahead.halves[0].batch.refused {
			t.Skip("the system reads nothing ahead")
		}
		if _, err := f.WriteAt(make([]byte, s.used), 0); err != nil {
			t.Fatal(err)
		}
		for run := range all {
			if err := read(run, 20, 60); err != nil {
				t.Errorf("fetched blocks of run %d: %v", run, err)
			}
			if err := read(run, 60, 61); !errors.Is(err, ErrCorrupt) {
				t.Errorf("a block that was not fetched: %v", err)
			}
		}
		d.Fetch([]Range{{all[1], 0, 30}})
		if err := read(0, 0, 30); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a block that is not held any more: %v", err)
		}
		if err := read(1, 5, 6); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a damaged block that was fetched: %v", err)
		}
		if err := read(0, 30, 60); err != nil {
			t.Errorf("blocks of the last call but one: %v", err)
		}
	}
}

// TestFetchIsRefused expects that Read reads what cannot be read ahead.
func TestFetchIsRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for _, disk := range []Disk{&memory{space: map[int64]int64{}}, System{}} {
		s := NewStore(disk, []string{t.TempDir()}, 0, Packing{}, "")
		defer s.Close()
		p := packable(100_000, 0, r)
		run, err := writeRun(s, p, 1000, 1, Aligned(make([]byte, 3*Align)), r)
		if err != nil {
			t.Fatal(err)
		}
		d := NewReader(make([]byte, ReaderBytes(1000)), Packing{})
		d.ReadAhead(make([]byte, 100_000))
		for i := range d.ahead.halves {
			d.ahead.halves[i].batch.refused = true
		}
		d.Fetch([]Range{{run, 0, 20}, {run, 40, 60}})
		err = d.Read(run, 0, 50, func(from, to int, got []byte) error {
			if !bytes.Equal(got, p[1000*from:1000*to]) {
				t.Errorf("blocks %d to %d are not what was written", from, to)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		d.Close()
	}
}

// TestKernelTypes expects the sizes of struct iocb and of struct io_event.
func TestKernelTypes(t *testing.T) {
	if p, e := unsafe.Sizeof(place{}), unsafe.Sizeof(event{}); p != 64 || e != 32 {
		t.Errorf("%d and %d bytes, want 64 and 32", p, e)
	}
}

// TestCloseWaits writes to memory that was read to as soon as Close returns: no read changes it later.
func TestCloseWaits(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	s := NewStore(System{}, []string{t.TempDir()}, 0, Packing{}, "")
	defer s.Close()
	const block, blocks, every = 64 << 10, 64, 16 << 10
	run, err := writeRun(s, packable(block*blocks, 0, r), block, 1, Aligned(make([]byte, 3*Align)), r)
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 3*block*blocks)
	for range 20 {
		d := NewReader(make([]byte, ReaderBytes(block)), Packing{})
		d.ReadAhead(memory)
		var all []Range
		for i := range blocks {
			all = append(all, Range{run, i, i + 1})
		}
		d.Fetch(all)
		d.Close()
		for i := 0; i < len(memory); i += every {
			memory[i] = 1
		}
		time.Sleep(5 * time.Millisecond)
		for i := 0; i < len(memory); i += every {
			if memory[i] != 1 {
				t.Fatalf("byte %d was read after Close", i)
			}
		}
	}
}

// TestFirst expects the blocks that fit some bytes of memory.
func TestFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	s := NewStore(System{}, []string{t.TempDir()}, 0, Packing{}, "")
	defer s.Close()
	run, err := writeRun(s, packable(300_000, 0, r), 5000, 1, Aligned(make([]byte, 3*Align)), r)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		from := r.IntN(run.Blocks())
		g := Range{run, from, from + 1 + r.IntN(run.Blocks()-from)}
		most := r.Int64N(400_000)
		f := g.First(most)
		if f.From != g.From || f.To > g.To || f.From < f.To && f.Space() > most ||
			f.To < g.To && (Range{run, f.From, f.To + 1}).Space() <= most {
			t.Fatalf("blocks [%d, %d) for %d bytes: [%d, %d)", g.From, g.To, most, f.From, f.To)
		}
	}
}
