package conformance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// wayBench is a call that a way was made for. Rows are drawn; prepare returns the call.
type wayBench struct {
	is      ways.Way
	name    string
	n       int
	cols    drawColumns
	given   bool
	prepare func(cols []wayColumn) (reset, call func())
}

var wayBenches = []wayBench{
	{ways.TextsInOrder, "strings in order", 1e6, one("string", rises(1)), false, benchKeys},
	{ways.FieldsInOrder, "two fields in order", 1e6, two("int64", rises(50), "float64", rises(1)), false, benchFields},
	{ways.SpareNulls, "int64 of 100 values, int64 a tenth null", 1e6, second(someNull(0.1, one("int64", below(1e15))), "int64", below(100)), true, benchOrder},
	{ways.SpareNulls, "equal int64, int64 a tenth null", 1e6, second(someNull(0.1, one("int64", below(1e15))), "int64", below(1)), true, benchOrder},
	{ways.SpareNulls, "int64 in order of 365 values, int64 a tenth null", 1e6, second(someNull(0.1, one("int64", below(1e15))), "int64", rises(2740)), true, benchOrder},
	{ways.SpareNulls, "int8 of 100 values, float64 a tenth null", 1e6, second(someNull(0.1, one("float64", below(1e15))), "int8", below(100)), true, benchOrder},
	{ways.NullsInOrder, "int64 in order, a tenth null", 1e6, someNull(0.1, one("int64", rises(1))), true, benchOrder},
	{ways.NullsApart, "int64, a tenth null", 1e6, someNull(0.1, one("int64", below(1e15))), true, benchOrder},
	{ways.NullsApart, "structs by string, a tenth null", 1e6, someNull(0.1, one("string", below(1e15))), false, benchSort},
	{ways.NullsApart, "structs by string, a tenth null", 1e5, someNull(0.1, one("string", below(1e15))), false, benchSort},
	{ways.NullsApart, "rows by string, a tenth null", 1e6, someNull(0.1, one("string", below(1e15))), true, benchOrder},
	{ways.NullsApart, "int64 in order, then int64, a tenth null", 1e6, someNull(0.1, two("int64", rises(9), "int64", below(1e15))), true, benchOrder},
	{ways.Segments, "int64 in order of 365 values, int64", 1e6, two("int64", rises(2740), "int64", below(1e15)), true, benchOrder},
	{ways.Segments, "string in order of 365 values, int64", 1e6, two("string", rises(2740), "int64", below(1e15)), true, benchOrder},
	{ways.NarrowColumns, "int64 of 1000 values, int64 of a million", 2e6, two("int64", below(1000), "int64", below(1e6)), true, benchOrder},
	{ways.NarrowColumns, "int64 of 100 000 values, int64 of a million", 131072, two("int64", below(1e5), "int64", below(1e6)), true, benchOrder},
	{ways.NarrowColumns, "int64 of a million values, int64 of a million", 1e6, two("int64", below(1e6), "int64", below(1e6)), true, benchOrder},
	{ways.NarrowColumns, "three int64 of 10, 100 and 1000 values", 1e6, second(two("int64", below(100), "int64", below(1000)), "int64", below(10)), true, benchOrder},
	{ways.NarrowColumns, "three int64 of 10, 100 and 1000 values", 65536, second(two("int64", below(100), "int64", below(1000)), "int64", below(10)), true, benchOrder},
	{ways.NarrowColumns, "int64 of 1000 values, int64 of a million, a tenth null", 2e6, second(someNull(0.1, one("int64", below(1e6))), "int64", below(1000)), true, benchOrder},
	{ways.Dealt, "int64 of 100 values, int64 of all magnitudes", 65536, two("int64", below(100), "int64", magnitudes), true, benchOrder},
	{ways.Dealt, "int64 of 100 values, int64 of all magnitudes", 1e6, two("int64", below(100), "int64", magnitudes), true, benchOrder},
	{ways.SelectFew, "the first 10 of 1000 int64", 1000, one("int64", below(1e15)), true, benchTop},
	{ways.SelectFew, "the first 10 000 of a million float64", 1e6, one("float64", below(1e15)), true, benchFirst},
	{ways.SortForRanks, "three quartiles of 50 000 float64", 50_000, one("float64", below(1e15)), true, benchQuantiles},
	{ways.SortForRanks, "three quartiles of 1000 float64", 1000, one("float64", below(1e15)), true, benchQuantiles},
	{ways.SelectRanks, "a median of 50 000 float64", 50_000, one("float64", below(1e15)), true, benchMedian},
	{ways.SelectRanks, "a median of 1000 float64", 1000, one("float64", below(1e15)), true, benchMedian},
	{ways.SelectRanks, "a median of int64", 1e6, one("int64", below(1e15)), true, benchNth},
	{ways.PartitionTable, "the first 3 of 100 partitions", 1e6, two("int64", below(100), "int64", below(1e15)), true, benchPer},
	{ways.PartitionRuns, "the first 3 of 100 000 partitions", 1e6, two("int64", below(1e5), "int64", below(1e15)), true, benchPer},
	{ways.PartitionRuns, "the first 3 of 300 partitions by strings", 1e6, two("string", below(300), "int64", below(1e15)), true, benchPer},
	{ways.FewValues, "int64 of 3 values", 1e5, one("int64", fromFew(3)), true, benchKeys},
	{ways.FewValues, "int64 of 3 values", 1e6, one("int64", fromFew(3)), true, benchKeys},
	{ways.FewValues, "int64 of 3 values", 1e7, one("int64", fromFew(3)), true, benchKeys},
	{ways.FewValues, "int64 of 3 values, and a tenth others, AVX2", 1e6, one("int64", mostly(fromFew(3))), true, benchKeys},
	{ways.FewValues, "int64 of 3 values, and 1 % others, AVX2", 1e6, one("int64", mostlyOf(100, fromFew(3))), true, benchKeys},
	{ways.FewValues, "int64 of 1 value, and a tenth others, AVX2", 1e6, one("int64", mostlyOf(10, fromFew(1))), true, benchKeys},
	{ways.Counting, "int64 of 300 values", 1e6, one("int64", below(300)), true, benchKeys},
	{ways.Counting, "int8", 1e6, one("int8", below(1<<8)), true, benchKeys},
	{ways.Counting, "int16", 1e6, one("int16", below(1<<16)), true, benchKeys},
	{ways.KeysInOrder, "structs by string and float64 in order", 1e6, two("string", rises(50), "float64", rises(1)), false, benchSort},
	{ways.KeysInOrder, "structs by int64 and int64 in order", 1e6, two("int64", rises(50), "int64", rises(1)), false, benchSort},
	{ways.Constant, "equal int64, int64", 1e6, two("int64", below(1), "int64", below(1e15)), false, benchSort},
	{ways.Constant, "equal int64, string", 1e6, two("int64", below(1), "string", below(1e15)), false, benchOrderElements},
	{ways.RunsInOrder, "structs by int64 in order of 365 values, int64", 1e6, two("int64", rises(2740), "int64", below(1e15)), false, benchSort},
	{ways.RunsInOrder, "structs by string in order of 365 values, int64", 1e6, two("string", rises(2740), "int64", below(1e15)), false, benchOrderElements},
	{ways.RunsInOrder, "structs by int64 in order, 10 each, int64", 1e6, two("int64", rises(10), "int64", below(1e15)), false, benchOrderElements},
	{ways.FinerCodes, "URLs of one host", 1e6, one("string", below(1e15)), true, benchOrder},
	{ways.CodesInOrder, "structs by int64, nearly sorted", 1e6, one("int64", strayed), false, benchSort},
	{ways.CodesInOrder, "int64, reversed", 1e6, one("int64", falls(1)), true, benchKeys},
	{ways.SplitKeys, "int64 of all magnitudes", 1e5, one("int64", magnitudes), true, benchKeys},
	{ways.SplitKeys, "int64 of all magnitudes", 1e6, one("int64", magnitudes), true, benchKeys},
	{ways.SplitRows, "float32", 1e5, one("float32", below(1<<24)), true, benchOrder},
	{ways.SplitRows, "float32", 1e6, one("float32", below(1<<24)), true, benchOrder},
	{ways.Crowd, "int64, a tenth of them the least", 30_000, one("int64", func(_, _ int, r *rand.Rand) int64 { return max(0, r.Int64N(1e15)-1e14) }), true, benchOrder},
	{ways.Crowd, "int64, half of them the least", 60_000, one("int64", func(_, _ int, r *rand.Rand) int64 { return max(0, r.Int64N(2e15)-1e15) }), true, benchOrder},
	{ways.SmallInOrder, "1000 float64, few swapped", 1000, one("float64", fewStrayed), true, benchKeys},
	{ways.SmallInOrder, "1000 structs by int64 and int64, in order", 1000, two("int64", rises(20), "int64", rises(1)), false, benchSort},
	{ways.SmallInOrder, "1000 strings, few swapped", 1000, one("string", fewStrayed), true, benchKeys},
	{ways.SmallValues, "1000 int64 of two values, AVX2", 1000, one("int64", fromFew(2)), true, benchKeys},
	{ways.SmallValues, "1000 int64 of 4 values, AVX2", 1000, one("int64", fromFew(4)), true, benchKeys},
}

// BenchmarkWays reports the processor time of each way, and of the ways after it where it is off, in turns.
func BenchmarkWays(b *testing.B) {
	for _, c := range wayBenches {
		name := c.is.String() + "/" + c.name
		if c.n > 10_000 {
			name += fmt.Sprintf(", %d rows", c.n)
		}
		b.Run(name, func(b *testing.B) {
			cols := c.cols(c.n, dist.Rand(1))
			for i := range cols {
				cols[i].given, cols[i].nullsFirst = c.given, c.given // then by bits
			}
			if strings.HasSuffix(c.name, ", AVX2") { // processors without AVX-512
				defer vecsort.Restrict("avx2")()
			}
			reset, call := c.prepare(cols)
			var times [2][]time.Duration
			reset()
			if taken := ways.Watch(call); !taken.Has(c.is) {
				b.Fatal("the way is not taken")
			}
			calls := max(1, 100_000/c.n)
			for b.Loop() {
				for off := range times {
					undo := func() {}
					if off == 1 {
						undo = ways.SwitchOff(ways.Of(c.is))
					}
					spent := time.Duration(0)
					for range calls {
						reset()
						start := testkit.CPUTime()
						call()
						spent += testkit.CPUTime() - start
					}
					undo()
					times[off] = append(times[off], spent/time.Duration(calls))
				}
			}
			on, off := slices.Min(times[0]), slices.Min(times[1])
			b.ReportMetric(float64(on.Nanoseconds())/float64(c.n), "ns/row")
			b.ReportMetric(float64(off.Nanoseconds())/float64(c.n), "off-ns/row")
			b.ReportMetric(float64(off)/float64(on), "x")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// benchRecord is an element whose keys are fields.
type benchRecord struct {
	keys [2]int64
	text string
	null bool
}

func columnsOfRecords(cols []wayColumn) (all []sorter.Column[benchRecord]) {
	for i := range cols {
		var col sorter.Column[benchRecord]
		switch cols[i].kind {
		case "string":
			col = sorter.Asc(func(e benchRecord) string { return e.text })
		case "float64":
			col = sorter.Asc(func(e benchRecord) float64 { return float64(e.keys[i]) })
		default:
			col = sorter.Asc(func(e benchRecord) int64 { return e.keys[i] })
		}
		if cols[i].null != nil {
			col = col.NullsLast(func(e benchRecord) bool { return e.null })
		}
		all = append(all, col)
	}
	return all
}

func none() {}

func benchOrder(cols []wayColumn) (reset, call func()) {
	n, into := len(cols[0].values), make(perm.Perm, len(cols[0].values))
	by := columnsOfWay(cols, ofRow)
	return none, func() { _, _ = sorter.RowsBy(n, by...).Order(sorter.Workers(1), sorter.Into(into)) }
}

func benchSort(cols []wayColumn) (reset, call func()) {
	all, by := recordsOf(cols), sorter.By(columnsOfRecords(cols)...)
	s := make([]benchRecord, len(all))
	return func() { copy(s, all) }, func() { _ = by.Sort(s, sorter.Workers(1)) }
}

// benchOrderElements orders elements by functions of their fields.
func benchOrderElements(cols []wayColumn) (reset, call func()) {
	all, by := recordsOf(cols), sorter.By(columnsOfRecords(cols)...)
	into := make(perm.Perm, len(all))
	return none, func() { _, _ = by.Order(all, sorter.Workers(1), sorter.Into(into)) }
}

// recordsOf returns elements with the keys of at most two columns.
func recordsOf(cols []wayColumn) []benchRecord {
	all := make([]benchRecord, len(cols[0].values))
	for row := range all {
		for i := range cols {
			e, c := &all[row], &cols[i]
			e.keys[i], e.null = c.values[row], c.null != nil && c.null[row]
			if c.kind == "string" {
				e.text = c.text(row)
			}
		}
	}
	return all
}

func benchKeys(cols []wayColumn) (reset, call func()) {
	switch c := &cols[0]; c.kind {
	case "int64":
		return benchKeysOf(c.values)
	case "int8":
		return benchKeysOf(mapped(c.values, func(v int64) int8 { return int8(v) }))
	case "int16":
		return benchKeysOf(mapped(c.values, func(v int64) int16 { return int16(v) }))
	case "float64":
		return benchKeysOf(mapped(ascending(len(c.values)), c.float))
	default:
		return benchKeysOf(mapped(ascending(len(c.values)), c.text))
	}
}

func benchKeysOf[K sorter.Key](keys []K) (reset, call func()) {
	s := make([]K, len(keys))
	return func() { copy(s, keys) }, func() { _ = sorter.SortKeys(s, sorter.Workers(1)) }
}

func benchFields(cols []wayColumn) (reset, call func()) {
	all := make([]wayRecord, len(cols[0].values))
	for row := range all {
		all[row] = wayRecord{A: cols[0].values[row], C: cols[1].float(row)}
	}
	s := make([]wayRecord, len(all))
	by, _ := sorter.ByFields[wayRecord]("A", "C")
	return func() { copy(s, all) }, func() { _ = by.Sort(s, sorter.Workers(1)) }
}

func benchTop(cols []wayColumn) (reset, call func()) {
	n, by := len(cols[0].values), columnsOfWay(cols, ofRow)
	return none, func() { _, _ = sorter.RowsBy(n, by...).Top(10, sorter.Workers(1)) }
}

func benchFirst(cols []wayColumn) (reset, call func()) {
	given := mapped(ascending(len(cols[0].values)), cols[0].float)
	keys := slices.Clone(given)
	return func() { copy(keys, given) }, func() { _ = sorter.TopKeys(keys, 10_000, sorter.Workers(1)) }
}

func benchNth(cols []wayColumn) (reset, call func()) {
	n, by := len(cols[0].values), columnsOfWay(cols, ofRow)
	return none, func() { _, _ = sorter.RowsBy(n, by...).Nth([]int{n / 2}, sorter.Workers(1)) }
}

func benchMedian(cols []wayColumn) (reset, call func()) { return benchQuantilesAt(cols, .5) }

func benchQuantiles(cols []wayColumn) (reset, call func()) {
	return benchQuantilesAt(cols, .25, .5, .75)
}

func benchQuantilesAt(cols []wayColumn, at ...float64) (reset, call func()) {
	keys := mapped(ascending(len(cols[0].values)), cols[0].float)
	return none, func() { _, _ = sorter.Quantiles(keys, at, sorter.Workers(1)) }
}

func benchPer(cols []wayColumn) (reset, call func()) {
	n, by := len(cols[0].values), columnsOfWay(cols, ofRow)
	return none, func() { _, _, _ = sorter.RowsBy(n, by[1:]...).Per(by[0]).Top(3, sorter.Workers(1)) }
}
