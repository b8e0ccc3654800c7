package extsort_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// faultyCodec is the codec of notes, of which the n-th call fails.
type faultyCodec struct {
	calls, fail atomic.Int64
	how         string // append, decode, panic or exit
}

var errCodec = errors.New("codec of the test")

func (c *faultyCodec) Append(dst []byte, n note) ([]byte, error) {
	if c.how == "append" && c.calls.Add(1) == c.fail.Load() {
		return dst, errCodec
	}
	return n.AppendBinary(dst)
}

func (c *faultyCodec) Decode(src []byte) (n note, err error) {
	if c.how != "append" && c.calls.Add(1) == c.fail.Load() {
		switch c.how {
		case "panic":
			panic(errCodec)
		case "exit":
			runtime.Goexit()
		}
		return n, errCodec
	}
	err = n.UnmarshalBinary(src)
	return n, err
}

// TestCodecFails has calls of a codec fail, in Append, sorts of runs, their writers, readers of
// parts and sorts of parts. Elements stay: once the codec works, the sort goes on.
func TestCodecFails(t *testing.T) {
	r := rand.New(rand.NewPCG(121, 122))
	notes := notesOf(keysOf("few", 6000, r), r)
	want := slices.Clone(notes)
	testkit.SortStable(want, byNote().Compare)
	for _, how := range []string{"append", "decode", "panic"} {
		t.Run(how, func(t *testing.T) {
			failures := 0
			for n := int64(1); ; n += testkit.Pick[int64](1999, 97) {
				c, d := &faultyCodec{how: how}, &faultDisk{}
				c.fail.Store(n)
				crew := testkit.NewCrew()
				s, err := extsort.NewCoded(byNote(), extsort.Codec[note](c), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()), extsort.OnDisk(d))
				must(t, err)
				failed := func(err error) {
					t.Helper()
					var e *extsort.CodecError
					if !errors.As(err, &e) || !errors.Is(err, errCodec) || (e.Op == "append") != (how == "append") {
						t.Fatalf("call %d: %v", n, err)
					}
					failures++
				}
				for s.Len() < int64(len(notes)) {
					at := s.Len()
					if err := s.Append(notes[at:min(at+97, int64(len(notes)))]...); err != nil {
						failed(err)
						must(t, s.Retry())
					}
				}
				got, err := drain(s)
				if err != nil && len(got) == 0 && s.Retry() == nil {
					failed(err)
					got, err = drain(s)
				}
				if err != nil { // handed out in part
					failed(err)
					if !slices.Equal(got, want[:len(got)]) {
						t.Error("wrong elements before the error")
					}
				} else if !slices.Equal(got, want) {
					t.Errorf("call %d: wrong order", n)
				}
				must(t, s.Close())
				crew.CheckAlone(t, "after an error of the codec")
				d.checkEmpty(t)
				if c.calls.Load() < n {
					break
				}
			}
			if failures < 3 {
				t.Errorf("%d failures", failures)
			}
		})
	}
}

// indexCodec is the codec of notes, of which Decode fails where the index of a run is made.
type indexCodec struct {
	faultyCodec
	sick atomic.Bool
}

func (c *indexCodec) Decode(src []byte) (n note, err error) {
	if c.sick.Load() && strings.Contains(string(debug.Stack()), ").index(") {
		return n, errCodec
	}
	return c.faultyCodec.Decode(src)
}

// TestCodecFailsInIndex has Decode fail for first elements of blocks only. The run is written again once it works.
func TestCodecFailsInIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(123, 124))
	notes := notesOf(keysOf("few", 6000, r), r)
	c := &indexCodec{}
	c.sick.Store(true)
	s, err := extsort.NewCoded(byNote(), extsort.Codec[note](c), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()))
	must(t, err)
	defer s.Close()
	failures := 0
	for s.Len() < int64(len(notes)) {
		var e *extsort.CodecError
		if err := s.Append(notes[s.Len()]); err != nil {
			if failures++; !errors.As(err, &e) || e.Op != "decode" || !errors.Is(err, errCodec) {
				t.Fatal(err)
			}
			c.sick.Store(false)
			must(t, s.Retry())
		}
	}
	if failures != 1 {
		t.Errorf("%d failures", failures)
	}
	want := slices.Clone(notes)
	testkit.SortStable(want, byNote().Compare)
	if got := collect(t, s); !slices.Equal(got, want) {
		t.Error("wrong order")
	}
}

// TestCodecEndsItsGoroutine has Decode call runtime.Goexit.
func TestCodecEndsItsGoroutine(t *testing.T) {
	r := rand.New(rand.NewPCG(123, 124))
	notes := notesOf(keysOf("few", 6000, r), r)
	for n := int64(1); ; n += testkit.Pick[int64](2503, 491) {
		c, d := &faultyCodec{how: "exit"}, &faultDisk{}
		c.fail.Store(n)
		crew := testkit.NewCrew()
		s, err := extsort.NewCoded(byNote(), extsort.Codec[note](c), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()), extsort.OnDisk(d))
		must(t, err)
		done := make(chan string)
		go func() {
			end := "Goexit"
			defer func() { done <- end }()
			err := s.Append(notes...)
			if err == nil {
				_, err = drain(s)
			}
			end = fmt.Sprint(err)
		}()
		end := <-done
		must(t, s.Close())
		crew.CheckAlone(t, "after Goexit")
		d.checkEmpty(t)
		if c.calls.Load() < n {
			if end != "<nil>" {
				t.Error(end)
			}
			break
		}
		if end == "<nil>" {
			t.Errorf("call %d: no error", n)
		}
	}
}

// TestCodedDiskFails lets each call of the disk fail, one in each sort of strings.
func TestCodedDiskFails(t *testing.T) {
	r := rand.New(rand.NewPCG(125, 126))
	texts := textsOf(keysOf("uniform", 5000, r), r)
	want := slices.Clone(texts)
	testkit.SortStable(want, byHead[string]().Compare)
	met := map[string]int{}
	for n := 1; ; n += testkit.Pick(7, 1) {
		d := &faultDisk{fail: n}
		crew := testkit.NewCrew()
		dir := t.TempDir()
		s, err := extsort.NewCoded(byHead[string](), extsort.Strings(), extsort.MemoryLimit(192<<10), extsort.TempDir(dir), extsort.OnDisk(d))
		must(t, err)
		goOn := func(err error) {
			t.Helper()
			checkDiskError(t, err, d.failedOp(), dir)
			d.mend()
			must(t, s.Retry())
		}
		for s.Len() < int64(len(texts)) {
			at := s.Len()
			if err := s.Append(texts[at:min(at+97, int64(len(texts)))]...); err != nil {
				goOn(err)
			}
		}
		got, err := drain(s)
		if err != nil && len(got) == 0 && d.failedOp() != "read" {
			goOn(err)
			got, err = drain(s)
		}
		if err != nil {
			checkDiskError(t, err, "read", dir)
			want := want[:len(got)]
			sameElements(t, got, want)
		} else {
			sameElements(t, got, want)
		}
		if err = s.Close(); err != nil {
			checkDiskError(t, err, d.failedOp(), dir)
		}
		crew.CheckAlone(t, "after a fault")
		d.checkEmpty(t)
		checkDirEmpty(t, dir)
		if d.failed == "" {
			break
		}
		met[d.failed]++
	}
	if met["read"] == 0 || met["write"]+met["reserve"] == 0 {
		t.Errorf("%v", met)
	}
}

// TestCodedDamage flips a bit read, or ends the file early.
func TestCodedDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(127, 128))
	texts := textsOf(keysOf("uniform", 4000, r), r)
	want := slices.Clone(texts)
	testkit.SortStable(want, byHead[string]().Compare)
	found, all := 0, 0
	for at := int64(5); at < 64<<10; at += testkit.Pick[int64](2999, 199) {
		for _, ruin := range []damage{flip(at, r.IntN(8)), truncate(at)} {
			d := &faultDisk{onRead: ruin}
			s, err := extsort.NewCoded(byHead[string](), extsort.Strings(), extsort.MemoryLimit(192<<10), extsort.TempDir(t.TempDir()), extsort.OnDisk(d))
			must(t, err)
			must(t, s.Append(texts...))
			got, err := drain(s)
			sameElements(t, got, want[:len(got)])
			if all++; err != nil {
				found++
				if !errors.Is(err, extsort.ErrCorrupt) {
					t.Fatal(err)
				}
			} else if len(got) < len(want) {
				t.Fatal("elements are missing")
			}
			must(t, s.Close())
			d.checkEmpty(t)
		}
	}
	if found < all*8/10 {
		t.Errorf("%d of %d found", found, all)
	}
}

// TestCodedSortsEndEarly cancels sorts of strings, and breaks loops over them.
func TestCodedSortsEndEarly(t *testing.T) {
	r := rand.New(rand.NewPCG(129, 130))
	texts := textsOf(keysOf("few", 10_000, r), r)
	want := slices.Clone(texts)
	testkit.SortStable(want, byHead[string]().Compare)
	for round := range testkit.Pick(15, 200) {
		d := &faultDisk{}
		crew := testkit.NewCrew()
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(r.IntN(15_000))*time.Microsecond, cancel)
		s, err := extsort.NewCoded(byHead[string](), extsort.Strings(), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()), extsort.WithContext(ctx), extsort.OnDisk(d))
		must(t, err)
		err = s.Append(texts...)
		var got []string
		if err == nil {
			for e, failed := range s.All() {
				if err = failed; err != nil || round%3 == 0 && len(got) > round*100 {
					break
				}
				got = append(got, e)
			}
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		sameElements(t, got, want[:len(got)])
		must(t, s.Close())
		timer.Stop()
		cancel()
		crew.CheckAlone(t, "after an early end")
		d.checkEmpty(t)
	}
}

// TestCodecsOfOtherLengths has elements without bytes, and one whose length has many.
func TestCodecsOfOtherLengths(t *testing.T) {
	o := sorter.By(sorter.Asc(func(s string) string { return s }))
	for _, limit := range []int64{256 << 10, 8 << 20} {
		s, err := extsort.NewCoded(o, extsort.Strings(), extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()))
		must(t, err)
		in := make([]string, 30_000)
		for i := 0; i < len(in); i += 1000 {
			in[i] = strings.Repeat("x", 127+i%3)
		}
		must(t, s.Append(in...))
		slices.Sort(in)
		sameElements(t, collect(t, s), in)
		must(t, s.Close())
	}
}

func TestCodedMisuse(t *testing.T) {
	if _, err := extsort.NewCoded(byNote(), extsort.Binary[note](), extsort.MemoryLimit(1000)); !errors.Is(err, extsort.ErrMemoryLimit) {
		t.Errorf("limit of 1000 bytes: %v", err)
	}
	func() {
		defer func() {
			if v := fmt.Sprint(recover()); !strings.Contains(v, "NewCoded") {
				t.Errorf("New of elements with pointers: %s", v)
			}
		}()
		_, _ = extsort.New(byNote())
	}()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic without a codec")
			}
		}()
		_, _ = extsort.NewCoded(byNote(), nil)
	}()
	for _, err := range []error{&extsort.CodecError{Op: "append", Err: io.EOF}, &extsort.CodecError{Op: "decode", Bytes: 7, Err: io.EOF}} {
		if !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "EOF") {
			t.Error(err)
		}
	}
	if s, err := extsort.Strings().Decode([]byte("abc")); s != "abc" || err != nil {
		t.Error(s, err)
	}
	if b, err := extsort.Bytes().Append([]byte("a"), []byte("bc")); string(b) != "abc" || err != nil {
		t.Error(b, err)
	}
	if b, err := extsort.Strings().Append(nil, "bc"); string(b) != "bc" || err != nil {
		t.Error(b, err)
	}
	var head [8]byte
	if _, err := extsort.Binary[note]().Decode(binary.BigEndian.AppendUint32(head[:0], 1)); err == nil {
		t.Error("no error of four bytes")
	}
}

// TestAppendersEndWithFailedOutput: once All has ended the input of appenders, no other takes elements,
// although its sort failed, and the elements come out when All is called again.
func TestAppendersEndWithFailedOutput(t *testing.T) {
	r := rand.New(rand.NewPCG(125, 126))
	notes := notesOf(keysOf("few", 500, r), r)
	want := slices.Clone(notes)
	testkit.SortStable(want, byNote().Compare)
	c := &faultyCodec{how: "decode"}
	s, err := extsort.NewCoded(byNote(), extsort.Codec[note](c), extsort.MemoryLimit(1<<20), extsort.Keep(t.TempDir()))
	must(t, err)
	defer s.Discard()
	must(t, s.Appender().Append(notes...))
	c.fail.Store(1)
	if _, err := drain(s); !errors.Is(err, errCodec) {
		t.Fatal(err)
	}
	if err := s.Appender().Append(notes[0]); !errors.Is(err, extsort.ErrEnded) {
		t.Errorf("Append of a further appender: %v", err)
	}
	if err := s.Sync(); !errors.Is(err, extsort.ErrEnded) {
		t.Errorf("Sync: %v", err)
	}
	got, err := drain(s)
	must(t, err)
	if !slices.Equal(got, want) || s.Len() != int64(len(want)) {
		t.Errorf("%d elements of %d", len(got), s.Len())
	}
}

// TestIndexOfLongElements: the index of the first run of long elements does not hold all of them, and a
// sort with the same memory resumes it.
func TestIndexOfLongElements(t *testing.T) {
	texts := make([]string, 1500)
	for i := range texts {
		texts[i] = strings.Repeat("x", 1000) + strconv.Itoa(i*7919%len(texts))
	}
	o, dir, limit := sorter.By(sorter.Asc(strings.Clone)), t.TempDir(), extsort.MemoryLimit(4<<20)
	s, err := extsort.NewCoded(o, extsort.Strings(), limit, extsort.Keep(dir))
	must(t, err)
	must(t, s.Append(texts...))
	must(t, s.Sync())
	must(t, s.Close())
	s, err = extsort.ResumeCoded(dir, o, extsort.Strings(), limit)
	must(t, err)
	defer s.Discard()
	if got := collect(t, s); !slices.IsSorted(got) || len(got) != len(texts) {
		t.Errorf("%d elements of %d", len(got), len(texts))
	}
}
