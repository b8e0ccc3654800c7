package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

func open(t testing.TB, dir string) (*pebble.DB, *pebble.Options) {
	t.Helper()
	opts := &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: silent{}}
	db, err := pebble.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return db, opts
}

// pairAt returns the i-th of n pairs; keys below distinct, so that some come again.
func pairAt(r *rand.Rand, i, distinct int) (key, value []byte) {
	key = fmt.Appendf(nil, "key %08x", uint32(r.IntN(distinct))*2654435761)
	return key, fmt.Appendf(nil, "value %d of %s%s", i, key, strings.Repeat(".", r.IntN(120)))
}

// check reads a database in full and compares it with want.
func check(t *testing.T, db *pebble.DB, want map[string]string) {
	t.Helper()
	it, err := db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, ""
	for ok := it.First(); ok; ok = it.Next() {
		key := string(it.Key())
		if n > 0 && key <= last {
			t.Fatalf("%q comes after %q", key, last)
		}
		if v, err := it.ValueAndErr(); err != nil || want[key] != string(v) {
			t.Fatalf("%q is %q, want %q; error %v", key, v, want[key], err)
		}
		n, last = n+1, key
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil || n != len(want) {
		t.Fatalf("%d keys, want %d; error %v", n, len(want), err)
	}
}

func noFiles(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) || len(entries) > 0 {
		t.Errorf("left in %s: %v, error %v", dir, entries, err)
	}
}

func TestLoad(t *testing.T) {
	for _, c := range []struct {
		n, distinct, workers int
		memory, table        int64
	}{
		{0, 1, 2, 0, 0},
		{1, 1, 1, 0, 0},
		{5000, 5000, 2, 0, 1 << 16},
		{5000, 1, 4, 0, 0},               // one key
		{40_000, 3, 5, 2 << 20, 1 << 14}, // few, over the borders of parts
		{60_000, 40_000, 3, 2 << 20, 1 << 18},
	} {
		t.Run(fmt.Sprintf("%d of %d, %d workers", c.n, c.distinct, c.workers), func(t *testing.T) {
			dir := t.TempDir()
			db, opts := open(t, filepath.Join(dir, "db"))
			defer db.Close()
			want := map[string]string{"key before": "kept", "key 00000000": "replaced if there is one"}
			for k, v := range want {
				if err := db.Set([]byte(k), []byte(v), pebble.NoSync); err != nil {
					t.Fatal(err)
				}
			}
			ctx, r := context.Background(), rand.New(rand.NewPCG(1, uint64(c.n)))
			shown := int64(0)
			l, err := NewLoader(ctx, db, opts, Settings{Dir: filepath.Join(dir, "load"), Memory: c.memory, TempDirs: []string{dir}, Workers: c.workers, TableBytes: c.table, Progress: func(_ string, done, _ int64) { shown = done }})
			if err != nil {
				t.Fatal(err)
			}
			loaded := map[string]string{}
			for i := range c.n {
				key, value := pairAt(r, i, c.distinct)
				loaded[string(key)] = string(value)
				if err := l.Set(key, value); err != nil {
					t.Fatal(err)
				}
				clear(key) // Set keeps neither
				clear(value)
			}
			st, err := l.Finish(ctx)
			if err := errors.Join(err, l.Close()); err != nil {
				t.Fatal(err)
			}
			if st.Pairs != int64(c.n) || st.Duplicates != int64(c.n-len(loaded)) {
				t.Errorf("%d pairs, %d duplicates; want %d and %d", st.Pairs, st.Duplicates, c.n, c.n-len(loaded))
			}
			if shown != st.Pairs {
				t.Errorf("progress ends at %d of %d", shown, st.Pairs)
			}
			if c.memory > 0 && st.Spilled == 0 {
				t.Error("nothing was spilled")
			}
			for k, v := range loaded {
				want[k] = v
			}
			check(t, db, want)
			noFiles(t, filepath.Join(dir, "load"))
		})
	}
}

// TestInterrupted ends a load in each state of its directory: after the next one the database
// is complete, and the first one that was whole is used.
func TestInterrupted(t *testing.T) {
	var lines bytes.Buffer
	r, want := rand.New(rand.NewPCG(2, 3)), map[string]string{}
	for i := range 3000 {
		key, value := pairAt(r, i, 2500)
		want[string(key)] = string(value)
		fmt.Fprintf(&lines, "%s\t%s\n", key, value)
	}
	for _, state := range []string{"tables", "complete", "taken", "another source"} {
		t.Run(state, func(t *testing.T) {
			dir := t.TempDir()
			input, path := filepath.Join(dir, "pairs.tsv"), filepath.Join(dir, "db")
			if err := os.WriteFile(input, lines.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			db, opts := open(t, path)
			interrupt(t, db, opts, state, path+".load", input)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := run(context.Background(), []string{"-db", path, "-quiet", input}, nil, &out); err != nil {
				t.Fatal(err)
			}
			resumed := state == "complete" || state == "taken"
			if !strings.Contains(out.String(), fmt.Sprint("resumed: ", resumed)) {
				t.Errorf("says %q, want resumed: %v", out.String(), resumed)
			}
			db, _ = open(t, path)
			defer db.Close()
			check(t, db, want)
			noFiles(t, path+".load")
		})
	}
}

// interrupt leaves a directory of tables as a load leaves it that ends in a state.
func interrupt(t *testing.T, db *pebble.DB, opts *pebble.Options, state, dir, input string) {
	t.Helper()
	ctx := context.Background()
	source := sourceOf([]string{input})
	if state == "another source" {
		source += " before it changed"
	}
	l, err := NewLoader(ctx, db, opts, Settings{Dir: dir, Source: source, Workers: 2, TableBytes: 1 << 16})
	if err == nil {
		err = readFile(input, nil, l.Set)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b, err := newBuild(l)
	if err == nil {
		_, err = b.run(ctx)
	}
	if err == nil && state == "tables" {
		err = os.Remove(filepath.Join(dir, completeName))
	}
	if all, listErr := readList(dir); err == nil && state == "taken" {
		for i, name := range all.Tables {
			all.Tables[i] = filepath.Join(dir, "tables", name)
		}
		err = errors.Join(listErr, db.Ingest(ctx, all.Tables))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestFailures(t *testing.T) {
	dir := t.TempDir()
	db, opts := open(t, filepath.Join(dir, "db"))
	defer db.Close()
	ctx, cancel := context.WithCancel(context.Background())
	l, err := NewLoader(ctx, db, opts, Settings{Dir: filepath.Join(dir, "load")})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Set([]byte("a"), []byte("b")); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := l.Finish(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	check(t, db, nil)
	noFiles(t, filepath.Join(dir, "load"))

	reversed := *pebble.DefaultComparer
	reversed.Name = "reversed"
	if _, err := NewLoader(ctx, db, &pebble.Options{Comparer: &reversed}, Settings{Dir: dir}); err == nil || !strings.Contains(err.Error(), "reversed") {
		t.Errorf("another order of keys: error %v", err)
	}
	if _, err := NewLoader(ctx, db, opts, Settings{}); err == nil {
		t.Error("no directory: no error")
	}
	for in, says := range map[string]string{"a\tb\nc d\n": "-:2: no tab", "no line": "-:1: no tab"} {
		err := readFile("-", strings.NewReader(in), func(_, _ []byte) error { return nil })
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v does not say %q", in, err, says)
		}
	}
	if err := run(context.Background(), []string{"-db", filepath.Join(dir, "x"), filepath.Join(dir, "missing")}, nil, io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: error %v", err)
	}
}

func TestReadFile(t *testing.T) {
	long := strings.Repeat("long ", 1<<19)
	var got []string
	err := readFile("-", strings.NewReader("a\tb\tc\n\t\n"+long+"\t"+long+"\nlast\tline"), func(key, value []byte) error {
		got = append(got, string(key), string(value))
		return nil
	})
	if want := []string{"a", "b\tc", "", "", long, long, "last", "line"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%d strings, error %v", len(got), err)
	}
}

// BenchmarkLoad loads pairs of 16 and 100 bytes in random sequence, and writes the same in batches
// without a write-ahead log. Both end when no compaction is left. BULKLOAD_PAIRS is the number.
func BenchmarkLoad(b *testing.B) {
	n := 200_000
	if text := os.Getenv("BULKLOAD_PAIRS"); text != "" {
		if _, err := fmt.Sscan(text, &n); err != nil {
			b.Fatal(err)
		}
	}
	const memory = 512 << 20
	for _, way := range []struct {
		name string
		load func(b *testing.B, dir string)
	}{
		{"sorted tables", func(b *testing.B, dir string) {
			opts := &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: silent{}, DisableWAL: true}
			db, err := pebble.Open(filepath.Join(dir, "db"), opts)
			if err != nil {
				b.Fatal(err)
			}
			ctx := context.Background()
			l, err := NewLoader(ctx, db, opts, Settings{Dir: filepath.Join(dir, "load"), Memory: memory, TempDirs: []string{dir}})
			if err != nil {
				b.Fatal(err)
			}
			eachPair(n, func(key, value []byte) {
				if err := l.Set(key, value); err != nil {
					b.Fatal(err)
				}
			})
			_, err = l.Finish(ctx)
			if err := errors.Join(err, l.Close(), settled(db), db.Close()); err != nil {
				b.Fatal(err)
			}
		}},
		{"batches", func(b *testing.B, dir string) {
			cache := pebble.NewCache(memory / 2)
			defer cache.Unref()
			db, err := pebble.Open(filepath.Join(dir, "db"), &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: silent{}, DisableWAL: true,
				Cache: cache, MemTableSize: memory / 8, MemTableStopWritesThreshold: 4, CompactionConcurrencyRange: func() (int, int) { return 1, 2 }})
			if err != nil {
				b.Fatal(err)
			}
			batch, in := db.NewBatch(), 0
			eachPair(n, func(key, value []byte) {
				_ = batch.Set(key, value, nil)
				if in++; in == 1000 {
					if err := batch.Commit(pebble.NoSync); err != nil {
						b.Fatal(err)
					}
					batch, in = db.NewBatch(), 0
				}
			})
			if err := errors.Join(batch.Commit(pebble.NoSync), db.Flush(), settled(db), db.Close()); err != nil {
				b.Fatal(err)
			}
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			for range b.N {
				dir, err := os.MkdirTemp("", "bulkload")
				if err != nil {
					b.Fatal(err)
				}
				way.load(b, dir)
				b.StopTimer()
				if err := os.RemoveAll(dir); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/pair")
		})
	}
}

// eachPair makes n pairs of 16 and 100 bytes.
func eachPair(n int, use func(key, value []byte)) {
	r := rand.New(rand.NewPCG(7, 7))
	key, value := make([]byte, 16), make([]byte, 100)
	for range n {
		binary.BigEndian.PutUint64(key, r.Uint64())
		binary.BigEndian.PutUint64(key[8:], r.Uint64())
		for i := 0; i < len(value); i += 8 { // half of it can be compressed
			binary.LittleEndian.PutUint32(value[i:], r.Uint32())
		}
		use(key, value)
	}
}

// settled waits until no compaction runs: one that is due begins within microseconds.
func settled(db *pebble.DB) error {
	for quiet := 0; quiet < 10; quiet++ {
		if db.Metrics().Compact.NumInProgress > 0 {
			quiet = 0
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}
