package arrowsort_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/arrowsort"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/spill"
	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var errInjected = errors.New("injected")

// faultDisk is the disk of the system, of which the n-th call fails.
type faultDisk struct {
	spill.System
	mu     sync.Mutex
	fail   int // number of the call that fails, from 1; 0: none
	damage int // number of the read whose bytes are changed, from 1; 0: none
	calls  int
	reads  int
	failed string // operation that failed
	open   int
}

type faultFile struct {
	spill.File
	d *faultDisk
}

// call counts a call and returns how it fails.
func (d *faultDisk) call(op string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.calls++; d.calls != d.fail {
		return nil
	}
	d.failed = op
	return fmt.Errorf("%w: %w", errInjected, []error{syscall.EIO, syscall.ENOSPC}[d.fail%2])
}

func (d *faultDisk) Room(string) int64 { return 1 } // space is given back early

func (d *faultDisk) Create(dir string) (spill.File, error) {
	if err := d.call("create"); err != nil {
		return nil, err
	}
	f, err := d.System.Create(dir)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open++
	return &faultFile{f, d}, nil
}

func (f *faultFile) Reserve(off, n int64) error {
	if err := f.d.call("reserve"); err != nil {
		return err
	}
	return f.File.Reserve(off, n)
}

func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.d.call("write"); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.d.call("read"); err != nil {
		return 0, err
	}
	n, err := f.File.ReadAt(p, off)
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.d.reads++; f.d.reads == f.d.damage {
		p[n/2] ^= 1
	}
	return n, err
}

func (f *faultFile) Punch(off, n int64) error {
	if err := f.d.call("punch"); err != nil {
		return err
	}
	return f.File.Punch(off, n)
}

func (f *faultFile) Close() error {
	f.d.mu.Lock()
	f.d.open--
	f.d.mu.Unlock()
	return errors.Join(f.d.call("close"), f.File.Close())
}

// faultRows is the number of rows of sorts that fail. With faultLimit they have some runs, which are merged
// in rounds.
const faultRows, faultLimit = 20_000, 256 << 10

// faultTable returns a table for faults: numbers and texts.
func faultTable(t testing.TB) sample {
	return newSample(t, rand.New(rand.NewPCG(9, 9)), faultRows, find("int64"), find("utf8"))
}

// checkPrefix expects that got has the first rows in order.
func checkPrefix(t *testing.T, s sample, got arrow.Table, want []uint64) {
	t.Helper()
	checkRows(t, s, got, want[:got.NumRows()])
}

// TestReaderEveryCallFailsOnce lets each call of the disk fail, one in each sort. The error is that of the
// call, the rows before it are right, and nothing is left.
func TestReaderEveryCallFailsOnce(t *testing.T) {
	s := faultTable(t)
	want := oracle(s.rows, s.keys)
	for _, how := range []extsort.Compression{extsort.None, extsort.S2} {
		met := map[string]int{}
		for n := 1; ; n += testkit.Pick(17, 7) {
			crew, mem := testkit.NewCrew(), memory.NewCheckedAllocator(memory.DefaultAllocator)
			d, dir := &faultDisk{fail: n}, t.TempDir()
			in := array.NewTableReader(s.table, 700)
			out, err := arrowsort.SortReader(compute.WithAllocator(context.Background(), mem), in, s.keys,
				arrowsort.MemoryLimit(faultLimit), arrowsort.OnDisk(d), arrowsort.TempDir(dir), arrowsort.Compress(how))
			must(err)
			in.Release()
			got, err := drained(out)
			checkPrefix(t, s, got, want)
			if d.failed == "" || d.failed == "reserve" && err == nil { // of a run that is compressed, less space is reserved then
				must(err)
				if got.NumRows() != faultRows {
					t.Fatalf("%d rows", got.NumRows())
				}
			} else {
				var failed *extsort.DiskError
				if !errors.As(err, &failed) || failed.Op != d.failed || failed.Path != dir || !errors.Is(err, errInjected) {
					t.Fatalf("call %d, %s: %v", n, d.failed, err)
				}
			}
			got.Release()
			out.Release()
			mem.AssertSize(t, 0)
			crew.CheckAlone(t, "after a fault")
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 || d.open != 0 {
				t.Fatalf("%d files are left, %d open: %v", len(entries), d.open, err)
			}
			if d.failed == "" {
				break
			}
			met[d.failed]++
		}
		for _, op := range []string{"write", "read"} {
			if met[op] == 0 {
				t.Errorf("no failure of %s: %v", op, met)
			}
		}
	}
}

// TestReaderDamage changes a byte of every some read, which no row of the output is of.
func TestReaderDamage(t *testing.T) {
	s := faultTable(t)
	want := oracle(s.rows, s.keys)
	for n, found := 1, 0; ; n += testkit.Pick(19, 7) {
		d := &faultDisk{damage: n}
		out, err := arrowsort.SortReader(context.Background(), array.NewTableReader(s.table, 700), s.keys, arrowsort.MemoryLimit(faultLimit), arrowsort.OnDisk(d))
		must(err)
		got, err := drained(out)
		checkPrefix(t, s, got, want)
		if d.reads < n {
			must(err)
			if found == 0 {
				t.Error("no damage was found")
			}
			return
		}
		if errors.Is(err, extsort.ErrCorrupt) {
			found++
		} else if err != nil || got.NumRows() != faultRows { // a byte of padding was changed
			t.Fatalf("damage of read %d: %v", n, err)
		}
		out.Release()
	}
}

// TestReaderLimits expects the errors of limits, with what is needed.
func TestReaderLimits(t *testing.T) {
	s := faultTable(t)
	sorted := func(opts ...arrowsort.ReaderOption) error {
		out, err := arrowsort.SortReader(context.Background(), array.NewTableReader(s.table, 700), s.keys, opts...)
		must(err)
		defer out.Release()
		got, err := drained(out)
		got.Release()
		return err
	}
	var memory *sorter.MemoryError
	if err := sorted(arrowsort.MemoryLimit(10 << 10)); !errors.As(err, &memory) || memory.Limit != 10<<10 || memory.Need <= 10<<10 || !errors.Is(err, sorter.ErrMemoryLimit) {
		t.Errorf("memory: %v", err)
	}
	wantError(t, sorted(arrowsort.MemoryLimit(faultLimit), arrowsort.DiskLimit(64<<10)), extsort.ErrDiskLimit)
	wantError(t, sorted(arrowsort.MemoryLimit(faultLimit), arrowsort.TempDir("/no/such/directory")), os.ErrNotExist)
	in := array.NewTableReader(s.table, 0)
	merged, err := arrowsort.MergeReaders(context.Background(), []array.RecordReader{in}, s.keys, arrowsort.MemoryLimit(64<<10))
	must(err)
	if _, err := drained(merged); !errors.As(err, &memory) || memory.Limit != 64<<10 || memory.Need <= 64<<10 {
		t.Errorf("memory of a merge: %v", err)
	}
	if err := sorted(arrowsort.MemoryLimit(faultLimit), arrowsort.DiskLimit(64<<20)); err != nil {
		t.Error(err)
	}
}

// endless is a reader of the same batch for ever, or until it fails.
type endless struct {
	array.RecordReader
	batch  arrow.RecordBatch
	before func(i int) error // the i-th batch
	i      int
	err    error
	refs   int
}

func (e *endless) Schema() *arrow.Schema { return e.batch.Schema() }
func (e *endless) Retain()               { e.refs++ }
func (e *endless) Release()              { e.refs-- }
func (e *endless) Next() bool {
	e.i++
	e.err = e.before(e.i)
	return e.err == nil
}
func (e *endless) RecordBatch() arrow.RecordBatch { return e.batch }
func (e *endless) Err() error                     { return e.err }

// endlessOf returns a reader that calls before.
func endlessOf(t testing.TB, before func(i int) error) *endless {
	s := newSample(t, rand.New(rand.NewPCG(2, 9)), 2000, find("int32"))
	in := array.NewTableReader(s.table, 0)
	in.Next()
	in.RecordBatch().Retain()
	return &endless{batch: in.RecordBatch(), before: before}
}

var oneKey = []arrowsort.SortKey{{ColumnIndex: 0}}

// TestReaderEnds ends sorts by errors and panics of the input, by cancellation and by Release. Nothing is left.
func TestReaderEnds(t *testing.T) {
	stop := errors.New("stop")
	for name, c := range map[string]struct {
		before func(i int, cancel func()) error
		want   error
	}{
		"error": {func(i int, _ func()) error {
			if i == 40 {
				return stop
			}
			return nil
		}, stop},
		"first": {func(int, func()) error { return stop }, stop},
		"cancel": {func(i int, cancel func()) error {
			if i == 40 {
				cancel()
			}
			return nil
		}, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			crew, mem := testkit.NewCrew(), memory.NewCheckedAllocator(memory.DefaultAllocator)
			in := endlessOf(t, func(i int) error { return c.before(i, cancel) })
			out, err := arrowsort.SortReader(compute.WithAllocator(ctx, mem), in, oneKey, arrowsort.MemoryLimit(300<<10))
			must(err)
			first := out.Next()
			if again := out.Next(); first || again || !errors.Is(out.Err(), c.want) {
				t.Errorf("%v", out.Err())
			}
			if in.refs != 0 {
				t.Errorf("%d references to the input are left", in.refs)
			}
			out.Release()
			mem.AssertSize(t, 0)
			crew.CheckAlone(t, "after the end")
		})
	}
}

// TestReaderPanics expects the panic of an input at the caller, and a reader that has ended.
func TestReaderPanics(t *testing.T) {
	crew := testkit.NewCrew()
	in := endlessOf(t, func(i int) error {
		if i == 40 {
			panic("broken input")
		}
		return nil
	})
	out, err := arrowsort.SortReader(context.Background(), in, oneKey, arrowsort.MemoryLimit(300<<10))
	must(err)
	func() {
		defer func() {
			if got := recover(); got != "broken input" {
				t.Errorf("panic %v", got)
			}
		}()
		out.Next()
	}()
	if out.Next() {
		t.Error("a batch after a panic")
	}
	out.Release()
	crew.CheckAlone(t, "after a panic")
	if in.refs != 0 {
		t.Errorf("%d references", in.refs)
	}
	broken := func(int) error { panic("broken reader") }
	merged, err := arrowsort.MergeReaders(context.Background(), []array.RecordReader{endlessOf(t, broken), endlessOf(t, broken)}, oneKey)
	must(err)
	func() {
		defer func() {
			if got := recover(); got != "broken reader" {
				t.Errorf("panic %v", got)
			}
		}()
		merged.Next()
	}()
	merged.Release()
	crew.CheckAlone(t, "after a panic of a merge")
}

// TestReaderRelease releases sorts after some batches.
func TestReaderRelease(t *testing.T) {
	s := faultTable(t)
	for _, limit := range []int64{faultLimit, 16 << 20} {
		for batches := range 30 {
			crew, mem := testkit.NewCrew(), memory.NewCheckedAllocator(memory.DefaultAllocator)
			d := &faultDisk{}
			in := array.NewTableReader(s.table, 700)
			out, err := arrowsort.SortReader(compute.WithAllocator(context.Background(), mem), in, s.keys, arrowsort.MemoryLimit(limit), arrowsort.OnDisk(d), arrowsort.BatchRows(100))
			must(err)
			in.Release()
			for range batches {
				out.Next()
			}
			out.Retain()
			out.Release()
			out.Release()
			mem.AssertSize(t, 0)
			crew.CheckAlone(t, "after Release")
			if d.open != 0 {
				t.Fatalf("%d files are open", d.open)
			}
		}
	}
}

// TestReaderReleaseMeanwhile releases a sort while Next is at work.
func TestReaderReleaseMeanwhile(t *testing.T) {
	crew := testkit.NewCrew()
	begun := make(chan struct{})
	in := endlessOf(t, func(i int) error {
		if i == 20 {
			close(begun)
		}
		return nil
	})
	out, err := arrowsort.SortReader(context.Background(), in, oneKey, arrowsort.MemoryLimit(300<<10))
	must(err)
	var all sync.WaitGroup
	all.Go(func() {
		if out.Next() {
			t.Error("a batch of an endless input")
		}
	})
	<-begun
	out.Release()
	all.Wait()
	crew.CheckAlone(t, "after Release")
}

// TestReaderCancelsSoon cancels a sort in its merge.
func TestReaderCancelsSoon(t *testing.T) {
	s := faultTable(t)
	ctx, cancel := context.WithCancel(context.Background())
	out, err := arrowsort.SortReader(ctx, array.NewTableReader(s.table, 700), s.keys, arrowsort.MemoryLimit(faultLimit), arrowsort.BatchRows(10))
	must(err)
	defer out.Release()
	out.Next()
	cancel()
	begun := time.Now()
	for out.Next() {
	}
	wantError(t, out.Err(), context.Canceled)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %v to end", took)
	}
}

// TestReaderErrorsAtOnce expects errors of keys and schemas before anything is read.
func TestReaderErrorsAtOnce(t *testing.T) {
	in := endlessOf(t, func(int) error { panic("read") })
	ctx := context.Background()
	structs := array.NewTableReader(newSample(t, rand.New(rand.NewPCG(1, 1)), 3, find("int32")).table, 0)
	for _, keys := range [][]arrowsort.SortKey{nil, {{ColumnIndex: 1}}, {{ColumnIndex: -1}}, {{Order: 7}}} {
		_, err := arrowsort.SortReader(ctx, in, keys)
		wantError(t, err, arrow.ErrInvalid)
		_, err = arrowsort.MergeReaders(ctx, []array.RecordReader{in}, keys)
		wantError(t, err, arrow.ErrInvalid)
	}
	_, err := arrowsort.MergeReaders(ctx, nil, oneKey)
	wantError(t, err, arrow.ErrInvalid)
	other := endlessOf(t, nil)
	other.batch = array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "other", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{array.MakeArrayOfNull(memory.DefaultAllocator, arrow.BinaryTypes.String, 1)}, 1)
	_, err = arrowsort.MergeReaders(ctx, []array.RecordReader{in, other}, oneKey)
	wantError(t, err, arrow.ErrInvalid)
	if in.refs != 0 {
		t.Errorf("%d references", in.refs)
	}
	structs.Release()
	var none context.Context
	for name, call := range map[string]func(){
		"nil input":   func() { _, _ = arrowsort.SortReader(ctx, nil, oneKey) },
		"nil context": func() { _, _ = arrowsort.SortReader(none, in, oneKey) },
		"nil option":  func() { _, _ = arrowsort.SortReader(ctx, in, oneKey, nil) },
		"memory":      func() { arrowsort.MemoryLimit(0) },
		"disk":        func() { arrowsort.DiskLimit(-1) },
		"directories": func() { arrowsort.TempDir() },
		"rows":        func() { arrowsort.BatchRows(0) },
		"limit":       func() { arrowsort.Limit(0) },
		"compression": func() { arrowsort.Compress(99) },
		"report":      func() { arrowsort.ReportReader(nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// TestMergeReadersOrder expects ErrOrder of readers that are not sorted, wherever the fall is.
func TestMergeReadersOrder(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int32}}, nil)
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		readers, falls := make([]array.RecordReader, 1+r.IntN(3)), false
		for i := range readers {
			values := make([]int32, 20+r.IntN(40))
			for j := range values {
				values[j] = r.Int32N(100)
			}
			slices.Sort(values)
			if r.IntN(3) == 0 {
				j := 1 + r.IntN(len(values)-1)
				values[j], values[j-1] = values[j-1], values[j]
			}
			falls = falls || !slices.IsSorted(values)
			var batches []arrow.RecordBatch
			for lo := 0; lo < len(values); {
				hi := min(len(values), lo+1+r.IntN(10))
				b := array.NewInt32Builder(memory.DefaultAllocator)
				b.AppendValues(values[lo:hi], nil)
				batches = append(batches, array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, int64(hi-lo)))
				lo = hi
			}
			in, err := array.NewRecordReader(schema, batches)
			must(err)
			readers[i] = in
		}
		out, err := arrowsort.MergeReaders(context.Background(), readers, oneKey)
		must(err)
		_, err = drained(out)
		if falls != errors.Is(err, arrowsort.ErrOrder) || falls != (err != nil) {
			t.Fatalf("falls: %v, error %v", falls, err)
		}
		out.Release()
	}
}
