package parquetsort_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter/internal/testkit"
	"example.com/sorter/parquetsort"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

var errFault = errors.New("fault")

// faults fails the n-th call of all that share it, and counts them. One buffer is read while
// another is written.
type faults struct {
	calls atomic.Int64
	fail  int64
}

func (f *faults) next() error {
	if f.calls.Add(1) == f.fail {
		return errFault
	}
	return nil
}

// faultyWriter is an output that fails.
type faultyWriter struct {
	*faults
	to io.Writer
}

func (w faultyWriter) Write(p []byte) (int, error) {
	if err := w.next(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}

// faultyPool is a pool whose buffers fail, and that knows how many are out.
type faultyPool struct {
	*faults
	of    parquet.BufferPool
	taken int
	short bool // writes are short and return no error
}

func (p *faultyPool) GetBuffer() io.ReadWriteSeeker {
	p.taken++
	return &faultyBuffer{p, p.of.GetBuffer()}
}

func (p *faultyPool) PutBuffer(b io.ReadWriteSeeker) {
	p.taken--
	p.of.PutBuffer(b.(*faultyBuffer).of)
}

type faultyBuffer struct {
	pool *faultyPool
	of   io.ReadWriteSeeker
}

func (b *faultyBuffer) Read(p []byte) (int, error) {
	if err := b.pool.next(); err != nil {
		return 0, err
	}
	return b.of.Read(p)
}

func (b *faultyBuffer) Write(p []byte) (int, error) {
	if err := b.pool.next(); err != nil {
		if b.pool.short {
			return b.of.Write(p[:len(p)-1])
		}
		return 0, err
	}
	return b.of.Write(p)
}

func (b *faultyBuffer) Seek(offset int64, whence int) (int64, error) {
	if err := b.pool.next(); err != nil {
		return 0, err
	}
	return b.of.Seek(offset, whence)
}

type plain struct {
	ID   int64  `parquet:"id"`
	Name string `parquet:"name"`
}

func plainRows(n int) []plain {
	rows := make([]plain, n)
	for i := range rows {
		rows[i] = plain{int64(i * 7919 % n), string(rune('a' + i%26))}
	}
	return rows
}

func byID(pool parquet.BufferPool, more ...parquet.SortingOption) parquet.WriterOption {
	return parquet.SortingWriterConfig(append(more, parquet.SortingColumns(parquet.Ascending("id")), parquet.SortingBuffers(pool))...)
}

// TestFaults fails each call of the output and of buffers in turn: the error comes out, stays, and
// no buffer is lost; after Reset the Writer is as new. half of the rows are written as values.
func TestFaults(t *testing.T) {
	rows := plainRows(400)
	write := func(w *parquetsort.Writer[plain]) error {
		if _, err := w.Write(rows[:200]); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if _, err := w.WriteRows(oracle(w.Schema(), rows[200:], nil, false)); err != nil {
			return err
		}
		return w.Close()
	}
	for _, short := range []bool{false, true} {
		for fail := int64(1); ; fail++ {
			f := &faults{fail: fail}
			pool := &faultyPool{faults: f, of: parquet.NewBufferPool(), short: short}
			w := parquetsort.NewWriter[plain](faultyWriter{f, io.Discard}, 90, byID(pool), parquet.MaxRowsPerRowGroup(70))
			parquetsort.Shrink(w)
			err := write(w)
			if f.calls.Load() < fail {
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d calls", f.calls.Load())
				break
			}
			if want := errFault; !errors.Is(err, want) && !(short && errors.Is(err, io.ErrShortWrite)) {
				t.Fatalf("call %d: %v, want %v", fail, err, want)
			}
			if pool.taken != 0 {
				t.Fatalf("call %d: %d buffers are lost", fail, pool.taken)
			}
			n, again := w.Write(rows)
			if n != 0 || again != err || w.Flush() != err || w.Close() != err {
				t.Fatalf("call %d: the error does not stay: %v", fail, again)
			}
			var out bytes.Buffer
			w.Reset(&out)
			if err := write(w); err != nil {
				t.Fatalf("after Reset: %v", err)
			}
			got, _ := readAll(t, out.Bytes())
			sameRows(t, "after Reset", got, oracle(w.Schema(), rows, by("id"), false))
		}
	}
}

// breaking panics, or ends its goroutine, in the n-th call of all that share it.
type breaking struct {
	calls atomic.Int64
	at    int64
	exit  bool
}

func (b *breaking) next() {
	if b.calls.Add(1) != b.at {
		return
	}
	if b.exit {
		runtime.Goexit()
	}
	panic(errFault)
}

// breakingOutput, breakingBuffer and breakingCodec are what a caller supplies.
type (
	breakingOutput struct {
		*breaking
		io.Writer
	}
	breakingPool struct {
		*breaking
		parquet.BufferPool
		taken int
	}
	breakingBuffer struct {
		*breaking
		io.ReadWriteSeeker
	}
	breakingCodec struct {
		*breaking
		compress.Codec
	}
)

func (b breakingOutput) Write(p []byte) (int, error) {
	b.next()
	return b.Writer.Write(p)
}

func (b *breakingPool) GetBuffer() io.ReadWriteSeeker {
	b.next()
	b.taken++
	return &breakingBuffer{b.breaking, b.BufferPool.GetBuffer()}
}

func (b *breakingPool) PutBuffer(buffer io.ReadWriteSeeker) {
	b.taken--
	b.BufferPool.PutBuffer(buffer.(*breakingBuffer).ReadWriteSeeker)
}

func (b *breakingBuffer) Write(p []byte) (int, error) {
	b.next()
	return b.ReadWriteSeeker.Write(p)
}

func (b *breakingBuffer) Read(p []byte) (int, error) {
	b.next()
	return b.ReadWriteSeeker.Read(p)
}

func (b breakingCodec) Encode(dst, src []byte) ([]byte, error) {
	b.next()
	return b.Codec.Encode(dst, src)
}

func (b breakingCodec) Decode(dst, src []byte) ([]byte, error) {
	b.next()
	return b.Codec.Decode(dst, src)
}

// TestPanics has each call of the output, of buffers and of the codec panic in turn, or end its
// goroutine. That of the caller ends in the same way, no goroutine and no buffer is left, and calls are
// errors until Reset, after which the Writer is as new.
func TestPanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	rows := plainRows(400)
	write := func(w *parquetsort.Writer[plain]) error {
		if _, err := w.Write(rows[:300]); err != nil {
			return err
		}
		if _, err := w.WriteRows(oracle(w.Schema(), rows[300:], nil, false)); err != nil {
			return err
		}
		return w.Close()
	}
	for _, exit := range []bool{false, true} {
		for at := int64(1); ; at += testkit.Pick[int64](3, 1) {
			b := &breaking{at: at, exit: exit}
			pool := &breakingPool{breaking: b, BufferPool: parquet.NewBufferPool()}
			w := parquetsort.NewWriter[plain](breakingOutput{b, io.Discard}, 90, byID(pool), parquet.MaxRowsPerRowGroup(70), parquet.Compression(breakingCodec{b, &parquet.Snappy}))
			parquetsort.Shrink(w)
			crew := testkit.NewCrew()
			value, err := endOf(func() error { return write(w) })
			crew.CheckAlone(t, "after a panic")
			if b.calls.Load() < at {
				if value != nil || err != nil {
					t.Fatal(value, err)
				}
				t.Logf("%d calls", b.calls.Load())
				break
			}
			if want := map[bool]any{false: errFault, true: "Goexit"}[exit]; value != want {
				t.Fatalf("call %d: ended with %v, error %v, want %v", at, value, err, want)
			}
			if pool.taken != 0 {
				t.Fatalf("call %d: %d buffers are lost", at, pool.taken)
			}
			if n, err := w.Write(rows); n != 0 || err == nil || w.Flush() == nil || w.Close() == nil {
				t.Fatalf("call %d: the Writer goes on", at)
			}
			var out bytes.Buffer
			w.Reset(&out)
			if err := write(w); err != nil {
				t.Fatalf("call %d, after Reset: %v", at, err)
			}
			got, _ := readAll(t, out.Bytes())
			sameRows(t, "after Reset", got, oracle(w.Schema(), rows, by("id"), false))
		}
	}
}

// endOf calls f on a goroutine and returns the value of its panic, "Goexit", or its error.
func endOf(f func() error) (value any, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		value = "Goexit"
		defer func() {
			if v := recover(); v != nil {
				value = v
			}
		}()
		err = f()
		value = nil
	}()
	<-done
	return value, err
}

func TestClose(t *testing.T) {
	pool := &faultyPool{faults: &faults{}, of: parquet.NewBufferPool()}
	var out bytes.Buffer
	w := parquetsort.NewWriter[plain](&out, 10, byID(pool))
	w.SetKeyValueMetadata("k", "v")
	if _, err := w.Write(plainRows(35)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	size := out.Len()
	if n, err := w.Write(plainRows(1)); n != 0 || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write after Close: %d, %v", n, err)
	}
	if n, err := w.WriteRows(make([]parquet.Row, 1)); n != 0 || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("WriteRows after Close: %d, %v", n, err)
	}
	if err := w.Flush(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Flush after Close: %v", err)
	}
	if v, ok := w.File().Lookup("k"); v != "v" || !ok || w.File().NumRows() != 35 {
		t.Errorf("File: %q, %d rows", v, w.File().NumRows())
	}
	if out.Len() != size || pool.taken != 0 {
		t.Errorf("%d bytes after %d, %d buffers", out.Len(), size, pool.taken)
	}
}

// TestReset uses a Writer for several files, of which some are given up.
func TestReset(t *testing.T) {
	pool := &faultyPool{faults: &faults{}, of: parquet.NewBufferPool()}
	w := parquetsort.NewWriter[plain](io.Discard, 50, byID(pool))
	for i, n := range []int{30, 120, 10, 400, 0} {
		var out bytes.Buffer
		w.Reset(&out)
		if _, err := w.Write(plainRows(170)); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			if _, err := w.WriteRows(oracle(w.Schema(), plainRows(60), nil, false)); err != nil {
				t.Fatal(err)
			}
		}
		w.Reset(&out)
		if pool.taken != 0 {
			t.Fatalf("%d buffers after Reset", pool.taken)
		}
		rows := plainRows(n)
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !parquetsort.Typed(w) {
			t.Fatal("Reset keeps the second path")
		}
		got, _ := readAll(t, out.Bytes())
		sameRows(t, "file", got, oracle(w.Schema(), rows, by("id"), false))
	}
}

// TestFiles leaves no temporary file.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	pool := parquet.NewFileBufferPool(dir, "rows.*")
	w := parquetsort.NewWriter[plain](io.Discard, 50, byID(pool))
	for _, end := range []func() error{w.Close, func() error { w.Reset(io.Discard); return nil }} {
		w.Reset(io.Discard)
		if _, err := w.Write(plainRows(500)); err != nil {
			t.Fatal(err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
			t.Fatalf("%d files before the end, %v", len(files), err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
			t.Fatalf("%d files are left, %v", len(files), err)
		}
	}
	w = parquetsort.NewWriter[plain](io.Discard, 50, byID(parquet.NewFileBufferPool(dir+"/none", "rows.*")))
	if _, err := w.Write(plainRows(500)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}

// damaged is a pool of one buffer that changes the bytes read.
type damaged struct{ bytes.Buffer }

func (d *damaged) GetBuffer() io.ReadWriteSeeker  { return d }
func (d *damaged) PutBuffer(io.ReadWriteSeeker)   {}
func (d *damaged) Seek(int64, int) (int64, error) { return 0, nil }
func (d *damaged) Read(p []byte) (int, error) {
	n, err := d.Buffer.Read(p)
	if n > 0 {
		p[n/2] ^= 1
	}
	return n, err
}

func TestDamage(t *testing.T) {
	w := parquetsort.NewWriter[plain](io.Discard, 50, byID(new(damaged)))
	if _, err := w.Write(plainRows(200)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("damaged rows were written")
	}
}

// TestMisuse has the panics of NewWriter.
func TestMisuse(t *testing.T) {
	panics := func(what string, f func()) {
		t.Helper()
		defer func() {
			if text := fmt.Sprint(recover()); !bytes.HasPrefix([]byte(text), []byte("parquetsort: ")) {
				t.Errorf("%s: panic %s", what, text)
			}
		}()
		f()
	}
	panics("no rows", func() { parquetsort.NewWriter[plain](io.Discard, 0) })
	panics("unknown column", func() {
		parquetsort.NewWriter[plain](io.Discard, 9, parquet.SortingWriterConfig(parquet.SortingColumns(by("x")...)))
	})
	panics("option", func() { parquetsort.NewWriter[plain](io.Discard, 9, parquet.DataPageVersion(3)) })
	panics("no schema", func() { parquetsort.NewWriter[any](io.Discard, 9) })
	panics("no struct", func() { parquetsort.NewWriter[*int](io.Discard, 9) })
	panics("no output", func() { parquetsort.NewWriter[plain](nil, 9) })
	panics("no output after Reset", func() { parquetsort.NewWriter[plain](io.Discard, 9).Reset(nil) })
	panics("nil option", func() { parquetsort.NewWriter[plain](io.Discard, 9, nil) })
	panics("negative rows", func() { parquetsort.NewWriter[plain](io.Discard, -1) })
	panics("no path", func() {
		parquetsort.NewWriter[plain](io.Discard, 9, parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending())))
	})
	panics("a group", func() {
		parquetsort.NewWriter[optionals](io.Discard, 9, parquet.SortingWriterConfig(parquet.SortingColumns(by("deep")...)))
	})
	panics("no buffers", func() {
		parquetsort.NewWriter[plain](io.Discard, 9, parquet.SortingWriterConfig(parquet.SortingBuffers(nil)))
	})
}

// TestManyRuns has more runs than are merged at a time.
func TestManyRuns(t *testing.T) {
	pool := &faultyPool{faults: &faults{}, of: parquet.NewBufferPool()}
	rows := plainRows(3000)
	for i := range rows {
		rows[i].ID /= 3
	}
	for _, drop := range []bool{false, true} {
		var out bytes.Buffer
		w := parquetsort.NewWriter[plain](&out, 2, byID(pool, parquet.DropDuplicatedRows(drop)))
		for batch := range slices.Chunk(rows, 1000) {
			if _, err := w.Write(batch); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, _ := readAll(t, out.Bytes())
		sameRows(t, "many runs", got, oracle(w.Schema(), rows, by("id"), drop))
	}
	if pool.taken != 0 {
		t.Errorf("%d buffers are lost", pool.taken)
	}
}
