package pipeline

import (
	"cmp"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted/bywords"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// keyed is an element with two keys.
type keyed struct {
	number int64
	text   string
	null   bool
}

func keyedColumns() (number, text, nullable column.Spec) {
	isNull := column.NullFunc[keyed](func(e keyed) bool { return e.null })
	number = column.SpecOf(sortkey.Int64, column.Func[keyed, int64](func(e keyed) int64 { return e.number }))
	text = column.SpecOf(sortkey.String, column.Func[keyed, string](func(e keyed) string { return e.text }))
	return number, text, text.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsFirst)
}

// TestBytesSaid plans as much memory as ScratchBytes and MergeBytes say, and needs none for nothing.
func TestBytesSaid(t *testing.T) {
	planned := int64(0)
	restore := OnPlanned(func(_ string, _, of int64) { planned = of })
	number, text, nullable := keyedColumns()
	r := dist.Rand(91)
	for _, n := range []int{5000, 9000, 300_000} {
		s := make([]keyed, n)
		for i := range s {
			s[i] = keyed{int64(r.Uint64()), string(rune('a' + i%26)), i%7 == 0}
		}
		p := cpu.PayloadOf(s)
		for i, specs := range [][]column.Spec{{number}, {text}, {number, text}, {nullable}, {nullable, number}} {
			for _, algorithm := range []engine.Algorithm{engine.Auto, engine.IndexGather} {
				by := new(small.Ordering)
				by.Init(specs)
				o := call.Options{Stable: true, Workers: int32(1 + i%3), Algorithm: algorithm}
				want := ScratchBytes(by, p, n, &o)
				o.Limit = want
				if err := SortByColumns(by, p, &o); err != nil || planned != want {
					t.Errorf("%d elements by columns %d, %v: ScratchBytes says %d, planned are %d, %v", n, i, algorithm, want, planned, err)
				}
				if algorithm != engine.Auto {
					continue
				}
				cols, dst, k := by.Columns(), cpu.PayloadOf(make([]keyed, n)), 1+i
				runs := make([]cpu.Payload, k)
				for j := range runs {
					runs[j] = p.Part(j*n/k, (j+1)*n/k) // not sorted, for which nothing is read past a run
				}
				want = MergeBytes(cols, p.Size(), n, k, &o)
				o.Limit = want
				if err := Merge(cols, dst, runs, ranges.TwoOf[keyed]{}, &o); err != nil || planned != want {
					t.Errorf("a merge of %d elements by columns %d: MergeBytes says %d, planned are %d, %v", n, i, want, planned, err)
				}
			}
		}
	}
	restore()
	planned = 0
	by := new(small.Ordering)
	by.Init([]column.Spec{number})
	if err := SortByColumns(by, cpu.PayloadOf(make([]keyed, 9)), &call.Options{Limit: 1 << 30}); err != nil || planned != 0 {
		t.Errorf("planned are %d after the test, %v", planned, err)
	}
	p := cpu.PayloadOf([]keyed{})
	if got := ScratchBytes(by, p, 0, &call.Options{}) + ScratchBytes(new(small.Ordering), p, 9, &call.Options{}) + MergeBytes(nil, 8, 9, 2, &call.Options{}) + MergeBytes(by.Columns(), 8, 0, 2, &call.Options{}); got != 0 {
		t.Errorf("nothing takes %d bytes", got)
	}
	if MergeBytes(by.Columns(), 8, 9000, ranges.MostRuns+9, &call.Options{}) != MergeBytes(by.Columns(), 8, 9000, ranges.MostRuns, &call.Options{}) {
		t.Error("a merge of more runs than are merged takes another memory")
	}
}

// TestChunks cuts calls into as few chunks as there can be, of as equal a length.
func TestChunks(t *testing.T) {
	for n := 1; n < 60; n++ {
		for most := 1; most < 70; most++ {
			r := Request{N: n, Most: most}
			count := (n + most - 1) / most
			if got, want := r.chunk(), (n+count-1)/count; got != want {
				t.Errorf("chunks of %d elements of at most %d: %d, want %d", n, most, got, want)
			}
		}
	}
}

// TestWorkers gives a call no more workers than have something to do.
func TestWorkers(t *testing.T) {
	for _, c := range []struct{ asked, n, want int }{
		{1, 0, 1}, {3, 0, 1}, {3, engine.LeastTurn - 1, 1}, {3, engine.LeastTurn, 2}, {3, 2 * engine.LeastTurn, 3}, {3, 9 * engine.LeastTurn, 3},
		{0, 1 << 30, runtime.GOMAXPROCS(0)}, {0, 1 << 30, runtime.GOMAXPROCS(0)}, // again: it is only read
	} {
		if got := workersFor(&call.Options{Workers: int32(c.asked)}, c.n); got != c.want {
			t.Errorf("%d workers asked for %d elements: %d, want %d", c.asked, c.n, got, c.want)
		}
		r := &Request{N: 1 << 30}
		r.Loop.Workers = c.asked
		if got := r.within(c.n).Loop.Workers; c.asked > 0 && got != c.want {
			t.Errorf("%d workers of a call within one: %d, want %d", c.asked, got, c.want)
		}
	}
}

// TestNoColumns leaves elements that no column orders where they are, few or many.
func TestNoColumns(t *testing.T) {
	for _, n := range []int{0, 3, 5000} {
		s, want := make([]int64, n), make([]int64, n)
		order := make(perm.Perm, n)
		for i := range s {
			s[i], want[i], order[i] = int64(n-i), int64(n-i), uint32(i)
		}
		o, by, p := call.Options{Workers: 2}, new(small.Ordering), cpu.PayloadOf(s)
		rows, err := OrderRows(nil, n, &o)
		elements, failed := OrderByColumns(by, p, &o)
		within, of := OrderWithin(nil, n, []int{0, n / 2, n}, &o)
		numbers := slices.Clone(order)
		slices.Reverse(numbers)
		picked := slices.Clone(numbers)
		dst := make([]int64, n)
		if none, failed := OrderWithin([]extract.Column{}, n, nil, &o); failed != nil || !slices.Equal(none, order) {
			t.Errorf("no segment of %d rows: %v", n, failed)
		}
		err = cmp.Or(err, failed, of, SortWithin(nil, p, nil, &o), SortByColumns(by, p, &o), SortWithin(nil, p, []int{0, n}, &o), OrderSelected(nil, picked, n, &o),
			Merge(nil, cpu.PayloadOf(dst), []cpu.Payload{p.Part(0, n/3), p.Part(n/3, n)}, ranges.TwoOf[int64]{}, &o))
		if err != nil || !slices.Equal(s, want) || !slices.Equal(dst, want) || !slices.Equal(rows, order) || !slices.Equal(elements, order) || !slices.Equal(within, order) || !slices.Equal(picked, numbers) {
			t.Errorf("%d elements moved, %v", n, err)
		}
	}
}

// TestWaysFit asks which ways calls try, if all samples say yes.
func TestWaysFit(t *testing.T) {
	yes := func() bool { return true }
	self := wordsOf(extract.Self[string]())
	rows := make([]int64, planned)
	inMemory := extract.AppendColumns(nil, []column.Spec{columnOf(rows)})
	extract.ForRows(inMemory, planned)
	nullRows := wordsOf(withNulls(inMemory[0]))
	deal := func(n int, bits ...int) Facts {
		return Facts{Verb: toIndexRows, n: n, Words: rowWords(bits...), Numbered: true}
	}
	for _, c := range []struct {
		Facts
		want string
	}{
		{Facts{Words: self}, "texts-in-order fields-in-order"},
		{Facts{Words: self, backend: cpu.Host}, "fields-in-order"},
		{Facts{Words: self, algorithm: engine.Radix}, ""},
		{Facts{Words: self, algorithm: engine.IndexGather}, "fields-in-order"},
		{Facts{Words: whole}, "fields-in-order"},
		{Facts{Words: whole, backend: device{}}, ""},
		{Facts{Words: nulls}, "fields-in-order nulls-apart"},
		{Facts{Words: nulls, algorithm: engine.BucketRadix}, "fields-in-order"},
		{Facts{Words: nulls, backend: device{}}, ""},
		{Facts{Words: nulls, part: true}, "fields-in-order"},
		{Facts{Words: nulls, Sizes: []uintptr{moveBytes}}, "fields-in-order nulls-apart"},
		{Facts{Words: nulls, Sizes: []uintptr{moveBytes + 1}}, "fields-in-order"},
		{Facts{Words: later}, "fields-in-order"},
		{Facts{Words: wordsOf(withNulls(dummyOf[int64]()))}, "fields-in-order"},
		{Facts{Words: nullRows}, "fields-in-order nulls-apart"},
		{Facts{Verb: toOrder, Words: two, free: true}, "spare-nulls segments narrow-columns"},
		{Facts{Verb: toOrder, Words: two}, "spare-nulls narrow-columns"},
		{Facts{Verb: toOrder, Words: two, free: true, marked: true}, "spare-nulls narrow-columns"},
		{Facts{Verb: toOrder, Words: two, free: true, part: true}, ""},
		{Facts{Verb: toOrder, Words: two, free: true, n: 2 * bywords.LeadRows}, "spare-nulls segments narrow-columns"},
		{Facts{Verb: toOrder, Words: two, free: true, n: 2*bywords.LeadRows - 1}, "spare-nulls narrow-columns"},
		{Facts{Verb: toOrder, Words: nulls, free: true}, "spare-nulls nulls-apart narrow-columns"},
		{Facts{Verb: toOrder, Words: nulls, backend: device{}}, "spare-nulls nulls-apart narrow-columns"},
		{Facts{Verb: toOrder, Words: nullRows, free: true}, "spare-nulls nulls-in-order nulls-apart narrow-columns"},
		{Facts{Verb: toOrder, Words: nullRows, marked: true}, "spare-nulls nulls-apart narrow-columns"},
		{Facts{Verb: toOrder, Words: nullRows, part: true}, ""},
		{Facts{Verb: toOrder, Words: nullRows, limit: 1}, "spare-nulls narrow-columns"},
		{deal(planned, 64, 64), "dealt"},
		{deal(leastDealt*dealtSample, 64, 64), "dealt"},
		{deal(leastDealt*dealtSample-1, 64, 64), ""},
		{deal(mostDealt, 64, 64), "dealt"},
		{deal(mostDealt+1, 64, 64), ""},
		{deal(mostNarrow, 32, 64), "dealt"},
		{deal(mostNarrow+1, 32, 64), ""},
		{deal(mostNarrow+1, 32, 8, 64), "dealt"},
		{Facts{Verb: toIndexRows, Words: rowWords(32, 64), Numbered: true, n: mostNarrow + 1, workers: 1}, "dealt"},
		{deal(planned, 64), ""},
		{deal(planned, 64, 64, 64, 64), "dealt"},
		{deal(planned, 64, 64, 64, 64, 64), ""},
		{deal(planned, 0, 64), ""},
		{deal(planned, 64, 0), ""},
		{Facts{Verb: toIndexRows, Words: wordsOf(dummyOf[int64](), dummyOf[int64]()), Numbered: true}, ""},
		{Facts{Verb: toIndexRows, Words: rowWords(64, 64)}, ""},
		{Facts{Verb: toIndexRows, Words: rowWords(64, 64), Numbered: true, Picked: true}, ""},
		{Facts{Verb: toIndexRows, Words: rowWords(64, 64), Numbered: true, marked: true}, ""},
		{Facts{Verb: toIndexRows, Words: rowWords(64, 64), Numbered: true, limit: 1 << 40}, ""},
		{Facts{Verb: toPair, Words: whole, free: true}, ""},
	} {
		f, got := c.Facts, []string(nil)
		if f.lead, f.fields, f.spare, f.narrow = yes, yes, yes, yes; f.n == 0 {
			f.n = planned
		}
		if f.workers = cmp.Or(f.workers, 2); f.Sizes == nil {
			f.Sizes = []uintptr{8}
		}
		for w, _ := f.shortcut(f.Verb); w != nil; w, _ = f.shortcut(f.Verb) {
			got = append(got, w.Is.String())
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%+v: tried are %q, want %q", c.Facts, all, c.want)
		}
		f.asked, f.lead, f.fields, f.spare, f.narrow = 0, nil, nil, nil, nil
		for w, _ := f.shortcut(f.Verb); w != nil; w, _ = f.shortcut(f.Verb) {
			if ways.Of(ways.Segments, ways.FieldsInOrder, ways.SpareNulls, ways.NarrowColumns).Has(w.Is) {
				t.Errorf("%+v: %v without a sample", c.Facts, w.Is)
			}
		}
		no := func() bool { return false }
		f.asked, f.lead, f.fields, f.spare, f.narrow = 0, no, no, no, no
		for w, _ := f.shortcut(f.Verb); w != nil; w, _ = f.shortcut(f.Verb) {
			if ways.Of(ways.Segments, ways.FieldsInOrder, ways.SpareNulls, ways.NarrowColumns).Has(w.Is) {
				t.Errorf("%+v: %v where a sample says no", c.Facts, w.Is)
			}
		}
	}
}

// TestTooLong refuses what 32-bit positions, or memory, do not number.
func TestTooLong(t *testing.T) {
	for _, f := range []Facts{
		{Verb: toSortWithin}, {Verb: ToOrderWithin}, {Verb: toSort, most: 0}, {Verb: toOrder}, {Verb: ToFind},
	} {
		f.n, f.Words, f.Sizes, f.workers = MaxPositions+1, whole, []uintptr{8}, 1
		if _, err := decide(&f); unsafe.Sizeof(f.n) == 8 && f.Verb != ToFind && !errors.Is(err, engine.ErrTooLong) {
			t.Errorf("verb %d of %d elements: %v", f.Verb, f.n, err)
		}
	}
	f := Facts{Verb: toOrder, n: MaxPositions, Sizes: []uintptr{8}, workers: 1}
	if p, err := decide(&f); err != nil || p.Movement != toIndex || p.bytes != 0 {
		t.Errorf("an order of equal rows: %+v, %v", p, err)
	}
	if _, err := decide(&Facts{Verb: toSort, n: MaxPositions, Words: whole, Sizes: []uintptr{8}, workers: 1}); unsafe.Sizeof(f.n) == 8 && err != nil {
		t.Errorf("a sort of as many as there are positions: %v", err)
	}
	if f.n++; unsafe.Sizeof(f.n) == 8 {
		if _, err := decide(&f); !errors.Is(err, engine.ErrTooLong) {
			t.Errorf("an order of more equal rows than positions: %v", err)
		}
	}
	if p, err := decide(&Facts{Verb: toSort, Words: whole, Sizes: []uintptr{8}, limit: 1}); err != nil || p.bytes != 0 || p.engine != cpu.Host {
		t.Errorf("a sort of nothing: %+v, %v", p, err)
	}
	if err := cmp.Or(Addressable(1000, 8), Addressable(0, 0)); err != nil {
		t.Error(err)
	}
	if err := Addressable(math.MaxInt, 8); !errors.Is(err, engine.ErrTooLong) {
		t.Errorf("more than can be addressed: %v", err)
	}
}

// TestBegin refuses more elements than an int counts, and algorithms that nobody runs.
func TestBegin(t *testing.T) {
	if _, err := Begin(call.Options{}, maxLen); err != nil {
		t.Error(err)
	}
	if _, err := Begin(call.Options{}, maxLen+1); !errors.Is(err, engine.ErrTooLong) {
		t.Error(err)
	}
	for _, o := range []call.Options{{Algorithm: engine.Hybrid}, {Algorithm: engine.Hybrid, Backend: cpu.Host}, {Algorithm: engine.BucketRadix, Backend: device{}}} {
		if _, err := Begin(o, 3); !errors.Is(err, engine.ErrNoDevice) {
			t.Errorf("%v: %v", o.Algorithm, err)
		}
		if err := Nothing(3, &o); !errors.Is(err, engine.ErrNoDevice) {
			t.Errorf("%v: %v", o.Algorithm, err)
		}
	}
}

// TestMergeCalls calls key functions of a merge once per element.
func TestMergeCalls(t *testing.T) {
	s := make([]keyed, 5000)
	for i := range s {
		s[i].number = int64(i % 1250)
	}
	for _, runs := range []int{1, 4, 50} {
		var calls atomic.Int64
		number := column.SpecOf(sortkey.Int64, column.Func[keyed, int64](func(e keyed) int64 { calls.Add(1); return e.number % int64(5000/runs) }))
		var all []cpu.Payload
		for i := range runs {
			run := slices.Clone(s[i*len(s)/runs : (i+1)*len(s)/runs])
			slices.SortFunc(run, func(a, b keyed) int { return cmp.Compare(a.number%int64(5000/runs), b.number%int64(5000/runs)) })
			all = append(all, cpu.PayloadOf(run))
		}
		err := Merge(extract.AppendColumns(nil, []column.Spec{number}), cpu.PayloadOf(make([]keyed, len(s))), all, ranges.TwoOf[keyed]{}, &call.Options{Workers: 2})
		if err != nil || calls.Load() != int64(len(s)) {
			t.Errorf("%d runs: %d calls for %d elements, %v", runs, calls.Load(), len(s), err)
		}
	}
}
