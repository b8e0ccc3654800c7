package conformance_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/ways"
)

var drawnWant = flag.String("drawn.want", "", "draw the case of -drawn.seed for these traits, as its failure says")

// wanted are traits that a case is drawn for: a pair that has not occurred, and a verb that may have both. Some draws are
// then decided, all others are as they are without it.
type wanted []trait

// String is the traits as -drawn.want has them.
func (w wanted) String() string {
	return strings.Join(mapped(w, trait.String), "; ")
}

func parseWanted(text string) (w wanted) {
	for part := range strings.SplitSeq(text, "; ") {
		if name, value, is := strings.Cut(part, " "); is {
			w = append(w, trait{name, value})
		}
	}
	return w
}

// of returns the value that is wanted of a dimension.
func (w wanted) of(name string) (value string, is bool) {
	i := slices.IndexFunc(w, func(t trait) bool { return t.dim == name })
	if i < 0 {
		return "", false
	}
	return w[i].value, true
}

func (w wanted) has(name string, values ...string) bool {
	return slices.ContainsFunc(w, dim(name, values...))
}

// allows reports whether a call may have a trait with those wanted.
func (w wanted) allows(t trait) bool {
	return !slices.ContainsFunc(w, func(other trait) bool { return excluded(t, other) != "" })
}

// draws reports whether something is drawn, one time in n. Where it is an option that is wanted it always is, and
// the other options are rare in a case for a way: many keep it from being taken.
func (w wanted) draws(n int, r *rand.Rand, options ...string) bool {
	is := r.IntN(n) == 0
	switch {
	case w == nil:
		return is
	case w.has("option", options...):
		return true
	case w.has("taken"):
		return is && r.IntN(4) == 0
	}
	return is
}

// pendingPairs are the pairs that did not occur, for each of which cases are drawn in turns.
type pendingPairs struct {
	pairs []traitPair
	next  int
	calls int64 // for pairs
}

// wantAfter is after how many calls cases are drawn for pairs: most pairs occur without. One call in wantOne is one of these, which take
// longer than others.
const wantAfter, wantOne = 2000, 8

// want returns traits to draw a case for, nil for most cases.
func (d *drawing) want(seed uint64) wanted {
	p := &d.pending
	if *drawnVerb != "" || d.seen.Calls < wantAfter || wantOne*p.calls > d.seen.Calls {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 0))
	if p.pairs == nil {
		p.pairs = possiblePairs()
		r.Shuffle(len(p.pairs), func(i, j int) { p.pairs[i], p.pairs[j] = p.pairs[j], p.pairs[i] })
	}
	for range 2 {
		for p.next < len(p.pairs) {
			pair := p.pairs[p.next]
			if p.next++; d.seen.pairs[pair] == 0 {
				return withVerb(pair, r)
			}
		}
		p.next, p.pairs = 0, slices.DeleteFunc(p.pairs, func(pair traitPair) bool { return d.seen.pairs[pair] > 0 })
	}
	return nil
}

// withVerb adds one of the verbs that may have a pair, often one that its way is for.
func withVerb(pair traitPair, r *rand.Rand) wanted {
	w := wanted(pair[:])
	if w.has("verb") {
		return w
	}
	may := slices.DeleteFunc(slices.Clone(traitsOf()["verb"]), func(verb trait) bool { return !w.allows(verb) })
	if way, is := w.of("taken"); is && r.IntN(4) > 0 {
		best := slices.DeleteFunc(slices.Clone(may), func(verb trait) bool {
			return !slices.ContainsFunc(wayAims, func(a wayAim) bool {
				return a.way < ways.Ways && a.way.String() == way && slices.Contains(a.verbs, strings.TrimPrefix(verb.value, "Ordering."))
			})
		})
		if len(best) > 0 {
			may = best
		}
	}
	return append(w, may[r.IntN(len(may))])
}

// drawWanted draws a case for traits: by an aim of the way that is wanted, if there is one. One column has those of columns.
func (c *drawnCase) drawWanted(largest int) {
	var aims []columnAim
	c.n = 1 + drawSize(c.Rand, min(6200, largest))
	if way, is := c.sought.of("taken"); is {
		all := slices.DeleteFunc(slices.Clone(wayAims), func(a wayAim) bool {
			return a.way >= ways.Ways || a.way.String() != way || a.least > largest
		})
		if len(all) > 0 {
			a := all[c.IntN(len(all))]
			c.aim, aims, c.n = &a, a.cols, a.least+c.IntN(max(1, min(a.most, largest)-a.least))
		}
	}
	verb, _ := c.sought.of("verb")
	keyed := slices.Contains(keyedVerbs, verb)
	width := max(1, len(aims))
	if c.IntN(4) == 0 || aims == nil && c.IntN(2) == 0 || len(aims) > 1 && c.IntN(2) == 0 {
		width++
	}
	if c.sought.has("place", "later") || c.sought.has("shape", tiedShapes...) {
		width = max(2, width)
	}
	if keyed {
		width = 1
	}
	at := c.IntN(width)
	if c.IntN(2) == 0 {
		at = width - 1
	}
	switch {
	case c.sought.has("place", "first") || slices.Contains(aloneVerbs, verb):
		at = 0
	case c.sought.has("place", "later") || c.sought.has("shape", tiedShapes...):
		at = 1 + c.IntN(width-1)
	}
	rows := c.n + 1 + c.IntN(3)
	ofPartitions := verb == "quantiles of values" // whose columns are those of partitions
	column := func(i int, aims []columnAim) drawnColumn {
		of := columnDraw{Rand: c.Rand, calls: c.keyCalls, want: wanted{}, ends: c.aim != nil && c.aim.how == "ends"}
		if i > 0 && len(c.cols) > 0 {
			of.tied = c.cols[len(c.cols)-1].shapeOf()
		}
		if i < len(aims) {
			of.aim = &aims[i]
		}
		if i == at && (!ofPartitions || len(c.cols) > 0) {
			of.want = c.sought
		}
		kind := c.wantedKind(of)
		if ofPartitions && len(c.cols) == 0 {
			kind = intKinds[c.IntN(len(intKinds))]
		}
		if col := kind.drawColumn(rows, of); !keyed {
			return col
		} else {
			return col.plain()
		}
	}
	for i := range width {
		c.cols = append(c.cols, column(i, aims))
	}
	switch {
	case c.aim != nil && c.aim.partition != nil:
		for i := range c.aim.partition {
			c.partition = append(c.partition, column(i, c.aim.partition))
		}
	case c.aim != nil && c.IntN(3) == 0: // no partitions
	case c.sought.has("shape", "partitions") || c.IntN(3) == 0 && !ofPartitions:
		c.drawPartition()
	default:
		for i := range at + 1 {
			c.partition = append(c.partition, column(i, nil))
		}
	}
}

// wantedKind draws a kind that calls with the traits wanted may have.
func (c *drawnCase) wantedKind(of columnDraw) drawnKind {
	all := slices.Concat(intKinds, drawnKinds)
	named := func(name string) drawnKind {
		return all[slices.IndexFunc(all, func(k drawnKind) bool { return k.info().name == name })]
	}
	if name, is := of.want.of("kind"); is {
		return named(name)
	}
	w := append(slices.Clip(of.want), slices.DeleteFunc(slices.Clone(c.sought), dimsBesides("verb", "layout"))...)
	draw := func() drawnKind {
		if of.aim != nil {
			return named(of.aim.kinds[c.IntN(len(of.aim.kinds))])
		}
		return drawKind(c.Rand)
	}
	for range 20 {
		if kind := draw(); w.allows(trait{"kind", kind.info().name}) {
			return kind
		}
	}
	for range 200 {
		if kind := drawKind(c.Rand); w.allows(trait{"kind", kind.info().name}) {
			return kind
		}
	}
	return drawKind(c.Rand)
}

// dimsBesides is the traits of all dimensions except for some.
func dimsBesides(names ...string) traits {
	return func(t trait) bool { return !slices.Contains(names, t.dim) }
}

// fulfil gives a column the direction and the places that are wanted.
func (c *columnOf[K]) fulfil(n int, of columnDraw) {
	if v, is := of.want.of("column"); is {
		c.desc = v == "descending"
	}
	if v, is := of.want.of("NaNs"); is {
		c.nans = oracle.NaNs(slices.Index(nansNames, v))
	}
	v, is := of.want.of("nulls")
	if !is {
		return
	}
	if v == "none" {
		c.place, c.nulls = noNulls, nil
		return
	}
	if c.nulls == nil {
		name := ""
		c.nulls, name = drawNulls(n, of.Rand)
		c.name += ", nulls: " + name
	}
	place, _, _ := strings.Cut(v, " ")
	c.place = nullPlace(slices.Index(nullsNames, place))
}

// wantedShape returns the shape that is wanted of a column.
func (of columnDraw) wantedShape() (drawnShape, bool) {
	name, is := of.want.of("shape")
	if !is {
		return drawnShape{}, false
	}
	if way := slices.Index(tiedShapes, name); way >= 0 && of.tied != nil {
		return tiedShape(way, of.tied, of.Rand), true
	}
	if name == "joined" {
		return joinedShape(plainShape(of.Rand), plainShape(of.Rand), of.Rand), true
	}
	i := slices.IndexFunc(drawnShapes, func(s drawnShape) bool { return s.name == name })
	if i < 0 {
		return drawnShape{}, false
	}
	return drawnShapes[i], true
}

// wantedLine returns the line that is wanted of a column.
func (of columnDraw) wantedLine() (line, bool) {
	name, _ := of.want.of("line")
	var all []line
	for _, l := range lines {
		if l.name == name {
			all = append(all, l)
		}
	}
	if all == nil {
		return line{}, false
	}
	return all[of.IntN(len(all))], true
}

// wantedTurns is how many calls of a case are made for the traits wanted, at most.
const wantedTurns = 5

// checkWanted makes calls of the verb that is wanted, until one has the traits.
func (d *drawing) checkWanted(c *drawnCase) {
	d.t.Helper()
	name, _ := c.sought.of("verb")
	name = strings.TrimPrefix(name, "Ordering.")
	verb := slices.IndexFunc(drawnVerbs, func(v verbDrawn) bool { return v.name == name })
	for turn := range wantedTurns {
		d.pending.calls++
		if d.check(c, drawnCut{verb: verb, turn: 200 + turn}); d.seen.pairs[pairOf(c.sought[0], c.sought[1])] > 0 {
			return
		}
	}
}

// column makes a column in a drawn layout, in the one that is wanted if the column may have it.
func (w wanted) column(c drawnColumn, r *rand.Rand) (col sorter.Column[int], layout string) {
	col, layout = c.column(r)
	for tries := 0; tries < 40 && !w.takesLayout(c, layout); tries++ {
		col, layout = c.column(r)
	}
	return col, layout
}

// takesLayout reports whether a layout of a column is the one that is wanted, or the column has no such layout.
func (w wanted) takesLayout(c drawnColumn, layout string) bool {
	traits := c.traits()
	layout, bits := strings.CutSuffix(layout, ", null bits")
	if name, is := w.of("layout"); is && name != layout && excluded(trait{"kind", traits.kind}, trait{"layout", name}) == "" {
		return false
	}
	nulls, is := w.of("nulls")
	return !is || traits.nulls == "none" || bits == strings.HasSuffix(nulls, "bits")
}

// wantedEngine draws options of the engine that is wanted.
func (x *drawnCall) wantedEngine(o *optionsDrawn) {
	b := sorter.CPU()
	name, _ := x.sought.of("engine")
	by, isBy := strings.CutPrefix(name, "cpu by ")
	if name == "cpu" || name != "chosen" && x.IntN(4) == 0 {
		if x.offers(o, "On(%s)", b.Name()) {
			o.engine = b.Name()
			o.add(sorter.On(b))
		}
	}
	var all []sorter.Algorithm
	for a := range engine.Algorithms {
		if b.Runs(a) == isBy && (!isBy || a.String() == by) {
			all = append(all, a)
		}
	}
	if isBy || name == "without the algorithm" {
		x.use(o, b, all[x.IntN(len(all))])
	}
}

// wantedOff returns the ways that are to be off, those drawn if none are wanted.
func (x *drawnCall) wantedOff(off ways.Set, name string) (ways.Set, string) {
	switch wanted, is := x.sought.of("off"); {
	case is && wanted == "all":
		return ways.All, wanted
	case is && wanted == "some":
		return ways.Set(x.Uint32()) & ways.All, wanted
	case is:
		return ways.Parse("-" + wanted), wanted
	}
	way, is := x.sought.of("taken")
	if !is {
		return off, name
	}
	others := ways.All &^ ways.Parse("-"+way)
	switch x.IntN(6) { // those before it may fit, too
	case 0:
		return others, "some"
	case 1, 2:
		return others & ways.Set(x.Uint32()), "some"
	}
	return 0, ""
}

// wantedVectors returns the vector instructions that are to be left.
func (x *drawnCall) wantedVectors() string {
	if name, is := x.sought.of("vectors"); is {
		return name
	}
	all := slices.DeleteFunc([]string{"all", "all", "all", "all", "avx2", "none"}, func(name string) bool { return !x.sought.allows(trait{"vectors", name}) })
	return all[x.IntN(len(all))]
}

// ending returns how a call ends, one of 24 that was drawn, unless the way is wanted.
func (w wanted) ending(drawn int) int {
	for i, option := range []string{0: "WithContext", 4: "cancelled by a key", 6: "panic of a key", 8: "cancelled"} {
		if option != "" && w.has("option", option) {
			return i
		}
	}
	if w.has("taken") && drawn%4 > 0 {
		return 23
	}
	return drawn
}

// TestDrawnWanted draws cases for pairs: calls have both traits within a few cases.
func TestDrawnWanted(t *testing.T) {
	if *drawnSeed != 0 || *drawnFor != 0 {
		t.Skip("other cases are asked for")
	}
	for _, pair := range []traitPair{
		{{"kind", "float32 number"}, {"NaNs", "first"}},
		{{"kind", "Uint128"}, {"shape", "organ pipe"}},
		{{"kind", "uuid [16]byte"}, {"verb", "TopPer"}},
		{{"shape", "the column before, finer"}, {"verb", "Rows.Within"}},
		{{"layout", "elements of 136 bytes"}, {"off", "dealt"}},
		{{"layout", "views"}, {"nulls", "first by bits"}},
		{{"line", "powers of two"}, {"place", "later"}},
		{{"engine", "cpu by SampleSort"}, {"vectors", "avx2"}},
		{{"option", "MarkRuns"}, {"option", "panic of a key"}},
		{{"option", "Eager"}, {"off", "crowd"}},
		{{"kind", "int16"}, {"verb", "quantiles of values"}},
		{{"taken", "nulls-apart"}, {"column", "descending"}},
	} {
		d := &drawing{t: t, largest: 6000, seen: newCoverage()}
		r := rand.New(rand.NewPCG(1, 1))
		for seed := uint64(1); d.seen.pairs[pairOf(pair[0], pair[1])] == 0; seed++ {
			w := withVerb(pair, r)
			if reason := impossible(pair[0], pair[1]); reason != "" || seed > 12 {
				t.Errorf("%v did not occur in %d cases %s", w, seed-1, reason)
				break
			}
			if again := parseWanted(w.String()); !slices.Equal(again, w) {
				t.Fatalf("%v is read as %v", w, again)
			}
			d.checkCase(seed, w)
		}
	}
}
