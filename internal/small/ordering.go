package small

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// Ordering is an ordering of the public package without the type of its elements. A nil Ordering has no
// columns.
type Ordering struct {
	cols     once[[]extract.Column]
	n        uint8          // columns in few
	Compares once[Compares] // of the public package
	more     []column.Spec  // all columns, if they are more than few has room for
	few      [2]column.Spec
}

// once is a value that is made when it is first asked for. An Ordering of one call stays on the stack: the
// compiler sees that no call keeps its address, except for operations on an atomic.Pointer.
type once[T any] struct{ made atomic.Pointer[T] }

// hidden is sound: atomic operations keep no address. See [cpu.Hidden].
func (o *once[T]) hidden() *atomic.Pointer[T] {
	return (*atomic.Pointer[T])(cpu.Hidden(unsafe.Pointer(&o.made)))
}

// Load returns the value, nil if there is none.
func (o *once[T]) Load() *T { return o.hidden().Load() }

// Make returns the value, which is new if there was none.
func (o *once[T]) Make(new *T) *T {
	if made := o.hidden(); !made.CompareAndSwap(nil, new) {
		return made.Load()
	}
	return new
}

// Compares are the comparisons of two elements, by column: functions of their type.
type Compares []func()

// Init makes o the ordering of elements by columns.
func (o *Ordering) Init(cols []column.Spec) {
	column.CheckMade(cols)
	if len(cols) > len(o.few) {
		o.more = slices.Clone(cols)
	} else {
		o.put(cols)
	}
}

// put writes the few columns of o. A copy by the runtime takes as long as a row.
func (o *Ordering) put(cols []column.Spec) {
	switch o.n = uint8(len(cols)); len(cols) {
	case 2:
		o.few[1] = cols[1]
		fallthrough
	case 1:
		o.few[0] = cols[0]
	}
}

// specs returns the columns as the program made them.
func (o *Ordering) specs() []column.Spec {
	if o.more != nil {
		return o.more
	}
	return o.few[:o.n]
}

// CheckElements panics if elements are no row numbers of columns that have keys by row number.
func (o *Ordering) CheckElements(elements []int) {
	if o != nil {
		column.CheckElements(o.specs(), elements)
	}
}

// Len returns the number of columns.
func (o *Ordering) Len() int {
	if o == nil {
		return 0
	}
	return len(o.specs())
}

// Join returns the ordering by the columns of o, then by those of next. Both may be nil.
func (o *Ordering) Join(next *Ordering) *Ordering {
	var all []column.Spec
	for _, from := range [...]*Ordering{o, next} {
		if from != nil {
			all = append(all, from.specs()...)
		}
	}
	joined := new(Ordering)
	joined.Init(all)
	return joined
}

// Columns returns the columns. They are read-only.
func (o *Ordering) Columns() []extract.Column {
	if o.Len() == 0 {
		return nil
	}
	if made := o.cols.Load(); made != nil {
		return *made
	}
	all := extract.AppendColumns(make([]extract.Column, 0, len(o.specs())), o.specs())
	return *o.cols.Make(&all)
}

// ordered passes the order of s to use, and whether s is in order, unless the call was cancelled.
func (o *Ordering) ordered(s cpu.Payload, cfg *call.Options, use func(order []uint32, same bool)) error {
	c := begin(cfg, s.Len(), keyFunction)
	defer c.end()
	w := rowsPool.Get().(*rows)
	w.begin(extract.AppendColumns(w.cols, o.specs()), column.FewOf{Block: s.Raw()}, cfg, c)
	w.fit(s.Len())
	p := w.other(s.Len())
	err := w.orderAll(p, s)
	if err == nil {
		use(p, presorted.InPlaces(p, 0))
	}
	w.put(s.Len())
	return err
}

// OrderFew returns the order of at most tinySort elements.
func (o *Ordering) OrderFew(s stream.Raw, cfg *call.Options) perm.Perm {
	p := column.Result(s, s.Len(), cfg.Into, column.ListOf(o.specs()))
	o.orderFew(p, s, cfg)
	return p
}

// orderFew orders at most tinySort elements of s, numbered by order.
func (o *Ordering) orderFew(order []uint32, s stream.Raw, cfg *call.Options) {
	var f few
	f.cols, f.from.Block, f.order = column.ListOf(o.specs()), s, cfg.Order()
	f.sortAll(order)
}

// SortFew sorts at most tinySort elements.
func (o *Ordering) SortFew(s cpu.Payload, cfg *call.Options) {
	if s.Len() < 2 {
		return
	}
	var order [tinySort]uint32
	o.orderFew(order[:s.Len()], s.Raw(), cfg)
	if !ascend(order[:s.Len()]) {
		s.FollowFew(&order)
	}
}

// Sort sorts s.
func (o *Ordering) Sort(s cpu.Payload, cfg *call.Options) error {
	if ServesFew(cfg, s.Len()) {
		o.SortFew(s, cfg)
		return nil
	}
	return o.ordered(s, cfg, func(order []uint32, same bool) {
		if !same {
			s.FollowCycles(order)
		}
	})
}

// Order returns the order of s.
func (o *Ordering) Order(s cpu.Payload, cfg *call.Options) (perm.Perm, error) {
	if ServesFew(cfg, s.Len()) {
		return o.OrderFew(s.Raw(), cfg), nil
	}
	if cfg.Marks != nil {
		return orderByColumns(o.Columns(), column.FewOf{Block: s.Raw()}, s, cfg)
	}
	p := column.Result(s.Raw(), s.Len(), cfg.Into, column.ListOf(o.specs()))
	if err := o.ordered(s, cfg, func(order []uint32, _ bool) { copy(p, order) }); err != nil {
		return nil, err
	}
	return p, nil
}

// Top moves the first k elements of s to the front, by front.
func (o *Ordering) Top(s cpu.Payload, k int, cfg *call.Options, front func(order []uint32)) error {
	if k >= s.Len() {
		return o.Sort(s, cfg)
	}
	if ServesFew(cfg, s.Len()) {
		var order [tinySort]uint32
		o.orderFew(order[:s.Len()], s.Raw(), cfg)
		// Sound: front does not keep the order.
		front(unsafe.Slice((*uint32)(cpu.Hidden(unsafe.Pointer(&order))), k))
		return nil
	}
	return o.ordered(s, cfg, func(order []uint32, _ bool) { front(order[:k]) })
}
