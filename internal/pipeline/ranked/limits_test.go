package ranked

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// TestPlannedMemory lowers the limit of calls below each plan: the next needs less, takes no more than it planned, and
// has the same result. The error names the least limit, of which one byte less is not enough.
func TestPlannedMemory(t *testing.T) {
	testkit.SkipRace(t)
	before := engine.NewMemoryError
	defer func() { engine.NewMemoryError = before }()
	engine.NewMemoryError = func(_, need int64, _ int) error { return needs(need) }
	var movement string
	var took, planned int64
	defer pipeline.OnPlanned(func(m string, of, all int64) { movement, took, planned = m, of, all })()
	all := plannedRows(10_000)
	for _, c := range plannedCalls {
		o := call.Options{Stable: true, Workers: 2}
		want, err := c.do(slices.Clone(all), &o)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var stats report
		under := func(limit int64) (need int64) {
			own := o
			movement, took, planned = "", 0, 0
			own.Limit, own.Report = limit, &stats
			got, err := c.do(slices.Clone(all), &own)
			if need := needs(0); errors.As(err, &need) {
				return int64(need)
			}
			if err != nil || !slices.Equal(got, want) || took > planned || planned > limit || stats.Scratch > limit {
				t.Errorf("%s under a limit of %d: %s took %d bytes of %d, %d reported, %v", c.name, limit, movement, took, planned, stats.Scratch, err)
			}
			return 0
		}
		var plans []string
		for limit := int64(math.MaxInt32); under(limit) == 0 && planned > 0 && len(plans) < 9; limit = planned - 1 {
			if movement == "InPlace" { // it takes what is left
				plans = append(plans, movement)
				break
			}
			plans = append(plans, fmt.Sprint(movement, " ", planned/1000))
		}
		if got := strings.Join(plans, ", "); got != c.plans && bits.UintSize == 64 {
			t.Errorf("%s: plans %s, want %s", c.name, got, c.plans)
		}
		least := int64(0)
		for need := under(1); need > least; need = under(need) { // calls within the call ask for more only after it has begun
			least = need
		}
		if least > 0 && (under(least) != 0 || under(least-1) == 0) {
			t.Errorf("%s: %d bytes are not enough, or not needed", c.name, least)
		}
	}
}

// TestHeldResult counts an order of which few rows are a result as scratch memory.
func TestHeldResult(t *testing.T) {
	s := plannedRows(10_000)
	var order, ranks report
	var planned []int64
	defer pipeline.OnPlanned(func(_ string, _, of int64) { planned = append(planned, of) })()
	few, wide := sliceOf(s, fewOf), sliceOf(s, wideOf)
	o := call.Options{Workers: 1, Limit: 1 << 40, Marks: &call.Marks{Columns: 1, Runs: new(perm.Runs)}, Report: &order}
	_, err := pipeline.OrderRows(cols([]column.Spec{few, wide}), len(s), &o)
	o.Report, o.Marks = &ranks, nil
	_, failed := NthOfPartitions(cols([]column.Spec{few}), cols([]column.Spec{wide}), len(s), 1, func(int, int) int { return 0 }, &o)
	if err = cmp.Or(err, failed); err != nil || ranks.Scratch != order.Scratch+4*int64(len(s)) || planned[1] != planned[0]+4*int64(len(s)) {
		t.Errorf("ranks of partitions take %d bytes, an order %d; planned are %d, %v", ranks.Scratch, order.Scratch, planned, err)
	}
}

// TestFuncInOrder reads elements that are in order once, and takes memory for many only.
func TestFuncInOrder(t *testing.T) {
	testkit.SkipInstrumented(t) // which allocates
	for _, n := range []int{5000, 1 << 15, 1<<15 + 1} {
		s := make([]int, n)
		for i := range s {
			s[i] = i / 2
		}
		calls := 0
		count := func(a, b int) int { calls++; return a - b }
		allocated := testing.AllocsPerRun(1, func() {
			calls = 0
			_ = pipeline.SortFunc(s, count, &call.Options{Workers: 1})
		})
		if few := n <= 1<<15; few != (allocated == 0) || calls != n-1 {
			t.Errorf("%d elements in order: %d calls, %v allocations", n, calls, allocated)
		}
	}
}

// TestNullsAside sorts elements that are too many to be gathered through an order: those whose first key is null apart.
func TestNullsAside(t *testing.T) {
	type wide struct {
		row
		_ [10]int64
	}
	all := plannedRows(4<<20/int(unsafe.Sizeof(wide{})) + 1)
	for nulls, place := range []column.NullPlace{column.NullsFirst, column.NullsLast, column.NullsLast} {
		s := make([]wide, len(all))
		for i := range s {
			s[i].row = all[i]
			s[i].null = nulls == 0 || nulls == 1 && i%10 == 0
		}
		isNull := column.NullFunc[wide](func(e wide) bool { return e.null })
		text := column.SpecOf(sortkey.String, column.Func[wide, string](func(e wide) string { return e.text }))
		few := column.SpecOf(sortkey.Int64, column.Func[wide, int64](func(e wide) int64 { return e.few }))
		want := slices.Clone(s)
		testkit.SortStable(want, func(a, b wide) int {
			switch {
			case a.null && b.null:
				return cmp.Compare(a.few, b.few)
			case a.null:
				return 1 // no other is null, or nulls come last
			case b.null:
				return -1
			}
			return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.few, b.few))
		})
		specs := []column.Spec{text.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), place), few}
		var err error
		input := slices.Clone(s)
		taken := ways.Watch(func() { err = pipeline.SortRows(cols(specs), cpu.PayloadOf(s), call.Options{Stable: true, Workers: 2}) })
		for after := int64(0); after < 40; after = 2*after + 1 {
			ctx := &testkit.Ending{Context: context.Background()}
			ctx.Left.Store(after)
			moved := slices.Clone(input)
			err := pipeline.SortRows(cols(specs), cpu.PayloadOf(moved), call.Options{Stable: true, Workers: 1, Ctx: ctx})
			if err != nil && !slices.Equal(moved, input) || err == nil && !slices.Equal(moved, s) {
				t.Errorf("case %d ended after %d questions: other elements, %v", nulls, after, err)
			}
		}
		if same := slices.EqualFunc(s, want, func(a, b wide) bool { return a.row == b.row }); !same || !taken.Has(ways.NullsApart) || err != nil {
			t.Errorf("case %d: another order, or by other ways, %v, %v", nulls, taken, err)
		}
	}
}

// TestRoom refuses an engine more than the limit leaves.
func TestRoom(t *testing.T) {
	before := engine.NewMemoryError
	defer func() { engine.NewMemoryError = before }()
	engine.NewMemoryError = func(_, need int64, _ int) error { return needs(need) }
	defer registered.reset()
	planned := int64(0)
	defer pipeline.OnPlanned(func(_ string, _, of int64) { planned = of })()
	all := plannedRows(5000)
	for _, f := range []someCall{sortsBy(byFunc(wideOf)), ordersBy(byRow(wideOf)), keysBy(wideOf)} {
		under := func(holds, limit int64) error {
			registered.holds = holds
			_, err := f(slices.Clone(all), &call.Options{Backend: registered, Workers: 1, Limit: limit})
			return err
		}
		if err := under(0, 1<<40); err != nil {
			t.Fatal(err)
		}
		most := planned + 10*int64(len(all))
		if err := under(10, most); err != nil {
			t.Errorf("%d bytes are not enough: %v", most, err)
		}
		if err := under(10, most-1); err != needs(most) {
			t.Errorf("an engine that takes more than is left: %v, want %d", err, most)
		}
	}
}

// TestFuncTooLong sorts more elements than positions number where they move, and orders none.
func TestFuncTooLong(t *testing.T) {
	before := engine.NewMemoryError
	defer func() { engine.NewMemoryError = before }()
	engine.NewMemoryError = func(_, need int64, _ int) error { return needs(need) }
	all := plannedRows(5000)
	fat := make([]large, len(all))
	for most, long := range map[int]bool{4999: true, 5000: false, 5001: false} {
		restore := pipeline.LowerLimit(most)
		_, err := pipeline.OrderFunc(all, byWide, &call.Options{Workers: 1})
		if errors.Is(err, engine.ErrTooLong) != long {
			t.Errorf("an order of 5000 of at most %d: %v", most, err)
		}
		for i := range fat {
			fat[i].row = all[i]
		}
		var st report
		err = pipeline.SortFunc(fat, func(a, b large) int { return byWide(a.row, b.row) }, &call.Options{Workers: 1, Report: &st})
		if err != nil || (st.Scratch >= int64(2*len(fat))*int64(unsafe.Sizeof(fat[0]))) != long {
			t.Errorf("a sort of 5000 of at most %d: %d bytes, %v", most, st.Scratch, err)
		}
		err = pipeline.SortFunc(slices.Clone(all), byWide, &call.Options{Workers: 1, Limit: 400_000})
		if need := needs(0); errors.As(err, &need) != long {
			t.Errorf("a sort of 5000 of at most %d in little memory: %v", most, err)
		}
		restore()
	}
}

// TestInPlaceEnds ends a sort in place at some of its questions: it reports that and leaves elements where they are, or they are in order.
func TestInPlaceEnds(t *testing.T) {
	all := plannedRows(5000)
	sort := func(left int64) (asked int64) {
		s, st := slices.Clone(all), new(report)
		ctx := &testkit.Ending{Context: context.Background()}
		ctx.Left.Store(left)
		err := pipeline.SortRows(cols([]column.Spec{byFunc(wideOf)}), cpu.PayloadOf(s), call.Options{Stable: true, Workers: 1, Limit: 150_000, Ctx: ctx, Report: st})
		want := orderOfRows(all, byWide)
		if err != nil {
			want = places(all)
		}
		if err != nil && err != context.Canceled || err == nil && st.Algorithm != "InPlace" || !slices.Equal(places(s), want) {
			t.Errorf("%s after %d questions: elements were moved, %v", st.Algorithm, left, err)
		}
		return left - ctx.Left.Load()
	}
	questions := sort(1 << 40)
	for left := range questions {
		if left < 2 || left%(1+questions/8) == 0 || left > questions-5 {
			sort(left)
		}
	}
}
