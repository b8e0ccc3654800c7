package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	beamsort "example.com/sorter/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/parquet-go/parquet-go"
)

// TestMain: the runner may be another process, whose workers are this program.
func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// TestSort reads the rows of all files: they are in order, and those of the input.
func TestSort(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(5, 6))
	var want []Trade
	for i := range 3 {
		var text strings.Builder
		for range 4000 {
			n := int64(len(want))
			want = append(want, Trade{r.Int64N(20), 1_700_000_000_000 + n*7919%12000, float64(n) / 4, n})
			fmt.Fprintf(&text, "%d,%d,%g,%d\n", want[n].Stock, want[n].Time, want[n].Price, n)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".csv")), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(want, func(a, b Trade) int { return cmp.Or(cmp.Compare(a.Stock, b.Stock), cmp.Compare(b.Time, a.Time)) })
	*in, *out, *size = filepath.Join(dir, "*.csv"), filepath.Join(dir, "sorted", "x"), 64<<10
	if err := sort(); err != nil {
		t.Fatal(err)
	}
	m, err := beamsort.ReadManifest(context.Background(), *out)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Shards) != 6 || m.Count != 12000 {
		t.Errorf("%d files of %d rows", len(m.Shards), m.Count)
	}
	var got []Trade
	for _, s := range m.Shards {
		rows, err := parquet.ReadFile[Trade](s.Path)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(rows)) != s.Count || !strings.HasSuffix(s.Path, ".parquet") {
			t.Errorf("%s has %d rows, not %d", s.Path, len(rows), s.Count)
		}
		checkSorting(t, s.Path)
		got = append(got, rows...)
	}
	if !slices.Equal(got, want) {
		t.Error("rows are not those of the input in order")
	}
}

// checkSorting fails unless the metadata of a file has the order of its rows.
func checkSorting(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Metadata().RowGroups {
		if len(g.SortingColumns) != 2 || g.SortingColumns[0].Descending || !g.SortingColumns[1].Descending {
			t.Errorf("%s: sorting columns %v", path, g.SortingColumns)
		}
	}
}

// TestNoTrade: a line that is no trade fails the job and is named.
func TestNoTrade(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.csv"), []byte("1,2,3,4\none,2,3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	*in, *out = filepath.Join(dir, "*.csv"), filepath.Join(dir, "x")
	if err := sort(); err == nil || !strings.Contains(err.Error(), `"one,2,3,4" is no trade`) {
		t.Error(err)
	}
}
