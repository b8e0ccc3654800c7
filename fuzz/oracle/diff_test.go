package oracle_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"example.com/sorter/fuzz/oracle"
	"github.com/google/go-cmp/cmp"
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
	if !strings.Contains(d, "position 1 of 2") {
		t.Errorf("NaNs of different bits: %q", d)
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
