package testkit

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Crew is the goroutines that come from one goroutine from some moment on. Labels of
// the profiler, which a goroutine hands down to those it starts, tell them from the
// others of the process: those of timers, of the collector, of other tests.
// runtime.NumGoroutine counts all of them, and is off by some thirty while the runtime
// moves dead ones between its lists.
type Crew struct{ label string }

var crews atomic.Int64

// NewCrew begins a crew with the calling goroutine, which leaves the crew it was in.
func NewCrew() Crew {
	c := Crew{fmt.Sprintf("crew %d of the test", crews.Add(1))}
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("crew", c.label)))
	return c
}

// Count returns the number of goroutines in the crew, the first one included while it
// lives. A call stops all goroutines for about 100 µs.
func (c Crew) Count() int {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		panic(err)
	}
	total := 0
	for record := range strings.SplitSeq(profile.String(), "\n\n") {
		if !strings.Contains(record, c.label) {
			continue
		}
		// A record stands for the goroutines of one stack and begins with their
		// number, the first one after a line about the whole profile.
		_, record, _ = cutTitle(record)
		var n int
		if _, err := fmt.Sscanf(record, "%d @", &n); err != nil {
			panic(err)
		}
		total += n
	}
	return total
}

func cutTitle(record string) (title, rest string, found bool) {
	if strings.HasPrefix(record, "goroutine profile:") {
		return strings.Cut(record, "\n")
	}
	return "", record, false
}

// Patience is how long a condition may take that holds at once on an idle machine.
const Patience = time.Minute

// CheckAlone fails t if the crew does not come down to the calling goroutine, which
// began it.
func (c Crew) CheckAlone(t testing.TB, name string) {
	t.Helper()
	if !Eventually(func() bool { return c.Count() <= 1 }) {
		stacks := make([]byte, 1<<16)
		stacks = stacks[:runtime.Stack(stacks, true)]
		t.Fatalf("%s: %d goroutines are left:\n%s", name, c.Count()-1, stacks)
	}
}

// Eventually reports whether a condition comes to hold, for which it waits long
// enough for a machine that is busy with other things.
func Eventually(holds func() bool) bool {
	for end := time.Now().Add(Patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// CheckStartsNone fails t if every call of f starts goroutines. It calls f a few times,
// since the runtime counts those of the whole process, in which a timer or the
// collector may start some.
func CheckStartsNone(t testing.TB, name string, f func()) {
	t.Helper()
	least := ^uint64(0)
	for i := 0; i < 10 && least > 0; i++ {
		before := started(t)
		f()
		least = min(least, started(t)-before)
	}
	if least > 0 {
		t.Errorf("%s starts %d goroutines", name, least)
	}
}

// started returns the number of goroutines that were ever started.
func started(t testing.TB) uint64 {
	s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	if metrics.Read(s); s[0].Value.Kind() != metrics.KindUint64 {
		t.Skip("a runtime before Go 1.26 does not count the goroutines that it starts")
	}
	return s[0].Value.Uint64()
}
