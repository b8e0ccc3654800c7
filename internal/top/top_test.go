package top_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// row is an element of a stream. The number is the witness of stability.
type row struct {
	Number int
	Group  int16
	Price  float64
	Score  float32
	Count  *int64
	Name   string
}

// shapes draw the values of a stream.
var shapes = []func(r *rand.Rand, i, n int) uint64{
	func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() >> 20 },
	func(_ *rand.Rand, i, _ int) uint64 { return uint64(i) },
	func(_ *rand.Rand, i, n int) uint64 { return uint64(n - i) },
	func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(3) },
	func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(300) },
	func(*rand.Rand, int, int) uint64 { return 7 },
	func(r *rand.Rand, i, n int) uint64 { return uint64(i)/100 + r.Uint64N(10) },
}

func draw(r *rand.Rand, n int) []row {
	shape, s := shapes[r.IntN(len(shapes))], make([]row, n)
	for i := range s {
		v := shape(r, i, n)
		s[i] = row{Number: i, Group: int16(v%5) - 2, Price: float64(v) - 100, Score: float32(v%1000) - 10, Name: fmt.Sprintf("%0*d", 1+int(v%12), v)}
		if v%7 != 0 {
			count := int64(v) - 50
			s[i].Count = &count
		}
		switch v % 11 {
		case 0:
			s[i].Price, s[i].Score = math.NaN(), float32(math.NaN())
		case 1:
			s[i].Price, s[i].Score = math.Copysign(0, -1), 0
		case 2:
			s[i].Price = 0
		}
	}
	return s
}

func fields(names ...string) sorter.Ordering[row] {
	o, err := sorter.ByFields[row](names...)
	if err != nil {
		panic(err)
	}
	return o
}

func price(r row) float64 { return r.Price }

func noCount(r row) bool { return r.Count == nil }

func count(r row) int64 { return *r.Count }

// orderings are those of a stream: by one word and by several, exact and by prefixes, by functions and by fields.
var orderings = map[string]sorter.Ordering[row]{
	"none":               {},
	"price":              sorter.By(sorter.Asc(price)),
	"price, NaNs last":   sorter.By(sorter.Desc(price).NaNsLast()),
	"price, total order": sorter.By(sorter.Asc(price).TotalOrder()),
	"group":              sorter.By(sorter.Asc(func(r row) int16 { return r.Group })),
	"group, score":       sorter.By(sorter.Desc(func(r row) int16 { return r.Group }), sorter.Asc(func(r row) float32 { return r.Score })),
	"group, price":       sorter.By(sorter.Asc(func(r row) int16 { return r.Group }), sorter.Desc(price)),
	"count, nulls first": sorter.By(sorter.Asc(count).NullsFirst(noCount)),
	"count, nulls last":  sorter.By(sorter.Desc(count).NullsLast(noCount), sorter.Asc(price)),
	"name":               sorter.By(sorter.Asc(func(r row) string { return r.Name })),
	"score, name":        sorter.By(sorter.Asc(func(r row) float32 { return r.Score }), sorter.Desc(func(r row) string { return r.Name })),
	"field Price":        fields("Price"),
	"field -Price":       fields("-Price"),
	"field Score":        fields("Score"),
	"field -Score":       fields("-Score"),
	"field Group":        fields("Group"),
	"fields Group, Name": fields("-Group", "Name"),
	"fields Group Price": fields("Group", "-Price"),
	"field Count":        fields("Count", "Score"),
	"field Name":         fields("-Name"),
}

// options are those that change an order, by name.
var options = map[string][]sorter.Option{
	"":                  nil,
	"descending":        {sorter.Descending()},
	"NaNs last":         {sorter.NaNsLast(), sorter.Workers(1)},
	"desc., NaNs first": {sorter.NaNsFirst(), sorter.Descending()},
	"total order":       {sorter.TotalOrder()},
}

// oracle returns the first k elements of a stable sort.
func oracle(s []row, o sorter.Ordering[row], k int, opts []sorter.Option) []row {
	sorted := slices.Clone(s)
	if err := o.Sort(sorted, append([]sorter.Option{sorter.Stable()}, opts...)...); err != nil {
		panic(err)
	}
	return sorted[:min(k, len(sorted))]
}

func numbers(s []row) []int {
	all := make([]int, len(s))
	for i, r := range s {
		all[i] = r.Number
	}
	return all
}

func check(t *testing.T, what string, got, want []row) {
	t.Helper()
	if a, b := numbers(got), numbers(want); !slices.Equal(a, b) {
		t.Fatalf("%s: got %d elements %v, want %d elements %v", what, len(a), a[:min(20, len(a))], len(b), b[:min(20, len(b))])
	}
}

// rounds returns n, or a quarter of it where tests are not long.
func rounds(n int) int { return testkit.Pick(n/4, n) }

func drawK(r *rand.Rand) int { return []int{0, 1, 2, 3, 10, 100, 300, 1000, 4000, 100000}[r.IntN(10)] }

// TestTop compares streams of all orderings, options and shapes with a stable sort, cut at k, in the middle and
// at the end, with batches of one element to more than a block.
func TestTop(t *testing.T) {
	r := dist.Rand(1)
	for name, o := range orderings {
		for option, opts := range options {
			for range max(1, rounds(2)) {
				s, k := draw(r, r.IntN(15000)), drawK(r)
				what := fmt.Sprintf("%s, %s, %d of %d", name, option, k, len(s))
				top, most := sorter.NewTop(o, k, opts...), []int{3, 100, 1024, 5000, 20000}[r.IntN(5)]
				for at := 0; at < len(s); {
					end := min(len(s), at+1+r.IntN(most))
					top.Push(s[at:end]...)
					if at = end; r.IntN(1+20000/most) == 0 {
						checkTop(t, what, top, oracle(s[:at], o, k, opts), k)
					}
				}
				checkTop(t, what, top, oracle(s, o, k, opts), k)
			}
		}
	}
}

// checkTop compares the result and the bound.
func checkTop(t *testing.T, what string, top *sorter.Top[row], want []row, k int) {
	t.Helper()
	bound := func() {
		t.Helper()
		e, ok := top.Bound()
		if ok != (k > 0 && len(want) == k) || ok && e.Number != want[k-1].Number {
			t.Fatalf("%s: bound %d, %t", what, e.Number, ok)
		}
	}
	if len(want)%2 == 0 {
		bound()
	}
	check(t, what, top.Result(), want)
	bound()
}

// TestTopMerge merges the Tops of parts of a stream, in trees.
func TestTopMerge(t *testing.T) {
	r := dist.Rand(2)
	for name, o := range orderings {
		for range rounds(4) {
			s, k := draw(r, r.IntN(20000)), drawK(r)
			var tops []*sorter.Top[row]
			for at := 0; at < len(s); {
				end := min(len(s), at+1+r.IntN(max(1, len(s)/3)))
				top := sorter.NewTop(o, k)
				top.Push(s[at:end]...)
				tops, at = append(tops, top), end
			}
			for len(tops) > 1 {
				i := r.IntN(len(tops) - 1)
				before := tops[i+1].Result()
				tops[i].Merge(tops[i+1])
				check(t, name+": merged from", tops[i+1].Result(), before)
				tops = slices.Delete(tops, i+1, i+2)
			}
			if len(tops) > 0 {
				checkTop(t, fmt.Sprintf("%s, %d of %d", name, k, len(s)), tops[0], oracle(s, o, k, nil), k)
			}
		}
	}
}

// TestTopMergeWithItself pushes what a Top holds again.
func TestTopMergeWithItself(t *testing.T) {
	o, s := orderings["group, price"], draw(dist.Rand(3), 3000)
	for _, k := range []int{1, 100, 2500, 5000} {
		top := sorter.NewTop(o, k)
		top.Push(s...)
		held := top.Result()
		top.Merge(top)
		check(t, "merged with itself", top.Result(), oracle(slices.Concat(held, held), o, k, nil))
	}
}

// TestTopPanics checks misuse.
func TestTopPanics(t *testing.T) {
	o := orderings["price"]
	for name, f := range map[string]func(){
		"sorter: NewTop of -1 elements":    func() { sorter.NewTop(o, -1) },
		"sorter: NewTopPer of -1 elements": func() { sorter.NewTopPer(o, o, -1) },
		"sorter: nil option":               func() { sorter.NewTop(o, 1, nil) },
		"sorter: Merge of the first 2 elements and the first 3, which must be as many, by one Ordering": func() { sorter.NewTop(o, 2).Merge(sorter.NewTop(o, 3)) },
		"sorter: Merge of the first 2 elements and the first 2, which must be as many, by one Ordering": func() { sorter.NewTop(o, 2).Merge(sorter.NewTop(o, 2, sorter.Descending())) },
		"sorter: Merge of the first 1 elements and the first 1, which must be as many, by one Ordering": func() { sorter.NewTop(o, 1).Merge(sorter.NewTop(orderings["group"], 1)) },
	} {
		if got := panicOf(f); got != name {
			t.Errorf("panics with %v, want %s", got, name)
		}
	}
}

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestTopKeyPanics has keys that panic, at any element, in any column: a Top stays as it was before the call.
func TestTopKeyPanics(t *testing.T) {
	r := dist.Rand(4)
	var calls atomic.Int64 // a sort calls key functions in several goroutines
	at := int64(0)
	fail := func() {
		if calls.Add(1) == at {
			panic("key")
		}
	}
	orders := []sorter.Ordering[row]{
		sorter.By(sorter.Asc(func(r row) float64 { fail(); return r.Price })),
		sorter.By(sorter.Asc(func(r row) string { fail(); return r.Name })),
		sorter.By(sorter.Asc(func(r row) int16 { fail(); return r.Group }), sorter.Asc(func(r row) float64 { fail(); return r.Price })),
		sorter.By(sorter.Asc(func(r row) int16 { return r.Group }), sorter.Desc(func(r row) string { fail(); return r.Name })),
	}
	panics, turns := 0, rounds(160)
	for turn := range turns {
		o, s, k := orders[turn%len(orders)], draw(r, 1+r.IntN(12000)), 1+drawK(r)
		top, per, cut := sorter.NewTop(o, k), sorter.NewTopPer(o, o, 3), r.IntN(len(s))
		at = 0
		top.Push(s[:cut]...)
		per.Push(s[:cut]...)
		other := sorter.NewTop(o, k)
		other.Push(s[cut:]...)
		for _, f := range []func(){
			func() { top.Push(s[cut:]...) }, func() { top.Merge(other) }, func() { top.Bound() }, func() { top.Result() },
			func() { per.Push(s[cut:]...) }, func() { per.Result() },
		} {
			calls.Store(0)
			at = 1 + r.Int64N(2*int64(len(s)))
			failed := panicOf(f)
			if at = 0; failed == nil {
				break // it is not as it was
			}
			panics++
			check(t, "after a panic", top.Result(), oracle(s[:cut], o, k, nil))
			rows, _ := per.Result()
			check(t, "after a panic", rows, perOracle(s[:cut], o, o, 3))
		}
	}
	if panics < turns/5 {
		t.Errorf("only %d panics", panics)
	}
}

// TestTopDropsElements waits until elements that are not among the first k are collected.
func TestTopDropsElements(t *testing.T) {
	type big struct {
		key  int
		text string
		_    [64]byte
	}
	o := sorter.By(sorter.Asc(func(b *big) int { return b.key / 10 }), sorter.Asc(func(b *big) string { return b.text }))
	top, per := sorter.NewTop(o, 10), sorter.NewTopPer(sorter.Ordering[*big]{}, o, 10)
	n := rounds(30000)
	freed := make(chan int, n)
	for i := range n {
		b := &big{key: n - i, text: fmt.Sprint(i)}
		runtime.SetFinalizer(b, func(b *big) { freed <- b.key })
		top.Push(b)
		per.Push(b)
	}
	top.Bound()
	per.Result()
	for deadline := time.Now().Add(time.Minute); len(freed) < n-20; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d elements were freed", len(freed), n)
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	for i, b := range top.Result()[:9] { // equal first columns, texts that rise as keys fall
		if b.key != 9-i {
			t.Fatalf("element %d has key %d", i, b.key)
		}
	}
	rows, _ := per.Result()
	if len(rows) != 10 || rows[9].key != 19 {
		t.Fatalf("%d rows", len(rows))
	}
}

// TestTopOfRowNumbers selects among the rows that pass a filter, by columns in memory.
func TestTopOfRowNumbers(t *testing.T) {
	r := dist.Rand(5)
	col, valid := make([]int64, 5000), make([]byte, 5000/8)
	for i := range col {
		col[i] = int64(r.IntN(100))
		valid[i/8] |= byte(r.IntN(5)&1) << (i % 8)
	}
	o := sorter.By(sorter.AscOf(col).NullsLastBits(valid, 0))
	top := sorter.NewTop(o, 200)
	var rows []int
	for row := range col {
		if r.IntN(3) > 0 {
			rows = append(rows, row)
			top.Push(row)
		}
	}
	testkit.SortStable(rows, o.Compare)
	if !slices.Equal(top.Result(), rows[:200]) {
		t.Error("other rows")
	}
	before := top.Result()
	if panicOf(func() { top.Push(1, 5000) }) == nil || !slices.Equal(top.Result(), before) {
		t.Error("a row that the column does not have")
	}
}

// perOracle returns the first k elements of each partition.
func perOracle(s []row, partition, order sorter.Ordering[row], k int) (first []row) {
	sorted := slices.Clone(s)
	testkit.SortStable(sorted, func(a, b row) int { return cmp.Or(partition.Compare(a, b), order.Compare(a, b)) })
	for part := range partition.Groups(sorted) {
		first = append(first, part[:min(k, len(part))]...)
	}
	return first
}

// TestTopPer compares with a stable sort of which the first k of each partition remain.
func TestTopPer(t *testing.T) {
	r := dist.Rand(6)
	for name, order := range orderings {
		for by, partition := range orderings {
			if r.IntN(4) >= rounds(4) {
				continue
			}
			s, k := draw(r, r.IntN(10000)), []int{0, 1, 2, 10, 1000, 100000}[r.IntN(6)]
			per, what := sorter.NewTopPer(partition, order, k), fmt.Sprintf("%s per %s, %d of %d", name, by, k, len(s))
			for at := 0; at < len(s); {
				end := min(len(s), at+1+r.IntN(6000))
				per.Push(s[at:end]...)
				if at = end; r.IntN(8) == 0 {
					checkPer(t, what, per, partition, perOracle(s[:at], partition, order, k))
				}
			}
			checkPer(t, what, per, partition, perOracle(s, partition, order, k))
		}
	}
}

// checkPer compares the rows of a result and its partitions.
func checkPer(t *testing.T, what string, per *sorter.TopPer[row], partition sorter.Ordering[row], want []row) {
	t.Helper()
	rows, parts := per.Result()
	check(t, what, rows, want)
	var groups [][]row
	for group := range partition.Groups(rows) {
		groups = append(groups, group)
	}
	i := 0
	for lo, hi := range parts.All() {
		check(t, what+": partition", rows[lo:hi], groups[i])
		i++
	}
	if i != len(groups) {
		t.Fatalf("%s: %d partitions, want %d", what, i, len(groups))
	}
}

// TestTopPerDescending has options that change the order.
func TestTopPerDescending(t *testing.T) {
	s := draw(dist.Rand(7), 10000)
	per := sorter.NewTopPer(orderings["group"], orderings["price"], 20, sorter.Descending(), sorter.NaNsFirst())
	per.Push(s...)
	rows, _ := per.Result()
	check(t, "descending", rows, perOracle(s, fields("-Group"), sorter.By(sorter.Desc(price).NaNsFirst()), 20))
}
