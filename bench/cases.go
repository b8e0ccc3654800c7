package main

// benchCase is one kind of data and how it is to be ordered: a row of the
// case table, shared by the command, the benchmarks and the tests.
type benchCase struct {
	Name     string
	Slug     string // file name of its picture
	Elem     int    // bytes of an element
	Code     int    // bytes of its leading code, for the bound on scratch memory
	Baseline string // the contender of the standard library that ratios refer to

	// Build makes the input from count runs of n values each, laid out one
	// after the other, with every contender that can sort it.
	Build func(values []uint64, n int) *workload
}

// cases lists the measured cases, in the order of the report.
var cases = []benchCase{
	plainCase("u32", toUint32, 4, uint32Peers),
	plainCase("f32", toFloat32, 4, float32Peers),
	plainCase("u64", toUint64, 8, uint64Peers),
	plainCase("f64", toFloat64, 8, float64Peers),
	stringCase,
	textCase("string after 100 equal bytes", "string-shared", sharedPrefixes),
	textCase("string, prefix of one text", "string-prefix", prefixesOfOne),
	textCase("string, one of 16 texts of 1 KiB", "string-texts", repeatedTexts),
	{"24-byte struct by float32", "struct24", 24, 4, sortFunc, buildRec24},
	{"24-byte struct by float32, stable", "struct24-stable", 24, 4, sortStableFunc, buildRec24Stable},
	{"24-byte struct by a comparison", "compared24", 24, 4, sortFunc, buildCompared24},
	{"24-byte struct by a comparison of strings", "compared-names", 24, 8, sortFunc, buildComparedNames},
	{"64-byte struct by int64", "struct64", 64, 8, sortFunc, buildRec64},
	{"float4 by first component", "float4", 16, 4, sortFunc, buildVec4},
	{"argsort by float32", "argsort", 4, 4, sortFunc, buildArgsort},
	{"string, then float64 descending", "columns", 40, 8, sortFunc, buildEntries},
	{"top 100 of 24-byte structs", "top100", 24, 4, sortFunc, buildTop},
	{"first 100 of a stream", "stream100", 24, 4, heapName, buildStream(100)},
	{"first 10,000 of a stream", "stream10000", 24, 4, heapName, buildStream(10_000)},
}

// Names that more than one file refers to.
const (
	ours           = "sorter"
	oursSerial     = "sorter, 1 worker"
	slicesSort     = "slices.Sort"
	sortFunc       = "slices.SortFunc"
	sortStableFunc = "slices.SortStableFunc"
	sortSlice      = "sort.Slice"
	sortyName      = "sorty"
	pargoName      = "pargo"
	pargoStable    = "pargo, stable"
	zermeloName    = "zermelo"
	sortsName      = "twotwotwo/sorts"
	composedName   = "composed, zermelo"
	composedSorty  = "composed, sorty"
	composedSorts  = "composed, sorts"
	heapName       = "bounded heap"
	heapByName     = "bounded heap, key function"
	topByName      = "sorter, key function"
)

// kind is the role of a contender.
type kind string

const (
	own      kind = "sorter"
	standard kind = "standard library"
	peer     kind = "peer"
)

// contender is one way to order a workload.
type contender struct {
	Name string
	Kind kind
	Sort func(run int) // orders one run of the workload

	// Scratch sorts the first run and returns the most bytes of scratch held.
	// Nil where only the allocator knows: then the bytes that the first sort
	// allocates count.
	Scratch func() int64
}

func std(name string, sort func(run int)) contender {
	return contender{Name: name, Kind: standard, Sort: sort}
}

func other(name string, sort func(run int)) contender {
	return contender{Name: name, Kind: peer, Sort: sort}
}
