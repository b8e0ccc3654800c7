package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// TestMisuse holds every programmer error to a panic that begins with
// "sorter: ".
func TestMisuse(t *testing.T) {
	s := []int{3, 1, 2}
	id := func(i int) int { return i }
	var noKey func(int) int
	var noNull func(int) bool
	four := make([]int, 4)
	by := sorter.By(sorter.Asc(id))
	for _, c := range []struct {
		name string
		call func()
	}{
		{"Sort, nil key", func() { _ = sorter.Sort(s, noKey) }},
		{"Sort of nothing, nil key", func() { _ = sorter.Sort(nil, noKey) }},
		{"Order, nil key", func() { _, _ = sorter.Order(s, noKey) }},
		{"TopK, nil key", func() { _ = sorter.TopK(s, 1, noKey) }},
		{"TopK, negative k", func() { _ = sorter.TopK(s, -1, id) }},
		{"Ordering.TopK, negative k", func() { _ = by.TopK(s, -1) }},
		{"Merge, nil key", func() { _ = sorter.Merge(four, [][]int{s, s[:1]}, noKey) }},
		{"Merge, dst too short", func() { _ = sorter.Merge(four[:3], [][]int{s, s[:1]}, id) }},
		{"Merge, dst too long", func() { _ = sorter.Merge(four, [][]int{s, nil}, id) }},
		{"Merge, dst is a", func() { _ = sorter.Merge(s, [][]int{s, nil}, id) }},
		{"Merge, dst is b", func() { _ = sorter.Merge(s, [][]int{nil, s}, id) }},
		{"Merge, dst begins in a", func() { _ = sorter.Merge(four[1:], [][]int{four[:2], s[:1]}, id) }},
		{"Merge, dst ends in b", func() { _ = sorter.Merge(four[:3], [][]int{s[:1], four[2:]}, id) }},
		{"Ordering.Merge, dst too short", func() { _ = by.Merge(four[:3], [][]int{s, s[:1]}) }},
		{"Ordering.Merge, dst is a", func() { _ = by.Merge(s, [][]int{s, nil}) }},
		{"Merge of many, nil key", func() { _ = sorter.Merge(four, [][]int{s, s[:1]}, noKey) }},
		{"Merge of many, dst too short", func() { _ = sorter.Merge(four[:3], [][]int{s, s[:1]}, id) }},
		{"Merge of many, dst too long", func() { _ = sorter.Merge(four, [][]int{s}, id) }},
		{"Merge of many of nothing, dst too long", func() { _ = sorter.Merge(four, nil, id) }},
		{"Merge of many, dst is the last run", func() { _ = sorter.Merge(four, [][]int{nil, four}, id) }},
		{"Merge of many, dst begins in a run", func() { _ = sorter.Merge(four[1:], [][]int{four[:2], s[:1]}, id) }},
		{"Ordering.Merge of many, dst too short", func() { _ = by.Merge(four[:3], [][]int{s, s[:1]}) }},
		{"Ordering.Merge of many, dst is a run", func() { _ = by.Merge(s, [][]int{s}) }},
		{"IsSorted, nil key", func() { _ = sorter.IsSorted(s, noKey) }},
		{"Search, nil key", func() { _, _ = sorter.Search(s, noKey, 1) }},
		{"Groups, nil key", func() {
			for range sorter.Groups(s, noKey) {
			}
		}},
		{"SortPairs, fewer values", func() { _ = sorter.SortPairs(s, four[:2]) }},
		{"SortPairs, more values", func() { _ = sorter.SortPairs(s, four) }},
		{"SortPairs, keys are values", func() { _ = sorter.SortPairs(s, s) }},
		{"SortPairs, keys begin in values", func() { _ = sorter.SortPairs(four[1:], four[:3]) }},
		{"Rows.Order, negative n", func() { _, _ = sorter.RowsBy(-1, sorter.Asc(id)).Order() }},
		{"Asc, nil key", func() { sorter.Asc(noKey) }},
		{"Desc, nil key", func() { sorter.Desc(noKey) }},
		{"NullsFirst, nil function", func() { sorter.Asc(id).NullsFirst(noNull) }},
		{"NullsLast, nil function", func() { sorter.Asc(id).NullsLast(noNull) }},
		{"Workers(0)", func() { _ = sorter.Sort(s, id, sorter.Workers(0)) }},
		{"Workers(-1)", func() { _ = sorter.Sort(s, id, sorter.Workers(-1)) }},
		{"MemoryLimit(0)", func() { _ = sorter.Sort(s, id, sorter.MemoryLimit(0)) }},
		{"MemoryLimit(-1)", func() { _ = sorter.Sort(s, id, sorter.MemoryLimit(-1)) }},
		{"Use(99)", func() { _ = sorter.Sort(s, id, sorter.Use(99)) }},
		{"On(nil)", func() { _ = sorter.Sort(s, id, sorter.On(nil)) }},
		{"WithContext(nil)", func() { _ = sorter.Sort(s, id, sorter.WithContext(context.Context(nil))) }},
		{"Report(nil)", func() { _ = sorter.Sort(s, id, sorter.Report(nil)) }},
		{"OnProgress(nil)", func() { _ = sorter.Sort(s, id, sorter.OnProgress(nil)) }},
	} {
		value := panicValue(c.call)
		if text := fmt.Sprint(value); value == nil || !strings.HasPrefix(text, "sorter: ") {
			t.Errorf("%s: panicked with %v, want a text that begins with \"sorter: \"", c.name, value)
		}
	}
	checkSame(t, "the slice after all misuse", nil, s, []int{3, 1, 2})
	checkSame(t, "dst after all misuse", nil, four, make([]int, 4))
}

// TestAdjacentIsNotOverlapping merges parts of one array that only touch.
func TestAdjacentIsNotOverlapping(t *testing.T) {
	all := []int{0, 0, 0, 0, 1, 3, 2, 4}
	err := sorter.Merge(all[:4], [][]int{all[4:6], all[6:]}, func(i int) int { return i })
	checkSame(t, "Merge into the front of one array", err, all, []int{1, 2, 3, 4, 1, 3, 2, 4})
	none := all[2:2]
	err = sorter.Merge(none, [][]int{none, nil}, func(i int) int { return i })
	checkSame(t, "Merge of nothing into nothing", err, none, nil)
}

// TestOptionsLastWins applies options of one kind in order.
func TestOptionsLastWins(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := []int{3, 1, 2}
	err := sorter.SortKeys(s, sorter.WithContext(ctx), sorter.WithContext(context.Background()), sorter.Workers(3), sorter.Workers(1))
	checkSame(t, "a cancelled context, then another one", err, s, []int{1, 2, 3})
}

func TestErrors(t *testing.T) {
	all := []error{sorter.ErrTooLong, sorter.ErrNoDevice, sorter.ErrMemoryLimit}
	for i, a := range all {
		for j, b := range all {
			if errors.Is(a, b) != (i == j) {
				t.Errorf("errors.Is(%v, %v) is %v", a, b, i != j)
			}
		}
		if !strings.HasPrefix(a.Error(), "sorter: ") {
			t.Errorf("%q does not begin with \"sorter: \"", a)
		}
	}
	cause := errors.New("cable pulled")
	var err error = &sorter.DeviceError{Device: "GPU 0", Op: "cuMemAlloc_v2", Code: 2, Err: cause}
	for _, part := range []string{"GPU 0", "cuMemAlloc_v2", "2", "cable pulled"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not tell %q", err, part)
		}
	}
	for want, short := range map[string]sorter.MemoryError{
		"sorter: memory limit too small: 8 bytes for 9 elements, need 90":                         {Limit: 8, Need: 90, Elements: 9},
		"sorter: memory limit too small: 8 bytes for 9 elements, need more than can be addressed": {Limit: 8, Need: math.MaxInt64, Elements: 9},
		"sorter: memory limit too small: 8 bytes":                                                 {Limit: 8},
	} {
		if err := error(&short); err.Error() != want || !errors.Is(err, sorter.ErrMemoryLimit) || !errors.Is(err, extsort.ErrMemoryLimit) {
			t.Errorf("%+v is %q, want %q", short, err, want)
		}
	}
	var device *sorter.DeviceError
	if wrapped := fmt.Errorf("outer: %w", err); !errors.As(wrapped, &device) || !errors.Is(wrapped, cause) {
		t.Errorf("%v does not unwrap to *DeviceError and its cause", wrapped)
	}
}
