package sorter_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
)

// Inputs that are in order, strictly falling or all equal by keys that no
// single code holds, and inputs that only begin like that.

// tower is a row whose columns have longer and longer runs of equal keys from
// the last to the first.
type tower struct {
	at    int
	group string  // 1000 rows each
	time  float64 // 10 rows each, falling
	name  string  // alike in its first 8 bytes
	tail  sorter.Float4
}

func towers(n int) []tower {
	s := make([]tower, n)
	for i := range s {
		s[i] = tower{i, fmt.Sprintf("group %06d", i/1000), -float64(i / 10), fmt.Sprintf("same name %08d", i), sorter.Float4{1, 2, 3, float32(i)}}
	}
	return s
}

// towerOrder orders towers by group, time, name and tail, and counts the calls
// of each key function by row.
func towerOrder(n int) (o sorter.Ordering[tower], calls *[4][]atomic.Int32) {
	calls = new([4][]atomic.Int32)
	for c := range calls {
		calls[c] = make([]atomic.Int32, n)
	}
	return sorter.By(
		sorter.Asc(func(t tower) string { calls[0][t.at].Add(1); return t.group }),
		sorter.Desc(func(t tower) float64 { calls[1][t.at].Add(1); return t.time }),
		sorter.Asc(func(t tower) string { calls[2][t.at].Add(1); return t.name }),
		sorter.Asc(func(t tower) sorter.Float4 { calls[3][t.at].Add(1); return t.tail }),
	), calls
}

func compareTowers(a, b tower) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(b.time, a.time),
		cmp.Compare(a.name, b.name), slices.Compare(a.tail[:], b.tail[:]))
}

// spoilers put one row out of order, by a certain column.
var spoilers = []struct {
	name  string
	spoil func(t *tower)
}{
	{"nothing", func(*tower) {}},
	{"group", func(t *tower) { t.group = "a first group" }},
	{"end of group", func(t *tower) { t.group = "group 00000" }},
	{"time", func(t *tower) { t.time++ }},
	{"name", func(t *tower) { t.name = "same name" }},
	{"tail", func(t *tower) { t.name, t.tail = fmt.Sprintf("same name %08d", t.at-1), sorter.Float4{} }},
}

// TestAlmostOrderedColumns spoils one row of ordered columns, first, last, at
// the borders of what workers claim, and between.
func TestAlmostOrderedColumns(t *testing.T) {
	const n = 70_001
	sorted := towers(n)
	for _, c := range spoilers {
		for _, at := range []int{1, 5, 2048, 2049, 31_415, 65_535, 65_536, 65_537, n - 1} {
			s := slices.Clone(sorted)
			c.spoil(&s[at])
			for workers := 1; workers <= 3; workers += 2 {
				checkTowers(t, fmt.Sprintf("%s at %d, %d workers", c.name, at, workers), s, c.name == "nothing", sorter.Workers(workers))
			}
			if at == 31_415 {
				checkTowers(t, c.name+" under a context", s, c.name == "nothing", sorter.WithContext(neverCancelled))
				checkTowers(t, c.name+" through an index", s, c.name == "nothing", sorter.Use(sorter.IndexGather))
				checkTowers(t, c.name+" under a limit", s, false, sorter.MemoryLimit(1<<30))
			}
		}
	}
}

// checkTowers holds Sort and Order to slices.SortStableFunc, and the calls of
// the key functions to one.
func checkTowers(t *testing.T, name string, s []tower, inOrder bool, opts ...sorter.Option) {
	t.Helper()
	want := slices.Clone(s)
	slices.SortStableFunc(want, compareTowers)
	var st sorter.Stats
	opts = append(opts, sorter.Report(&st))

	got := slices.Clone(s)
	order, calls := towerOrder(len(s))
	checkSame(t, name, order.Sort(got, opts...), got, want)
	checkOnce(t, name, calls)
	if inOrder && st.Shape != "sorted" {
		t.Errorf("%s: the shape is %q", name, st.Shape)
	}
	if !inOrder && st.Shape == "sorted" && !order.IsSorted(s) {
		t.Errorf("%s: found sorted", name)
	}

	order, calls = towerOrder(len(s))
	p, err := order.Order(s, opts...)
	checkSame(t, name+", Order", err, mapped(p, func(i uint32) tower { return s[i] }), want)
	checkOnce(t, name+", Order", calls)
}

func checkOnce(t *testing.T, name string, calls *[4][]atomic.Int32) {
	t.Helper()
	for c := range calls {
		for i := range calls[c] {
			if k := calls[c][i].Load(); k > 1 || k == 0 && c == 0 {
				t.Fatalf("%s: the key function of column %d was called %d times for row %d", name, c, k, i)
			}
		}
	}
}

// TestFallingColumns has rows that fall strictly, by the last column only, and
// rows of which two are equal, which must not be turned around.
func TestFallingColumns(t *testing.T) {
	s := towers(70_001)
	slices.Reverse(s)
	for i := range s {
		s[i].at = i
	}
	for _, c := range []struct {
		name  string
		spoil func()
		want  string
	}{
		{"falling", func() {}, "reversed"},
		{"falling but for two equal rows", func() {
			s[40_001].group, s[40_001].time, s[40_001].name, s[40_001].tail = s[40_000].group, s[40_000].time, s[40_000].name, s[40_000].tail
		}, ""},
	} {
		c.spoil()
		var st sorter.Stats
		got, want := slices.Clone(s), slices.Clone(s)
		slices.SortStableFunc(want, compareTowers)
		order, calls := towerOrder(len(s))
		checkSame(t, c.name, order.Sort(got, sorter.Report(&st)), got, want)
		checkOnce(t, c.name, calls)
		if st.Shape != c.want {
			t.Errorf("%s: the shape is %q, want %q", c.name, st.Shape, c.want)
		}
		order, _ = towerOrder(len(s))
		p, err := order.Order(s, sorter.Workers(3))
		checkSame(t, c.name+", Order", err, mapped(p, func(i uint32) tower { return s[i] }), want)
	}
}

// TestShapesOfWideKeys has ordered keys of every wide kind, which tie in their first 64
// bits, and so many times each.
func TestShapesOfWideKeys(t *testing.T) {
	const n = 70_001
	texts := func(i int) string { return fmt.Sprintf("the same prefix %06d", i) }
	for _, each := range []int{1, 7, n} {
		checkShapes(t, "string", n, each, texts)
		checkShapes(t, "[]byte", n, each, func(i int) []byte { return []byte(texts(i)) })
		checkShapes(t, "Float4", n, each, func(i int) sorter.Float4 { return sorter.Float4{1, 1, 0, float32(i)} })
		checkShapes(t, "[3]float32", n, each, func(i int) [3]float32 { return [3]float32{1, 1, float32(i)} })
		checkShapes(t, "[16]byte", n, each, func(i int) [16]byte { return [16]byte{13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)} })
		checkShapes(t, "time.Time", n, each, func(i int) time.Time { return time.Unix(1<<40+int64(i), 0) })
	}
}

// checkShapes sorts ascending and strictly descending keys, each so many times.
func checkShapes[K sorter.Key](t *testing.T, name string, n, each int, key func(i int) K) {
	t.Helper()
	name = fmt.Sprintf("%s, each %d times", name, each)
	rows := ascending(n)
	var calls atomic.Int64
	up := func(i int) K { calls.Add(1); return key(i / each) }
	for _, c := range []struct {
		name, want string
		stays      bool
		opts       []sorter.Option
	}{
		{"ascending", "sorted", true, nil},
		{"descending", "reversed", false, []sorter.Option{sorter.Descending()}},
	} {
		want := c.want
		switch {
		case each == n:
			want = "flat"
		case each > 1 && !c.stays:
			want = "" // groups fall, rows do not
		}
		var st sorter.Stats
		got := slices.Clone(rows)
		calls.Store(0)
		err := sorter.Sort(got, up, append(c.opts, sorter.Report(&st))...)
		wanted := slices.Clone(rows)
		if !c.stays {
			slices.SortStableFunc(wanted, func(a, b int) int { return cmp.Compare(b/each, a/each) })
		}
		checkSame(t, name+", "+c.name, err, got, wanted)
		if st.Shape != want {
			t.Errorf("%s, %s: the shape is %q, want %q", name, c.name, st.Shape, want)
		}
		if calls.Load() != int64(n) {
			t.Errorf("%s, %s: %d calls of the key function for %d rows", name, c.name, calls.Load(), n)
		}
	}
}
