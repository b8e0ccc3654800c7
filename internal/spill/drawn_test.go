package spill

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"example.com/sorter/internal/testkit"
)

// written is a run and what was appended to it.
type written struct {
	*Run
	text []byte
	ends []int
}

// drawRun writes a run: blocks of one size or of any, appended in pieces of any length, from aligned memory or not.
func drawRun(t *testing.T, s *Store, r *rand.Rand, number uint64) written {
	t.Helper()
	n := 1 + r.IntN([]int{10, 5000, 300_000}[r.IntN(3)])
	run := written{text: Aligned(make([]byte, n+2*Align))[r.IntN(2):][:n]}
	copy(run.text, packable(n, []float64{0, 0.5, 0.9, 1}[r.IntN(4)], r))
	block, announced := 0, int64(n)
	if r.IntN(2) == 0 {
		block = 1 + r.IntN([]int{200, 5000, 60_000}[r.IntN(3)])
		block = max(block, n/2000)
	}
	shorter := r.IntN(4) == 0
	if shorter {
		announced += r.Int64N(100_000)
	}
	w, err := s.NewWriter(announced, block, number, Aligned(make([]byte, (2+r.IntN(12))*Align)))
	if err != nil {
		t.Fatal(err)
	}
	most := 1 + r.IntN(n)
	for p := run.text; len(p) > 0 && err == nil; {
		size := min(len(p), max(1+r.IntN(most), n/2000))
		if size > Align && r.IntN(2) == 0 {
			size = size / Align * Align
		}
		piece := p[:size:size]
		p = p[size:]
		if block > 0 {
			err = w.Append(piece)
			continue
		}
		run.ends = append(run.ends, len(run.text)-len(p))
		if in := w.Reserve(size); in != nil && r.IntN(2) == 0 {
			if len(in) != 0 || cap(in) != size {
				t.Fatalf("%d bytes for a block of %d", cap(in), size)
			}
			piece = append(in, piece...)
		}
		err = w.AppendBlock(piece)
	}
	if err != nil {
		t.Fatal(err)
	}
	if shorter {
		w.Shorten()
	}
	if run.Run, err = w.Close(); err != nil {
		t.Fatal(err)
	}
	for end := 0; block > 0 && end < n; {
		end = min(end+block, n)
		run.ends = append(run.ends, end)
	}
	return run
}

// check compares a run, its index and its bytes on disk with what was appended.
func (w written) check(t *testing.T, m *memory, p Packing) {
	t.Helper()
	if w.Size() != int64(len(w.text)) || w.Blocks() != len(w.ends) || w.Offset(0) != 0 {
		t.Fatalf("%d bytes in %d blocks, want %d in %d", w.Size(), w.Blocks(), len(w.text), len(w.ends))
	}
	var e encoder
	var d decoder
	begin, place, longest := 0, int64(0), 0
	packs := [methods]bool{}
	for i, end := range w.ends {
		plain := w.text[begin:end]
		if w.Offset(i+1) != int64(end) || w.place(i) != place {
			t.Fatalf("block %d of %d ends at %d, begins on disk at %d, want %d, %d", i, len(w.ends), w.Offset(i+1), w.place(i), end, place)
		}
		stored := m.data[w.off+place : w.off+w.place(i+1)]
		got := make([]byte, len(plain))
		if err := d.block(got, stored, w.method(i)); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("block %d of %d, stored as %d: other bytes on disk, %v", i, len(w.ends), w.method(i), err)
		}
		want := Raw // of a mode that does not depend on times
		if p.Active() && len(plain) <= p.Most() && w.Block() <= p.Most() && p.mode != Adaptive {
			_, want = e.block(plain, []Method{Never: Raw, AlwaysS2: S2, AlwaysZstd: Zstd}[p.mode])
		}
		if p.mode != Adaptive && w.Block() <= p.Most() && w.method(i) != want || w.method(i) == Raw && len(stored) != len(plain) {
			t.Fatalf("block %d of %d bytes is stored as %d in %d, want %d", i, len(plain), w.method(i), len(stored), want)
		}
		// The checksum is part of the format of kept runs.
		var sum xxhash.Digest
		sum.ResetWithSeed(w.number)
		sum.Write([]byte{byte(i), byte(i >> 8), byte(i >> 16), byte(i >> 24), 0, 0, 0, byte(w.method(i))})
		if sum.Write(stored); sum.Sum64() != w.sums[i] {
			t.Fatalf("block %d has another checksum", i)
		}
		packs[w.method(i)] = true
		begin, place, longest = end, w.place(i+1), max(longest, len(plain))
	}
	if rest := m.data[w.off+place : roundUp(w.off+place)]; !bytes.Equal(rest, make([]byte, len(rest))) {
		t.Errorf("the rest of the last page has bytes of others: %v", rest)
	}
	if s2, zstd := w.Packs(); s2 != packs[S2] || zstd != packs[Zstd] {
		t.Errorf("methods %v, %v, want %v", s2, zstd, packs)
	}
	if w.Stored() != place || w.Block() < longest || w.Run.ends != nil && w.Block() != longest {
		t.Errorf("%d bytes on disk, want %d; longest block %d, want %d", w.Stored(), place, w.Block(), longest)
	}
	if head := w.Memory() - 8*int64(cap(w.sums)+cap(w.Run.ends)+cap(w.places)) - int64(cap(w.methods)); head < 100 || head > 300 {
		t.Errorf("%d bytes of memory besides the index", head)
	}
	for _, slack := range []int{cap(w.sums) - len(w.sums), cap(w.Run.ends) - len(w.Run.ends), cap(w.places) - len(w.places), cap(w.methods) - len(w.methods)} {
		if slack > len(w.ends)/5+16 { // sizes of allocations are rounded
			t.Errorf("index of %d blocks has %d more", len(w.ends), slack)
		}
	}
}

// read reads some blocks, in batches that are as long as the memory of the reader allows.
func (w written) read(t *testing.T, d *Reader, from, to int) {
	t.Helper()
	next, before := from, w.store.Read()
	space := int64(len(d.buf) - 2*Align)
	if w.methods != nil {
		space = min(space, int64(d.most))
	}
	err := d.Read(w.Run, from, to, func(from, end int, got []byte) error {
		if from != next || end <= from || end > to || !bytes.Equal(got, w.text[w.Offset(from):w.Offset(end)]) {
			t.Fatalf("blocks %d to %d, of %d to %d, are not those written", from, end, next, to)
		}
		full := w.Offset(end)-w.Offset(from) <= space && (end == to || w.Offset(end)+w.width(end)-w.Offset(from) > space)
		if !full && end != from+1 || end == from+1 && end < to && w.Offset(end)+w.width(end)-w.Offset(from) <= space {
			t.Fatalf("blocks %d to %d of %d are read together, in %d bytes", from, end, to, space)
		}
		next = end
		return nil
	})
	if err != nil || next != to {
		t.Fatalf("ends at block %d of %d: %v", next, to, err)
	}
	if n := w.store.Read() - before; n != w.place(to)-w.place(from) {
		t.Errorf("%d bytes read, want %d", n, w.place(to)-w.place(from))
	}
}

// width returns the bytes that a reader expects of a block: those of the others if all have one size.
func (w written) width(block int) int64 {
	if w.Run.ends == nil {
		return int64(w.Block())
	}
	return w.Offset(block+1) - w.Offset(block)
}

// TestDrawnRuns draws stores and runs, which are kept or not, and compares all of them with what was appended: bytes,
// index, counts and space.
func TestDrawnRuns(t *testing.T) {
	for i := range testkit.Pick(60, 3000) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := rand.New(rand.NewPCG(31, uint64(i)))
			m, p, name := newMemory(), Packing{}, ""
			if r.IntN(4) > 0 {
				batch := (1 + r.IntN(16)) * Align
				p = Packing{Compression(r.IntN(4)), r.IntN(2) == 0, 1 + r.IntN(3), batch, batch, 0}
				p.zstd = p.zstd || p.mode == AlwaysZstd
			}
			if r.IntN(2) == 0 {
				name = "runs"
			}
			s := NewStore(m, []string{"."}, 0, p, name)
			var runs []written
			var want Totals
			for number := range 1 + r.IntN(4) {
				if r.IntN(4) == 0 {
					discard(t, s, r)
				}
				run := drawRun(t, s, r, uint64(number))
				run.check(t, m, p)
				if int64(len(m.space))*Align != s.used {
					t.Fatalf("%d bytes of space, counted %d", len(m.space)*Align, s.used)
				}
				want.Bytes, want.Stored = want.Bytes+run.Size(), want.Stored+run.Stored()
				for i := range run.ends {
					want.Blocks[run.method(i)]++
				}
				runs = append(runs, run)
			}
			if got := s.Totals(); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			if name != "" && r.IntN(2) == 0 {
				s, runs = keepAndRestore(t, s, m, p, runs)
			}
			for _, k := range r.Perm(len(runs)) {
				w := runs[k]
				d := NewReader(make([]byte, w.Block()+4*Align+r.IntN(20*Align)), p)
				w.read(t, d, 0, w.Blocks())
				for range 5 {
					from := r.IntN(w.Blocks())
					w.read(t, d, from, from+r.IntN(w.Blocks()-from+1))
				}
			}
			for k, n := range r.Perm(len(runs)) {
				runs[n].Free(runs[n].Blocks())
				if int64(len(m.space))*Align != s.used {
					t.Errorf("%d bytes of space, counted %d, after %d runs", len(m.space)*Align, s.used, k)
				}
			}
			if err := s.Close(); err != nil || s.used != 0 {
				t.Errorf("%d bytes are left: %v", s.used, err)
			}
		})
	}
}

// discard begins a run and gives its space back. Nothing of it is in the next one.
func discard(t *testing.T, s *Store, r *rand.Rand) {
	t.Helper()
	used := s.used
	w, err := s.NewWriter(50_000, 100, 99, Aligned(make([]byte, (2+r.IntN(9))*Align)))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(packable(r.IntN(50_000), 0.9, r)); err != nil {
		t.Fatal(err)
	}
	if w.Discard(); s.used != used {
		t.Fatalf("%d bytes in use, %d before", s.used, used)
	}
}

// keepAndRestore closes a store whose files have names, opens its runs in another, and expects them to be equal.
func keepAndRestore(t *testing.T, s *Store, m *memory, p Packing, runs []written) (*Store, []written) {
	t.Helper()
	var saved []Saved
	for _, w := range runs {
		saved = append(saved, w.Saved())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := len(m.data)
	m.data = append(m.data, make([]byte, 3*Align)...) // of a run that was not complete
	again := NewStore(m, nil, 0, p, s.name)
	got, err := again.Restore(saved)
	if err != nil || len(m.data) != whole || again.used != s.used || again.Peak() != s.used {
		t.Fatalf("%d of %d bytes in use, file of %d bytes, want %d: %v", again.used, s.used, len(m.data), whole, err)
	}
	restored := slices.Clone(runs)
	for i, run := range got {
		restored[i].Run = run
		restored[i].check(t, m, Packing{mode: Adaptive}) // of any method
		if run.Saved() != saved[i] || !slices.Equal(run.sums, runs[i].sums) {
			t.Errorf("%+v, want %+v", run.Saved(), saved[i])
		}
	}
	return again, restored
}
