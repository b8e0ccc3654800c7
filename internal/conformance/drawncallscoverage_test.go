package conformance_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/ways"
)

var drawnReport = flag.String("drawn.report", "", "write the number of calls and of the pairs that occurred to this file")

// Coverage is counted by pairs of traits: a call has a verb, an engine, options, ways that it took; each of its columns a
// kind, a layout, a shape. All pairs occur, except those that impossiblePairs lists with a reason.

// trait is a value of a dimension of calls.
type trait struct{ dim, value string }

func (t trait) String() string { return t.dim + " " + t.value }

// traitPair is two traits of one call, in order.
type traitPair [2]trait

func pairOf(a, b trait) traitPair {
	if c := cmp.Or(cmp.Compare(a.dim, b.dim), cmp.Compare(a.value, b.value)); c > 0 {
		a, b = b, a
	}
	return traitPair{a, b}
}

// usedColumn is a column of a call.
type usedColumn struct {
	drawnColumn
	layout string
	first  bool
}

// columnTraits are those of a drawn column, wherever it lies.
type columnTraits struct{ kind, shape, line, nulls, direction, nans string }

func (c *columnOf[K]) traits() columnTraits {
	return columnTraits{c.kind.name, c.draws.shape, c.draws.line,
		nullsNames[c.place], map[bool]string{false: "ascending", true: "descending"}[c.desc],
		nansNames[c.nans]}
}

// Names of the places of nulls and of NaNs.
var (
	nullsNames = []string{"none", "first", "last"}
	nansNames  = []string{"least", "first", "last", "total"}
)

// all lists the traits of a column of a call.
func (u usedColumn) all() []trait {
	c := u.traits()
	layout, bits := strings.CutSuffix(u.layout, ", null bits")
	switch {
	case c.kind == "half": // of another column
		return nil
	case bits:
		c.nulls += " by bits"
	case c.nulls != "none":
		c.nulls += " by function"
	}
	return []trait{{"kind", c.kind}, {"shape", c.shape}, {"line", c.line}, {"nulls", c.nulls}, {"column", c.direction},
		{"NaNs", c.nans}, {"layout", layout}, {"place", map[bool]string{true: "first", false: "later"}[u.first]}}
}

// coverage counts calls and their pairs.
type coverage struct {
	Calls   int64
	Seconds float64
	pairs   map[traitPair]int64
}

func newCoverage() *coverage { return &coverage{pairs: map[traitPair]int64{}} }

// add counts a call.
func (v *coverage) add(x *drawnCall) {
	if !x.made {
		return
	}
	v.Calls++
	own := x.traits()
	for i, a := range own {
		for _, b := range own[:i] {
			v.pairs[pairOf(a, b)]++
		}
	}
	for _, u := range x.used {
		col := u.all()
		for i, a := range col {
			for _, b := range col[:i] {
				v.pairs[pairOf(a, b)]++
			}
			for _, b := range own {
				v.pairs[pairOf(a, b)]++
			}
		}
	}
}

// traits lists those of the call.
func (x *drawnCall) traits() []trait {
	all := []trait{{"verb", x.verb}, {"engine", cmp.Or(x.engine, "chosen")}, {"vectors", cmp.Or(x.vectors, "all")}}
	for _, name := range x.names {
		if option, is := optionTrait(name); is {
			all = append(all, trait{"option", option})
		}
	}
	for _, w := range x.taken {
		all = append(all, trait{"taken", w})
	}
	if x.offName != "" {
		all = append(all, trait{"off", x.offName})
	}
	slices.SortFunc(all, func(a, b trait) int { return cmp.Or(cmp.Compare(a.dim, b.dim), cmp.Compare(a.value, b.value)) })
	return slices.Compact(all)
}

// optionTrait is the name of an option without its arguments, except for those that say how a call ends.
func optionTrait(name string) (option string, is bool) {
	option, _, is = strings.Cut(name, "(")
	switch {
	case strings.Contains(name, "cancelled at key call"):
		return "cancelled by a key", true
	case strings.Contains(name, "cancelled at poll"):
		return "cancelled", true
	case strings.HasPrefix(name, "panic"):
		return "panic of a key", true
	}
	return option, is && option != "On" && option != "Use"
}

// allTraits lists every trait, by dimension.
func allTraits() []trait {
	var all []trait
	add := func(dim string, values ...string) {
		for _, value := range values {
			if t := (trait{dim, value}); !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	for _, v := range drawnVerbs {
		add("verb", v.name)
		if slices.ContainsFunc(sliceVerbs, func(s verbDrawn) bool { return s.name == v.name }) && v.name != "Compare" && v.name != "Sort under ScratchBytes" {
			add("verb", "Ordering."+v.name)
		}
	}
	for _, k := range slices.Concat(intKinds, drawnKinds) {
		add("kind", k.info().name)
	}
	for _, s := range drawnShapes {
		add("shape", s.name)
	}
	for _, name := range tiedShapes {
		add("shape", name)
	}
	add("shape", "joined", "partitions")
	for _, l := range lines {
		add("line", l.name)
	}
	add("line", "values")
	add("nulls", "none", "first by function", "first by bits", "last by function", "last by bits")
	add("column", "ascending", "descending")
	add("NaNs", "least", "first", "last", "total")
	add("layout", "function", "encoded", "slice", "chunks", "concatenated chunks", "fixed", "arena", "wide arena", "views", "concatenated texts",
		"elements with pointers", "elements of 4 bytes", "elements of 16 bytes", "elements of 24 bytes", "elements of 64 bytes", "elements of 136 bytes", "elements of 560 bytes",
		"fields", "keys", "comparison")
	add("place", "first", "later")
	add("engine", "chosen", "cpu", "without the algorithm")
	for a := range engine.Algorithms {
		if sorter.CPU().Runs(a) {
			add("engine", "cpu by "+a.String())
		}
	}
	add("vectors", "all", "avx2", "none")
	add("option", "Stable", "Workers", "MemoryLimit", "Descending", "NaNsFirst", "NaNsLast", "TotalOrder", "Report", "OnProgress", "Into", "MarkRuns", "MarkRunsBy",
		"WithContext", "cancelled by a key", "cancelled", "panic of a key", "Compress", "Unique", "Limit", "Eager")
	add("off", "all", "some")
	for w := range ways.Way(ways.Ways) {
		add("taken", w.String())
		add("off", w.String())
	}
	return all
}

// possiblePairs lists the pairs that can occur.
func possiblePairs() (all []traitPair) {
	traits := allTraits()
	for i, a := range traits {
		for _, b := range traits[:i] {
			if (a.dim != b.dim || a.dim == "option") && impossible(a, b) == "" {
				all = append(all, pairOf(a, b))
			}
		}
	}
	return all
}

// savedCoverage is a coverage in a file.
type savedCoverage struct {
	Calls   int64
	Seconds float64
	Pairs   map[string]int64 // their traits, with tabs between them
}

// report writes the coverage to the file that is asked for, and says how many pairs occurred.
func (v *coverage) report(t *testing.T) {
	t.Helper()
	known := map[trait]bool{}
	for _, a := range allTraits() {
		known[a] = true
	}
	saved := savedCoverage{v.Calls, v.Seconds, map[string]int64{}}
	for p, n := range v.pairs {
		for _, a := range p {
			if !known[a] && !strings.HasPrefix(a.value, "cuda") {
				t.Errorf("no table has the trait %v", a)
				known[a] = true
			}
		}
		if reason := impossible(p[0], p[1]); reason != "" && n > 0 {
			t.Errorf("%v and %v occurred, and cannot: %s", p[0], p[1], reason)
		}
		saved.Pairs[strings.Join([]string{p[0].dim, p[0].value, p[1].dim, p[1].value}, "\t")] = n
	}
	if *drawnReport != "" {
		data, err := json.Marshal(saved)
		if err == nil {
			err = os.WriteFile(*drawnReport, data, 0o666)
		}
		if err != nil {
			t.Error(err)
		}
	}
	v.check(t)
}

// load adds a coverage from a file.
func (v *coverage) load(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var saved savedCoverage
	if err := json.Unmarshal(data, &saved); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	v.Calls += saved.Calls
	v.Seconds += saved.Seconds
	for key, n := range saved.Pairs {
		f := strings.Split(key, "\t")
		if len(f) != 4 {
			return fmt.Errorf("%s: pair %q", file, key)
		}
		v.pairs[pairOf(trait{f[0], f[1]}, trait{f[2], f[3]})] += n
	}
	return nil
}

// pairsWithin is the number of calls after which every pair that can occur has occurred.
const pairsWithin = 10_000_000

// check says how many pairs occurred, and fails if one has not after as many calls as it takes.
func (v *coverage) check(t *testing.T) {
	t.Helper()
	possible := possiblePairs()
	missing := slices.DeleteFunc(slices.Clone(possible), func(p traitPair) bool { return v.pairs[p] > 0 })
	t.Logf("%d calls, %.0f per second of a process, %d of %d pairs", v.Calls, float64(v.Calls)/v.Seconds, len(possible)-len(missing), len(possible))
	if v.Calls >= pairsWithin && len(missing) > 0 {
		t.Errorf("%d pairs did not occur:\n%s", len(missing), listOfPairs(missing))
	} else if *drawnMissing {
		t.Logf("%d pairs did not occur:\n%s", len(missing), listOfPairs(missing))
	}
}

var drawnMissing = flag.Bool("drawn.missing", false, "list the pairs that did not occur, however few calls there were")

// listOfPairs lists pairs by the first trait.
func listOfPairs(pairs []traitPair) string {
	by := map[string][]string{}
	for _, p := range pairs {
		key := p[0].String() + " with " + p[1].dim
		by[key] = append(by[key], p[1].value)
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(by)) {
		slices.Sort(by[key])
		fmt.Fprintf(&b, "%s: %s\n", key, strings.Join(by[key], "; "))
	}
	return b.String()
}
