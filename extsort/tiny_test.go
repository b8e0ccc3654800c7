package extsort_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// neededBy returns the memory limit that the error of NewCoded names, with the options.
func neededBy(t *testing.T, opts []extsort.Option) int64 {
	t.Helper()
	_, err := extsort.NewCoded(byText(), extsort.Strings(), append(slices.Clip(opts), extsort.MemoryLimit(1000))...)
	need := wantMemoryError(t, "with 1000 bytes", err, 1000)
	if want := fmt.Sprintf("sorter: memory limit too small: 1000 bytes, need %d", need); err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	return need
}

// wantMemoryError expects an error of a memory limit, under its names in both packages, and returns the
// limit that it needs.
func wantMemoryError(t *testing.T, name string, err error, limit int64) (need int64) {
	t.Helper()
	var short *sorter.MemoryError
	if !errors.Is(err, sorter.ErrMemoryLimit) || !errors.Is(err, extsort.ErrMemoryLimit) || !errors.As(err, &short) || short.Limit != limit || short.Elements != 0 {
		t.Fatalf("%s: %v, %+v, want a limit of %d", name, err, short, limit)
	}
	if text := err.Error(); !strings.HasPrefix(text, fmt.Sprintf("sorter: memory limit too small: %d bytes", limit)) || short.Need > 0 && !strings.Contains(text, fmt.Sprint(short.Need)) {
		t.Errorf("%s: %s", name, text)
	}
	return short.Need
}

func byText() sorter.Ordering[string] {
	return sorter.By(sorter.Asc(func(s string) string { return s }))
}

// TestLeastMemoryLimit sorts with the limit that the error of a smaller one names.
func TestLeastMemoryLimit(t *testing.T) {
	testkit.SkipRace(t)
	for _, c := range []extsort.Compression{extsort.None, extsort.S2, extsort.Zstd} {
		opts := []extsort.Option{extsort.Compress(c), extsort.TempDir(t.TempDir())}
		least := neededBy(t, opts)
		if _, err := extsort.NewCoded(byText(), extsort.Strings(), append(slices.Clip(opts), extsort.MemoryLimit(least-1))...); !errors.Is(err, extsort.ErrMemoryLimit) {
			t.Errorf("compression %d, one byte less than %d: %v", c, least, err)
		}
		for _, limit := range testkit.Pick([]int64{least}, []int64{least, least + 1<<10, 2 * least}) {
			t.Run(fmt.Sprintf("%d/limit=%d", c, limit), func(t *testing.T) {
				testTiny(t, extsort.Strings(), append(slices.Clip(opts), extsort.MemoryLimit(limit)))
			})
		}
	}
}

// TestTinyMemoryLimits has elements of up to the most bytes that Append takes, among short ones.
func TestTinyMemoryLimits(t *testing.T) {
	testkit.SkipRace(t)
	for name, codec := range map[string]extsort.Codec[string]{"Strings": extsort.Strings(), "copied": copiedStrings{}} {
		for _, limit := range testkit.Pick([]int64{40 << 10, 96 << 10}, []int64{40 << 10, 48 << 10, 56 << 10, 80 << 10, 96 << 10}) {
			for _, unique := range []bool{false, true} {
				if !testkit.Long() && unique == (name == "copied" == (limit == 40<<10)) {
					continue
				}
				t.Run(fmt.Sprintf("%s/limit=%d/unique=%v", name, limit, unique), func(t *testing.T) {
					opts := []extsort.Option{extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir())}
					if unique {
						opts = append(opts, extsort.Unique())
					}
					testTiny(t, codec, opts)
				})
			}
		}
	}
}

func testTiny(t *testing.T, codec extsort.Codec[string], opts []extsort.Option) {
	r := rand.New(rand.NewPCG(121, 122))
	var st extsort.Stats
	s, err := extsort.NewCoded(byText(), codec, append(slices.Clip(opts), extsort.Report(&st))...)
	must(t, err)
	defer s.Close()
	var want []string
	add := func(e string) error {
		err := s.Append(e)
		if err == nil {
			want = append(want, e)
		}
		return err
	}
	longest := sort.Search(1<<20, func(n int) bool { return add(strings.Repeat("m", n)) != nil }) - 1
	for i := range 4000 {
		e := fmt.Sprintf("%.*s%d", r.IntN(8), "aaaaaaaaa", i)
		if i%100 == 0 {
			e = strings.Repeat(string(rune('a'+r.IntN(26))), longest-8) + fmt.Sprint(i)
		}
		must(t, add(e))
	}
	got, err := drain(s)
	must(t, err)
	slices.Sort(want)
	sameElements(t, got, want)
	must(t, s.Close())
	if st.Runs < 2 {
		t.Errorf("%d runs", st.Runs)
	}
}

// TestHugeMemoryLimits has limits beyond the addresses of a process of 32 bits.
func TestHugeMemoryLimits(t *testing.T) {
	for _, limit := range []int64{1<<31 - 1, 1 << 31, 3 << 30, 1 << 40, 1 << 55} {
		s, err := extsort.NewCoded(byText(), extsort.Strings(), extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()))
		must(t, err)
		must(t, s.Append("b", "a"))
		sameElements(t, collect(t, s), []string{"a", "b"})
		must(t, s.Close())
	}
}

// TestAppendersOfShortElements has pieces whose elements take more memory than their encodings.
func TestAppendersOfShortElements(t *testing.T) {
	for _, limit := range []int64{40 << 10, 58_000, 80 << 10} {
		s, err := extsort.NewCoded(byText(), extsort.Strings(), extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()))
		must(t, err)
		defer s.Close()
		a := s.Appender()
		for i := range 30_000 {
			must(t, a.Append([]string{"", "", "", "x", ""}[i%5]))
		}
		n := 0
		for e, err := range s.All() {
			must(t, err)
			if n++; (e == "x") != (n > 24_000) {
				t.Fatalf("element %d is %q", n, e)
			}
		}
		if n != 30_000 {
			t.Errorf("%d elements", n)
		}
	}
}
