package engine

import "time"

// Shape is what an engine found an input to be before it sorted it.
type Shape string

// The shapes. The zero Shape is an input of which nothing was found.
const (
	Sorted         Shape = "sorted"
	Reversed       Shape = "reversed" // no element is above its predecessor
	Flat           Shape = "flat"     // all keys are equal
	NearlySorted   Shape = "nearly sorted"
	NearlyReversed Shape = "nearly reversed"
	Rotated        Shape = "rotated" // runs that follow each other in another order
	FewValues      Shape = "few values"
)

// Trace collects what an engine did, for Stats and for the planner's tests.
// Stages are appended by the orchestrating goroutine only.
type Trace struct {
	Device    string  // device name, empty on the CPU
	Algorithm string  // the algorithm that ran
	Shape     Shape   // what detection found
	Ties      int     // elements whose leading codes tied and were refined
	Rounds    int     // rounds of partition and of merging, one inside another; every large run of ties adds its own
	Stages    []Stage // in the order they ran
}

// Stage is the wall time of one stage.
type Stage struct {
	Name string
	Time time.Duration
}

// usualStages is at least the number of stages of most sorts: one allocation for all.
const usualStages = 8

// add accounts for d spent in a stage; rounds of one stage add up.
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

// Found records the shape of the input unless it is known: rounds on parts of
// the input that find more say nothing about the whole.
func (t *Trace) Found(shape Shape) {
	if t.Rounds == 0 {
		t.Shape = shape
	}
}
