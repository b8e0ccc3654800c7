package oracle_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"example.com/sorter/fuzz/oracle"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The oracle reports failures of all other tests, so it is held to literal answers.

func TestDiffNamesTheFirstDifference(t *testing.T) {
	same := func(a, b int) bool { return a == b }
	want := []int{10, 11, 12, 13, 14, 15, 16, 17, 18}
	got := append([]int(nil), want...)
	if d := oracle.Diff(got, want, same); d != "" {
		t.Errorf("equal slices differ: %s", d)
	}
	got[5], got[6] = got[6], got[5]
	d := oracle.Diff(got, want, same)
	if !strings.Contains(d, "position 5 of 9") || !strings.Contains(d, "-") || strings.Contains(d, "11") || !strings.Contains(d, "15") {
		t.Errorf("two neighbours swapped at 5:\n%s", d)
	}
	if d := oracle.Diff(want[:7], want, same); !strings.Contains(d, "length is 7, want 9") {
		t.Errorf("two elements lost: %s", d)
	}
}

func TestDiffOfBits(t *testing.T) {
	nan := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)
	d := oracle.Diff([]float64{1, nan}, []float64{1, math.NaN()}, oracle.Same[float64])
	if !strings.Contains(d, "position 1 of 2") || !strings.Contains(d, "0x7ff8000000000001") || !strings.Contains(d, "0x7ff8000000000000") {
		t.Errorf("NaNs of different bits: %s", d)
	}
	d = oracle.Diff([][]byte{[]byte("a")}, [][]byte{[]byte("a")}, oracle.Same[[]byte])
	if !strings.Contains(d, "position 0 of 1") || !strings.Contains(d, "memory") {
		t.Errorf("equal bytes in two places: %s", d)
	}
}

// TestDiffNamesFields differs in one field of one element and ties in another element,
// which is not printed as a difference.
func TestDiffNamesFields(t *testing.T) {
	type row struct {
		Name  string
		Price float64
		at    int
	}
	want := []row{{"oats", 1, 0}, {"rye", 0, 1}}
	got := []row{{"oats", 2, 0}, {"rye", 0, 7}}
	d := oracle.Diff(got, want, func(a, b row) bool { return a.Name == b.Name && a.Price == b.Price })
	if !strings.Contains(d, "position 0 of 2") || !strings.Contains(d, "Price:") || strings.Contains(d, "7") {
		t.Errorf("another price, and another place:\n%s", d)
	}
}

func TestDiffIsShort(t *testing.T) {
	same := func(a, b string) bool { return a == b }
	d := oracle.Diff([]string{strings.Repeat("ab", 1<<20)}, []string{strings.Repeat("cd", 1<<20)}, same)
	if len(d) > 5000 {
		t.Errorf("the difference of two strings takes %d bytes", len(d))
	}
	d = oracle.Diff(make([]int, 1<<20), make([]int, 1<<20), func(a, b int) bool { return false })
	if len(d) > 5000 {
		t.Errorf("the difference of a million elements takes %d bytes", len(d))
	}
}

func TestDiffValues(t *testing.T) {
	type report struct {
		Engine string
		Bits   int
		took   time.Duration
	}
	want := report{"CPU", 32, 1}
	if d := oracle.DiffValues(report{"CPU", 32, 2}, want, cmpopts.IgnoreFields(report{}, "took")); d != "" {
		t.Errorf("another time, which is left out: %s", d)
	}
	d := oracle.DiffValues(report{"CPU", 64, 1}, want)
	if !strings.Contains(d, "Bits:") || !strings.Contains(d, "32") || !strings.Contains(d, "64") {
		t.Errorf("another width: %s", d)
	}
}

func TestComparers(t *testing.T) {
	type row struct {
		f    float64
		g    float32
		when time.Time
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	nan := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)
	minus := math.Copysign(0, -1)
	for name, c := range map[string]struct {
		a, b       row
		bits, ties bool
	}{
		"the same":        {row{1, 2, now}, row{1, 2, now}, true, true},
		"NaN payloads":    {row{math.NaN(), 0, now}, row{nan, 0, now}, false, true},
		"signs of zeros":  {row{0, 0, now}, row{minus, float32(minus), now}, false, true},
		"locations":       {row{0, 0, now}, row{0, 0, now.In(time.FixedZone("", 3600))}, false, true},
		"another float":   {row{0, 0, now}, row{0, 1, now}, false, false},
		"NaN or a number": {row{math.NaN(), 0, now}, row{1, 0, now}, false, false},
		"another instant": {row{0, 0, now}, row{0, 0, now.Add(1)}, false, false},
	} {
		if got := cmp.Equal(c.a, c.b, oracle.Bits()); got != c.bits {
			t.Errorf("%s: equal by bits is %v", name, got)
		}
		if got := cmp.Equal(c.a, c.b, oracle.Ties()); got != c.ties {
			t.Errorf("%s: equal by ties is %v", name, got)
		}
	}
}
