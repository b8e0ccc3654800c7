package small

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/ties"
	"example.com/sorter/perm"
)

// Rows are ordered by columns that are made for one call, as a query does. So nothing is prepared for the columns:
// rows are sorted by the first word of their codes, runs of ties by the next.

// rows is pooled memory for an order of elements, or of row numbers. A run at places [lo, hi) of the order has
// these places of all lists.
type rows struct {
	cols []extract.Column
	from column.FewOf  // the elements
	by   sortkey.Order // of the call
	call *Call
	env  engine.Env
	size int // capacity of the lists

	order    []uint32 // the result
	numbers  []int    // rows that are read
	codes    []uint64 // of a word; in the end equal codes mean equal rows
	spare    []uint64
	index    []uint32 // of the keys of a wide column
	moved    []uint32
	selected []uint32 // the order of a selection, made at first use
	next     []uint64 // codes of the second word by row, made at first use
	known    int      // its first column, if these are known
	fresh    bool     // order is that of the elements still
	pairs    bucket.Pairs
	near     presorted.Near
	wide     wideKeys      // of wide columns
	marks    []engine.Ties // by column: rows that tie with their predecessors in all up to it; nil if nobody asks
}

var rowsPool = sync.Pool{New: func() any { return new(rows) }}

// fit takes memory for n rows.
func (w *rows) fit(n int) {
	if w.size >= n {
		return
	}
	*w = rows{cols: w.cols, from: w.from, by: w.by, call: w.call, marks: w.marks, size: 1 << bits.Len(uint(max(n, 32)-1))}
	w.numbers, w.index, w.moved = make([]int, w.size), make([]uint32, w.size), make([]uint32, w.size)
	w.codes, w.spare = make([]uint64, w.size), make([]uint64, w.size)
	w.env.Arena.Hold(scratch.Size(w.size, 8+4+4+8+8))
}

// takeRows returns a workspace for a call. cols stay on the caller's stack.
func takeRows(cols []extract.Column, from column.FewOf, cfg *call.Options, c *Call) *rows {
	w := rowsPool.Get().(*rows)
	w.begin(append(w.cols, cols...), from, cfg, c)
	return w
}

// begin takes the columns of a call.
func (w *rows) begin(cols []extract.Column, from column.FewOf, cfg *call.Options, c *Call) {
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
	w.cols, w.from, w.call, w.order, w.marks = w.cols[:0], column.FewOf{}, nil, nil, nil
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
	if ServesFew(cfg, n) {
		return OrderFew(extract.Specs(cols), n, cfg), nil
	}
	return orderByColumns(cols, column.FewOf{Rows: true}, cpu.PayloadOf(allRows()[:n]), cfg)
}

// orderByColumns returns the order of s, the elements of from or row numbers, by cols, and delivers the runs that the
// call asks for.
func orderByColumns(cols []extract.Column, from column.FewOf, s cpu.Payload, cfg *call.Options) (perm.Perm, error) {
	p := column.Result(from.Block, s.Len(), cfg.Into, extract.Specs(cols))
	c := begin(cfg, s.Len(), keyFunction)
	defer c.end()
	w := takeRows(cols, from, cfg, c)
	m := w.mark(cfg.Marks, s.Len())
	err := w.orderAll(p, s)
	w.put(s.Len())
	if err != nil {
		return nil, err
	}
	m.deliver()
	return p, nil
}

// OrderSelected reorders row numbers by columns, which it changes.
func OrderSelected(cols []extract.Column, selected []uint32, cfg *call.Options) error {
	if ServesFew(cfg, len(selected)) {
		orderFewSelected(cols, selected, cfg)
		return nil
	}
	c := begin(cfg, len(selected), keyFunction)
	defer c.end()
	w := takeRows(cols, column.FewOf{Rows: true}, cfg, c)
	m := w.mark(cfg.Marks, len(selected))
	w.fit(len(selected))
	p := w.other(len(selected))
	copy(p, selected)
	err := w.orderBy(p)
	if err == nil {
		copy(selected, p)
		m.deliver()
	}
	w.put(len(selected))
	return err
}

// orderAll writes the order of s to p.
func (w *rows) orderAll(p perm.Perm, s cpu.Payload) error {
	if len(p) >= leastSurveyed && extract.InOneCode(w.cols) {
		return orderColumn(p, &w.cols[0], w.marksOf(0), s, w.call)
	}
	w.fit(len(p))
	for i := range p {
		p[i] = uint32(i)
	}
	w.fresh = true
	return w.orderBy(p)
}

// leastSurveyed is the number of rows from which codes that hold whole keys are surveyed for some order or few values: of
// 20 rows it takes a tenth of the call.
const leastSurveyed = 64

// orderBy sorts the elements of p.
func (w *rows) orderBy(p perm.Perm) error {
	w.order, w.known = p, 0
	w.sort(0, len(p), 0)
	w.fresh = false
	w.call.bitsOf(w.wordBits())
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

// marksOf returns the marks of rows that tie up to column k, nil if nobody asks for them.
func (w *rows) marksOf(k int) engine.Ties {
	if w.marks == nil {
		return nil
	}
	return w.marks[k]
}

// wordEnd returns the end of the word that begins with column k: columns whose codes fit 64 bits side by side, of which
// only the last has marks, or one column of wider codes.
func (w *rows) wordEnd(k int) int {
	bits := w.cols[k].Bits()
	for k++; k < len(w.cols) && bits+w.cols[k].Bits() <= 64 && w.marksOf(k-1) == nil; k++ {
		bits += w.cols[k].Bits()
	}
	return k
}

// wordBits returns the width of the first word's codes.
func (w *rows) wordBits() (bits int) {
	for k := range w.wordEnd(0) {
		bits += w.cols[k].Bits()
	}
	return min(64, bits)
}

// codesOf writes the codes of a word, columns [k, end), of the rows at places [lo, hi).
func (w *rows) codesOf(dst []uint64, lo, hi, k, end int) {
	from := extract.Batch{Block: w.from.Block}
	if k > 0 || !w.fresh || w.from.Rows {
		from = w.batch(lo, hi)
	}
	w.cols[k].Codes(dst, from)
	for k++; k < end && w.call.err() == nil; k++ {
		c, part := &w.cols[k], w.spare[lo:hi]
		c.Paces.Restart(hi - lo)
		c.Codes(part, from)
		width := c.Bits() & 63
		for i, code := range part {
			dst[i] = dst[i]<<width | code
		}
	}
}

// sort sorts the rows at places [lo, hi), which tie in all columns before the k-th, which begins a word. Nulls that
// a code does not hold are parted from the others.
func (w *rows) sort(lo, hi, k int) {
	if k == len(w.cols) || hi-lo < 2 || w.call.err() != nil {
		return
	}
	known := k > 0 && k == w.known
	if hi-lo <= tinySort && w.call == nil && w.marks == nil && !known {
		var f few
		f.cols, f.from, f.order = extract.Specs(w.cols), w.from, w.by
		f.sort(w.order[lo:hi], k, false)
		return
	}
	c, end := &w.cols[k], w.wordEnd(k)
	c.Paces.Restart(hi - lo)
	if c.Nulls == column.NoNulls || c.Bits() <= 64 {
		switch {
		case known:
			for i, x := range w.order[lo:hi] {
				w.codes[lo+i] = w.next[x]
			}
		case !c.Kind().Wide():
			w.codesOf(w.codes[lo:hi], lo, hi, k, end)
		}
		w.sortBy(lo, hi, k, end)
		return
	}
	from, to := lo, hi // the others
	if nulls := w.partNulls(lo, hi, c); c.Nulls == column.NullsFirst {
		from += nulls
		w.sortNulls(lo, from, end)
	} else {
		to -= nulls
		w.sortNulls(to, hi, end)
	}
	w.sortBy(from, to, k, end)
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
	if c.Nulls == column.NullsFirst {
		copy(order[nulls:], order[:others])
		copy(codes[nulls:], codes[:others])
		copy(order, w.moved[lo:lo+nulls])
	} else {
		copy(order[others:], w.moved[lo:lo+nulls])
	}
	return nulls
}

// sortNulls sorts the rows at places [lo, hi), which are null in the column before the k-th.
func (w *rows) sortNulls(lo, hi, k int) {
	if tied := w.marksOf(k - 1); tied != nil {
		for i := lo + 1; i < hi; i++ {
			tied.Set(i)
		}
	}
	w.sort(lo, hi, k)
}

// sortBy sorts the rows at places [lo, hi) by a word, columns [k, end), whose codes are written unless keys are wide, and
// then each run of equal rows by the next words.
func (w *rows) sortBy(lo, hi, k, end int) {
	by, tied := &w.cols[k], w.marksOf(end-1)
	more := end < len(w.cols) || tied != nil || w.call.counts(k)
	switch wide := by.Kind().Wide(); {
	case hi-lo < 2 || w.call.err() != nil:
		return
	case wide && w.sortWide(lo, hi, k, more):
		return
	case wide:
	case w.inOrder(lo, hi, k, true, stream.Raw{}):
		return
	default:
		w.pairs.Sort(&w.env, w.codes[lo:hi], w.order[lo:hi])
	}
	if !more || w.call.err() != nil {
		return
	}
	if tied != nil {
		engine.MarkTies(tied, lo, false, w.codes[lo:hi])
	}
	for from, to := ties.NextTie(w.codes[:hi], lo); from < to; from, to = ties.NextTie(w.codes[:hi], to) {
		w.call.tiedRows(k, to-from)
		w.sort(from, to, end)
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
	if w.inOrder(lo, hi, k, whole, keys) {
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

// mayBeInOrder reports whether places [lo, hi) are those of all rows, to be sorted by the first word, of which few codes are out of place.
func (w *rows) mayBeInOrder(lo, hi, k int, whole bool) bool {
	n := hi - lo
	return k == 0 && w.fresh && n == len(w.order) && !(whole && n < leastSurveyed) && w.marks == nil && !w.call.counts(0) && mayOrder(w.codes[:n])
}

// sortNear sorts all n rows by their columns if all but few are in order. w.codes holds the codes of the first
// word; keys are those of a wide column, unless codes are whole. It extracts the codes of the second word for
// all rows if many tie in the first.
func (w *rows) sortNear(n int, whole bool, keys stream.Raw) bool {
	codes, index := w.codes[:n], w.index[:n]
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
	end := w.wordEnd(0) // of the columns whose codes are known
	if ties := w.near.Ties(); end < len(w.cols) && ties > 0 {
		if ties*leastTiedWords < n || w.cols[end].Bits() > 64 {
			return false
		}
		next, end = w.extractNext(n, end)
		w.near.Add(next)
	}
	if w.call.err() != nil || end < len(w.cols) && w.near.Ties()+w.near.Seen().Falls > 0 {
		return false // further columns decide
	}
	_, ok := w.near.Order(index, compare)
	if ok {
		copy(w.order, index)
	}
	return ok
}

// leastTiedWords is the share of elements, 1/leastTiedWords, that tie with their predecessors in the first word at least
// for the second of all to be extracted.
const leastTiedWords = 8

// extractNext returns the codes of the second word, which begins with column k, of all n rows, and its end.
func (w *rows) extractNext(n, k int) (next []uint64, end int) {
	if w.next == nil {
		w.next = make([]uint64, w.size)
		w.env.Arena.Hold(scratch.Size(w.size, 8))
	}
	end, w.known = w.wordEnd(k), k
	w.cols[k].Paces.Restart(n)
	w.codesOf(w.next[:n], 0, n, k, end)
	return w.next[:n], end
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
		return len(stream.SliceOf[string](keys)[i]) > texts.Turn
	case sortkey.Bytes:
		return len(stream.SliceOf[[]byte](keys)[i]) > texts.Turn
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
