package conformance_test

import (
	"math/rand/v2"
	"slices"

	"example.com/sorter/internal/ways"
)

// wayAim is what a way looks for: a third of the cases are drawn so, at the edges and with anything else.
type wayAim struct {
	way         ways.Way
	verbs       []string
	least, most int // rows
	cols        []columnAim
	partition   []columnAim // nil: drawn
	how         string      // "fields": elements by fields; "ends": keys at the ends of their range
}

// columnAim is what a way looks for in a column. What it leaves out is drawn.
type columnAim struct {
	kinds  []string
	shapes []string
	values int     // number of values; negative: rows for each; 0: drawn
	nulls  float64 // share of nulls; 0: no nulls
}

// Kinds and shapes of aims.
var (
	aimedNumbers = []string{"int64", "uint64", "float64", "int32", "float64 price", "int64 timestamp"}
	aimedWide    = []string{"int64", "uint64", "float64"}
	aimedTexts   = []string{"string", "string path", "string, shared prefix", "[]byte"}
	aimedAny     = slices.Concat(aimedNumbers, aimedTexts, []string{"time.Time", "[16]byte", "Int128"})
	inAnyOrder   = []string{"random", "zipf", "lattice"}
	inSomeOrder  = []string{"ascending", "descending", "ascending, strays", "descending, strays", "ascending, a few exchanged", "rotated", "joined", "ascending, the end drawn anew"}
	strictOrder  = []string{"ascending", "descending"}
	fewShapes    = []string{"few far from each other", "few and one in 10 others", "one and others", "the ends"}
)

// noAim stands for shapes that no way is for, and that went wrong before.
const noAim = ways.Way(ways.Ways)

var wayAims = []wayAim{
	{ways.TextsInOrder, []string{"SortKeys", "TopKeys"}, 4097, 9000, []columnAim{{kinds: []string{"string", "string path", "string, shared prefix"}, shapes: inSomeOrder}}, nil, ""},
	{ways.FieldsInOrder, []string{"Sort", "TopK"}, 4097, 9000, []columnAim{{[]string{"int64"}, strictOrder, -5, 0}, {[]string{"float64", "string"}, inSomeOrder, -1, 0}}, nil, "fields"},
	{ways.FieldsInOrder, []string{"Sort", "TopK"}, 4097, 9000, []columnAim{{aimedNumbers, inSomeOrder, -1, 0}}, nil, "fields"},
	{ways.SpareNulls, []string{"Rows.Order", "Rows.Within", "Rows.Sort", "Partitions.Nth"}, 4097, 9000, []columnAim{{[]string{"int8", "uint8", "bool"}, inAnyOrder, 100, 0}, {aimedWide, append(inAnyOrder, "the ends", "crowd at an end"), 0, 0.2}}, nil, ""},
	{ways.NullsInOrder, []string{"Rows.Order"}, 4097, 9000, []columnAim{{aimedNumbers, strictOrder, -1, 0.1}}, nil, ""},
	{ways.NullsInOrder, []string{"Rows.Order"}, 4097, 9000, []columnAim{{aimedNumbers, strictOrder, -7, 0.1}, {aimedAny, inAnyOrder, 0, 0}}, nil, ""},
	{ways.NullsApart, []string{"Rows.Order", "Sort", "Rows.Sort"}, 4097, 9000, []columnAim{{aimedAny, inAnyOrder, 0, 0.3}}, nil, ""},
	{ways.Segments, []string{"Rows.Order", "Order"}, 4097, 9000, []columnAim{{aimedAny, strictOrder, -40, 0}, {aimedAny, inAnyOrder, 0, 0}}, nil, ""},
	{ways.NarrowColumns, []string{"Rows.Order", "Rows.Sort"}, 65_536, 72_000, []columnAim{{[]string{"int64", "int32", "uint64"}, inAnyOrder, 1000, 0}, {[]string{"int64", "int32", "uint64", "int8"}, append(inAnyOrder, "the ends", "crowd at an end"), 0, 0.2}, {[]string{"int64", "int32", "int8"}, inAnyOrder, 100, 0}}, nil, ""},
	{ways.Dealt, []string{"Rows.Order"}, 4097, 20_000, []columnAim{{[]string{"int8", "uint16", "int64", "int32"}, inAnyOrder, 60, 0}, {aimedWide, inAnyOrder, -1, 0}}, nil, ""},
	{ways.Dealt, []string{"Rows.Order"}, 1024, 9000, []columnAim{{[]string{"int64", "uint64"}, append([]string{"random"}, fewShapes...), 3, 0}, {aimedAny, inAnyOrder, 0, 0}}, nil, "ends"},
	{ways.SelectFew, []string{"TopK", "TopKeys", "TopOrder", "Rows.Top"}, 64, 4096, []columnAim{{aimedAny, inAnyOrder, 0, 0}}, nil, ""},
	{ways.SelectFew, []string{"TopKeys"}, 4097, 20_000, []columnAim{{aimedNumbers, append(inAnyOrder, fewShapes...), 0, 0}}, nil, ""},
	{ways.SortForRanks, []string{"Quantiles"}, 4097, 9000, []columnAim{{aimedNumbers, inAnyOrder, 0, 0}}, nil, ""},
	{ways.SelectRanks, []string{"Nth", "Rows.Nth", "Rows.Nth of one", "Rows.Quantiles"}, 4097, 20_000, []columnAim{{aimedAny, append(inAnyOrder, fewShapes...), 0, 0}}, nil, ""},
	{ways.SelectRanks, []string{"Quantiles", "Rows.Quantiles"}, 65_536, 150_000, []columnAim{{aimedNumbers, inAnyOrder, 0, 0}}, nil, ""},
	{ways.PartitionTable, []string{"Partitions.Top"}, 16_384, 20_000, []columnAim{{aimedNumbers, inAnyOrder, 0, 0}}, []columnAim{{[]string{"int8", "uint16", "int64"}, inAnyOrder, 20, 0}}, ""},
	{ways.PartitionRuns, []string{"Partitions.Top"}, 16_384, 20_000, []columnAim{{aimedAny, inAnyOrder, 0, 0}}, []columnAim{{[]string{"string", "int64"}, inAnyOrder, -10, 0}}, ""},
	{ways.FewValues, []string{"SortKeys"}, 4097, 9000, []columnAim{{aimedNumbers, fewShapes, 0, 0}}, nil, ""},
	{ways.Counting, []string{"SortKeys"}, 131_072, 150_000, []columnAim{{[]string{"int32", "int64", "uint16"}, inAnyOrder, 300, 0}}, nil, ""},
	{ways.KeysInOrder, []string{"Sort", "Order", "Rows.Order"}, 4097, 9000, []columnAim{{aimedAny, strictOrder, -50, 0}, {aimedAny, inSomeOrder, -1, 0}}, nil, ""},
	{ways.Constant, []string{"Sort", "Rows.Order", "Rows.Sort"}, 4097, 9000, []columnAim{{aimedAny, []string{"constant"}, 0, 0}, {aimedAny, append(inAnyOrder, strictOrder...), 0, 0}}, nil, ""},
	{ways.RunsInOrder, []string{"Sort", "Order", "Rows.Sort"}, 4097, 9000, []columnAim{{aimedAny, strictOrder, -40, 0}, {aimedAny, inAnyOrder, 0, 0}}, nil, ""},
	{ways.FinerCodes, []string{"Sort", "Order", "Rows.Order", "SortKeys"}, 4097, 9000, []columnAim{{[]string{"string path", "string, shared prefix", "string after 24 bytes", "[]byte word"}, inAnyOrder, -1, 0}}, nil, ""},
	{ways.CodesInOrder, []string{"Sort", "Order", "Rows.Order", "SortKeys", "SortPairs"}, 4097, 9000, []columnAim{{aimedNumbers, inSomeOrder, -2, 0}}, nil, ""},
	{ways.SplitKeys, []string{"SortKeys"}, 65_537, 140_000, []columnAim{{aimedNumbers, append([]string{"zipf"}, fewShapes...), 0, 0}}, nil, ""},
	{ways.SplitRows, []string{"Order", "OrderKeys", "Rows.Order"}, 65_537, 140_000, []columnAim{{[]string{"int32", "uint32", "float32"}, append([]string{"zipf"}, fewShapes...), 0, 0}}, nil, ""},
	{ways.Crowd, []string{"Sort", "Rows.Order", "SortKeys"}, 1024, 20_000, []columnAim{{aimedWide, []string{"crowd at an end"}, 0, 0}}, nil, ""},
	{ways.Crowd, []string{"Rows.Order"}, 1024, 9000, []columnAim{{[]string{"int8"}, inAnyOrder, 2, 0}, {[]string{"float64"}, inAnyOrder, 0, 0.2}}, nil, ""},
	{ways.SmallInOrder, []string{"Sort", "Order", "Rows.Order", "SortKeys"}, 20, 1000, []columnAim{{aimedAny, inSomeOrder, -1, 0}}, nil, ""},
	{ways.SmallValues, []string{"SortKeys"}, 20, 1000, []columnAim{{aimedNumbers, fewShapes, 0, 0}}, nil, ""},
	{noAim, []string{"quantiles of values", "Partitions.Quantiles", "Partitions.Nth"}, 65_536, 80_000, []columnAim{{aimedNumbers, inAnyOrder, 0, 0}}, []columnAim{{[]string{"int8", "int64"}, []string{"constant", "one and others"}, 0, 0}}, ""},
	{noAim, []string{"Rows.Order", "Order", "Sort", "OrderKeys", "SortKeys"}, 2, 2000, []columnAim{{[]string{"uint64", "int64", "uint64", "int64", "uint32", "float64"}, append([]string{"sawtooth", "sawtooth", "lattice", "random"}, fewShapes...), 0, 0}}, nil, "ends"},
}

// drawAim draws the rows that a way looks for, if there are not too many. Some have a row less than the way takes.
func (c *drawnCase) drawAim(largest int) bool {
	a := &wayAims[c.IntN(len(wayAims))]
	if c.device != nil && c.IntN(2) == 0 {
		a = &wayAims[len(wayAims)-1] // at the ends of the range
	}
	if a.least > largest || a.least > 70_000 && c.IntN(4) > 0 {
		return false
	}
	c.aim = a
	if c.n = a.least + c.IntN(max(1, min(a.most, largest, max(2000, a.least+a.least/2))-a.least)); c.IntN(4) == 0 {
		c.n = a.least - 1 + c.IntN(3)
	}
	rows := c.n + 1 + c.IntN(3)
	for _, col := range a.cols {
		c.cols = append(c.cols, c.aimedColumn(rows, col))
	}
	if c.IntN(4) == 0 {
		c.cols = append(c.cols, c.drawColumn())
	}
	for _, col := range a.partition {
		c.partition = append(c.partition, c.aimedColumn(rows, col))
	}
	if a.partition == nil {
		c.drawPartition()
	}
	return true
}

// aimedColumn draws a column of an aim.
func (c *drawnCase) aimedColumn(rows int, aim columnAim) drawnColumn {
	name := aim.kinds[c.IntN(len(aim.kinds))]
	all := slices.Concat(intKinds, drawnKinds)
	i := slices.IndexFunc(all, func(k drawnKind) bool { return k.info().name == name })
	return all[i].drawColumn(rows, columnDraw{Rand: c.Rand, calls: c.keyCalls, aim: &aim, ends: c.aim.how == "ends"})
}

// shape draws a shape, and how many values it has.
func (a *columnAim) shape(n int, ends bool, r *rand.Rand) (drawnShape, uint64) {
	span := drawSpan(n, r)
	switch {
	case a.values > 0:
		span = uint64(a.values)
	case a.values < 0:
		span = uint64(max(1, n/-a.values))
	case span < uint64(n) && !ends:
		span = uint64(n) << r.IntN(30)
	}
	name := a.shapes[r.IntN(len(a.shapes))]
	if name == "joined" {
		return joinedShape(plainShape(r), plainShape(r), r), span
	}
	i := slices.IndexFunc(drawnShapes, func(s drawnShape) bool { return s.name == name })
	return drawnShapes[i], span
}

// aimedVerbs draws some of the verbs that a way is for.
func (c *drawnCase) aimedVerbs() (cuts []drawnCut) {
	if c.aim == nil {
		return nil
	}
	for turn := range 3 {
		name := c.aim.verbs[c.IntN(len(c.aim.verbs))]
		verb := slices.IndexFunc(drawnVerbs, func(v verbDrawn) bool { return v.name == name })
		cuts = append(cuts, drawnCut{verb: verb, turn: 100 + turn})
	}
	return cuts
}
