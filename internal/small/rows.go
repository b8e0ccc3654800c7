package small

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/ties"
	"example.com/sorter/perm"
)

// Few rows are ordered by columns that are made for one call, as a query does, and elements by an
// Ordering that has not been used before. So nothing is prepared for the columns: elements are sorted by
// the first, runs of ties by the next.

// rows is pooled memory for an order of elements, or of row numbers. A run at places [lo, hi) of the order has
// these places of all lists.
type rows struct {
	cols []extract.Column
	from extract.FewOf // the elements
	by   sortkey.Order // of the call
	call *Call
	env  engine.Env
	size int // capacity of the lists

	order    []uint32 // the result
	numbers  []int    // rows that are read
	codes    []uint64 // of a column; in the end equal codes mean equal rows
	spare    []uint64
	index    []uint32 // of the keys of a wide column
	moved    []uint32
	selected []uint32 // the order of a selection, made at first use
	next     []uint64 // codes of the second column by row, if known, made at first use
	known    bool
	fresh    bool // order is that of the elements still
	pairs    cpu.Pairs
	near     presorted.Near
	wide     wideKeys // of wide columns
}

var rowsPool = sync.Pool{New: func() any { return new(rows) }}

// fit takes memory for n rows.
func (w *rows) fit(n int) {
	if w.size >= n {
		return
	}
	*w = rows{cols: w.cols, from: w.from, by: w.by, call: w.call, size: 1 << bits.Len(uint(max(n, 32)-1))}
	w.numbers, w.index, w.moved = make([]int, w.size), make([]uint32, w.size), make([]uint32, w.size)
	w.codes, w.spare = make([]uint64, w.size), make([]uint64, w.size)
	w.env.Arena.Hold(scratch.Size(w.size, 8+4+4+8+8))
}

// takeRows returns a workspace for a call. cols stay on the caller's stack.
func takeRows(cols []extract.Column, from extract.FewOf, cfg *call.Options, c *Call) *rows {
	w := rowsPool.Get().(*rows)
	w.begin(append(w.cols, cols...), from, cfg, c)
	return w
}

// begin takes the columns of a call.
func (w *rows) begin(cols []extract.Column, from extract.FewOf, cfg *call.Options, c *Call) {
	w.call, w.from, w.by, w.cols = c, from, cfg.Order(), cols
	for i := range w.cols {
		by := &w.cols[i]
		by.Order, by.Paces = by.OrderUnder(w.by), c.paces()
	}
}

// other returns memory for an order of n elements besides those that are sorted.
func (w *rows) other(n int) perm.Perm {
	if w.selected == nil {
		w.selected = make([]uint32, w.size)
		w.env.Arena.Hold(scratch.Size(w.size, 4))
	}
	return w.selected[:n]
}

// put clears references to the n rows and returns the workspace.
func (w *rows) put(n int) {
	clear(w.cols)
	w.cols, w.from, w.call, w.order = w.cols[:0], extract.FewOf{}, nil, nil
	w.wide.forget(n)
	rowsPool.Put(w)
}

// allRows are the rows that are ordered first, as elements. They are read-only.
var allRows = sync.OnceValue(func() []int {
	all := make([]int, cpu.SmallLen)
	for i := range all {
		all[i] = i
	}
	return all
})

// OrderRows returns the order of n row numbers by columns, which it changes.
func OrderRows(cols []extract.Column, n int, cfg *call.Options) (perm.Perm, error) {
	if cfg.Marks != nil {
		return orderMarked(slices.Clone(cols), cpu.PayloadOf(allRows()[:n]), cfg)
	}
	if ServesFew(cfg, n) {
		return OrderFew(extract.ListOf(cols), n, cfg), nil
	}
	p := extract.Result(stream.Raw{}, n, cfg.Into, cols...)
	c := begin(cfg, n, KeyFunction)
	defer c.end()
	w := takeRows(cols, extract.FewOf{Rows: true}, cfg, c)
	err := w.orderAll(p, cpu.PayloadOf(allRows()[:n]))
	w.put(n)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// orderedOnce is ordered without a workspace of the Ordering.
func (o *Ordering) orderedOnce(s cpu.Payload, cfg *call.Options, use func(order []uint32, same bool)) error {
	c := begin(cfg, s.Len(), KeyFunction)
	defer c.end()
	w := rowsPool.Get().(*rows)
	w.begin(extract.AppendColumns(w.cols, o.specs()), extract.FewOf{Block: s.Raw()}, cfg, c)
	w.fit(s.Len())
	p := w.other(s.Len())
	err := w.orderAll(p, s)
	if err == nil {
		use(p, presorted.InPlaces(p, 0))
	}
	w.put(s.Len())
	return err
}

// OrderSelected reorders row numbers by columns, which it changes.
func OrderSelected(cols []extract.Column, selected []uint32, cfg *call.Options) error {
	if cfg.Marks != nil {
		return orderSelectedMarked(slices.Clone(cols), selected, cfg)
	}
	if ServesFew(cfg, len(selected)) {
		orderFewSelected(cols, selected, cfg)
		return nil
	}
	c := begin(cfg, len(selected), KeyFunction)
	defer c.end()
	w := takeRows(cols, extract.FewOf{Rows: true}, cfg, c)
	w.fit(len(selected))
	p := w.other(len(selected))
	copy(p, selected)
	err := w.orderBy(p)
	if err == nil {
		copy(selected, p)
	}
	w.put(len(selected))
	return err
}

// orderSelectedMarked is OrderSelected for calls that ask for runs.
func orderSelectedMarked(cols []extract.Column, selected []uint32, cfg *call.Options) error {
	numbers, own := make([]int, len(selected)), *cfg
	for i, row := range selected {
		numbers[i] = int(row)
	}
	extract.ForPicked(cols, selected)
	own.Into = nil
	p, err := orderMarked(cols, cpu.PayloadOf(numbers), &own)
	for i, at := range p {
		selected[i] = uint32(numbers[at])
	}
	return err
}

// orderAll writes the order of s to p.
func (w *rows) orderAll(p perm.Perm, s cpu.Payload) error {
	if extract.InOneCode(w.cols) {
		return orderColumn(p, &w.cols[0], nil, s, w.call)
	}
	w.fit(len(p))
	for i := range p {
		p[i] = uint32(i)
	}
	w.fresh = true
	return w.orderBy(p)
}

// orderBy sorts the elements of p.
func (w *rows) orderBy(p perm.Perm) error {
	w.order, w.known = p, false
	w.sort(0, len(p), 0)
	w.fresh = false
	w.call.bitsOf(min(64, w.cols[0].Bits()))
	w.call.countScratch(w.env.Arena.Peak())
	return w.call.err()
}

// batch returns the elements at places [lo, hi) of the order.
func (w *rows) batch(lo, hi int) extract.Batch {
	if w.from.Rows {
		return extract.Rows(w.numbers[lo:], w.order[lo:hi])
	}
	return extract.Elements(w.from.Block, w.order[lo:hi])
}

// sort sorts the rows at places [lo, hi), which tie in all columns before the k-th. Nulls that
// a code does not hold are parted from the others.
func (w *rows) sort(lo, hi, k int) {
	if k == len(w.cols) || hi-lo < 2 || w.call.err() != nil {
		return
	}
	known := k == 1 && w.known
	if hi-lo <= tinySort && w.call == nil && !known {
		var f few
		f.cols, f.from, f.order = extract.ListOf(w.cols), w.from, w.by
		f.sort(w.order[lo:hi], k, false)
		return
	}
	c := &w.cols[k]
	c.Paces.Restart(hi - lo)
	if c.Nulls == extract.NoNulls || c.Bits() <= 64 {
		switch {
		case known:
			for i, x := range w.order[lo:hi] {
				w.codes[lo+i] = w.next[x]
			}
		case !c.Kind().Wide():
			c.Codes(w.codes[lo:hi], w.batch(lo, hi))
		}
		w.sortBy(lo, hi, k)
		return
	}
	from, to := lo, hi // the others
	if nulls := w.partNulls(lo, hi, c); c.Nulls == extract.NullsFirst {
		from += nulls
		w.sort(lo, from, k+1)
	} else {
		to -= nulls
		w.sort(to, hi, k+1)
	}
	w.sortBy(from, to, k)
}

// partNulls moves the nulls of a column to their side, rows in their sequence, and returns their
// number. It writes the codes of the others, unless keys are wide.
func (w *rows) partNulls(lo, hi int, c *extract.Column) (nulls int) {
	order, codes, others, wide := w.order[lo:hi], w.codes[lo:hi], 0, c.Kind().Wide()
	for at := 0; at < len(order); at += 64 {
		end := min(at+64, len(order))
		var set uint64
		if batch := w.batch(lo+at, lo+end); wide {
			set, _ = c.NullsOf(batch, end-at)
		} else {
			set = c.CodesOrNulls(codes[at:end], batch)
		}
		if w.call.err() != nil {
			return 0
		}
		for i := at; i < end; i++ { // without branches: nulls come at random
			null := int(set >> (i - at) & 1)
			w.moved[lo+nulls], order[others], codes[others] = order[i], order[i], codes[i]
			nulls, others = nulls+null, others+1-null
		}
	}
	if c.Nulls == extract.NullsFirst {
		copy(order[nulls:], order[:others])
		copy(codes[nulls:], codes[:others])
		copy(order, w.moved[lo:lo+nulls])
	} else {
		copy(order[others:], w.moved[lo:lo+nulls])
	}
	return nulls
}

// sortBy sorts the rows at places [lo, hi) by the k-th column, of whose keys that are not wide the codes are
// written, and then each run of equal rows by the next columns.
func (w *rows) sortBy(lo, hi, k int) {
	by, more := &w.cols[k], k+1 < len(w.cols) || w.call.counts(k)
	switch wide := by.Kind().Wide(); {
	case hi-lo < 2 || w.call.err() != nil:
		return
	case wide && w.sortWide(lo, hi, k, more):
		return
	case wide:
	case w.sortNear(lo, hi, k, true, stream.Raw{}):
		return
	default:
		w.pairs.Sort(&w.env, w.codes[lo:hi], w.order[lo:hi])
	}
	if !more || w.call.err() != nil {
		return
	}
	for from, end := ties.NextTie(w.codes[:hi], lo); from < end; from, end = ties.NextTie(w.codes[:hi], end) {
		w.call.tiedRows(k, end-from)
		w.sort(from, end, k+1)
	}
}

// sortWide sorts the rows at places [lo, hi), none of them null, by the k-th column, of wide keys. If there is
// more to do it numbers the runs of equal keys in w.codes; done reports that there is not.
func (w *rows) sortWide(lo, hi, k int, more bool) (done bool) {
	by := &w.cols[k]
	kind, keys := by.Kind(), w.keys(lo, hi, by.Kind())
	order, codes, sorted, index := w.order[lo:hi], w.codes[lo:hi], w.spare[lo:hi], w.index[lo:hi]
	if by.Keys(keys, w.batch(lo, hi)) < len(order) {
		return true // cancelled
	}
	whole := leading(kind, codes, keys, by.Order)
	if w.sortNear(lo, hi, k, whole, keys) {
		return true
	}
	whole = whole || leadingAfterShared(kind, codes, keys, by.Order)
	for i := range index {
		index[i] = uint32(i)
	}
	copy(sorted, codes)
	w.pairs.Sort(&w.env, sorted, index)
	switch { // runs of texts stay unsorted if the call is cancelled
	case whole:
	case kind == sortkey.String:
		orderTiedTexts(index, codes, stream.SliceOf[string](keys), by.Order, w.call)
	case kind == sortkey.Bytes:
		orderTiedTexts(index, codes, stream.SliceOf[[]byte](keys), by.Order, w.call)
	default:
		orderTiedWords(kind, index, codes, keys, by.Order)
	}
	if w.call.err() != nil {
		return true
	}
	copy(w.moved[lo:hi], order)
	for i, at := range index {
		order[i] = w.moved[lo+int(at)]
	}
	switch {
	case more && whole:
		copy(codes, sorted)
	case more:
		w.numberRuns(lo, hi, by, keys)
	}
	return false
}

// sortNear sorts all rows by their columns if all but few are in order. w.codes holds the codes of the first
// column; keys are those of a wide one, unless codes are whole. It extracts the codes of the second column for
// all rows if many tie in the first.
func (w *rows) sortNear(lo, hi, k int, whole bool, keys stream.Raw) bool {
	n, cols := hi-lo, len(w.cols)
	codes, index := w.codes[:n], w.index[:n]
	if k > 0 || !w.fresh || n < len(w.order) || w.call.counts(0) || !presorted.MayOrder(n, presorted.StepsOf(codes)) {
		return false
	}
	by, loop, next := &w.cols[0], w.call.asked(), []uint64(nil)
	rest := func(i, j uint32) int { return compareRest(by.Kind(), keys, i, j, by.Order, loop) }
	compare := func(i, j uint32) int {
		switch {
		case codes[i] != codes[j]:
			return cmp.Compare(codes[i], codes[j])
		case !whole:
			if c := rest(i, j); c != 0 {
				return c
			}
		}
		if next == nil {
			return 0
		}
		return cmp.Compare(next[i], next[j])
	}
	if w.near.Begin(codes); !w.near.MayMerge(index, compare) || !whole && !w.near.CompareTies(rest) {
		return false
	}
	if ties := w.near.Ties(); cols > 1 && ties > 0 {
		if ties*leastTiedWords < n || w.cols[1].Bits() > 64 {
			return false
		}
		next = w.extractNext(n)
		w.near.Add(next)
	}
	if w.call.err() != nil || cols > 2 && w.near.Ties() > 0 || w.near.Seen().Falls > 0 && (cols > 2 || cols == 2 && next == nil) {
		return false // further columns decide
	}
	_, ok := w.near.Order(index, compare)
	if ok {
		copy(w.order, index)
	}
	return ok
}

// extractNext returns the codes of the second column of all n rows.
func (w *rows) extractNext(n int) []uint64 {
	if w.next == nil {
		w.next = make([]uint64, w.size)
		w.env.Arena.Hold(scratch.Size(w.size, 8))
	}
	c := &w.cols[1]
	c.Paces.Restart(n)
	c.Codes(w.next[:n], w.batch(0, n))
	w.known = true
	return w.next[:n]
}

// numberRuns gives equal keys of sorted rows one number in w.codes.
func (w *rows) numberRuns(lo, hi int, by *extract.Column, keys stream.Raw) {
	k, codes, sorted, index := by.Kind(), w.codes[lo:hi], w.spare[lo:hi], w.index[lo:hi]
	for i, at := range index {
		sorted[i] = uint64(i)
		if i == 0 {
			continue
		}
		if isLong(k, keys, at) && w.call.err() != nil {
			return
		}
		if sameKeys(k, codes, keys, by.Order, index[i-1], at) {
			sorted[i] = sorted[i-1]
		}
	}
	copy(codes, sorted)
}

// keys returns memory for the wide keys of the rows at places [lo, hi).
func (w *rows) keys(lo, hi int, k sortkey.Kind) stream.Raw {
	keys, grown := w.wide.places(k, lo, hi, w.size)
	w.env.Arena.Hold(grown)
	return keys
}

// isLong reports whether key i is a text that takes as long to compare as a question to the context.
func isLong(k sortkey.Kind, keys stream.Raw, i uint32) bool {
	switch k {
	case sortkey.String:
		return len(stream.SliceOf[string](keys)[i]) > extract.TextTurn
	case sortkey.Bytes:
		return len(stream.SliceOf[[]byte](keys)[i]) > extract.TextTurn
	}
	return false
}

// sameKeys reports whether two wide keys, numbered by a and b, are equal under o: in the total order
// of floats fewer are.
func sameKeys(k sortkey.Kind, codes []uint64, keys stream.Raw, o sortkey.Order, a, b uint32) bool {
	if codes[a] != codes[b] {
		return false
	}
	switch k {
	case sortkey.String:
		texts := stream.SliceOf[string](keys)
		return texts[a] == texts[b]
	case sortkey.Bytes:
		texts := stream.SliceOf[[]byte](keys)
		return slices.Equal(texts[a], texts[b])
	}
	return sortkey.CompareRest(k, keys.At(int(a)), keys.At(int(b)), o) == 0
}
