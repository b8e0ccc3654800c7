package sorter_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/sorter"
	"example.com/sorter/perm"
)

func Example() {
	type trade struct {
		ID    int
		Price float32
	}
	trades := []trade{{1, 20.5}, {2, 19}, {3, 21}, {4, 19}}

	err := sorter.Sort(trades, func(t trade) float32 { return t.Price }, sorter.Stable())

	fmt.Println(trades, err)
	// Output: [{2 19} {4 19} {1 20.5} {3 21}] <nil>
}

func ExampleSort() {
	type city struct {
		Name    string
		Founded time.Time
	}
	year := func(y int) time.Time { return time.Date(y, time.January, 1, 0, 0, 0, 0, time.UTC) }
	cities := []city{{"Brasília", year(1960)}, {"Rome", year(-752)}, {"Kyoto", year(794)}}

	err := sorter.Sort(cities, func(c city) time.Time { return c.Founded }, sorter.Descending())

	for _, c := range cities {
		fmt.Println(c.Name)
	}
	fmt.Println(err)
	// Output:
	// Brasília
	// Kyoto
	// Rome
	// <nil>
}

func ExampleSortFunc() {
	type release struct{ Major, Minor int }
	releases := []release{{1, 12}, {2, 0}, {1, 9}, {1, 12}}
	newestFirst := func(a, b release) int { return cmp.Or(b.Major-a.Major, b.Minor-a.Minor) }

	err := sorter.SortFunc(releases, newestFirst)

	fmt.Println(releases, err)
	// Output: [{2 0} {1 12} {1 12} {1 9}] <nil>
}

func ExampleOrderFunc() {
	words := []string{"pear", "Fig", "apple"}

	p, err := sorter.OrderFunc(words, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })

	fmt.Println(p, words, err)
	// Output: [2 1 0] [pear Fig apple] <nil>
}

func ExampleSortKeys() {
	temperatures := []float64{21.5, math.NaN(), -3, math.Inf(1), 0}

	_ = sorter.SortKeys(temperatures) // NaNs first, as slices.Sort has it
	fmt.Println(temperatures)
	_ = sorter.SortKeys(temperatures, sorter.NaNsLast())
	fmt.Println(temperatures)
	// Output:
	// [NaN -3 0 21.5 +Inf]
	// [-3 0 21.5 +Inf NaN]
}

func ExampleSortPairs() {
	codes := []string{"no", "de", "fr"}
	names := []string{"Norway", "Germany", "France"}

	err := sorter.SortPairs(codes, names)

	fmt.Println(codes, names, err)
	// Output: [de fr no] [Germany France Norway] <nil>
}

func ExampleTopKeys() {
	latencies := []uint16{300, 20, 45, 7, 90}

	err := sorter.TopKeys(latencies, 2, sorter.Descending())

	fmt.Println(latencies[:2], err)
	// Output: [300 90] <nil>
}

func ExampleOrdering_Search() {
	type visit struct {
		Country string
		Day     int
	}
	order := sorter.By(sorter.Asc(func(v visit) string { return v.Country }), sorter.Desc(func(v visit) int { return v.Day }))
	visits := []visit{{"DE", 9}, {"DE", 3}, {"SE", 8}, {"SE", 1}}

	fmt.Println(order.Search(visits, visit{"SE", 8}))
	fmt.Println(order.Search(visits, visit{"SE", 7}))
	// Output:
	// 2 true
	// 3 false
}

// The permutation of an order by several keys, which leaves the slice alone.
func ExampleOrdering_Order() {
	type visit struct {
		Country string
		Day     int
	}
	order := sorter.By(sorter.Asc(func(v visit) string { return v.Country }), sorter.Desc(func(v visit) int { return v.Day }))
	visits := []visit{{"SE", 1}, {"DE", 3}, {"SE", 8}, {"DE", 9}}

	p, err := order.Order(visits)
	fmt.Println(p, order.IsSorted(visits), err)

	err = order.TopK(visits, 2) // the first two, in order, to the front
	fmt.Println(visits[:2], err)
	// Output:
	// [3 1 2 0] false <nil>
	// [{DE 9} {DE 3}] <nil>
}

func ExampleOrdering_Groups() {
	type visit struct {
		Country string
		Paid    bool
		ID      int
	}
	order := sorter.By(sorter.Asc(func(v visit) string { return v.Country }), sorter.Asc(func(v visit) bool { return v.Paid }))
	visits := []visit{{"SE", true, 1}, {"DE", false, 2}, {"SE", true, 3}}

	err := order.Sort(visits, sorter.Stable())
	for group := range order.Groups(visits) {
		fmt.Println(group)
	}
	fmt.Println(err)
	// Output:
	// [{DE false 2}]
	// [{SE true 1} {SE true 3}]
	// <nil>
}

func ExampleOrder() {
	type athlete struct {
		Name    string
		Seconds float32
	}
	field := []athlete{{"Ana", 52.1}, {"Ben", 50.9}, {"Cleo", 51.3}}

	p, err := sorter.Order(field, func(a athlete) float32 { return a.Seconds })
	rank := p.Inverse() // where each athlete came in

	for i, a := range field { // as it was
		fmt.Println(a.Name, rank[i]+1)
	}
	fmt.Println(p, err)
	// Output:
	// Ana 3
	// Ben 1
	// Cleo 2
	// [1 2 0] <nil>
}

func ExampleOrderKeys() {
	latencies := []uint16{300, 20, 45}

	p, err := sorter.OrderKeys(latencies)

	fmt.Println(p, err)
	fmt.Println("slowest request:", p[len(p)-1])
	// Output:
	// [1 2 0] <nil>
	// slowest request: 0
}

func ExampleInto() {
	// One order after the other, in memory that is cleared by the system once.
	var p perm.Perm
	for _, latencies := range [][]uint16{{300, 20, 45, 70}, {15, 12, 90}} {
		var err error
		if p, err = sorter.OrderKeys(latencies, sorter.Into(p)); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p, "in room for", cap(p))
	}
	// Output:
	// [1 2 3 0] in room for 4
	// [1 0 2] in room for 4
}

// One sort by two columns: the partitions by the first, and the rows that tie in both.
func ExampleMarkRuns() {
	country := []string{"NO", "SE", "NO", "SE", "NO"}
	amount := []int{40, 70, 90, 70, 40}
	cols := []sorter.Column[int]{sorter.AscOf(country), sorter.AscOf(amount)}

	var countries, all perm.Runs
	p, err := sorter.RowsBy(5, cols...).Order(sorter.MarkRunsBy(1, &countries), sorter.MarkRuns(&all))
	if err != nil {
		panic(err)
	}
	for lo, hi := range countries.All() {
		fmt.Println(country[p[lo]], "has rows", p[lo:hi])
	}
	fmt.Println(all.Len(), "distinct rows, which begin at", all.Offsets())
	// Output:
	// NO has rows [0 4 2]
	// SE has rows [1 3]
	// 3 distinct rows, which begin at [0 2 3 5]
}

// A table stored by column, as in an arena or a file.
func ExampleRows_Order() {
	country := []string{"SE", "DE", "SE", "DE"}
	amount := []float64{10, 25, 40, 5}

	p, err := sorter.RowsBy(len(country), sorter.AscOf(country), sorter.DescOf(amount)).Order()

	for _, row := range p {
		fmt.Println(country[row], amount[row])
	}
	fmt.Println(err)
	// Output:
	// DE 25
	// DE 5
	// SE 40
	// SE 10
	// <nil>
}

// Columns as Apache Arrow has them: values, and a bitmap in which the bits of nulls are 0.
func ExampleColumn_NullsLastBits() {
	amount := []int64{40, 0, 90, 70, 0}
	valid := []byte{0b01101 << 2} // from bit 2 on

	p, err := sorter.RowsBy(len(amount), sorter.DescOf(amount).NullsLastBits(valid, 2)).Order()

	fmt.Println(p, err)
	// Output: [2 3 0 1 4] <nil>
}

func ExampleColumn_NullsFirstBits() {
	amount := []int64{40, 0, 90, 70, 0}
	valid := []byte{0b01101}

	p, err := sorter.RowsBy(len(amount), sorter.AscOf(amount).NullsFirstBits(valid, 0)).Order()

	fmt.Println(p, err)
	// Output: [1 4 0 3 2] <nil>
}

// A chunked column and its bitmap, as columnar formats have them.
func ExampleChunks() {
	chunks := [][]int64{{40, 10}, {}, {90, 70, 20}}
	valid := []byte{0b10111}

	amount := sorter.Chunks(chunks)
	p, err := sorter.RowsBy(amount.Len(), amount.Desc().NullsLastBits(valid, 0)).Order()

	fmt.Println(p, err)
	// Output: [2 0 4 1 3] <nil>
}

// Text that lies in one buffer, with offsets.
func ExampleArena() {
	data, offsets := []byte("pearfigapplefig"), []int32{0, 4, 7, 12, 15}

	p, err := sorter.RowsBy(4, sorter.Arena(data, offsets).Asc()).Order()

	fmt.Println(p, err)
	// Output: [2 1 3 0] <nil>
}

// Short text lies in its view, longer text in a buffer.
func ExampleViews() {
	views := []byte("\x03\x00\x00\x00fig\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x0e\x00\x00\x00elde\x00\x00\x00\x00\x02\x00\x00\x00")
	buffer := []byte("..elderberry jam")

	p, err := sorter.RowsBy(2, sorter.Views(views, buffer).Desc()).Order()

	fmt.Println(p, err)
	// Output: [0 1] <nil>
}

// Codes of three letters, one after the other.
func ExampleFixedBinary() {
	code := sorter.FixedBinary([]byte("OSLARNBMAHEL"), 3)

	p, err := sorter.RowsBy(code.Len(), code.Asc()).Order()

	fmt.Println(p, err)
	// Output: [1 2 3 0] <nil>
}

// Chunks of text that lie in different ways.
func ExampleConcat() {
	text := sorter.Concat(
		sorter.Arena([]byte("pearfig"), []int32{0, 4, 7}),
		sorter.Chunks([][]string{{"apple"}, {"date"}}))

	p, err := sorter.RowsBy(text.Len(), text.Desc()).Order()

	fmt.Println(p, err)
	// Output: [0 1 3 2] <nil>
}

// Decimals of 128 bits, in units of their last digit.
func ExampleInt128() {
	price := []sorter.Int128{{Hi: 3}, {Lo: 1250}, {Hi: -1, Lo: 1<<64 - 1}} // 3·2^64, 1250, −1

	p, err := sorter.RowsBy(len(price), sorter.AscOf(price)).Order()

	fmt.Println(p, err)
	// Output: [2 1 0] <nil>
}

func ExampleColumn_TotalOrder() {
	x := []float64{0, math.NaN(), math.Inf(-1), math.Copysign(0, -1), math.Copysign(math.NaN(), -1)}

	p, err := sorter.RowsBy(len(x), sorter.AscOf(x).TotalOrder()).Order()

	fmt.Println(p, err)
	// Output: [4 2 3 0 1] <nil>
}

func ExampleTotalOrder() {
	keys := []float64{0, 1, math.Copysign(0, -1), math.Inf(1)}

	p, err := sorter.OrderKeys(keys, sorter.TotalOrder(), sorter.Descending())

	fmt.Println(p, err)
	// Output: [3 1 0 2] <nil>
}

// WHERE amount > 10 ORDER BY country, amount DESC.
func ExampleRows_Sort() {
	country := []string{"SE", "DE", "SE", "DE"}
	amount := []float64{10, 25, 40, 50}

	var rows []uint32
	for row, a := range amount {
		if a > 10 {
			rows = append(rows, uint32(row))
		}
	}
	err := sorter.RowsBy(4, sorter.AscOf(country), sorter.DescOf(amount)).Sort(rows)

	fmt.Println(rows, err)
	// Output: [3 1 2] <nil>
}

func ExampleTopK() {
	type player struct {
		Name  string
		Score int32
	}
	players := []player{{"ann", 12}, {"bob", 90}, {"eve", 71}, {"joe", 55}, {"sam", 80}}

	err := sorter.TopK(players, 2, func(p player) int32 { return p.Score }, sorter.Descending())

	fmt.Println(players[:2], err)
	// Output: [{bob 90} {sam 80}] <nil>
}

// The two largest amounts of each country: row_number() OVER (PARTITION BY country ORDER BY amount
// DESC) <= 2.
func ExamplePartitions_Top() {
	country := []string{"it", "no", "it", "no", "it"}
	amount := []int{30, 12, 90, 45, 60}
	rows, parts, err := sorter.RowsBy(len(amount), sorter.DescOf(amount)).Per(sorter.AscOf(country)).Top(2)
	if err != nil {
		panic(err)
	}
	for lo, hi := range parts.All() {
		fmt.Print(country[rows[lo]])
		for _, row := range rows[lo:hi] {
			fmt.Print(" ", amount[row])
		}
		fmt.Println()
	}
	// Output:
	// it 90 60
	// no 45 12
}

func ExampleRows_Nth() {
	latency := []float64{12, 250, 9, 31, 17, 8, 90, 14, 11, 40}
	rows, err := sorter.RowsBy(len(latency), sorter.AscOf(latency)).Nth([]int{0, 4, 9})
	if err != nil {
		panic(err)
	}
	for _, row := range rows {
		fmt.Println(row, latency[row])
	}
	// Output:
	// 5 8
	// 7 14
	// 1 250
}

func ExampleQuantiles() {
	latency := []float64{12, 250, 9, 31, 17, 8, 90, 14, 11, 40}
	q, err := sorter.Quantiles(latency, []float64{0.5, 0.9})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.1f %.1f\n", q[0], q[1])
	// Output: 15.5 106.0
}

func ExampleRows_Quantiles() {
	name := []string{"c", "a", "b", "a", "d"}
	size := []int{3, 9, 1, 4, 1}
	rows, err := sorter.RowsBy(len(name), sorter.AscOf(name), sorter.AscOf(size)).Quantiles([]float64{0.5, 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(name[rows[0]], name[rows[1]])
	// Output: b d
}

// The first and the third of each country. Norway has no third.
func ExamplePartitions_Nth() {
	country := []string{"it", "no", "it", "no", "it"}
	amount := []int{30, 12, 90, 45, 60}
	rows, err := sorter.RowsBy(len(amount), sorter.DescOf(amount)).Per(sorter.AscOf(country)).Nth([]int{0, 2})
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(rows); i += 2 {
		fmt.Print(country[rows[i]], " ", amount[rows[i]])
		if third := rows[i+1]; third != sorter.NoRow {
			fmt.Print(" ", amount[third])
		}
		fmt.Println()
	}
	// Output:
	// it 90 30
	// no 45
}

// The median name of each country: percentile_disc(0.5) WITHIN GROUP (ORDER BY name) … GROUP BY
// country.
func ExamplePartitions_Quantiles() {
	country := []string{"it", "no", "it", "no", "it"}
	name := []string{"Ugo", "Liv", "Ada", "Per", "Eva"}
	rows, err := sorter.RowsBy(len(name), sorter.AscOf(name)).Per(sorter.AscOf(country)).Quantiles([]float64{0.5})
	if err != nil {
		panic(err)
	}
	for _, row := range rows {
		fmt.Println(country[row], name[row])
	}
	// Output:
	// it Eva
	// no Liv
}

// Windows: the running number and the share of each amount within its country, by one order.
// Package rank has the ranks of SQL.
func ExamplePartitions() {
	country := []string{"it", "no", "it", "no", "it"}
	amount := []float64{30, 12, 90, 45, 60}
	payments := sorter.RowsBy(len(amount), sorter.DescOf(amount)).Per(sorter.AscOf(country))

	rows, windows, err := payments.Top(len(amount)) // all rows
	if err != nil {
		panic(err)
	}
	for lo, hi := range windows.All() {
		sum := 0.0
		for _, row := range rows[lo:hi] {
			sum += amount[row]
		}
		for i, row := range rows[lo:hi] {
			fmt.Printf("%s %d %2.0f %.0f%%\n", country[row], i+1, amount[row], 100*amount[row]/sum)
		}
	}
	// Output:
	// it 1 90 50%
	// it 2 60 33%
	// it 3 30 17%
	// no 1 45 79%
	// no 2 12 21%
}

// The median amount of each country, interpolated as percentile_cont(0.5) does: rows of all ranks
// come with one order, in which runs are the countries.
func ExampleRows() {
	country := []string{"it", "no", "it", "no", "it"}
	amount := []float64{30, 12, 90, 45, 60}
	payments := sorter.RowsBy(len(amount), sorter.AscOf(country), sorter.AscOf(amount))

	var countries perm.Runs
	p, err := payments.Order(sorter.MarkRunsBy(1, &countries))
	if err != nil {
		panic(err)
	}
	for lo, hi := range countries.All() {
		last := hi - lo - 1
		below, above := amount[p[lo+last/2]], amount[p[lo+(last+1)/2]]
		fmt.Println(country[p[lo]], (below+above)/2)
	}
	// Output:
	// it 60
	// no 28.5
}

// ORDER BY amount DESC LIMIT 3, of data that is stored by column.
func ExampleRows_Top() {
	name := []string{"Ann", "Bob", "Cat", "Dan", "Eve"}
	amount := []float64{12.5, 99, 7, 99, 50}

	first, err := sorter.RowsBy(len(name), sorter.DescOf(amount)).Top(3)

	for _, row := range first {
		fmt.Println(name[row], amount[row])
	}
	fmt.Println(err)
	// Output:
	// Bob 99
	// Dan 99
	// Eve 50
	// <nil>
}

func ExampleOrdering_TopOrder() {
	words := []string{"pear", "fig", "banana", "kiwi"}

	shortest, err := sorter.By(sorter.Asc(func(s string) int { return len(s) })).TopOrder(words, 2)

	fmt.Println(shortest, err) // words is as it was
	// Output: [1 0] <nil>
}

// The three largest amounts of a stream.
func ExampleTop() {
	type sale struct {
		item   string
		amount int
	}
	top := sorter.NewTop(sorter.By(sorter.Desc(func(s sale) int { return s.amount })), 3)

	for batch := range slices.Chunk([]sale{{"pen", 5}, {"lamp", 90}, {"ink", 7}, {"book", 30}, {"bag", 90}}, 2) {
		top.Push(batch...)
	}

	fmt.Println(top.Result())
	// Output: [{lamp 90} {bag 90} {book 30}]
}

// A scan skips blocks whose least key does not come before the bound.
func ExampleTop_Bound() {
	blocks := []struct {
		least int // as statistics have it
		keys  []int
	}{
		{7, []int{20, 7, 30}},
		{8, []int{9, 8, 10}},
		{1, []int{50, 1, 60}},
		{7, []int{8, 7}},
	}
	own := sorter.By(sorter.Asc(func(key int) int { return key }))
	top := sorter.NewTop(own, 2)

	for i, block := range blocks {
		if bound, ok := top.Bound(); ok && own.Compare(block.least, bound) >= 0 {
			fmt.Println("skipped block", i)
			continue
		}
		top.Push(block.keys...)
	}

	fmt.Println(top.Result())
	// Output:
	// skipped block 3
	// [1 7]
}

// Goroutines read a part of the data each.
func ExampleTop_Merge() {
	parts := [][]string{{"pear", "fig", "banana"}, {"kiwi", "plum", "lime"}}
	byLength := sorter.By(sorter.Asc(func(s string) int { return len(s) }))
	tops := make([]*sorter.Top[string], len(parts))
	var wait sync.WaitGroup
	for i, part := range parts {
		wait.Go(func() {
			tops[i] = sorter.NewTop(byLength, 3)
			tops[i].Push(part...)
		})
	}
	wait.Wait()

	tops[0].Merge(tops[1])

	fmt.Println(tops[0].Result())
	// Output: [fig pear kiwi]
}

// ROW_NUMBER() OVER (PARTITION BY country ORDER BY amount DESC) <= 2, over a stream.
func ExampleTopPer() {
	type sale struct {
		country string
		amount  int
	}
	byCountry := sorter.By(sorter.Asc(func(s sale) string { return s.country }))
	byAmount := sorter.By(sorter.Desc(func(s sale) int { return s.amount }))
	top := sorter.NewTopPer(byCountry, byAmount, 2)

	top.Push(sale{"NL", 5}, sale{"DE", 90}, sale{"NL", 7})
	top.Push(sale{"DE", 30}, sale{"NL", 6}, sale{"DE", 50})

	rows, parts := top.Result()
	for from, end := range parts.All() {
		fmt.Println(rows[from:end])
	}
	// Output:
	// [{DE 90} {DE 50}]
	// [{NL 7} {NL 6}]
}

func ExampleOrdering_Nth() {
	seconds := []float64{0.3, 9.1, 0.2, 0.5, 0.4}
	at := func(q float64) int { return int(q * float64(len(seconds)-1)) }
	own := sorter.By(sorter.Asc(func(s float64) float64 { return s }))

	rows, err := own.Nth(seconds, []int{at(0.5), at(1)}) // the median and the slowest

	fmt.Println(seconds[rows[0]], seconds[rows[1]], err)
	// Output: 0.4 9.1 <nil>
}

func ExampleMerge() {
	type entry struct {
		At   int64
		Text string
	}
	logs := [][]entry{
		{{1, "a starts"}, {5, "a stops"}},
		{{1, "b starts"}, {3, "b waits"}},
		{{2, "c starts"}},
	}
	all := make([]entry, 5)

	err := sorter.Merge(all, logs, func(e entry) int64 { return e.At })

	for _, e := range all { // of entries with one time, those of earlier logs come first
		fmt.Println(e.At, e.Text)
	}
	fmt.Println(err)
	// Output:
	// 1 a starts
	// 1 b starts
	// 2 c starts
	// 3 b waits
	// 5 a stops
	// <nil>
}

func ExampleOrdering_Merge() {
	type entry struct {
		At   int64
		Text string
	}
	a := []entry{{1, "a starts"}, {5, "a stops"}}
	b := []entry{{1, "b starts"}, {3, "b waits"}}
	both := make([]entry, len(a)+len(b))

	byTime := sorter.By(sorter.Asc(func(e entry) int64 { return e.At }))
	err := byTime.Merge(both, [][]entry{a, b})

	for _, e := range both { // of entries with one time, those of a come first
		fmt.Println(e.At, e.Text)
	}
	fmt.Println(err)
	// Output:
	// 1 a starts
	// 1 b starts
	// 3 b waits
	// 5 a stops
	// <nil>
}

func ExampleIsSorted() {
	words := []string{"pear", "fig", "banana"}
	length := func(w string) int { return len(w) }

	fmt.Println(sorter.IsSorted(words, length))
	fmt.Println(sorter.IsSorted(words[1:], length))
	// Output:
	// false
	// true
}

func ExampleSearch() {
	type version struct {
		Since time.Duration
		Name  string
	}
	versions := []version{{0, "v1"}, {2 * time.Hour, "v2"}, {7 * time.Hour, "v3"}}
	since := func(v version) time.Duration { return v.Since }

	fmt.Println(sorter.Search(versions, since, 2*time.Hour))
	fmt.Println(sorter.Search(versions, since, 3*time.Hour)) // between v2 and v3
	// Output:
	// 1 true
	// 2 false
}

// Rows of one country in data that is stored by column, sorted by country and amount.
func ExampleRows_SearchRange() {
	country := []string{"DE", "NO", "NO", "NO", "SE", "NO"} // the last is the probe

	lo, hi := sorter.RowsBy(5, sorter.AscOf(country)).SearchRange(5)

	fmt.Println(lo, hi, country[lo:hi])
	// Output: 1 4 [NO NO NO]
}

func ExampleOrdering_SearchRange() {
	years := []int{1990, 1994, 1994, 1998}
	own := sorter.By(sorter.Asc(func(y int) int { return y }))

	fmt.Println(own.SearchRange(years, 1994))
	fmt.Println(own.SearchRange(years, 1996))
	// Output:
	// 1 3
	// 3 3
}

func ExampleGroups() {
	type order struct {
		Customer string
		Cents    int
	}
	orders := []order{{"zoe", 300}, {"ali", 150}, {"zoe", 99}, {"ali", 50}}
	customer := func(o order) string { return o.Customer }

	_ = sorter.Sort(orders, customer)
	for group := range sorter.Groups(orders, customer) {
		sum := 0
		for _, o := range group {
			sum += o.Cents
		}
		fmt.Println(group[0].Customer, sum)
	}
	// Output:
	// ali 200
	// zoe 399
}

func ExampleOrdering_SortWithin() {
	// Three lists, one after the other.
	postings := []int{30, 10, 20, 7, 5, 9, 1}
	offsets := []int{0, 3, 3, 7}

	err := sorter.By(sorter.Asc(func(doc int) int { return doc })).SortWithin(postings, offsets)

	for i := range offsets[1:] {
		fmt.Println(postings[offsets[i]:offsets[i+1]])
	}
	fmt.Println(err)
	// Output:
	// [10 20 30]
	// []
	// [1 5 7 9]
	// <nil>
}

func ExampleRows_Within() {
	// Rows stored by day; within each day the largest amounts come first.
	days := []int{0, 3, 5} // where the rows of a day begin
	amount := []float64{4, 30, 7, 12, 25}

	p, err := sorter.RowsBy(5, sorter.DescOf(amount)).Within(days)

	fmt.Println(p, err)
	// Output: [1 2 0 4 3] <nil>
}

func ExampleByFields() {
	type payment struct {
		Country string   `json:"country"`
		Amount  *float64 `json:"amount,omitempty"` // nil is a null
	}
	euro := func(x float64) *float64 { return &x }
	payments := []payment{{"SE", euro(7)}, {"DE", nil}, {"DE", euro(4)}, {"DE", euro(30)}}

	by, err := sorter.ByFields[payment]("country", "-amount")
	if err != nil {
		fmt.Println(err) // no such field
		return
	}
	err = by.Sort(payments)

	for _, p := range payments {
		if p.Amount == nil {
			fmt.Println(p.Country, "unknown")
		} else {
			fmt.Println(p.Country, *p.Amount)
		}
	}
	fmt.Println(err)
	// Output:
	// DE 30
	// DE 4
	// DE unknown
	// SE 7
	// <nil>
}

func ExampleBy() {
	type task struct {
		Name   string
		Urgent bool
		Due    *time.Time // nil: no date
	}
	day := func(d int) *time.Time {
		t := time.Date(2025, time.March, d, 0, 0, 0, 0, time.UTC)
		return &t
	}
	tasks := []task{
		{"sweep", false, nil},
		{"invoice", false, day(9)},
		{"reply", true, nil},
		{"backup", true, day(3)},
		{"audit", false, day(9)},
	}

	undated := func(t task) bool { return t.Due == nil }
	todo := sorter.By(
		sorter.Desc(func(t task) bool { return t.Urgent }),
		sorter.Asc(func(t task) time.Time { return *t.Due }).NullsLast(undated), // no nil gets here
		sorter.Asc(func(t task) string { return t.Name }),
	)
	err := todo.Sort(tasks)

	for _, t := range tasks {
		fmt.Println(t.Name)
	}
	fmt.Println(err)
	// Output:
	// backup
	// reply
	// audit
	// invoice
	// sweep
	// <nil>
}

func ExampleOrdering_Compare() {
	type point struct{ X, Y int }
	byColumnThenRow := sorter.By(
		sorter.Asc(func(p point) int { return p.X }),
		sorter.Desc(func(p point) int { return p.Y }),
	)
	points := []point{{2, 1}, {1, 1}, {2, 9}}

	_ = byColumnThenRow.Sort(points)
	at, found := slices.BinarySearchFunc(points, point{2, 9}, byColumnThenRow.Compare)

	fmt.Println(points, at, found)
	// Output: [{1 1} {2 9} {2 1}] 1 true
}

func ExampleReport() {
	ids := make([]uint32, 100_000)
	for i := range ids {
		ids[i] = uint32(len(ids) - i)
	}

	var st sorter.Stats
	err := sorter.SortKeys(ids, sorter.Report(&st))

	fmt.Println(st.Engine, st.Elements, st.Shape, err) // Println(&st) prints a table
	// Output: cpu 100000 reversed <nil>
}

func ExampleObserve() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{} // times differ
			}
			return a
		},
	}))
	sorter.Observe(func(st *sorter.Stats) {
		logger.Info("sorted", "elements", st.Elements, "engine", st.Engine, "algorithm", st.Algorithm)
	})
	defer sorter.Observe(nil)

	names := []string{"b", "a", "c"}
	_ = sorter.SortKeys(names)
	_ = sorter.TopK(names, 1, func(name string) int { return -len(name) })
	// Output:
	// level=INFO msg=sorted elements=3 engine=cpu algorithm=Small
	// level=INFO msg=sorted elements=3 engine=cpu algorithm=Small
}

func ExampleWithContext() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // the user has left
	names := []string{"b", "a"}

	err := sorter.SortKeys(names, sorter.WithContext(ctx))

	fmt.Println(errors.Is(err, context.Canceled), names)
	// Output: true [b a]
}

// A permutation sorts any number of columns that belong together.
func Example_permutation() {
	name := []string{"Rhine", "Elbe", "Oder", "Weser"}
	length := []int{1233, 1094, 840, 452} // km

	p, _ := sorter.OrderKeys(name)

	sorted := make([]string, len(name))
	perm.Gather(sorted, name, p, 1) // into a second slice, quick
	perm.Apply(length, p, 1)        // in place, for want of memory

	fmt.Println(sorted, length)
	// Output: [Elbe Oder Rhine Weser] [1094 840 1233 452]
}
