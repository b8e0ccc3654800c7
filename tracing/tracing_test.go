package tracing_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/tracing"
)

func valuesOf(n int) []int64 {
	s := make([]int64, n)
	for i := range s {
		s[i] = rand.Int64()
	}
	return s
}

func same(v int64) int64 { return v }

// TestStagesAreRegions takes a trace of a sort, and looks for the regions of its stages.
func TestStagesAreRegions(t *testing.T) {
	testkit.SkipInstrumented(t)
	if trace.IsEnabled() {
		t.Skip("the test itself is traced")
	}
	var taken bytes.Buffer
	if err := trace.Start(&taken); err != nil {
		t.Fatal(err)
	}
	tracing.Stages(true)
	defer tracing.Stages(false)
	var st sorter.Stats
	err := sorter.Sort(valuesOf(50_000), same, sorter.Report(&st))
	trace.Stop()
	if err != nil || len(st.Stages) == 0 {
		t.Fatal(err, st)
	}
	for _, stage := range st.Stages {
		if !bytes.Contains(taken.Bytes(), []byte("sorter: "+stage.Name)) {
			t.Errorf("no region %q", stage.Name)
		}
	}
}

// TestStagesHaveLabels reads the label of stages in key functions, with the labels of the context, which stay.
func TestStagesHaveLabels(t *testing.T) {
	defer tracing.Stages(false)
	labelled := func() string {
		var profile bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
			t.Fatal(err)
		}
		for stack := range strings.SplitSeq(profile.String(), "\n\n") {
			if strings.Contains(stack, "pprof.writeGoroutine") { // that of this goroutine
				return stack
			}
		}
		t.Fatal(profile.String())
		return ""
	}
	for _, on := range []bool{true, false} {
		tracing.Stages(false)
		if on {
			tracing.Stages(true)
		}
		var once sync.Once
		var within string
		pprof.Do(t.Context(), pprof.Labels("caller", "mine"), func(ctx context.Context) {
			err := sorter.Sort(valuesOf(20_000), func(p int64) int64 {
				once.Do(func() { within = labelled() })
				return p
			}, sorter.WithContext(ctx))
			if err != nil {
				t.Fatal(err)
			}
			if after := labelled(); !strings.Contains(after, `"caller":"mine"`) || strings.Contains(after, "sorter.stage") {
				t.Error("the labels of the caller have changed")
			}
		})
		if got := strings.Contains(within, `"sorter.stage":"`); got != on || !strings.Contains(within, `"caller":"mine"`) {
			t.Errorf("on %v: label %v", on, got)
		}
	}
}

func ExampleStages() {
	tracing.Stages(true)
	defer tracing.Stages(false)
	// go test -trace, or net/http/pprof, now shows the stages of sorts.
	_ = sorter.Sort([]int{2, 1}, func(v int) int { return v })
	// Output:
}
