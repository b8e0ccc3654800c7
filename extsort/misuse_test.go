package extsort_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

func TestAppendWhileElementsAreHandedOut(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 20_000, rand.New(rand.NewPCG(41, 42))))
	want := sorted(rows)
	s, n := filled(t, rows), 0
	for e, err := range s.All() {
		must(t, err)
		if err := s.Append(row{}, row{}); !errors.Is(err, extsort.ErrEnded) {
			t.Fatalf("Append in a loop: %v", err)
		}
		if e != want[n] {
			t.Fatalf("element %d is %v, want %v", n, e, want[n])
		}
		n++
	}
	s = filled(t, rows)
	_, err := s.Parts(2)
	must(t, err)
	if err := s.AppendSeq(slices.Values(rows)); !errors.Is(err, extsort.ErrEnded) {
		t.Errorf("Append after Parts: %v", err)
	}
	if s.Len() != int64(len(rows)) {
		t.Errorf("Len is %d", s.Len())
	}
}

func TestCloseInALoop(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 20_000, rand.New(rand.NewPCG(43, 44))))
	want := sorted(rows)
	for _, at := range []int{0, 1, 10_000} {
		d := &faultDisk{}
		crew := testkit.NewCrew()
		s := filled(t, rows, extsort.OnDisk(d))
		var got []row
		var failed error
		for e, err := range s.All() {
			if failed = err; err != nil {
				break
			}
			if got = append(got, e); len(got) == at+1 {
				must(t, s.Close())
			}
		}
		if !errors.Is(failed, extsort.ErrEnded) {
			t.Errorf("%d elements, then %v", len(got), failed)
		}
		checkPrefix(t, got, want)
		crew.CheckAlone(t, "after Close")
		d.checkEmpty(t)
	}
}

func TestMorePartsThanMemory(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 20_000, rand.New(rand.NewPCG(45, 46))))
	for _, n := range []int{300, 3000, 30_000, 1 << 20} {
		s := filled(t, rows)
		parts, err := s.Parts(n)
		switch {
		case err == nil && len(parts) != n:
			t.Errorf("%d parts of %d", len(parts), n)
		case err == nil:
		case !errors.Is(err, extsort.ErrMemoryLimit):
			t.Errorf("%d parts: %v", n, err)
		default:
			if got := collect(t, s); len(got) != len(rows) { // the error has cost nothing
				t.Errorf("%d elements", len(got))
			}
		}
	}
}

func TestMoreWorkersThanMemory(t *testing.T) {
	rows := rowsOf(keysOf("few", 3000, rand.New(rand.NewPCG(47, 48))))
	for _, workers := range []int{1, 8, 64, 200, 500, 5000} {
		for _, limit := range []int64{32 << 10, 64 << 10, 128 << 10, 1 << 20} {
			s, err := extsort.New(byKey(), extsort.MemoryLimit(limit), extsort.Workers(workers), extsort.TempDir(t.TempDir()))
			if errors.Is(err, extsort.ErrMemoryLimit) {
				continue
			}
			must(t, err)
			must(t, s.Append(rows...))
			got, err := drain(s)
			if errors.Is(err, extsort.ErrMemoryLimit) && limit < 1<<20 { // indices
				must(t, s.Close())
				continue
			}
			must(t, err)
			sameElements(t, got, sorted(rows))
			must(t, s.Close())
		}
	}
}

// TestKeysThatChange has key functions that return something else now and then. The sort ends
// with an error, or yields every element once, in some order.
func TestKeysThatChange(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 50))
	rows := rowsOf(keysOf("uniform", 8000, r))
	ended, whole := 0, 0
	for round := range testkit.Pick(15, 120) {
		var calls atomic.Uint64
		every := uint64(1) << r.IntN(16)
		from := uint64(r.IntN(2) * len(rows)) // runs are in order, or not even they
		o := sorter.By(sorter.Asc(func(e row) uint64 {
			if n := calls.Add(1); n > from && n%every == 0 {
				return e.Key ^ n*0x9e3779b97f4a7c15
			}
			return e.Key
		}))
		s, err := extsort.New(o, extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()), extsort.Workers(1+round%3))
		must(t, err)
		must(t, s.Append(rows...))
		got, err := drain(s)
		must(t, s.Close())
		seen := make([]bool, len(rows))
		for _, e := range got {
			if e.Pad != ^e.At || rows[e.At] != e || seen[e.At] {
				t.Fatalf("element %v is wrong or twice", e)
			}
			seen[e.At] = true
		}
		if err != nil {
			ended++
			if errors.Is(err, extsort.ErrCorrupt) {
				t.Errorf("damage: %v", err)
			}
			continue
		}
		if whole++; len(got) != len(rows) {
			t.Fatalf("%d of %d elements without an error", len(got), len(rows))
		}
	}
	t.Logf("%d errors, %d whole", ended, whole)
}

// TestKeyPanicsAnywhere has functions of the order panic, or end their goroutine, at some call: in sorts
// of runs, searches for cuts by readers, and sorts of parts.
func TestKeyPanicsAnywhere(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 8000, rand.New(rand.NewPCG(51, 52))))
	want := sorted(rows)
	for _, workers := range []int{1, 4} {
		for _, end := range []string{"panic", "Goexit"} {
			var calls, at atomic.Int64
			call := func() {
				if calls.Add(1) == at.Load() {
					if end == "panic" {
						panic("key")
					}
					runtime.Goexit()
				}
			}
			key := func(e row) uint64 { call(); return e.Key }
			isNull := func(row) bool { call(); return false }
			o := sorter.By(sorter.Asc(key).NullsFirst(isNull))
			step := testkit.Pick[int64](4001, 499)
			for n := int64(1); ; n += step {
				calls.Store(0)
				at.Store(n)
				d := &faultDisk{}
				crew := testkit.NewCrew()
				s, err := extsort.New(o, extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()), extsort.Workers(workers), extsort.OnDisk(d))
				must(t, err)
				done := make(chan any)
				var got []row
				go func() {
					value, returned := any(nil), false
					defer func() {
						if value = recover(); value == nil && !returned {
							value = "Goexit"
						}
						done <- value
					}()
					must(t, s.Append(rows...))
					for e, err := range s.All() {
						must(t, err)
						got = append(got, e)
					}
					returned = true
				}()
				value := <-done
				checkPrefix(t, got, want)
				must(t, s.Close())
				crew.CheckAlone(t, "after a panic")
				d.checkEmpty(t)
				if calls.Load() < n { // all calls are through
					sameElements(t, got, want)
					break
				}
				if (end == "panic") != (value == "key") || value == nil {
					t.Fatalf("%s in call %d: ended with %v", end, n, value)
				}
			}
		}
	}
}

// TestElementsOutliveAPanic goes on after a panic of a key function in Append.
func TestElementsOutliveAPanic(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 20_000, rand.New(rand.NewPCG(53, 54))))
	var calls atomic.Int64
	var honest atomic.Bool
	s, err := extsort.New(sorter.By(sorter.Asc(func(e row) uint64 {
		if !honest.Load() && calls.Add(1)%7001 == 0 {
			panic("key")
		}
		return e.Key
	})), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()))
	must(t, err)
	defer s.Close()
	panics := 0
	for s.Len() < int64(len(rows)) {
		func() {
			defer func() {
				if recover() != nil {
					panics++
				}
			}()
			must(t, s.Append(rows[s.Len():]...))
		}()
	}
	honest.Store(true)
	sameElements(t, collect(t, s), sorted(rows))
	if panics == 0 {
		t.Error("no panic")
	}
}

func TestProgressPanics(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 8000, rand.New(rand.NewPCG(55, 56))))
	for n := 1; ; n += testkit.Pick(7, 1) {
		d := &faultDisk{}
		crew := testkit.NewCrew()
		calls := 0
		value := func() (value any) {
			s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()), extsort.OnDisk(d),
				extsort.OnProgress(func(p extsort.Progress) {
					if calls++; calls == n {
						panic("progress")
					}
				}))
			must(t, err)
			defer func() { must(t, s.Close()) }()
			defer func() { value = recover() }()
			must(t, s.Append(rows...))
			sameElements(t, collect(t, s), sorted(rows))
			return nil
		}()
		crew.CheckAlone(t, "after a panic")
		d.checkEmpty(t)
		if calls < n {
			break
		}
		if value != "progress" {
			t.Fatalf("call %d: %v", n, value)
		}
	}
}

// TestCancelledAtAnyMoment cancels sorts, and expects that they end soon and leave nothing.
func TestCancelledAtAnyMoment(t *testing.T) {
	r := rand.New(rand.NewPCG(57, 58))
	rows := rowsOf(keysOf("uniform", 20_000, r))
	want := sorted(rows)
	slow, ended := 0, 0
	rounds := testkit.Pick(30, 500)
	for range rounds {
		d := &faultDisk{}
		crew := testkit.NewCrew()
		ctx, cancel := context.WithCancel(t.Context())
		var at atomic.Int64
		timer := time.AfterFunc(time.Duration(r.IntN(12_000))*time.Microsecond, func() {
			at.Store(time.Now().UnixNano())
			cancel()
		})
		s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()), extsort.WithContext(ctx), extsort.OnDisk(d))
		must(t, err)
		err = s.Append(rows...)
		var got []row
		if err == nil {
			got, err = drain(s)
		}
		switch {
		case err == nil:
			sameElements(t, got, want)
		case !errors.Is(err, context.Canceled):
			t.Fatal(err)
		default:
			ended++
			checkPrefix(t, got, want)
			if time.Now().UnixNano()-at.Load() > int64(100*time.Millisecond) {
				slow++
			}
		}
		must(t, s.Close())
		timer.Stop()
		cancel()
		crew.CheckAlone(t, "after a cancellation")
		d.checkEmpty(t)
	}
	if slow > rounds/10 || ended == 0 { // a busy machine delays some
		t.Errorf("of %d sorts, %d ended early, %d of them late", rounds, ended, slow)
	}
}

// TestLargeElements has elements larger than the buffers of readers and writers.
func TestLargeElements(t *testing.T) {
	testLarge[[1000]byte](t, 1<<20, 1000)
	testLarge[[4096]byte](t, 4<<20, 2000)
	testLarge[[70_001]byte](t, 20<<20, 300)
	if testkit.Long() {
		testLarge[[3 << 20]byte](t, 1<<30, 220)
	}
}

func testLarge[E [1000]byte | [4096]byte | [70_001]byte | [3 << 20]byte](t *testing.T, limit int64, n int) {
	t.Run(fmt.Sprintf("%T", *new(E)), func(t *testing.T) {
		key := func(e E) uint64 { return uint64(e[1])<<8 | uint64(e[2]) }
		s, err := extsort.New(sorter.By(sorter.Asc(key)), extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()), extsort.Workers(2))
		must(t, err)
		defer s.Close()
		e := new(E)
		for i := range n {
			k := i * 7919 % n
			(*e)[1], (*e)[2] = byte(k>>8), byte(k)
			must(t, s.Append(*e))
		}
		i := 0
		for batch, err := range s.Batches() {
			must(t, err)
			for j := range batch {
				if key(batch[j]) != uint64(i) {
					t.Fatalf("element %d is %d", i, key(batch[j]))
				}
				i++
			}
		}
		if i != n {
			t.Errorf("%d elements of %d", i, n)
		}
	})
}

// TestNothingAfterClose calls what takes elements, or goes on with them, after Close.
func TestNothingAfterClose(t *testing.T) {
	s, err := extsort.New(byKey(), extsort.TempDir(t.TempDir()))
	must(t, err)
	must(t, s.Append(row{}))
	must(t, s.Close())
	for what, err := range map[string]error{
		"Append": s.Append(row{}), "AppendSeq": s.AppendSeq(slices.Values([]row{{}})), "Retry": s.Retry(), "AddDir": s.AddDir(t.TempDir()),
		"Sync": s.Sync(), "Appender": s.Appender().Append(row{}),
	} {
		if !errors.Is(err, extsort.ErrEnded) {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
}
