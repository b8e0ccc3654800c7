package engine

import (
	"sync/atomic"
	"time"
)

// Shape is the shape of an input that an engine found before sorting.
type Shape string

// The shapes. The zero Shape means that nothing was found.
const (
	Sorted         Shape = "sorted"
	Reversed       Shape = "reversed" // no element is above its predecessor
	Flat           Shape = "flat"     // all keys are equal
	NearlySorted   Shape = "nearly sorted"
	NearlyReversed Shape = "nearly reversed"
	Rotated        Shape = "rotated" // runs that follow each other in another order
	FewValues      Shape = "few values"
	Segmented      Shape = "segments" // the first columns are in order
)

// Trace records the work of an engine, for Stats and for the planner's tests. Only the
// orchestrating goroutine appends stages.
type Trace struct {
	Device    string  // device name, empty on the CPU
	Algorithm string  // the algorithm that ran
	Shape     Shape   // the shape found by detection
	Ties      int     // elements whose leading codes tied and were refined
	Rounds    int     // rounds of partition and of merging, one inside another; every large run of ties adds its own
	Stages    []Stage // in the order they ran

	Vectors *atomic.Bool // set by workers that sort a bucket by vectors; nil: nobody asks
}

// Stage is the wall time of one stage.
type Stage struct {
	Name string
	Time time.Duration
}

// usualStages is the capacity of the first allocation of stages; most sorts have fewer.
const usualStages = 8

// add adds d to the time of a stage. Repeated stages are summed.
func (t *Trace) add(name string, d time.Duration) {
	for i := range t.Stages {
		if t.Stages[i].Name == name {
			t.Stages[i].Time += d
			return
		}
	}
	if t.Stages == nil {
		t.Stages = make([]Stage, 0, usualStages)
	}
	t.Stages = append(t.Stages, Stage{name, d})
}

// SortedByVectors records that a worker did so. Workers may call it concurrently.
func (t *Trace) SortedByVectors() {
	if t.Vectors != nil && !t.Vectors.Load() {
		t.Vectors.Store(true)
	}
}
