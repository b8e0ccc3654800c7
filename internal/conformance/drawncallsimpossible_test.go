package conformance_test

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/sortkey"
)

// impossible returns the reason why no call has two traits, "" if a call may have both.
func impossible(a, b trait) string {
	if reason := excluded(a, b); reason != "" {
		return reason
	}
	for _, name := range []string{"verb", "kind", "layout"} {
		if a.dim != name && b.dim != name && (name == "verb" || columnDims(a) || columnDims(b)) && apart(a, b, name) {
			return "no " + name + " has both"
		}
	}
	return ""
}

// apart reports whether no trait of a dimension has both of others.
func apart(a, b trait, name string) bool {
	others := without(b, name)
	for i, is := range without(a, name) {
		if !is && !others[i] {
			return false
		}
	}
	return true
}

// excluded returns the reason why a pair is in the table.
func excluded(a, b trait) string {
	for _, p := range impossiblePairs {
		if p.is(a) && p.with(b) || p.is(b) && p.with(a) {
			return p.reason
		}
	}
	return ""
}

// traitsOf are the traits of each dimension.
var traitsOf = sync.OnceValue(func() map[string][]trait {
	of := map[string][]trait{}
	for _, t := range allTraits() {
		of[t.dim] = append(of[t.dim], t)
	}
	return of
})

var withoutTrait sync.Map // which traits of a dimension have a trait not

// without returns which of the traits of a dimension have a trait not.
func without(t trait, name string) []bool {
	key := [2]any{t, name}
	if known, ok := withoutTrait.Load(key); ok {
		return known.([]bool)
	}
	without := mapped(traitsOf()[name], func(other trait) bool { return excluded(t, other) != "" })
	withoutTrait.Store(key, without)
	return without
}

// impossiblePairs are the pairs of traits that no call has.
var impossiblePairs = []struct {
	reason   string
	is, with traits
}{
	{"keys alone have neither nulls nor a direction of their own, and no other column",
		either(ofVerbs(keyedVerbs...), ofVerbs(aloneVerbs...), dim("layout", "keys")), either(besides("nulls", "none"), besides("column", "ascending"), besides("NaNs", "least"), dim("place", "later"), dim("shape", tiedShapes...), dim("shape", "partitions"))},
	{"verbs by one key call a function", ofVerbs(keyedVerbs...), besides("layout", "function")},
	{"verbs on keys take the keys themselves", ofVerbs(aloneVerbs...), besides("layout", "keys")},
	{"keys themselves are those of verbs on keys", dim("layout", "keys"), dimNot("verb", ofVerbs(aloneVerbs...))},
	{"quantiles are of numbers", ofVerbs("Quantiles"), kinds(func(k kindInfo) bool { return !k.numbers })},
	{"SortFunc and OrderFunc have a comparison", ofVerbs("SortFunc", "OrderFunc"), besides("layout", "comparison")},
	{"a comparison is that of SortFunc and OrderFunc", dim("layout", "comparison"), dimNot("verb", ofVerbs("SortFunc", "OrderFunc"))},
	{"NewStruct sorts by fields", ofVerbs("extsort.NewStruct"), besides("layout", "fields")},
	{"NewCoded sorts elements with pointers", ofVerbs("extsort.NewCoded"), besides("layout", "elements with pointers")},
	{"verbs on rows take columns by row number", ofVerbs(onRowNumbers...), dimNot("layout", byRow)},
	{"elements of a stream are rows, or have pointers", ofVerbs("Top"), either(dim("layout", "fields"), sizedElements)},
	{"elements of some sizes are sorted by an Ordering", either(sizedElements, dim("layout", "fields")), dimNot("verb", either(orderings, ofVerbs("extsort.NewStruct")))},
	{"elements with pointers are sorted by an Ordering", dim("layout", "elements with pointers"), dimNot("verb", either(orderings, ofVerbs("Top", "extsort.NewCoded")))},
	{"permutations, runs and ranks have no columns", ofVerbs("perm", "rank", "runs"), columnDims},
	{"the verb takes no options", ofVerbs(withoutOptions...), either(dim("option"), dim("off"), besides("vectors", "all"), besides("engine", "chosen"))},
	{"streams have no engine", ofVerbs("Top", "TopPer"), besides("engine", "chosen")},
	{"the verb takes no way", ofVerbs(append(withoutOptions, "IsSorted", "Ordering.IsSorted", "SortFunc", "OrderFunc")...), dim("taken")},

	{"the layout is one of texts", dim("layout", "encoded", "arena", "wide arena", "views", "concatenated texts"), kinds(func(k kindInfo) bool { return !k.text() })},
	{"the layout is one of texts of one width", dim("layout", "fixed"), kinds(func(k kindInfo) bool { return k.key != reflect.TypeFor[fixedText]() })},
	{"elements of some sizes have keys of few types", sizedElements, kinds(func(k kindInfo) bool { return !slices.Contains(sizedKeys, k.key) })},
	{"fields have keys of some types", either(dim("layout", "fields"), ofVerbs("extsort.NewStruct")), kinds(func(k kindInfo) bool { return fieldNames[k.key] == "" })},
	{"nulls of fields come last", either(dim("layout", "fields"), ofVerbs("extsort.NewStruct")), dim("nulls", "first by function", "first by bits")},
	{"fields have no place of NaNs of their own", either(dim("layout", "fields"), ofVerbs("extsort.NewStruct")), besides("NaNs", "least")},
	{"bits of nulls are by row number", dim("nulls", "first by bits", "last by bits"), either(dimNot("layout", byRow), ofVerbs("extsort.NewStruct", "extsort.NewCoded", "SortFunc", "OrderFunc"))},
	{"keys made of values lie on no line", kinds(func(k kindInfo) bool { return k.width == 0 }), besides("line", "values")},
	{"keys on a line are not made of values, except for numbers of partitions", kinds(func(k kindInfo) bool { return k.width > 0 && !slices.Contains(partitionKinds, k.name) }), dim("line", "values")},

	{"numbers of partitions are of few kinds", dim("shape", "partitions"), kinds(func(k kindInfo) bool { return !slices.Contains(partitionKinds, k.name) })},
	{"numbers of partitions ascend, without nulls", dim("shape", "partitions"), either(besides("line", "values"), besides("nulls", "none"), besides("column", "ascending"), besides("NaNs", "least"), dimNot("layout", byRow))},
	{"numbers of partitions are for verbs on partitions", dim("shape", "partitions"), dimNot("verb", ofVerbs(onPartitions...))},
	{"the first column follows no other", dim("shape", tiedShapes...), dim("place", "first")},

	{"options of package extsort are those of its verbs", dim("option", "Compress", "Unique", "Limit", "Eager"), dimNot("verb", external)},
	{"Eager is for merges", dim("option", "Eager"), dimNot("verb", ofVerbs("extsort.Merge"))},
	{"sorts of package extsort have few options", either(external, dim("option", "Compress", "Unique", "Limit", "Eager")), dim("option", "Stable", "Descending", "NaNsFirst", "NaNsLast", "TotalOrder", "Report", "OnProgress", "Into", "MarkRuns", "MarkRunsBy")},
	{"sorts of package extsort run where package sorter does", either(external, dim("option", "Compress", "Unique", "Limit", "Eager")), besides("engine", "chosen")},
	{"options of package extsort are of verbs by Orderings", dim("option", "Compress", "Unique", "Limit", "Eager"), either(dim("layout", "keys", "comparison"), sizedElements)},
	{"a call ends in one way", dim("option", endings...), dim("option", endings...)},

	{"the other call has the options of the order alone", ofVerbs("relation: other means"), either(besides("engine", "cpu"), dimNot("option", dim("option", "Descending", "NaNsFirst", "NaNsLast", "TotalOrder")))},
	{"strings that are their own keys are sorted", dim("taken", "texts-in-order"), dimNot("verb", ofVerbs("SortKeys", "TopKeys"))},
	{"the way is for strings", dim("taken", "texts-in-order"), kinds(func(k kindInfo) bool { return k.key.Kind() != reflect.String })},
	{"the way is for keys alone", dim("taken", keyWays...), dimNot("verb", ofVerbs("SortKeys", "Quantiles"))},
	{"the way is for keys that are decoded from codes", dim("taken", keyWays...), kinds(func(k kindInfo) bool { return !k.decoded })},
	{"values are counted in keys as wide as codes", dim("taken", "few-values"), kinds(func(k kindInfo) bool { return k.key.Size() < 4 })},
	{"the way is for quantiles of numbers", dim("taken", "sort-for-ranks"), dimNot("verb", ofVerbs("Quantiles"))},
	{"elements with fields are sorted", dim("taken", "fields-in-order"), dimNot("verb", ofVerbs("Ordering.Sort", "Ordering.TopK"))},
	{"elements with fields are sorted by them", dim("taken", "fields-in-order"), either(besides("layout", "fields"), kinds(func(k kindInfo) bool { return fieldNames[k.key] == "" }))},
	{"the way is for the first rows of partitions", dim("taken", "partition-table", "partition-runs"), dimNot("verb", ofVerbs("Partitions.Top", "relation: partitions one by one", "quantiles of values"))},
	{"the way is for the first rows", dim("taken", "select-few"), dimNot("verb", ofVerbs("TopK", "TopKeys", "TopOrder", "Ordering.TopK", "Ordering.TopOrder", "Rows.Top", "Partitions.Top", "relation: the first of all", "relation: partitions one by one"))},
	{"the way is for ranks", dim("taken", "select-ranks"), dimNot("verb", ofVerbs("Nth", "Ordering.Nth", "Rows.Nth", "Rows.Nth of one", "Rows.Quantiles", "Quantiles", "relation: the first of all"))},
	{"the way is for rows", dim("taken", "segments", "dealt", "nulls-in-order", "spare-nulls", "narrow-columns"), dimNot("verb", ofVerbs("Rows.Order", "Rows.Sort", "Rows.Within", "Rows.Top", "Rows.Nth", "Rows.Nth of one", "Rows.Quantiles", "Partitions.Top", "Partitions.Nth", "Partitions.Quantiles", "quantiles of values",
		"relation: permuted rows", "relation: other keys of the same order", "relation: the first of all", "relation: partitions one by one", "relation: other means"))},
	{"a call by a given algorithm takes only ways that it has", dim("taken", "texts-in-order", "few-values", "small-values", "counting", "sort-for-ranks", "partition-table", "partition-runs", "select-few", "segments", "split-keys"),
		func(t trait) bool {
			return t.dim == "engine" && strings.HasPrefix(t.value, "cpu by ") && t.value != "cpu by Auto"
		}},
	{"the way is for the nulls of a column", dim("taken", "nulls-apart", "nulls-in-order"), either(ofVerbs(keyedVerbs...), ofVerbs(aloneVerbs...), dim("layout", "keys"))},
	{"calls that select rows, and those of segments, order codes without the ways of a whole order", dim("taken", "nulls-apart", "nulls-in-order", "segments", "narrow-columns"),
		ofVerbs("Ordering.Nth", "Ordering.TopOrder", "Ordering.SortWithin", "Rows.Top", "Rows.Nth", "Rows.Nth of one", "Rows.Quantiles", "Rows.Within")},
	{"an order for ranks has the codes of all rows", dim("taken", "dealt"), ofVerbs("Rows.Nth", "Rows.Nth of one", "Rows.Quantiles")},
	{"rows are dealt by codes that hold whole keys", dim("taken", "dealt"), either(kinds(kindInfo.exceeds), ofVerbs("relation: partitions one by one"))},
	{"rows that are picked are not dealt", dim("taken", "dealt"), ofVerbs("Rows.Sort")},
	{"the way finds no runs", dim("taken", "nulls-in-order", "segments"), either(dim("option", "MarkRuns", "MarkRunsBy"), ofVerbs("Partitions.Nth", "Partitions.Quantiles", "quantiles of values"))},
	{"partitions are runs, which the way does not find", dim("taken", "nulls-in-order", "segments"), ofVerbs("Partitions.Top")},
	{"the way is for calls without a memory limit", dim("taken", "dealt", "segments", "sort-for-ranks", "partition-table", "partition-runs", "select-few", "small-values"), dim("option", "MemoryLimit")},
	{"the way is for an engine that is chosen", dim("taken", "segments", "sort-for-ranks"), dim("engine", "cpu")},
	{"an algorithm that orders codes has none of the ways of the general one", dim("taken", "dealt", "fields-in-order"), func(t trait) bool {
		a := engine.Algorithms
		for b := range a {
			if t.dim == "engine" && t.value == "cpu by "+b.String() {
				a = b
			}
		}
		return engine.OrdersCodes(a)
	}},
	{"few rows are selected by one column, whose code holds the key", dim("taken", "select-few"), either(kinds(kindInfo.exceeds), dim("shape", tiedShapes...))},
	{"few rows are selected where nobody watches", dim("taken", "select-few"), dim("option", "WithContext", "cancelled by a key", "cancelled", "Report", "OnProgress")},
	{"texts are sorted by an engine that is chosen", dim("taken", "texts-in-order"), dim("engine", "cpu")},
	{"a call without its algorithm takes no way", dim("engine", "without the algorithm"), dim("taken")},
	{"ways are off", dim("off", "all"), dim("taken")},
	{"buckets are sorted without vectors whatever crowds in them", dim("vectors", "none"), dim("taken", "crowd")},
	{"codes are split instead, with AVX-512", dim("taken", "small-values"), func(t trait) bool { return bucket.Splits() && t == trait{"vectors", "all"} }},
	{"AVX-512 splits codes", dim("vectors", "none", "avx2"), dim("taken", "split-keys", "split-rows")},
}

func init() {
	for _, t := range allTraits() {
		if t.dim == "taken" {
			impossiblePairs = append(impossiblePairs, struct {
				reason   string
				is, with traits
			}{"the way is off", dim("off", t.value), dim("taken", t.value)})
		}
	}
}

// Verbs that have something in common.
var (
	keyedVerbs     = []string{"Sort", "SortWithin", "Order", "TopK", "TopOrder", "Nth", "Merge", "IsSorted", "Search"}
	aloneVerbs     = []string{"SortKeys", "SortPairs", "OrderKeys", "TopKeys", "Quantiles"}
	withoutOptions = []string{"perm", "rank", "runs", "Compare", "Search", "Ordering.Search", "Rows.SearchRange"}
	onPartitions   = []string{"Partitions.Top", "Partitions.Nth", "Partitions.Quantiles", "quantiles of values", "TopPer", "relation: partitions one by one"}
	onRowNumbers   = append([]string{"Compare", "Sort under ScratchBytes", "Rows.Order", "Rows.Sort", "Rows.Within", "Rows.Top", "Rows.Nth", "Rows.Nth of one",
		"Rows.Quantiles", "Rows.SearchRange", "extsort.New", "extsort.Merge", "extsort.Incremental", "relation: permuted rows", "relation: other keys of the same order",
		"relation: the first of all", "relation: other means"}, onPartitions...)
	keyWays        = []string{"few-values", "small-values", "counting", "split-keys"}
	endings        = []string{"WithContext", "cancelled by a key", "cancelled", "panic of a key"}
	partitionKinds = []string{"int8", "uint16", "int64", "string"}
	sizedKeys      = []reflect.Type{reflect.TypeFor[int32](), reflect.TypeFor[uint64](), reflect.TypeFor[int16](), reflect.TypeFor[float64](), reflect.TypeFor[string]()}

	sizedElements traits = func(t trait) bool { return t.dim == "layout" && strings.HasPrefix(t.value, "elements of") }
	orderings     traits = func(t trait) bool { return t.dim == "verb" && strings.HasPrefix(t.value, "Ordering.") }
	external      traits = func(t trait) bool { return t.dim == "verb" && strings.HasPrefix(t.value, "extsort.") }
	columnDims    traits = either(dim("kind"), dim("layout"), dim("shape"), dim("line"), dim("nulls"), dim("column"), dim("NaNs"), dim("place"))
	byRow                = dim("layout", "function", "encoded", "slice", "chunks", "concatenated chunks", "fixed", "arena", "wide arena", "views", "concatenated texts")
)

// traits is a set of traits.
type traits func(t trait) bool

// dim is the traits of a dimension with some values, without values all of them.
func dim(name string, values ...string) traits {
	return func(t trait) bool { return t.dim == name && (len(values) == 0 || slices.Contains(values, t.value)) }
}

// besides is the traits of a dimension but one.
func besides(name, value string) traits {
	return func(t trait) bool { return t.dim == name && t.value != value }
}

// dimNot is the traits of a dimension that are not of a set.
func dimNot(name string, set traits) traits {
	return func(t trait) bool { return t.dim == name && !set(t) }
}

func ofVerbs(names ...string) traits { return dim("verb", names...) }

func either(sets ...traits) traits {
	return func(t trait) bool {
		return slices.ContainsFunc(sets, func(set traits) bool { return set(t) })
	}
}

// kindInfo is what layouts and verbs ask of a kind.
type kindInfo struct {
	name    string
	key     reflect.Type
	width   int
	numbers bool
	wide    bool // a code does not hold a key
	decoded bool // keys alone are sorted as codes
}

func (k callKind[K]) info() kindInfo {
	return kindInfo{k.name, reflect.TypeFor[K](), k.width, k.numbers != nil, sortkey.KindOf[K]().Wide(), sortkey.KindOf[K]().Decodable(false)}
}

// exceeds reports whether no code holds a key; one of a few bytes may.
func (k kindInfo) exceeds() bool { return k.wide && !strings.HasSuffix(k.name, " bytes") }

func (k kindInfo) text() bool {
	return slices.Contains([]reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[fixedText](), reflect.TypeFor[label](), reflect.TypeFor[[]byte]()}, k.key)
}

// kinds is the kinds of which something holds.
func kinds(is func(k kindInfo) bool) traits {
	holds := map[string]bool{}
	for _, k := range slices.Concat(intKinds, drawnKinds) {
		holds[k.info().name] = is(k.info())
	}
	return func(t trait) bool { return t.dim == "kind" && holds[t.value] }
}
