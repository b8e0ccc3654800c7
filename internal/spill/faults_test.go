package spill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

var errInjected = errors.New("injected")

// TestFaults has each call of a store fail in turn, and expects the error, no run that is not complete, and the space
// of it back.
func TestFaults(t *testing.T) {
	pack := func(mode Compression) Packing { return Packing{mode, true, 2, 2 * Align, 2 * Align, 0} }
	for _, c := range []use{
		{Packing{}, "", 0, 20_000, 9}, {Packing{}, "", 0, Align, 8}, {Packing{}, "runs", 0, 500, 1}, {Packing{}, "runs", 1000, 20_000, 9},
		{Packing{}, "", 1000, 5000, 2}, {Packing{}, "", 1000, 5000, 5}, {Packing{}, "runs", 100, 20_000, 1}, {pack(Never), "", 1000, 10_000, 1}, {pack(Never), "runs", 0, 3000, 1},
		{pack(AlwaysS2), "", 1000, 20_000, 1}, {pack(AlwaysS2), "runs", 0, 3000, 1}, {pack(AlwaysS2), "", 0, 2500, 9},
		{pack(AlwaysS2), "runs", 0, 20_000, 9}, {pack(AlwaysZstd), "runs", 1000, 3000, 9},
	} {
		seen := map[string]bool{}
		for k := 1; ; k++ {
			m, calls, failed := newMemory(), 0, struct {
				op string
				n  int64
			}{}
			m.fail = func(op string, _, n int64) error {
				if calls++; calls == k {
					failed.op, failed.n = op, n
				}
				if calls == k || op == failed.op && (op == "create" || op == "reserve") { // which is tried again for less space
					return errInjected
				}
				return nil
			}
			err := c.store(m)
			if failed.op == "" {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			seen[failed.op] = true
			var at *Error
			if !errors.Is(err, errInjected) || !errors.As(err, &at) || at.Op != failed.op || at.Dir != "/dir" {
				t.Fatalf("%+v: call %d fails, %+v: %v", c, k, failed, err)
			}
			if at.Bytes != failed.n && failed.op != "read" && failed.op != "sync" && failed.op != "create" || at.Bytes <= 0 && failed.op != "close" {
				t.Errorf("%+v: call %d fails, %+v: of %d bytes", c, k, failed, at.Bytes)
			}
			if len(m.space) > 0 && failed.op != "punch" {
				t.Errorf("%+v: call %d fails, %+v: %d pages are left", c, k, failed, len(m.space))
			}
			want := 1
			if failed.op == "create" {
				want = 0
			}
			if m.closed != want {
				t.Errorf("%+v: call %d fails, %+v: closed %d times", c, k, failed, m.closed)
			}
		}
		for _, op := range []string{"create", "reserve", "write", "read", "punch", "close", "sync"} {
			if seen[op] != (op != "sync" || c.name != "") {
				t.Errorf("%+v: %s was called: %v", c, op, seen[op])
			}
		}
	}
}

// use is how a store is used: blocks of one size or of any, appended in pieces, through a buffer of some pages.
type use struct {
	p                   Packing
	name                string
	block, piece, pages int
}

// store writes, reads and frees two runs, of fewer bytes than were announced, and closes the store.
func (c use) store(m *memory) (err error) {
	s := NewStore(m, []string{"/dir"}, 0, c.p, c.name)
	var runs []written
	for number := range 2 {
		run, failed := c.write(s, uint64(number))
		if failed != nil {
			err = failed
			break
		}
		runs = append(runs, run)
	}
	for _, run := range runs {
		d := NewReader(make([]byte, ReaderBytes(run.Block())), c.p)
		if failed := d.Read(run.Run, 0, run.Blocks(), func(from, to int, p []byte) error {
			if !bytes.Equal(p, run.text[run.Offset(from):run.Offset(to)]) {
				return fmt.Errorf("other bytes in blocks %d to %d", from, to)
			}
			return nil
		}); failed != nil {
			err = failed
		}
		run.Free(run.Blocks())
	}
	return errors.Join(err, s.Close())
}

// write writes a run of 64 KiB, of which more were announced. Half of it compresses.
func (c use) write(s *Store, number uint64) (run written, err error) {
	run.text = Aligned(make([]byte, 18*Align))[:16*Align] // so pieces may be written without a copy
	copy(run.text[8*Align:], packable(8*Align, 0, rand.New(rand.NewPCG(81, number))))
	w, err := s.NewWriter(100_000, c.block, number, Aligned(make([]byte, (c.pages+1)*Align))[:c.pages*Align])
	if err != nil {
		return run, err
	}
	for p := run.text; len(p) > 0 && err == nil; {
		n := min(c.piece, len(p))
		if c.block > 0 {
			err = w.Append(p[:n])
		} else {
			err = w.AppendBlock(p[:n])
		}
		p = p[n:]
	}
	if w.Shorten(); err == nil {
		run.Run, err = w.Close()
	}
	if err != nil {
		w.Discard()
	}
	return run, err
}

// TestFailedWriteOfCaller has a write fail on its goroutine, and expects that Append, whose memory it is, reports it.
func TestFailedWriteOfCaller(t *testing.T) {
	for _, short := range []bool{false, true} {
		m := newMemory()
		s := NewStore(m, []string{"."}, 0, Packing{}, "")
		w, err := s.NewWriter(64*Align, Align, 1, Aligned(make([]byte, 5*Align)))
		if err != nil {
			t.Fatal(err)
		}
		want := errInjected
		if short {
			m.short, want = 1, io.ErrShortWrite
		} else {
			m.fail = func(string, int64, int64) error { return errInjected }
		}
		var at *Error
		err = w.Append(Aligned(make([]byte, 33*Align))[:32*Align])
		if !errors.Is(err, want) || !errors.As(err, &at) || at.Op != "write" || at.Bytes != 32*Align {
			t.Error(err)
		}
	}
}

// TestFailedLastWrite has the write of a half of the buffer fail that is the end of the run.
func TestFailedLastWrite(t *testing.T) {
	for i := range 16 * 16 {
		pages, buffer := 1+i/16, 1+i%16
		m, failed := newMemory(), false
		m.fail = func(op string, _, _ int64) error {
			if op == "write" && !failed { // once: a later one does not report it
				failed = true
				return errInjected
			}
			return nil
		}
		w, err := NewStore(m, []string{"."}, 0, Packing{}, "").NewWriter(int64(pages*Align), 0, 1, Aligned(make([]byte, 17*Align))[:buffer*Align])
		if err != nil {
			t.Fatal(err)
		}
		for range pages {
			if err = w.AppendBlock(make([]byte, Align)); err != nil {
				break
			}
		}
		if err == nil {
			_, err = w.Close()
		}
		if !errors.Is(err, errInjected) {
			t.Errorf("%d pages through %d: %v", pages, buffer, err)
		}
	}
}

// TestFailedBatch has the write of blocks fail that wait for compression while others are not compressed.
func TestFailedBatch(t *testing.T) {
	for _, block := range []int{0, 1000} {
		m := newMemory()
		s := NewStore(m, []string{"."}, 0, Packing{AlwaysS2, false, 1, 2 * Align, 2 * Align, 0}, "")
		w, err := s.NewWriter(100_000, block, 1, Aligned(make([]byte, 2*Align))[:Align])
		if err != nil {
			t.Fatal(err)
		}
		text := packable(5000, 0, rand.New(rand.NewPCG(83, 84)))
		add := func(p []byte) error {
			if block > 0 {
				return w.Append(p)
			}
			return w.AppendBlock(p)
		}
		if err := add(text); err != nil || len(w.pack.plain) != 5000 {
			t.Fatal(err)
		}
		failed := false
		m.fail = func(string, int64, int64) error {
			if failed {
				return nil
			}
			failed = true
			return errInjected
		}
		w.pack.mode, w.pack.left = Never, 0
		if err := add(text[:1000]); !errors.Is(err, errInjected) {
			t.Errorf("blocks of %d: %v", block, err)
		}
	}
}

// TestWrongLength expects that a run with another number of bytes than announced is refused.
func TestWrongLength(t *testing.T) {
	for _, block := range []int{0, 100} {
		for by := -1; by <= 1; by++ {
			s := NewStore(newMemory(), []string{"."}, 0, Packing{}, "")
			w, err := s.NewWriter(int64(300+by), block, 1, Aligned(make([]byte, 2*Align)))
			if err != nil {
				t.Fatal(err)
			}
			if block > 0 {
				err = w.Append(make([]byte, 300))
			} else {
				err = w.AppendBlock(make([]byte, 300))
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.Close()
			if want := fmt.Sprintf("spill: a run of %d bytes got 300, of which 300 are on disk", 300+by); (err == nil) != (by == 0) || err != nil && err.Error() != want {
				t.Errorf("%d bytes more: %v", by, err)
			}
		}
	}
}

// TestOtherBytesOnDisk expects that a run whose blocks are not all that was written is refused.
func TestOtherBytesOnDisk(t *testing.T) {
	for _, by := range []int64{-1, 1} {
		w, err := NewStore(newMemory(), []string{"."}, 0, Packing{}, "").NewWriter(300, 0, 1, Aligned(make([]byte, 2*Align)))
		if err != nil || w.AppendBlock(make([]byte, 300)) != nil {
			t.Fatal(err)
		}
		w.run.ends[0] += by
		if _, err := w.Close(); err == nil {
			t.Errorf("%d bytes more are not found", by)
		}
	}
}

// TestReadEnds expects that Read ends with the first error of take.
func TestReadEnds(t *testing.T) {
	s := NewStore(newMemory(), []string{"."}, 0, Packing{}, "")
	run, err := zeros(s, 60_000, 1000)
	if err != nil {
		t.Fatal(err)
	}
	d, calls := NewReader(make([]byte, 7*Align), Packing{}), 0
	err = d.Read(run, 0, run.Blocks(), func(int, int, []byte) error { calls++; return errInjected })
	if err != errInjected || calls != 1 {
		t.Errorf("%d calls: %v", calls, err)
	}
}
