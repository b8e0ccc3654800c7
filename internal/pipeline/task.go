package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ways"
)

// task is the rows that a request orders.
type task struct {
	r        *request
	f        facts
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
func (r *request) newTask(f facts, rows extract.Input) *task {
	t := &task{r: r, f: f, rows: rows}
	r.complete(&t.f)
	t.f.sampled = func() engine.Sample { return r.sampled(t.rows, t.f.words)() }
	return t
}

// run does the task by the first way that is done, or else by the general one.
func (t *task) run(general func(t *task) error) error {
	r := t.r
	for {
		if err := r.choose(&t.f); err != nil {
			return err
		}
		w := r.plan.way
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
	t.r.tried = max(t.r.tried, t.r.plan.bytes)
	done, err = w.do(t)
	if err == nil && (done || w.prepares) {
		ways.Took(w.is)
	}
	return done, err
}
