package conformance_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
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
	testkit.SkipUnlessLong(t)
	t.Parallel()
	const n = 70_001
	sorted := towers(n)
	places := testkit.Pick(nil, []int{1, 5, 2048, 2049, 31_415, 65_535, 65_536, 65_537, n - 1})
	for i, c := range spoilers {
		for j, at := range places {
			s := slices.Clone(sorted)
			c.spoil(&s[at])
			workers := 1 + 2*((i+j)%2)
			checkTowers(t, fmt.Sprintf("%s at %d, %d workers", c.name, at, workers), s, c.name == "nothing", sorter.Workers(workers))
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
	testkit.SortStable(want, compareTowers)
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

// TestFallingColumns has rows that fall, by the last column only, and such rows of which
// two are equal, which must not be turned around.
func TestFallingColumns(t *testing.T) {
	testkit.SkipRace(t)
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
		{"falling except for two equal rows", func() {
			s[40_001].group, s[40_001].time, s[40_001].name, s[40_001].tail = s[40_000].group, s[40_000].time, s[40_000].name, s[40_000].tail
		}, "reversed"},
	} {
		c.spoil()
		var st sorter.Stats
		got, want := slices.Clone(s), slices.Clone(s)
		testkit.SortStable(want, compareTowers)
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
// bits, each the given number of times.
func TestShapesOfWideKeys(t *testing.T) {
	const n = 70_001
	texts := func(i int) string { return fmt.Sprintf("the same prefix %06d", i) }
	for i, each := range []int{7, 1, n} {
		if testkit.ThinnedTo(3, i) {
			continue
		}
		checkShapes(t, "string", n, each, texts)
		checkShapes(t, "[]byte", n, each, func(i int) []byte { return []byte(texts(i)) })
		checkShapes(t, "Float4", n, each, func(i int) sorter.Float4 { return sorter.Float4{1, 1, 0, float32(i)} })
		checkShapes(t, "[3]float32", n, each, func(i int) [3]float32 { return [3]float32{1, 1, float32(i)} })
		checkShapes(t, "[16]byte", n, each, func(i int) [16]byte { return [16]byte{13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)} })
		checkShapes(t, "time.Time", n, each, func(i int) time.Time { return time.Unix(1<<40+int64(i), 0) })
	}
}

// checkShapes sorts ascending and descending keys, each the given number of times.
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
		}
		var st sorter.Stats
		got := slices.Clone(rows)
		calls.Store(0)
		err := sorter.Sort(got, up, append(c.opts, sorter.Report(&st))...)
		wanted := slices.Clone(rows)
		if !c.stays {
			testkit.SortStable(wanted, func(a, b int) int { return cmp.Compare(b/each, a/each) })
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

// nearlyCases change keys that are in order at a few places, or at more than
// can be mended. Three rows
// have each key, so that stability shows.
var nearlyCases = []struct {
	name  string
	near  bool
	spoil func(keys []int32)
}{
	{"one exchange", true, func(k []int32) { k[len(k)/5], k[len(k)/2] = k[len(k)/2], k[len(k)/5] }},
	{"first and last exchanged", true, func(k []int32) { k[0], k[len(k)-1] = k[len(k)-1], k[0] }},
	{"one in a hundred random", true, func(k []int32) { randomize(k, 100) }},
	{"one in forty random", true, func(k []int32) { randomize(k, 40) }},
	{"a small end", true, func(k []int32) { randomize(k[len(k)-len(k)/50:], 1) }},
	{"a small start", true, func(k []int32) { randomize(k[:len(k)/50], 1) }},
	{"a falling end", true, func(k []int32) { slices.Reverse(k[len(k)-len(k)/50:]) }},
	{"a run of equals inside", true, func(k []int32) {
		for i := range len(k) / 50 {
			k[len(k)/3+i] = k[len(k)/2]
		}
	}},
	{"borders of what workers claim", true, func(k []int32) {
		for i := 2048; i < len(k); i += 2048 {
			k[i], k[i-1] = k[i-1]-100, k[i]+100
		}
	}},
	{"16 keys", true, func(k []int32) {
		for i := range k {
			k[i] = int32(i*16/len(k)) * 100_000
		}
		for i := 0; i < len(k)-5000; i += 200 {
			k[i], k[i+5000] = k[i+5000], k[i]
		}
	}},
	{"rotated by a third", false, func(k []int32) {
		copy(k, append(slices.Clone(k[len(k)/3:]), k[:len(k)/3]...))
	}},
	{"rotated by a tenth", false, func(k []int32) {
		copy(k, append(slices.Clone(k[len(k)/10:]), k[:len(k)/10]...))
	}},
	{"two interleaved runs", false, func(k []int32) {
		for i := 1; i < len(k); i += 50 {
			k[i] += 1 << 20
			k[len(k)-1-i] -= 1 << 20
		}
		randomize(k, 10)
	}},
	{"teeth", false, func(k []int32) {
		for i := range k {
			k[i] = int32(i % (len(k) / 40) * 500)
		}
	}},
}

func randomize(k []int32, every int) {
	h := uint64(len(k))
	for i := 0; i < len(k); i += every {
		h = h*6364136223846793005 + 1442695040888963407
		k[i] = int32(h>>33) % int32(7*len(k))
	}
}

// TestNearlySorted holds every verb to the stable sort on inputs that are
// nearly sorted, and on some that only seem so.
func TestNearlySorted(t *testing.T) {
	t.Parallel()
	few := []int{16_385, 52_428, 60_000}
	for i, n := range testkit.Pick(few, []int{16_385, 70_001, 131_072, 150_003}) {
		for j, c := range nearlyCases {
			if n > 100_000 && (i+j)%2 != 0 || testkit.Thinned(i+j) {
				continue
			}
			keys := make([]int32, n)
			for i := range keys {
				keys[i] = int32(i / 3 * 20)
			}
			c.spoil(keys)
			checkNearly(t, fmt.Sprintf("%s, n=%d", c.name, n), keys, c.near)
		}
	}
}

// padded is an element whose size is no power of two and which is too large to
// be moved with its code.
type padded struct {
	key int32
	at  int
	_   [17]int64
}

func checkNearly(t *testing.T, name string, keys []int32, near bool) {
	t.Helper()
	want := ascending(len(keys))
	testkit.SortStable(want, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	var st sorter.Stats
	found := func(verb string) {
		t.Helper()
		if near != (st.Shape == "nearly sorted") {
			t.Errorf("%s, %s: the shape is %q", name, verb, st.Shape)
		}
	}
	for workers := 1; workers <= 5; workers += 2 {
		opts := []sorter.Option{sorter.Report(&st), sorter.Workers(workers)}
		got := ascending(len(keys))
		err := sorter.Sort(got, func(i int) int32 { return keys[i] }, opts...)
		checkSame(t, name+", Sort", err, got, want)
		found("Sort")

		wide := ascending(len(keys))
		err = sorter.Sort(wide, func(i int) int64 { return int64(keys[i]) << 30 }, append(opts, sorter.WithContext(neverCancelled))...)
		checkSame(t, name+", Sort by int64 under a context", err, wide, want)
		found("Sort by int64")

		p, err := sorter.OrderKeys(keys, opts...)
		checkSame(t, name+", OrderKeys", err, p, permOf(want))
		found("OrderKeys")

		own := slices.Clone(keys)
		err = sorter.SortKeys(own, opts...)
		checkSame(t, name+", SortKeys", err, own, mapped(want, func(i int) int32 { return keys[i] }))
		found("SortKeys")

		falling := mapped(keys, func(k int32) float64 { return -float64(k) })
		err = sorter.SortKeys(falling, append(opts, sorter.Descending(), sorter.WithContext(neverCancelled))...)
		checkSame(t, name+", SortKeys of float64 descending", err, falling, mapped(want, func(i int) float64 { return -float64(keys[i]) }))
		found("SortKeys of float64")
	}
	checkNearlyWide(t, name, keys, want)
}

// checkNearlyWide has keys that tie in their codes, and elements with pointers
// and of several cache lines.
func checkNearlyWide(t *testing.T, name string, keys []int32, want []int) {
	t.Helper()
	texts := mapped(keys, func(k int32) string { return fmt.Sprintf("%08d tail %d", (k+1<<21)/4, (k+1<<21)%4) })
	got := slices.Clone(texts)
	err := sorter.SortKeys(got, sorter.Workers(2))
	checkSame(t, name+", strings", err, got, mapped(want, func(i int) string { return texts[i] }))

	large := make([]padded, len(keys))
	for i, k := range keys {
		large[i] = padded{key: k, at: i}
	}
	err = sorter.Sort(large, func(e padded) int32 { return e.key }, sorter.Workers(2))
	checkSame(t, name+", large elements", err, mapped(large, func(e padded) int { return e.at }), want)

	order := sorter.By(sorter.Asc(func(i int) int32 { return keys[i] >> 4 }), sorter.Asc(func(i int) string { return texts[i] }))
	rows := ascending(len(keys))
	checkSame(t, name+", columns", order.Sort(rows, sorter.Workers(2)), rows, want)
}

// TestNearlySortedKeyCalls has every key function called once per element.
func TestNearlySortedKeyCalls(t *testing.T) {
	keys := make([]int32, 100_000)
	for i := range keys {
		keys[i] = int32(i)
	}
	randomize(keys, 64)
	calls := make([]atomic.Int32, len(keys))
	err := sorter.Sort(ascending(len(keys)), func(i int) int32 { calls[i].Add(1); return keys[i] })
	for i := range calls {
		if c := calls[i].Load(); c != 1 || err != nil {
			t.Fatalf("the key function was called %d times for element %d; error %v", c, i, err)
		}
	}
}
