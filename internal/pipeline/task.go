package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ways"
)

// way is a shortcut for inputs of some shape. Its measured gain is in package ways.
type way struct {
	is       ways.Way
	movement movement // asPlanned: that of the general way
	prepares bool     // it only changes the task, for the ways after it

	// fits reports whether the way may be tried. It is asked once, and asks for samples last.
	fits func(f *Facts) bool

	// bytes bounds the scratch memory.
	bytes func(f *Facts) int64

	// do is the way. Where it is not done, nothing was moved, and the next way goes on.
	do func(t *task) (done bool, err error)
}

// asPlanned is the movement of a way that moves elements as the general way does.
const asPlanned = movements

// waysOf are the ways of each family of calls, in the order in which they are tried. The general way comes after them
// and always fits: a plan without a way is its plan. Calls on up to 4096 elements are those of package small.
var waysOf [verbs][]way

// shortcut returns the next way of the facts' family that fits them, with its bytes; nil if there is none.
func (f *Facts) shortcut(of verb) (w *way, bytes int64) {
	for list := waysOf[of]; f.asked < len(list); {
		w = &list[f.asked]
		f.asked++
		if ways.On(w.is) && w.fits(f) {
			if bytes = w.bytes(f); f.fits(bytes) {
				return w, bytes
			}
		}
	}
	return nil, 0
}

// task is the rows that a request orders.
type task struct {
	r        *Request
	f        Facts
	rows     extract.Input
	cols     []extract.Column // of rows
	elements cpu.Payload      // to be sorted
	index    []uint32         // to be written where rows are ordered
	begin    func() error     // takes memory for index, once; nil: it is there
	nulls    *nullsFound      // of the first column, looked for once
	leading  []extract.Word   // of which the first is the first column
	runs     engine.Ties      // of rows that tie there, if rows are in order by it
}

// newTask returns the task to order rows.
func (r *Request) newTask(f Facts, rows extract.Input) *task {
	t := &task{r: r, f: f, rows: rows}
	r.complete(&t.f)
	t.f.Sampled = func() engine.Sample { return r.Sampled(t.rows, t.f.Words)() }
	return t
}

// run does the task by the first way that is done, or else by the general one.
func (t *task) run(general func(t *task) error) error {
	r := t.r
	for {
		if err := r.choose(&t.f); err != nil {
			return err
		}
		w := r.Plan.way
		if t.begin != nil && (w == nil || !w.prepares) {
			if err := t.begin(); err != nil {
				return err
			}
			t.begin = nil
		}
		if w == nil {
			return general(t)
		}
		if done, err := t.try(w); done || err != nil {
			return err
		}
	}
}

// try does a way of the task's plan.
func (t *task) try(w *way) (done bool, err error) {
	t.r.tried = max(t.r.tried, t.r.Plan.bytes)
	done, err = w.do(t)
	if err == nil && (done || w.prepares) {
		ways.Took(w.is)
	}
	return done, err
}
