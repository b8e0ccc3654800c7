package costmodel

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// twin is a device that is the CPU engine, and fails after a number of jobs.
type twin struct {
	t    *testing.T
	left *int
}

var errTwin = errors.New("the device failed")

func (d twin) Pause() error { return nil }

func (d twin) Piece(n int, _ *engine.Job, _ int) int { return n }

func (d twin) Order(job *engine.Job) error {
	if *d.left--; *d.left < 0 {
		return errTwin
	}
	defer job.Arena.Release(1)
	if e := job.Elements; e != nil {
		buffer := make([]byte, 1<<20/e.Size*e.Size)
		for lo := 0; lo < job.N; lo += len(buffer) / e.Size {
			part := buffer[:min(len(buffer), (job.N-lo)*e.Size)]
			e.Pull(part, lo)
			e.Push(lo, part)
		}
		return e.Settle()
	}
	job.EmitCodes32, job.EmitCodes64 = nil, nil
	return cpu.Engine{}.Order(d.t.Context(), job)
}

// TestMeasure measures sorts at first and payload then, each number above 0.
func TestMeasure(t *testing.T) {
	testkit.SkipUnlessLong(t)
	left := 1 << 30
	var c Costs
	if text := c.String(); text != "" {
		t.Errorf("before it is measured: %q", text)
	}
	for _, w := range []engine.Work{{}, {Payload: 8}, {Payload: 8, Sample: engine.Drifting}, {Sample: engine.Few}} {
		if !c.Missing(w) {
			t.Errorf("%+v: nothing is missing", w)
		}
		var err error
		if c, err = c.Measure(twin{t, &left}, w); err != nil {
			t.Fatal(err)
		}
		if c.Missing(w) {
			t.Fatalf("%+v: something is missing: %+v", w, c)
		}
	}
	if c.Missing(engine.Work{Payload: 8}) {
		t.Fatalf("something is missing: %+v", c)
	}
	for k := range kinds {
		for s, r := range c.samples {
			if r != nil && (r.cpu[k] < 0.05 || r.cpu[k] > 5 || r.device[k] < 0) {
				t.Errorf("%v, %v codes: %+v", k, engine.Sample(s), r)
			}
		}
		if c.codes.device[k].at(1<<20) <= 0 || slices.Min(c.codes.cpu[k][:]) <= 0 {
			t.Errorf("%v: device %+v, CPU %v", k, c.codes.device[k], c.codes.cpu[k])
		}
	}
	if slices.Min(c.payload.gather.small[:]) <= 0 || slices.Min(c.payload.gather.large[:]) <= 0 {
		t.Errorf("payload %+v", c.payload)
	}
	if text := c.String(); !strings.Contains(text, "order64") || !strings.Contains(text, "64 B: move") || !strings.Contains(text, "drifting codes: order32") {
		t.Errorf("in words: %s", text)
	}
}

// TestMeasureFails has the device fail: nothing is known that was not before.
func TestMeasureFails(t *testing.T) {
	left := 0
	if c, err := (Costs{}).Measure(twin{t, &left}, engine.Work{}); !errors.Is(err, errTwin) || c != (Costs{}) {
		t.Errorf("costs %+v, error %v", c, err)
	}
}
