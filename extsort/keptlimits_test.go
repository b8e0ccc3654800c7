package extsort_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// padded is an element of a codec whose encoding is about a hundred bytes.
type padded struct {
	Text  string
	Pad   [10]int64
	Key   int64
	Place int64
}

// TestResumeAtEachLimit keeps runs at limits from the least that New names on, and resumes them with the same
// options. Half of the limit is enough as well, or an error if it is near the least.
func TestResumeAtEachLimit(t *testing.T) {
	t.Run("structs", func(t *testing.T) {
		o := byKey()
		resumesAtEach(t, 16, func(i, n int) row { return row{Key: uint64(i * 7919 % n), At: uint64(i)} },
			func(x, y row) int { return cmp.Compare(x.Key, y.Key) },
			func(opts ...extsort.Option) (*extsort.Sorter[row], error) { return extsort.New(o, opts...) },
			func(dir string, opts ...extsort.Option) (*extsort.Sorter[row], error) {
				return extsort.Resume(dir, o, opts...)
			})
	})
	t.Run("strings", func(t *testing.T) {
		resumesCoded(t, byText(), extsort.Strings(), 60, func(i, n int) string {
			return fmt.Sprintf("%08d%s", i*7919%n, strings.Repeat("x", i%100))
		}, cmp.Compare[string])
	})
	t.Run("coded", func(t *testing.T) {
		c, err := extsort.Struct[padded]()
		must(t, err)
		o := sorter.By(sorter.Asc(func(e padded) int64 { return e.Key }))
		resumesCoded(t, o, c, 100, func(i, n int) padded {
			return padded{Text: "text " + strconv.Itoa(i%100), Key: int64(i * 7919 % n / 2), Place: int64(i)}
		}, func(x, y padded) int { return cmp.Compare(x.Key, y.Key) })
	})
}

func resumesCoded[E comparable](t *testing.T, o sorter.Ordering[E], c extsort.Codec[E], size int64, element func(i, n int) E, compare func(x, y E) int) {
	resumesAtEach(t, size, element, compare,
		func(opts ...extsort.Option) (*extsort.Sorter[E], error) { return extsort.NewCoded(o, c, opts...) },
		func(dir string, opts ...extsort.Option) (*extsort.Sorter[E], error) {
			return extsort.ResumeCoded(dir, o, c, opts...)
		})
}

// resumesAtEach is TestResumeAtEachLimit of elements of about some bytes. They take several times the limit: the more
// there are, the longer are the blocks of runs.
func resumesAtEach[E comparable](t *testing.T, size int64, element func(i, n int) E, compare func(x, y E) int,
	begin func(...extsort.Option) (*extsort.Sorter[E], error), resume func(string, ...extsort.Option) (*extsort.Sorter[E], error)) {
	steps := testkit.Pick([]int64{1000, 1010, 2001, 6000}, []int64{1000, 1005, 1010, 1020, 1050, 1300, 2001, 2600, 6000})
	for name, c := range compressions {
		for _, workers := range testkit.Pick([]int{2}, []int{3}) {
			at := func(limit int64) []extsort.Option {
				return []extsort.Option{extsort.MemoryLimit(limit), extsort.Compress(c), extsort.Workers(workers), extsort.OnDisk(quickDisk{})}
			}
			_, err := begin(at(1000)...)
			least := wantMemoryError(t, name, err, 1000)
			for _, step := range steps {
				limit := (least*step + 999) / 1000
				t.Run(fmt.Sprint(name, workers, step), func(t *testing.T) {
					n := int(2 * limit / size)
					all := make([]E, n)
					for i := range all {
						all[i] = element(i, n)
					}
					want := slices.Clone(all)
					slices.SortStableFunc(want, compare)
					dir := t.TempDir()
					s, err := begin(append(at(limit), extsort.Keep(dir))...)
					must(t, err)
					must(t, s.Append(all[:n*9/10]...))
					must(t, s.Sync())
					must(t, s.Close())
					s, err = resume(dir, at(limit)...)
					must(t, err)
					must(t, s.Append(all[s.Len():]...))
					must(t, s.Sync())
					half, err := begin(at(limit / 2)...)
					if err == nil {
						must(t, half.Close())
						must(t, s.Close())
						if s, err = resume(dir, at(limit/2)...); err != nil && step < 6000 {
							wantMemoryError(t, "half of the limit, near the least", err, limit/2)
							s, err = resume(dir, at(limit)...)
						}
						must(t, err)
					} else if step > 2000 {
						t.Errorf("half of the limit: %v", err)
					}
					sameElements(t, collect(t, s), want)
					must(t, s.Close())
					checkDirEmpty(t, dir)
				})
			}
		}
	}
}

// TestResumeLongestElements resumes runs of the longest elements that a limit has room for, which may be equal.
func TestResumeLongestElements(t *testing.T) {
	for name, c := range compressions {
		for _, unique := range []bool{false, true} {
			t.Run(fmt.Sprint(name, unique), func(t *testing.T) {
				opts := []extsort.Option{extsort.Compress(c), extsort.OnDisk(quickDisk{}), extsort.MemoryLimit(4 << 20)}
				if unique {
					opts = append(opts, extsort.Unique())
				}
				dir := t.TempDir()
				s, err := extsort.NewCoded(byText(), extsort.Strings(), append(opts, extsort.Keep(dir))...)
				must(t, err)
				var long *extsort.LengthError
				if err := s.Append(strings.Repeat("x", 4<<20)); !errors.As(err, &long) {
					t.Fatal(err)
				}
				x, want := strings.Repeat("x", int(long.Most)), []string{}
				for range 3 {
					must(t, s.Append(x))
					must(t, s.Sync())
					if want = append(want, x); unique {
						want = want[:1]
					}
				}
				must(t, s.Close())
				s, err = extsort.ResumeCoded(dir, byText(), extsort.Strings(), opts...)
				must(t, err)
				sameElements(t, collect(t, s), want)
				must(t, s.Close())
			})
		}
	}
}
