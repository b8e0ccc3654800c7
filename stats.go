package sorter

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/sorter/internal/call"
)

// Stats are statistics of a call, filled by [Report].
//
// Shape is the order that was detected in the input, "" where there was none of these:
//
//   - "sorted", or "flat": all keys are equal
//   - "reversed": no element is above the one before
//   - "nearly sorted", "nearly reversed"
//   - "rotated": runs that follow each other in another order
//   - "few values"
//   - "segments": the first columns are in order, the rows of equal ones are not
//
// Rounds is the depth of partitioning and merging: every large run of ties adds its own
// rounds. It is 0 where the input fit one bucket or was in order already.
//
// A call may sort chunks, or parts such as those without nulls, one after the other. Then Engine and Device are of one that a
// device sorted, if there is such. If a device failed in any, Engine is the CPU and Fallback the first failure.
//
// Calls on up to 4096 elements run on the calling goroutine, unless [MemoryLimit],
// [OnProgress], [Use] or [On] a device asks for more, and except for merges, sorts within segments and
// sorts by a comparison. Then Algorithm is "Small", no shape is looked for, there are no stages, and Scratch is the
// size of the pooled workspaces. That of strings which tie in large runs is not counted.
type Stats struct {
	Engine    string        // name of the engine that did the work
	Device    string        // name of the device, empty on the CPU
	Algorithm string        // the algorithm that ran
	Shape     string        // order detected in the input, see above
	Elements  int           // length of the input; of Within and SortWithin, what their segments hold
	CodeBits  int           // Bits of the leading code
	Workers   int           // goroutines at most
	Rounds    int           // Depth of partitioning and merging, see above
	Ties      int           // elements whose leading codes tied and were refined
	Scratch   int64         // peak of the scratch memory, in bytes
	Stages    []Stage       // wall time of each stage, in the order they ran
	Total     time.Duration // wall time of the call
	Fallback  error         // why the CPU finished a device's sort, nil otherwise
	Vectors   string        // vector instructions that sorted buckets: "AVX-512", "AVX2", or "" for none

	// Calibration are the measurements of a device and of the CPU by which the planner
	// chose between them. It is "" where the planner did not choose or had measured
	// nothing yet.
	Calibration string
}

// Stage is the wall time of one stage of a sort.
type Stage struct {
	Name string // for example "extract", "buckets" or "download"
	Time time.Duration
}

// reportTo takes the statistics of a call for the caller.
type reportTo Stats

func (st *reportTo) Report(s *call.Stats) {
	*st = reportTo{
		Engine: s.Engine, Device: s.Device, Algorithm: s.Algorithm, Shape: string(s.Shape),
		Elements: s.Elements, CodeBits: s.CodeBits, Workers: s.Workers, Rounds: s.Rounds, Ties: s.Ties,
		Scratch: s.Scratch, Total: s.Total, Fallback: s.Fallback, Vectors: s.Vectors, Calibration: s.Calibration,
	}
	if len(s.Stages) > 0 {
		st.Stages = make([]Stage, len(s.Stages))
	}
	for i, stage := range s.Stages {
		st.Stages[i] = Stage(stage)
	}
}

// String returns the statistics as a small table.
func (st *Stats) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, value any) { fmt.Fprintf(w, "%s\t%v\n", name, value) }
	name := st.Engine
	if st.Device != "" {
		name += " (" + st.Device + ")"
	}
	row("engine", name)
	row("algorithm", st.Algorithm)
	if st.Shape != "" {
		row("input", st.Shape)
	}
	row("elements", st.Elements)
	row("code bits", st.CodeBits)
	row("workers", st.Workers)
	if st.Vectors != "" {
		row("vectors", st.Vectors)
	}
	row("rounds", st.Rounds)
	if st.Ties > 0 {
		row("ties", st.Ties)
	}
	row("scratch", fmt.Sprintf("%.1f MB", float64(st.Scratch)/1e6))
	for _, stage := range st.Stages {
		row("  "+stage.Name, stage.Time.Round(time.Microsecond))
	}
	row("total", st.Total.Round(time.Microsecond))
	if st.Calibration != "" {
		row("calibration", st.Calibration)
	}
	if st.Fallback != nil {
		row("fallback", st.Fallback)
	}
	w.Flush()
	return b.String()
}
