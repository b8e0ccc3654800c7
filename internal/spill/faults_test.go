package spill

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

var errInjected = errors.New("injected")

// TestFaults has each call of a store fail in turn, and expects the error, no run that is not complete, and the space
// of it back.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		mode  Compression
		name  string
		block int
	}{{Never, "", 0}, {Never, "runs", 1000}, {AlwaysS2, "", 1000}, {AlwaysS2, "runs", 0}, {AlwaysZstd, "runs", 1000}} {
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
			err := useStore(m, c.mode, c.name, c.block)
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

// useStore writes, reads and frees two runs, of fewer bytes than were announced, and closes the store.
func useStore(m *memory, mode Compression, name string, block int) (err error) {
	p := Packing{}
	if mode != Never {
		p = Packing{mode, true, 2, 2 * Align, 2 * Align}
	}
	s := NewStore(m, []string{"/dir"}, 0, p, name)
	var runs []*Run
	for number := range 2 {
		run, failed := writeZeros(s, block, uint64(number))
		if failed != nil {
			err = failed
			break
		}
		runs = append(runs, run)
	}
	for _, run := range runs {
		d := NewReader(make([]byte, ReaderBytes(run.Block())), p)
		if failed := d.Read(run, 0, run.Blocks(), func(int, int, []byte) error { return nil }); failed != nil {
			err = failed
		}
		run.Free(run.Blocks())
	}
	return errors.Join(err, s.Close())
}

// writeZeros writes a run of 60,000 bytes, of which more were announced.
func writeZeros(s *Store, block int, number uint64) (*Run, error) {
	w, err := s.NewWriter(100_000, block, number, Aligned(make([]byte, 9*Align)))
	if err != nil {
		return nil, err
	}
	// Memory that is aligned is written without a copy, on a goroutine where it is long.
	p := Aligned(make([]byte, 11*Align))[:40_000]
	for i := range 3 {
		if block > 0 {
			err = w.Append(p[:20_000*(2-i%2)][:20_000])
		} else {
			err = w.AppendBlock(p[:20_000])
		}
		if err != nil {
			w.Discard()
			return nil, err
		}
	}
	w.Shorten()
	run, err := w.Close()
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

// TestReadEnds expects that Read ends with the first error of take.
func TestReadEnds(t *testing.T) {
	s := NewStore(newMemory(), []string{"."}, 0, Packing{}, "")
	run, err := writeZeros(s, 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, calls := NewReader(make([]byte, 7*Align), Packing{}), 0
	err = d.Read(run, 0, run.Blocks(), func(int, int, []byte) error { calls++; return errInjected })
	if err != errInjected || calls != 1 {
		t.Errorf("%d calls: %v", calls, err)
	}
}
