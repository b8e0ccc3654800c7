package extsort_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"example.com/sorter/extsort"
	"example.com/sorter/internal/spill"
	"example.com/sorter/internal/testkit"
)

// damage changes bytes read from a file.
type damage func(f *faultFile, p []byte, off int64) int

// flip changes one bit of the byte at a place.
func flip(at int64, bit int) damage {
	return func(_ *faultFile, p []byte, off int64) int {
		if at >= off && at < off+int64(len(p)) {
			p[at-off] ^= 1 << bit
		}
		return len(p)
	}
}

// truncate ends the file at a place.
func truncate(at int64) damage {
	return func(_ *faultFile, p []byte, off int64) int {
		return int(min(max(at-off, 0), int64(len(p))))
	}
}

// replace reads a page from another place.
func replace(page, by int64) damage {
	return func(f *faultFile, p []byte, off int64) int {
		if page >= off && page < off+int64(len(p)) {
			other := spill.Aligned(make([]byte, 2*spill.Align))[:spill.Align]
			if n, err := f.File.ReadAt(other, by); err == nil || err == io.EOF {
				copy(p[page-off:], other[:n])
			}
		}
		return len(p)
	}
}

// swap exchanges two pages.
func swap(a, b int64) damage {
	first, second := replace(a, b), replace(b, a)
	return func(f *faultFile, p []byte, off int64) int {
		first(f, p, off)
		return second(f, p, off)
	}
}

// sortDamaged sorts rows. Once all are written, reads are damaged. ruinOf returns
// the damage of a file of runs that begin at places and end with the last. It expects right
// elements, and then ErrCorrupt if there is less than all of them.
func sortDamaged(t *testing.T, how extsort.Compression, rows, want []row, ruinOf func(runs []int64, end int64) damage) (st extsort.Stats, failed error) {
	t.Helper()
	dir := t.TempDir()
	d := &faultDisk{}
	s, err := extsort.New(byKey(), extsort.MemoryLimit(320<<10), extsort.Compress(how), extsort.TempDir(dir), extsort.OnDisk(d), extsort.Report(&st))
	must(t, err)
	must(t, s.Append(rows...))
	ruin := damage(nil)
	d.onRead = func(f *faultFile, p []byte, off int64) int {
		d.mu.Lock()
		if ruin == nil {
			ruin = ruinOf(f.runs, f.runs[len(f.runs)-1])
		}
		d.mu.Unlock()
		return ruin(f, p, off)
	}
	got, failed := drain(s)
	must(t, s.Close())
	checkPrefix(t, got, want)
	var at *extsort.DiskError
	switch {
	case failed == nil && len(got) != len(want):
		t.Fatalf("%d of %d elements without an error", len(got), len(want))
	case failed == nil:
	case !errors.Is(failed, extsort.ErrCorrupt) || !errors.As(failed, &at) || at.Path != dir || at.Op != "read" || at.Bytes <= 0:
		t.Fatalf("error is %v", failed)
	}
	d.checkEmpty(t)
	return st, failed
}

func TestDamageIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	t.Run("raw", func(t *testing.T) { testDamage(t, r, extsort.None, rowsOf(keysOf("uniform", 6000, r))) })
	t.Run("compressed", func(t *testing.T) { testDamage(t, r, extsort.S2, alike(2500, r)) })
}

func testDamage(t *testing.T, r *rand.Rand, how extsort.Compression, rows []row) {
	want := sorted(rows)
	st, _ := sortDamaged(t, how, rows, want, func([]int64, int64) damage { return truncate(1 << 40) })
	if (st.S2Blocks > 0) != (how == extsort.S2) {
		t.Errorf("%+v", st)
	}
	step := testkit.Pick(int64(9), 1) * spill.Align / 4
	for name, kind := range map[string]func(at int64) func(runs []int64, end int64) damage{
		"flip": func(at int64) func([]int64, int64) damage {
			return func([]int64, int64) damage { return flip(at, r.IntN(8)) }
		},
		"truncate": func(at int64) func([]int64, int64) damage { return func([]int64, int64) damage { return truncate(at) } },
	} {
		t.Run(name, func(t *testing.T) {
			found := 0
			for at := int64(3); at < st.Written; at += step {
				_, failed := sortDamaged(t, how, rows, want, kind(at))
				if failed == nil { // in the padding of a run
					continue
				}
				found++
				var block, of, begin int64
				text := failed.Error()
				for len(text) > 0 {
					if n, _ := fmt.Sscanf(text, "block %d of %d, at byte %d of the file", &block, &of, &begin); n == 3 {
						break
					}
					text = text[1:]
				}
				// Blocks of this sort have less than a page. A file that ends early is damaged
				// from there on: any block that follows may be read first.
				if of == 0 || block >= of || begin+spill.Align < at || name == "flip" && begin > at {
					t.Fatalf("damage at byte %d is %v", at, failed)
				}
			}
			if all := int((st.Written - 3 + step - 1) / step); found < all*9/10-st.Runs/2 {
				t.Errorf("%d of %d found", found, all)
			}
		})
	}
	t.Run("swap in a run", func(t *testing.T) {
		for range testkit.Pick(5, 100) {
			_, failed := sortDamaged(t, how, rows, want, func(runs []int64, _ int64) damage {
				pages := int(runs[1] / spill.Align)
				a := r.IntN(pages - 1)
				return swap(int64(a)*spill.Align, int64((a+1+r.IntN(pages-1-a))%pages)*spill.Align)
			})
			if failed == nil {
				t.Fatal("not found")
			}
		}
	})
	t.Run("page of another run", func(t *testing.T) {
		for range testkit.Pick(5, 100) {
			_, failed := sortDamaged(t, how, rows, want, func(runs []int64, _ int64) damage {
				page := int64(r.IntN(int(runs[1]/spill.Align-1))) * spill.Align
				return replace(runs[1]+page, page)
			})
			if failed == nil {
				t.Fatal("not found")
			}
		}
	})
}
