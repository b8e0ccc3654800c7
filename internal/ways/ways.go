// Package ways names the shortcuts for inputs of some shape, which the library tries before its general way.
// A result depends on no way: each may be switched off.
package ways

import (
	"os"
	"strings"
	"sync/atomic"
)

// Way is a shortcut.
type Way uint8

// The ways of each family, in the order in which they are tried. The file ways.go of the packages that its comment names has its list, with the
// inputs that each way fits, its memory, and its function. No other file asks for a way.
const (
	// Elements and keys are sorted, and rows ordered, where they lie. See package pipeline.
	TextsInOrder  Way = iota // strings that are their own keys are in order, or nearly
	FieldsInOrder            // so are elements by their fields
	SpareNulls               // nulls of a 64-bit key get a code that no key has
	NullsInOrder             // rows are in order, except for the nulls of their first column
	NullsApart               // rows with a null in the first column are ordered by themselves
	Segments                 // rows are in order by the first column, in memory
	NarrowColumns            // columns in memory take the bits between their least and their greatest key
	Dealt                    // rows are ordered by later columns and dealt by the first, of few values

	// Rows are selected. See packages selection and ranked.
	SelectFew      // the first of numbers, or of at most 4096 elements, are selected by their codes
	SortForRanks   // a copy of plain keys is sorted for many quantiles
	SelectRanks    // rows at few ranks are selected
	PartitionTable // rows after the first k of their partition are dropped by a hash table
	PartitionRuns  // rows are ordered by partition, and within partitions without those that are after the first k of a block

	// Codes are ordered by the CPU. See packages cpu and bucket.
	FewValues    // most keys have one of four values; all, where AVX-512 splits keys
	Counting     // keys are of a narrow range
	KeysInOrder  // whole keys are in order, or nearly
	Constant     // the first codes are all equal
	RunsInOrder  // the first codes are in order, and many tie
	FinerCodes   // texts begin with the same bytes
	CodesInOrder // codes are nearly in order
	SplitKeys    // keys are of up to 32 bits, or their codes crowd, and vectors split them from the first round on
	SplitRows    // rows are ordered by 32-bit codes, and vectors split words of both
	Crowd        // many codes of a bucket are the least, or the greatest

	// At most 4096 elements. See packages cpu and small.
	SmallInOrder // few elements are out of place
	SmallValues  // codes have up to four values, and nothing splits them

	Ways = iota // their number
)

// names are for the environment; a name is that of [engine.Shape], where statistics report one.
var names = [Ways]string{
	TextsInOrder:   "texts-in-order",
	FieldsInOrder:  "fields-in-order",
	SpareNulls:     "spare-nulls",
	NullsInOrder:   "nulls-in-order",
	NullsApart:     "nulls-apart",
	Segments:       "segments",
	NarrowColumns:  "narrow-columns",
	Dealt:          "dealt",
	SelectFew:      "select-few",
	SortForRanks:   "sort-for-ranks",
	SelectRanks:    "select-ranks",
	PartitionTable: "partition-table",
	PartitionRuns:  "partition-runs",
	FewValues:      "few-values",
	Counting:       "counting",
	KeysInOrder:    "keys-in-order",
	Constant:       "constant",
	RunsInOrder:    "runs-in-order",
	FinerCodes:     "finer-codes",
	CodesInOrder:   "codes-in-order",
	SplitKeys:      "split-keys",
	SplitRows:      "split-rows",
	Crowd:          "crowd",
	SmallInOrder:   "small-in-order",
	SmallValues:    "small-values",
}

// gains are of inputs that a way was made for: those of BenchmarkWays in internal/conformance, one worker of a Xeon, processor time,
// 2026-12-01, the time of the ways after it, by that of the way. Programs do not have them: only tests ask.
var gains = [Ways]string{
	TextsInOrder:   "1.7 times, a million strings in order",
	FieldsInOrder:  "1.5 times, a million structs by two fields in order",
	SpareNulls:     "2.1 times, rows in order by a column, then int64 with nulls in a bitmap; 1.2 times by equal keys; 0.9 to 1 times by 100 in no order",
	NullsInOrder:   "1.6 times, rows by int64 in order, a tenth null",
	NullsApart:     "1.2 to 2 times, strings, or rows in memory, a tenth null",
	Segments:       "1.4 to 1.7 times, rows by 365 values in order, then int64",
	NarrowColumns:  "1.2 to 1.7 times, 65 536 rows or more by two or three columns of few values each; 1.1 times with nulls",
	Dealt:          "1.4 times, 65 536 rows by 100 values, then int64; 1.1 times a million",
	SelectFew:      "3.3 times, the first 10 of 1000",
	SortForRanks:   "1.2 to 1.5 times, three quartiles of 1000 or 50 000 keys",
	SelectRanks:    "1.8 to 2.3 times, a median of 1000 or 50 000 keys; 9 times, a row by rank of a million",
	PartitionTable: "3.7 times, the first 3 of each of 100 partitions",
	PartitionRuns:  "1.1 to 1.2 times, the first 3 of each of 300 or 100 000 partitions",
	FewValues:      "1.7 to 2.2 times, 3 values; with AVX2 alone 2.1 to 3 times, 3 and 1 % or a tenth others",
	Counting:       "1.2 times, int64 of 300 values; 6.1 and 2.7 times, a million int8 and int16",
	KeysInOrder:    "1.2 times, structs by two columns in order",
	Constant:       "1.3 to 1.4 times, structs by equal int64, then another column",
	RunsInOrder:    "1.3 to 1.4 times, structs by 365 values, or 10 each, in order, then int64",
	FinerCodes:     "1.4 times, URLs of one host",
	CodesInOrder:   "2.2 times, nearly sorted structs; 6 times, keys reversed",
	SplitKeys:      "1.3 to 1.8 times, 10^5 or 10^6 uint32, float32 and float64; 3 times where they crowd",
	SplitRows:      "1.4 to 1.5 times, 10^5 or 10^6 rows by float32",
	Crowd:          "1.4 to 1.9 times, 30 000 and 60 000 int64, a tenth and half of them the least",
	SmallInOrder:   "1.2 to 1.6 times, 1000 elements in order or with few swapped",
	SmallValues:    "1.4 to 2.7 times, 1000 keys of 4 or 2 values, with AVX2 alone",
}

func (w Way) String() string { return names[w] }

// Gain is the measured gain on inputs that the way was made for, with the benchmark that shows it.
func (w Way) Gain() string { return gains[w] }

// Set has a bit for each way.
type Set uint32

// Of returns the set of some ways.
func Of(some ...Way) (s Set) {
	for _, w := range some {
		s |= 1 << w
	}
	return s
}

// All is the set of all ways.
const All Set = 1<<Ways - 1

// String returns the names of the ways in the set, as the environment has them.
func (s Set) String() string {
	var names []string
	for w := range Way(Ways) {
		if s.Has(w) {
			names = append(names, "-"+w.String())
		}
	}
	return strings.Join(names, ",")
}

// Has reports whether a way is in the set.
func (s Set) Has(w Way) bool { return s>>w&1 != 0 }

// off is the set of ways that are switched off: by SORTER_WAYS=-dealt,-nulls-apart in the environment, or by
// tests. A call that it changes during may take some ways of both sets.
var off atomic.Uint32

func init() { off.Store(uint32(Parse(os.Getenv("SORTER_WAYS")))) }

// Parse returns the ways that a text such as "-dealt,-nulls-apart" switches off. "-all" is all of them. Other names are
// ignored, as other values of SORTER_VECTORS are.
func Parse(text string) (s Set) {
	for name := range strings.SplitSeq(text, ",") {
		for w := range Way(Ways) {
			if name == "-"+names[w] || name == "-all" {
				s |= 1 << w
			}
		}
	}
	return s
}

// On reports whether a way may be taken: a fact for those before it.
func On(w Way) bool { return off.Load()>>w&1 == 0 }

// SwitchOff switches off the ways of a set, and those alone, until restore is called. It is for tests.
func SwitchOff(s Set) (restore func()) {
	before := off.Swap(uint32(s))
	return func() { off.Store(before) }
}

// taken are the ways taken since tests began to watch.
var watched, taken atomic.Uint32

// took records that a way was taken to the end.
func took(w Way) {
	if watched.Load() > 0 {
		taken.Or(1 << w)
	}
}

// Watch calls f, and returns the ways that calls of all goroutines took meanwhile. It is for tests.
func Watch(f func()) Set {
	watched.Add(1)
	defer watched.Add(^uint32(0))
	taken.Store(0)
	f()
	return Set(taken.Load())
}
