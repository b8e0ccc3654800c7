package conformance_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
)

// drawnColumn is a column of drawn keys by row number.
type drawnColumn interface {
	String() string
	traits() columnTraits
	source(i int, layout string) (data []string, col string)
	keyType() string
	column(r *rand.Rand) (col sorter.Column[int], layout string) // in a drawn layout
	carried() sorter.Column[carried]
	compare(o oracle.Order) func(a, b int) int // of rows, in a call with the options of o
	isPlain() bool                             // neither nulls nor a direction of its own
	key() drawnKey
	pick(rows []int) drawnColumn // a copy with the keys of these rows
	shapeOf() []uint64           // numbers with the ties of the keys, before any became special

	// The column as a field of elements, where there is one for its keys.
	asField() (col drawnColumn, ok bool)
	fieldName() string
	signedName() string
	field(row int) (value any, null bool)

	// The verbs on keys alone, which are without nulls and ascend: see plain.
	plain() drawnColumn
	sortKeys(x *drawnCall)
	sortPairs(x *drawnCall)
	topKeys(x *drawnCall)
	orderKeys(x *drawnCall)
	quantiles() *quantile // nil: keys are no numbers
}

// carried is an element with pointers that carries its row.
type carried struct {
	name *int
	row  int
	more [3]uint64
}

// columnOf is a drawnColumn of keys of one type.
type columnOf[K sorter.Key] struct {
	kind  callKind[K]
	keys  []K
	draws keysDrawn
	calls *atomic.Pointer[keyFault]
	name  string
	desc  bool
	nans  oracle.NaNs
	place nullPlace
	nulls []bool
}

func (k callKind[K]) drawColumn(n int, of columnDraw) drawnColumn {
	c := &columnOf[K]{kind: k, calls: of.calls}
	c.keys, c.draws = k.drawKeys(n, of)
	c.name = c.draws.name
	switch {
	case of.aim != nil && of.IntN(4) > 0:
		c.desc, c.nans = of.IntN(3) == 0, oracle.NaNs(max(0, of.IntN(6)-2))
		if of.aim.nulls > 0 {
			c.place, c.nulls = nullPlace(1+of.IntN(2)), mapped(c.keys, func(K) bool { return of.Float64() < of.aim.nulls })
			c.name += fmt.Sprintf(", nulls: %v", of.aim.nulls)
		} else if of.IntN(2) == 0 {
			c.desc, c.nans = false, oracle.Least
		}
	case of.IntN(2) > 0:
		c.drawPlaces(n, of.Rand)
	}
	c.fulfil(n, of)
	return c
}

// columnDraw is from what a column is drawn.
type columnDraw struct {
	*rand.Rand
	calls *atomic.Pointer[keyFault]
	aim   *columnAim // nil: none
	want  wanted     // of the column
	ends  bool       // keys are at the ends of their range
	tied  []uint64   // numbers of the column before, nil: there is none
}

// drawColumn draws a column, which may depend on the one before it.
func (c *drawnCase) drawColumn() drawnColumn {
	of := columnDraw{Rand: c.Rand, calls: c.keyCalls}
	n := c.n + 1 + c.IntN(3)
	if len(c.cols) > 0 {
		of.tied, n = c.cols[len(c.cols)-1].shapeOf(), c.rows()
	}
	return drawKind(c.Rand).drawColumn(n, of)
}

// rows is the number of keys of a case's columns: some are of no row.
func (c *drawnCase) rows() int {
	if len(c.cols) == 0 {
		return c.n + 1
	}
	return len(c.cols[0].shapeOf())
}

func (c *columnOf[K]) shapeOf() []uint64 { return c.draws.values }

func (c *columnOf[K]) pick(rows []int) drawnColumn {
	some := *c
	some.keys = c.at(rows)
	some.draws.values = at(c.draws.values, rows)
	if c.nulls != nil {
		some.nulls = at(c.nulls, rows)
	}
	return &some
}

// drawPlaces draws the direction and the places of NaNs and of nulls.
func (c *columnOf[K]) drawPlaces(n int, r *rand.Rand) {
	c.desc, c.nans = r.IntN(2) == 0, oracle.NaNs(r.IntN(4))
	if c.place = nullPlace(r.IntN(3)); c.place == noNulls {
		return
	}
	name := ""
	c.nulls, name = drawNulls(n, r)
	if r.IntN(2) == 0 { // the keys of nulls do not count
		for i, null := range c.nulls {
			if null {
				c.keys[i] = c.kind.special[r.IntN(len(c.kind.special))]
			}
		}
	}
	c.name += ", nulls: " + name
}

// drawNulls draws which of n rows are null.
func drawNulls(n int, r *rand.Rand) (nulls []bool, name string) {
	nulls = make([]bool, n)
	set := func(of func(i int) bool) {
		for i := range nulls {
			nulls[i] = of(i)
		}
	}
	from, to := r.IntN(n+1), r.IntN(n+1)
	switch way := r.IntN(8); way {
	case 0:
		return nulls, "none"
	case 1:
		nulls[r.IntN(n)] = true
		return nulls, "one"
	case 2:
		set(func(int) bool { return true })
		return nulls, "all"
	case 3:
		set(func(i int) bool { return from <= i && i < to })
		return nulls, fmt.Sprintf("%d to %d", from, to)
	case 4:
		set(func(i int) bool { return i < from || i == n-1 })
		return nulls, fmt.Sprintf("below %d and the last", from)
	default:
		share := []float64{0.5, 0.01, 0.1, 0.99, 0.9}[r.IntN(5)]
		set(func(int) bool { return r.Float64() < share })
		return nulls, fmt.Sprint(share)
	}
}

func (c *columnOf[K]) String() string {
	s := columnSpec{field: field{name: c.name}, desc: c.desc, nans: c.nans, nulls: c.place}
	return s.String()
}

func (c *columnOf[K]) isPlain() bool { return c.place == noNulls && !c.desc && c.nans == oracle.Least }

func (c *columnOf[K]) isNull(row int) bool { return c.nulls[row] }

// keyOf is the key function of rows, which is not called for nulls.
func (c *columnOf[K]) keyOf(row int) K {
	keyCalled(c.calls)
	if c.nulls != nil && c.nulls[row] {
		panic(fmt.Sprintf("the key function is called for the null of row %d", row))
	}
	return c.keys[row]
}

func (c *columnOf[K]) compare(o oracle.Order) func(a, b int) int {
	order := c.kind.order(o.Of(oracle.Order{Desc: c.desc, NaNs: c.nans}))
	if c.place == noNulls {
		return func(a, b int) int { return order(c.keys[a], c.keys[b]) }
	}
	side := 1
	if c.place == nullsFirst {
		side = -1
	}
	return func(a, b int) int {
		switch aNull, bNull := c.nulls[a], c.nulls[b]; {
		case aNull && bNull:
			return 0
		case aNull:
			return side
		case bNull:
			return -side
		}
		return order(c.keys[a], c.keys[b])
	}
}

func (c *columnOf[K]) carried() sorter.Column[carried] { return columnThrough(c, rowOf) }

// columnThrough makes a column of elements of the keys of their rows.
func columnThrough[E any, K sorter.Key](c *columnOf[K], row func(E) int) sorter.Column[E] {
	key := func(e E) K { return c.keyOf(row(e)) }
	col := sorter.Asc(key)
	if c.desc {
		col = sorter.Desc(key)
	}
	return placed(col, c.nans, c.place, func(e E) bool { return c.nulls[row(e)] })
}

func (c *columnOf[K]) column(r *rand.Rand) (col sorter.Column[int], layout string) {
	col, layout = c.layout(r)
	if c.place == noNulls || r.IntN(2) == 0 {
		return placed(col, c.nans, c.place, c.isNull), layout
	}
	col = placed(col, c.nans, noNulls, nil)
	valid, offset := validityOf(c.nulls, r)
	layout += ", null bits"
	if c.place == nullsFirst {
		return col.NullsFirstBits(valid, offset), layout
	}
	return col.NullsLastBits(valid, offset), layout
}

// placed gives a column the places of NaNs and nulls.
func placed[E any](col sorter.Column[E], nans oracle.NaNs, place nullPlace, isNull func(E) bool) sorter.Column[E] {
	switch place {
	case nullsFirst:
		col = col.NullsFirst(isNull)
	case nullsLast:
		col = col.NullsLast(isNull)
	}
	switch nans {
	case oracle.First:
		return col.NaNsFirst()
	case oracle.Last:
		return col.NaNsLast()
	case oracle.Total:
		return col.TotalOrder()
	}
	return col
}

// validityOf returns the validity bitmap of nulls, with other bits before and after it. It may be none if
// there are no nulls.
func validityOf(nulls []bool, r *rand.Rand) (valid []byte, offset int) {
	offset = r.IntN(70)
	if r.IntN(2) == 0 {
		offset = 0
	}
	valid = make([]byte, (offset+len(nulls)+7)/8+r.IntN(3))
	for i := range valid {
		valid[i] = byte(r.Uint32())
	}
	any := false
	for i, null := range nulls {
		at := offset + i
		any = any || null
		valid[at/8] |= 1 << (at % 8)
		if null {
			valid[at/8] &^= 1 << (at % 8)
		}
	}
	if !any && r.IntN(2) == 0 {
		return nil, offset
	}
	return valid, offset
}

// layout draws where the keys of a column lie.
func (c *columnOf[K]) layout(r *rand.Rand) (col sorter.Column[int], layout string) {
	encode := func(dst []byte, row int) []byte { return append(dst, asTexts([]K{c.keyOf(row)})[0]...) }
	switch way, encoded := r.IntN(8), asTexts(c.keys[:min(1, len(c.keys))]) != nil && r.IntN(2) == 0; {
	case way == 0 && encoded && c.desc:
		return sorter.DescEncoded(encode), "encoded"
	case way == 0 && encoded:
		return sorter.AscEncoded(encode), "encoded"
	case way == 0 && c.desc:
		return sorter.Desc(c.keyOf), "function"
	case way == 0:
		return sorter.Asc(c.keyOf), "function"
	case way <= 3 && c.desc:
		return sorter.DescOf(c.inMemory(r)), "slice"
	case way <= 3:
		return sorter.AscOf(c.inMemory(r)), "slice"
	}
	keys, layout := c.laidOut(r)
	if keys.Len() != len(c.keys) {
		panic(fmt.Sprintf("%d rows in a layout of %d keys", keys.Len(), len(c.keys)))
	}
	if c.desc {
		return keys.Desc(), layout
	}
	return keys.Asc(), layout
}

// inMemory returns the keys, at times without those of nulls at the end.
func (c *columnOf[K]) inMemory(r *rand.Rand) []K {
	n := len(c.keys)
	for c.nulls != nil && n > 0 && c.nulls[n-1] && r.IntN(50) > 0 {
		n--
	}
	return c.keys[:n:n]
}

// mostCopied is the most bytes of texts that laidOut copies for a call.
const mostCopied = 16 << 20

// laidOut returns the keys in chunks, in an arena or in views.
func (c *columnOf[K]) laidOut(r *rand.Rand) (keys sorter.Keys, layout string) {
	texts := asTexts(c.keys)
	if texts == nil || r.IntN(4) == 0 || testkit.Bytes(texts) > mostCopied {
		return c.inChunks(0, len(c.keys), r)
	}
	if fixed, ok := any(c.keys).([]fixedText); ok && r.IntN(2) == 0 {
		return fixedOf(fixed), "fixed"
	}
	null := func(int) bool { return false }
	if c.nulls != nil {
		null = c.isNull
	}
	switch r.IntN(4) {
	case 0:
		return sorter.Arena(testkit.ArenaOf[int32](texts)), "arena"
	case 1:
		return sorter.Arena(testkit.ArenaOf[int64](texts)), "wide arena"
	case 2:
		views, buffers := testkit.ViewsOf(texts, null, r)
		return sorter.Views(views, buffers...), "views"
	}
	i, j := len(texts)/3, len(texts)/3+r.IntN(len(texts)-len(texts)/3)
	views, buffers := testkit.ViewsOf(texts[j:], func(row int) bool { return null(j + row) }, r)
	chunks, _ := c.inChunks(0, i, r)
	return sorter.Concat(chunks, sorter.Arena(testkit.ArenaOf[int32](texts[i:j])), sorter.Views(views, buffers...)), "concatenated texts"
}

func (c *columnOf[K]) inChunks(lo, hi int, r *rand.Rand) (keys sorter.Keys, layout string) {
	chunks := testkit.Cut(c.keys[lo:hi], r)
	if k := r.IntN(len(chunks)); r.IntN(3) == 0 {
		return sorter.Concat(sorter.Chunks(chunks[:k]), sorter.Chunks(chunks[k:])), "concatenated chunks"
	}
	return sorter.Chunks(chunks), "chunks"
}

func fixedOf(texts []fixedText) sorter.Keys {
	var data []byte
	for _, t := range texts {
		data = append(data, t...)
	}
	return sorter.FixedBinary(data, len(texts[0]))
}
