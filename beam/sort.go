package beamsort

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Shard is one file of a sort. Shards are numbered in their order.
type Shard struct {
	Part, Parts  int64  // its number, from 0, and the number of shards
	Path         string // of the file
	Count, Bytes int64  // elements, and bytes of the file
	First, Last  []byte // encodings of the first and the last element, nil if there is none
	Sum          uint64 // of the xxHash64 of each element's encoding, modulo 2^64
}

// Sort sorts the elements of col and writes them to numbered files. The result has one [Shard]
// for each, in no particular order. The concatenation of the files by number is the order. There
// is at least one file, which is empty if col is.
//
// Elements that tie come out in some order; within a run of a bundle it is that of the input.
// Key functions are called three times per element and in between for some of them. Each element
// goes through the shuffle once. A bundle holds PackBytes of elements; a part is sorted within
// [Memory], and beyond it on disk. README.md has times.
//
// Every step may be run again. With the same input it emits the same, except that a part whose
// pieces arrive in another sequence has elements that tie in another sequence.
//
// It panics if col is not of T, if [To] is missing, or if a format is not of T. Errors fail
// the bundle and name the step.
func Sort[T any](s beam.Scope, col beam.PCollection, order *Ordering[T], opts ...Option) beam.PCollection {
	checkGiven("Sort", s, col)
	order.check("Sort", col.Type().Type())
	c := newConfig(order.name, opts)
	if c.Prefix == "" {
		panic("beamsort: Sort without To: it needs a prefix for the names of shards")
	}
	if c.Format == "" {
		c.Format = order.defaultFormat().name
	}
	if _, err := order.format(c); err != nil {
		panic(err.Error())
	}
	s = s.Scope(fmt.Sprintf("beamsort.Sort(%s)", order.name))

	blocks, samples := beam.ParDo2(s.Scope("pack"), &packFn[T]{Config: c}, col)
	plan := beam.ParDo(s.Scope("plan"), &planStep{Config: c}, beam.Impulse(s), beam.SideInput{Input: samples})
	mark := beam.ParDo(s.Scope("mark"), &markFn{}, beam.Impulse(s))
	marked := beam.Flatten(s, blocks, mark)
	routed := beam.ParDo(s.Scope("route"), &routeStep{Config: c}, marked, beam.SideInput{Input: plan})
	parts := beam.GroupByKey(s, routed)
	shards := beam.ParDo(s.Scope("shard"), &shardStep{Config: c}, parts, beam.SideInput{Input: plan})
	if c.Manifest {
		beam.ParDo0(s.Scope("manifest"), &manifestFn{Config: c}, beam.Impulse(s), beam.SideInput{Input: shards}, beam.SideInput{Input: plan})
	}
	return shards
}

// markFn emits an empty block, which begins every part. An impulse would do, but the fusion of
// Beam's runners for Flink and Spark makes no valid pipeline of a flatten that a runner executes for one
// input and a worker for the other: "A PCollectionNode should have exactly one producing
// PTransformNode, but found 2".
type markFn struct{}

// ProcessElement emits an empty block.
func (*markFn) ProcessElement(_ []byte, emit func([]byte)) { emit([]byte{}) }

// checkGiven panics if a scope or a collection is none of a pipeline.
func checkGiven(call string, s beam.Scope, col beam.PCollection) {
	if !s.IsValid() {
		panic(fmt.Sprintf("beamsort: %s in no scope", call))
	}
	if !col.IsValid() {
		panic(fmt.Sprintf("beamsort: %s of no collection", call))
	}
}

// check panics unless a collection has elements of T, or if there is no order.
func (o *Ordering[T]) check(call string, have reflect.Type) {
	if o == nil {
		panic(fmt.Sprintf("beamsort: %s by a nil Ordering", call))
	}
	if want := reflect.TypeFor[T](); have != want {
		panic(fmt.Sprintf("beamsort: %s by order %q of %v, but elements are %v", call, o.name, want, have))
	}
}

// fail names the step of an error.
func (c *config) fail(step string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("beamsort: sort by %q: %s: %w", c.Order, step, err)
}
