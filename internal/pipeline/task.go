package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ways"
)

// way is a shortcut for inputs of some shape. Its measured gain is in package ways.
type way struct {
	shortcut
	movement movement // asPlanned: that of the general way
}

type shortcut = ways.Shortcut[*Facts, *Facts, *task]

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
		if w.May(f) {
			if bytes = w.Bytes(f); f.fits(bytes) {
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
		if t.begin != nil && (w == nil || !w.Prepares) {
			if err := t.begin(); err != nil {
				return err
			}
			t.begin = nil
		}
		if w == nil {
			return general(t)
		}
		r.tried = max(r.tried, r.Plan.bytes)
		if done, err := w.Try(t); err != nil || done && !w.Prepares {
			return err
		}
	}
}
