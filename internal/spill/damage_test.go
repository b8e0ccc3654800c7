package spill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"example.com/sorter/internal/testkit"
)

// smallRun writes a run of a few hundred bytes in short blocks after another, so that it does not begin at byte 0.
func smallRun(t *testing.T, m *memory, mode Compression, block int, name string) (*Store, Packing, written) {
	t.Helper()
	p := Packing{}
	if mode != Never {
		p = Packing{mode, true, 2, 2 * Align, 2 * Align, 0}
	}
	r := rand.New(rand.NewPCG(41, uint64(mode)))
	s := NewStore(m, []string{"."}, 0, p, name)
	drawRun(t, s, r, 1)
	w := written{text: packable(1300, 0.9, r)}
	out, err := s.NewWriter(int64(len(w.text)), block, 2, Aligned(make([]byte, 3*Align)))
	for from := 0; err == nil && from < len(w.text); {
		to := min(from+200, len(w.text))
		if block > 0 {
			err = out.Append(w.text[from:to])
		} else {
			err = out.AppendBlock(w.text[from:to])
		}
		w.ends = append(w.ends, to)
		from = to
	}
	if err == nil {
		w.Run, err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.check(t, m, p)
	return s, p, w
}

// readDamaged reads a damaged run block by block: those before the damaged one are right, and the error has its
// number and its place.
func (w written) readDamaged(t *testing.T, p Packing, damaged int, why error) {
	t.Helper()
	next := 0
	for _, step := range []int{1, w.Blocks()} {
		d := NewReader(make([]byte, ReaderBytes(w.Block())), p)
		next = 0
		var err error
		for from := 0; from < w.Blocks() && err == nil; from += step {
			err = d.Read(w.Run, from, min(from+step, w.Blocks()), func(_, to int, _ []byte) error { next = to; return nil })
		}
		var at *Error
		if !errors.Is(err, ErrCorrupt) || !errors.Is(err, why) || !errors.As(err, &at) || at.Op != "read" || at.Dir != w.Dir() || at.Bytes <= 0 {
			t.Fatalf("block %d is damaged: %v", damaged, err)
		}
		text := fmt.Sprintf("block %d of %d, at byte %d of the file", damaged, w.Blocks(), w.off+w.place(damaged))
		if got := w.damaged(damaged, why).Error(); at.Err.Error() != got || !slices.Contains([]int{0, damaged}, next) || got[len(ErrCorrupt.Error())+2:][:len(text)] != text {
			t.Fatalf("%v after block %d, want %s", err, next, got)
		}
	}
}

// TestDamage changes each byte of a run, exchanges its blocks, and ends the file at each byte.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 43))
	for _, mode := range []Compression{Never, AlwaysS2, AlwaysZstd} {
		for _, block := range []int{0, 200} {
			m := newMemory()
			_, p, w := smallRun(t, m, mode, block, "")
			for at := range w.Stored() {
				damaged := 0
				for w.place(damaged+1) <= at {
					damaged++
				}
				bit := byte(1) << r.IntN(8)
				m.data[w.off+at] ^= bit
				w.readDamaged(t, p, damaged, errSum)
				m.data[w.off+at] ^= bit
				whole := m.data
				m.data = whole[:w.off+at]
				d := NewReader(make([]byte, ReaderBytes(w.Block())), p)
				err := d.Read(w.Run, 0, w.Blocks(), func(int, int, []byte) error { t.Error("a run without its end is read"); return nil })
				if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, ErrCorrupt) || err.Error() != w.volume.failed("read", w.Stored(), w.damaged(damaged, io.ErrUnexpectedEOF)).Error() {
					t.Fatalf("ends at byte %d, in block %d: %v", at, damaged, err)
				}
				for from := range damaged + 1 { // the block that is missing is not the first
					if err := d.Read(w.Run, from, w.Blocks(), func(int, int, []byte) error { return nil }); err == nil || err.Error() != w.volume.failed("read", w.Stored()-w.place(from), w.damaged(damaged, io.ErrUnexpectedEOF)).Error() {
						t.Fatalf("ends at byte %d, in block %d, read from block %d on: %v", at, damaged, from, err)
					}
				}
				m.data = whole
			}
			m.data = m.data[:w.off+w.Stored()] // the rest of its last page is not needed
			w.read(t, NewReader(make([]byte, ReaderBytes(w.Block())), p), 0, w.Blocks())
			for i := 1; i < w.Blocks()-1; i++ {
				a, b := m.data[w.off+w.place(i-1):w.off+w.place(i)], m.data[w.off+w.place(i):w.off+w.place(i+1)]
				if len(a) == len(b) && !bytes.Equal(a, b) {
					data := slices.Clone(m.data)
					copy(a, data[w.off+w.place(i):])
					copy(b, data[w.off+w.place(i-1):])
					w.readDamaged(t, p, i-1, errSum)
					m.data = data
				}
			}
			w.sums[2]++
			w.readDamaged(t, p, 2, errSum)
			w.sums[2]--
			w.number++
			w.readDamaged(t, p, 0, errSum)
			w.number--
			if i := slices.IndexFunc(w.methods, func(m Method) bool { return m != Raw }); i >= 0 { // as no writer writes it
				var sum xxhash.Digest
				stored := m.data[w.off+w.place(i) : w.off+w.place(i+1)]
				copy(stored, bytes.Repeat([]byte{0xff}, len(stored)))
				w.begin(&sum, i, w.methods[i])
				sum.Write(stored)
				w.sums[i] = sum.Sum64()
				d := NewReader(make([]byte, ReaderBytes(w.Block())), p)
				err := d.Read(w.Run, i, i+1, func(int, int, []byte) error { return nil })
				var at *Error
				if !errors.Is(err, ErrCorrupt) || errors.Is(err, errSum) || !errors.As(err, &at) || at.Bytes != int64(len(stored)) {
					t.Errorf("a block that cannot be decompressed: %v", err)
				}
			} else if mode != Never {
				t.Error("no block is compressed")
			}
		}
	}
}

// TestDamagedIndex changes each byte of the index of a kept run, and ends the file at each byte of it.
func TestDamagedIndex(t *testing.T) {
	for _, mode := range []Compression{Never, AlwaysS2, AlwaysZstd} {
		for _, block := range []int{0, 200} {
			m := newMemory()
			s, p, w := smallRun(t, m, mode, block, "runs")
			saved := w.Saved()
			restore := func(k Saved) error {
				_, err := NewStore(m, nil, 0, p, "runs").Restore([]Saved{k})
				return err
			}
			whole := slices.Clone(m.data)
			index := saved.Off + roundUp(saved.Stored)
			for at := range saved.Index {
				m.data = slices.Clone(whole)
				m.data[index+at] ^= 1 << (at % 8)
				text := fmt.Sprintf("index at byte %d of the file", index)
				if err := restore(saved); !errors.Is(err, ErrCorrupt) || !errors.Is(err, errSum) || !strings.Contains(err.Error(), text) {
					t.Fatalf("byte %d of the index: %v", at, err)
				}
				m.data = slices.Clone(whole[:index+at])
				v := &volume{dir: ".", file: m}
				if r, err := s.restore(v, saved); !errors.Is(err, ErrCorrupt) || !errors.Is(err, io.ErrUnexpectedEOF) || r != nil {
					t.Fatalf("the file ends at byte %d of the index: %v", at, err)
				}
				if err := restore(saved); !errors.Is(err, ErrCorrupt) {
					t.Fatalf("the file ends at byte %d of the index: %v", at, err)
				}
			}
			m.data = slices.Clone(whole)
			m.fail = func(op string, _, n int64) error {
				if op == "read" {
					return errInjected
				}
				return nil
			}
			var at *Error
			if err := restore(saved); !errors.Is(err, errInjected) || errors.Is(err, ErrCorrupt) || !errors.As(err, &at) || at.Op != "read" || at.Bytes != saved.Index {
				t.Errorf("index cannot be read: %v", err)
			}
			m.fail = nil
			for name, change := range map[string]func(k *Saved){
				"size":         func(k *Saved) { k.Size++ },
				"less size":    func(k *Saved) { k.Size-- },
				"stored":       func(k *Saved) { k.Stored-- },
				"block":        func(k *Saved) { k.Block = 199 },
				"number":       func(k *Saved) { k.Number++ },
				"index":        func(k *Saved) { k.Index-- },
				"longer index": func(k *Saved) { k.Index++ },
				"sum":          func(k *Saved) { k.Sum++ },
				"place":        func(k *Saved) { k.Off = 0 },
				"past the end": func(k *Saved) { k.Off += k.Space },
				"odd place":    func(k *Saved) { k.Off++ },
				"space":        func(k *Saved) { k.Space += Align },
			} {
				k := saved
				change(&k)
				m.data = slices.Clone(whole)
				if err := restore(k); !errors.Is(err, ErrCorrupt) {
					t.Errorf("other %s: %v", name, err)
				}
			}
			m.data = slices.Clone(whole)
			if err := restore(saved); err != nil {
				t.Error(err)
			}
			m.data = m.data[:index+saved.Index] // the rest of its page is not needed
			if _, err := s.restore(&volume{dir: ".", file: m}, saved); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestIndexOfPages restores a run whose index has whole pages.
func TestIndexOfPages(t *testing.T) {
	m := newMemory()
	w, err := NewStore(m, []string{"."}, 0, Packing{}, "runs").NewWriter(41_500, 0, 1, Aligned(make([]byte, 2*Align))[:Align])
	for i := range 409 { // 403 entries of 10 bytes, 6 of 11
		if err == nil {
			err = w.AppendBlock(make([]byte, []int{100, 200}[min(i/403, 1)]))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.Close()
	if err != nil || run.index != Align || run.space != 12*Align {
		t.Fatal(err)
	}
	got, err := NewStore(m, nil, 0, Packing{}, "runs").Restore([]Saved{run.Saved()})
	if err != nil || !slices.Equal(got[0].ends, run.ends) || !slices.Equal(got[0].sums, run.sums) {
		t.Error(err)
	}
}

// TestFailedIndex has the write of an index fail that ends with half of the buffer.
func TestFailedIndex(t *testing.T) {
	m := newMemory()
	calls := 0
	m.fail = func(op string, off, n int64) error {
		if op == "write" && off == 41*Align {
			calls++
			return errInjected
		}
		return nil
	}
	w, err := NewStore(m, []string{"."}, 0, Packing{}, "runs").NewWriter(164_200, 0, 1, Aligned(make([]byte, 9*Align))[:8*Align])
	for i := range 1638 { // 1634 entries of 10 bytes, 4 of 11
		if err == nil {
			err = w.AppendBlock(make([]byte, []int{100, 200}[min(i/1634, 1)]))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); !errors.Is(err, errInjected) || calls != 1 || w.run.index != 4*Align {
		t.Errorf("%d calls: %v", calls, err)
	}
}

// TestSound goes to the bounds of the numbers of a run.
func TestSound(t *testing.T) {
	const most = 1 << 62
	good := Saved{Off: 2 * Align, Space: 3 * Align, Size: 5000, Stored: 5000, Block: 5000, Index: 10}
	for i, c := range []struct {
		change func(k *Saved)
		want   bool
	}{
		{func(k *Saved) {}, true},
		{func(k *Saved) { k.Off = 0 }, true},
		{func(k *Saved) { k.Off = -Align }, false},
		{func(k *Saved) { k.Off++ }, false},
		{func(k *Saved) { k.Off = most }, false},
		{func(k *Saved) { k.Off = most - Align }, true},
		{func(k *Saved) { k.Size = 4999 }, false},
		{func(k *Saved) { k.Size = most - 1 }, true},
		{func(k *Saved) { k.Size = most }, false},
		{func(k *Saved) { k.Size, k.Stored, k.Space = 0, 0, Align }, false},
		{func(k *Saved) { k.Stored, k.Space = 0, Align }, false},
		{func(k *Saved) { k.Stored, k.Space = -Align, 0 }, false},
		{func(k *Saved) { k.Stored, k.Space = 1, 2*Align }, true},
		{func(k *Saved) { k.Stored = 4096 }, false},
		{func(k *Saved) { k.Index, k.Space = 0, 2*Align }, false},
		{func(k *Saved) { k.Index, k.Space = -Align, Align }, false},
		{func(k *Saved) { k.Index = Align }, true},
		{func(k *Saved) { k.Index = Align + 1 }, false},
		{func(k *Saved) { k.Index, k.Space = most/2-Align, most/2+Align }, true},
		{func(k *Saved) { k.Index, k.Space = most/2, most/2+2*Align }, false},
		{func(k *Saved) { k.Size, k.Stored, k.Index, k.Space = most-1, most-2*Align, Align, most-Align }, true},
		{func(k *Saved) { k.Size, k.Stored, k.Index, k.Space = most-1, most-2*Align, 2*Align, most }, false},
		{func(k *Saved) { k.Block = 1 }, true},
		{func(k *Saved) { k.Block = 0 }, false},
	} {
		k := good
		if c.change(&k); k.sound() != c.want {
			t.Errorf("%d: %+v: %v", i, k, !c.want)
		}
	}
	s := NewStore(newMemory(), nil, 0, Packing{}, "runs")
	if _, err := s.Restore([]Saved{{}}); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}

// entry returns the bytes of a block in an index.
func entry(m Method, lengths ...uint64) []byte {
	p := append(make([]byte, 8), byte(m))
	for _, n := range lengths {
		p = binary.AppendUvarint(p, n)
	}
	return p
}

// TestParseIndex expects which indexes are refused, whose checksums are right.
func TestParseIndex(t *testing.T) {
	over := slices.Repeat([]byte{0x80}, 10)
	for i, c := range []struct {
		index        []byte
		same         bool
		size, stored int64
		want         bool
	}{
		{nil, false, 0, 0, true},
		{entry(Raw, 5), false, 5, 5, true},
		{entry(Raw, 5), false, 6, 5, false},
		{entry(Raw, 5), false, 5, 6, false},
		{entry(Raw, 5), false, 4, 4, false},
		{entry(Raw, 5)[:9], false, 0, 0, false},
		{entry(Raw, 300)[:10], false, 300, 300, false},
		{entry(Raw, 0), false, 0, 0, false},
		{entry(S2, 0, 0), false, 0, 0, false},
		{entry(Raw, 200_000), false, 200_000, 200_000, true},
		{entry(Raw, 200_001), false, 200_001, 200_001, false},
		{append(entry(Raw), over...), false, 0, 0, false},
		{entry(Method(methods), 5, 5), false, 5, 5, false},
		{entry(Zstd, 5, 5), false, 5, 5, true},
		{entry(S2, 5, 3), false, 5, 3, true},
		{entry(S2, 5, 6), false, 5, 6, false},
		{entry(S2, 5, 0), false, 5, 0, false},
		{entry(S2, 5), false, 5, 5, false},
		{append(entry(S2, 5), over...), false, 5, 0, false},
		{entry(S2, mostPacked, 3), false, mostPacked, 3, true},
		{entry(S2, mostPacked+1, 3), false, mostPacked + 1, 3, false},
		{slices.Concat(entry(Raw, 7), entry(S2, 9, 2), entry(Raw, 1)), false, 17, 10, true},
		{slices.Concat(entry(Raw, 7), entry(S2, 9, 2), entry(Raw, 1)), false, 17, 11, false},
		{slices.Concat(entry(Raw, 200_000), entry(Raw, 7)), true, 200_007, 200_007, true},
		{slices.Concat(entry(Raw, 7), entry(Raw, 200_000)), true, 200_007, 200_007, false},
		{slices.Concat(entry(Raw, 200_000), entry(Raw, 7), entry(Raw, 7)), true, 200_014, 200_014, false},
		{slices.Concat(entry(Raw, 200_000), entry(Raw, 7), []byte{1}), false, 200_007, 200_007, false},
	} {
		r := &Run{block: 200_000, size: c.size, stored: c.stored}
		err := r.parseIndex(c.index, c.same)
		if (err == nil) != c.want || err != nil && err != errIndex {
			t.Errorf("%d: %v", i, err)
		}
		if err == nil && r.Blocks() > 0 && (r.Offset(r.Blocks()) != c.size || r.place(r.Blocks()) != c.stored) {
			t.Errorf("%d: %d and %d bytes", i, r.Offset(r.Blocks()), r.place(r.Blocks()))
		}
	}
}

// TestIndexOfAnyBytes reads indexes that are changed, or of any bytes. Those that are accepted are written again as
// they were, and their blocks have all the bytes of the run.
func TestIndexOfAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 45))
	accepted := 0
	for range testkit.Pick(20_000, 1_000_000) {
		run := &Run{block: 1 + r.IntN(300), number: r.Uint64()}
		same := r.IntN(2) == 0
		var index []byte
		for i := r.IntN(4); i >= 0; i-- {
			plain := uint64(1 + r.IntN(run.block))
			if same && i > 0 || r.IntN(4) == 0 {
				plain = uint64(run.block)
			}
			stored, m := plain, Method(r.IntN(methods))
			e := entry(m, plain)
			if m != Raw {
				stored = 1 + r.Uint64N(plain)
				e = entry(m, plain, stored)
			}
			run.size, run.stored, index = run.size+int64(plain), run.stored+int64(stored), append(index, e...)
		}
		if r.IntN(2) == 0 {
			index[r.IntN(len(index))] ^= 1 << r.IntN(8)
		}
		if r.IntN(4) == 0 {
			index = index[:r.IntN(len(index)+1)]
		}
		if run.parseIndex(index, same) != nil {
			continue
		}
		accepted++
		sum := int64(0)
		for i := range run.Blocks() {
			n := run.Offset(i+1) - run.Offset(i)
			if stored := run.place(i+1) - run.place(i); stored <= 0 || stored > n || run.method(i) == Raw && stored != n || n > int64(run.block) {
				t.Fatalf("block %d has %d bytes, %d on disk", i, n, stored)
			}
			sum += n
		}
		if again := run.appendIndex(nil); sum != run.size || !slices.Equal(again, index) {
			t.Fatalf("%v is written as %v", index, again)
		}
	}
	if accepted < 5000 {
		t.Errorf("%d were accepted", accepted)
	}
}
