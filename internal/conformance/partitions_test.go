package conformance_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// The first rows of each partition are those of the whole stable order, cut.

// rowKey is a column of row numbers, and its comparison.
type rowKey struct {
	name    string
	column  sorter.Column[int]
	compare func(a, b int) int
}

func rowKeyOf[K sorter.Key](name string, keys []K, compare func(a, b K) int) rowKey {
	return rowKey{name, sorter.AscOf(keys), func(a, b int) int { return compare(keys[a], keys[b]) }}
}

// partitionKeys are columns by which n rows are in about as many partitions as parts says.
func partitionKeys(n, parts int, r *rand.Rand) []rowKey {
	small, wide, real, text := make([]int8, n), make([]int64, n), make([]float64, n), make([]string, n)
	for i := range small {
		x := r.IntN(parts)
		if r.IntN(3) == 0 {
			x = 0 // more rows in the first
		}
		small[i], wide[i], real[i], text[i] = int8(x), int64(x)*1e12-5, float64(x)-1, fmt.Sprintf("partition %d", x)
		switch r.IntN(40) {
		case 0:
			real[i] = math.NaN()
		case 1:
			real[i] = math.Copysign(0, -1)
		}
	}
	null := func(row int) bool { return wide[row]%3 == 1 }
	nulls := rowKey{"int64 with nulls", sorter.DescOf(wide).NullsLast(null), func(a, b int) int {
		switch x, y := null(a), null(b); {
		case x && y:
			return 0
		case x:
			return 1
		case y:
			return -1
		}
		return cmp.Compare(wide[b], wide[a])
	}}
	function := rowKey{"int64 of a function", sorter.Desc(func(row int) int64 { return wide[row] }), func(a, b int) int { return cmp.Compare(wide[b], wide[a]) }}
	return []rowKey{rowKeyOf("int64", wide, cmp.Compare[int64]), rowKeyOf("int8", small, cmp.Compare[int8]), rowKeyOf("float64", real, cmp.Compare[float64]),
		rowKeyOf("string", text, cmp.Compare[string]), nulls, function}
}

// firstPer returns the first k rows of each partition, and where partitions begin among them.
func firstPer(n, k int, partition, cols []rowKey) (rows []uint32, offsets []int) {
	by := func(keys []rowKey) func(a, b int) int {
		return func(a, b int) int {
			for _, key := range keys {
				if c := key.compare(a, b); c != 0 {
					return c
				}
			}
			return 0
		}
	}
	keys, same := slices.Concat(partition, cols), by(partition)
	guess, _ := sorter.RowsBy(n, rowKeyColumns(keys)...).Order(sorter.On(sorter.CPU()))
	all := oracle.StableRows(n, guess, by(keys))
	taken := 0
	for i, row := range all {
		if i == 0 || same(all[i-1], row) != 0 {
			taken = 0
			if k > 0 {
				offsets = append(offsets, len(rows))
			}
		}
		if taken++; taken <= k {
			rows = append(rows, uint32(row))
		}
	}
	return rows, append(offsets, len(rows))
}

func rowKeyColumns(keys []rowKey) (cols []sorter.Column[int]) {
	for _, key := range keys {
		cols = append(cols, key.column)
	}
	return cols
}

func checkPartitionsTop(t *testing.T, name string, n, k int, partition, cols []rowKey, opts ...sorter.Option) {
	t.Helper()
	for _, key := range partition {
		name += ", " + key.name
	}
	name += " by"
	for _, key := range cols {
		name += " " + key.name
	}
	want, offsets := firstPer(n, k, partition, cols)
	got, parts, err := sorter.RowsBy(n, rowKeyColumns(cols)...).Per(rowKeyColumns(partition)...).Top(k, opts...)
	checkSame(t, fmt.Sprintf("Partitions.Top, n=%d, k=%d%s", n, k, name), err, got, want)
	if n > 0 && k > 0 {
		checkSame(t, "partitions of "+name, nil, parts.Offsets(), offsets)
	}
}

func TestPartitionsTop(t *testing.T) {
	t.Parallel()
	r := dist.Rand(81)
	opts := [][]sorter.Option{nil, {sorter.Workers(1)}, {sorter.Workers(3)}, {sorter.MemoryLimit(1 << 30)}, {sorter.WithContext(neverCancelled)},
		{sorter.Use(sorter.Radix)}, {sorter.Into(make(perm.Perm, 9)), sorter.MarkRuns(new(perm.Runs))}}
	turn := 0
	for _, n := range []int{0, 1, 2, 100, 5000, 16_384, testkit.Pick(20_000, 100_000)} {
		for _, parts := range []int{1, 2, 30, 900, n/10 + 1, 2*n + 1} {
			partition, values := partitionKeys(n, parts, r), partitionKeys(n, n/3+1, r)
			few := rowKeyOf("few", drawBelow(n, 7, uint64(turn)), cmp.Compare[uint64])
			for _, k := range []int{1, 3, 10, 100, n/20 + 1, n, math.MaxInt} {
				if turn++; testkit.Thinned(turn) || n > 5000 && turn%4 > 0 {
					continue
				}
				by := []rowKey{values[turn%len(values)]}
				switch turn % 4 {
				case 0:
					by = []rowKey{few, values[turn/4%len(values)]}
				case 1:
					by = []rowKey{few}
				}
				name := fmt.Sprintf(" of %d partitions", parts)
				checkPartitionsTop(t, name, n, k, partition[turn%5:][:1], by, opts[turn%len(opts)]...)
				if turn%5 == 0 {
					checkPartitionsTop(t, name, n, k, []rowKey{partition[5], partition[1]}, by)
					checkPartitionsTop(t, name, n, k, partition[:1], nil)
					checkPartitionsTop(t, name, n, k, nil, by)
				}
			}
		}
	}
	checkPartitionsTop(t, "", 100, 0, partitionKeys(100, 9, r)[:1], partitionKeys(100, 9, r)[:1])
}

// TestPartitionsTopUnevenPartitions has many partitions that a sample does not find, and values that fall,
// so that each row is among the first of those before it.
func TestPartitionsTopUnevenPartitions(t *testing.T) {
	t.Parallel()
	n := testkit.Pick(60_000, 400_000)
	hidden, falling := make([]int64, n), make([]int32, n)
	for i := range hidden {
		falling[i] = int32(n - i)
		if i > n-n/4 {
			hidden[i] = int64(i)
		}
	}
	checkPartitionsTop(t, " hidden", n, 2, []rowKey{rowKeyOf("int64", hidden, cmp.Compare[int64])}, []rowKey{rowKeyOf("int32", falling, cmp.Compare[int32])})
	for i := range hidden {
		hidden[i] = int64(i % 50)
	}
	checkPartitionsTop(t, " falling", n, 40, []rowKey{rowKeyOf("int64", hidden, cmp.Compare[int64])}, []rowKey{rowKeyOf("int32", falling, cmp.Compare[int32])})
}

func TestPartitionsTopMisuse(t *testing.T) {
	cols := []sorter.Column[int]{sorter.AscOf([]int{1, 2, 3})}
	for name, f := range map[string]func(){
		"negative k":               func() { _, _, _ = sorter.RowsBy(3, cols...).Per(cols...).Top(-1) },
		"negative n":               func() { _, _, _ = sorter.RowsBy(-1, cols...).Per(cols...).Top(1) },
		"too many rows":            func() { _, _, _ = sorter.RowsBy(4).Per(cols...).Top(1) },
		"too many rows for cols":   func() { _, _, _ = sorter.RowsBy(4, cols...).Per().Top(1) },
		"a column without a key":   func() { _, _, _ = sorter.RowsBy(3, []sorter.Column[int]{{}}...).Per(cols...).Top(1) },
		"a partition without keys": func() { _, _, _ = sorter.RowsBy(3, cols...).Per([]sorter.Column[int]{{}}...).Top(1) },
	} {
		if text := fmt.Sprint(panicValue(f)); len(text) < 8 || text[:8] != "sorter: " {
			t.Errorf("%s: panicked with %q", name, text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls, n := 0, 200_000
	key := func(row int) int64 {
		if calls++; calls == 50_000 {
			cancel()
		}
		return int64(row % 10)
	}
	got, parts, err := sorter.RowsBy(n, sorter.Asc(key)).Per(sorter.Asc(key)).Top(2, sorter.WithContext(ctx), sorter.Workers(1))
	if !errors.Is(err, context.Canceled) || got != nil || parts.Rows() != 0 {
		t.Errorf("%d rows, %d in partitions, error %v", len(got), parts.Rows(), err)
	}
}

// placesPer returns the rows at places ks of each partition of the whole stable order, and the sizes of
// the partitions.
func placesPer(n int, ks func(size int) []int, partition, cols []rowKey) (rows []uint32, sizes []int) {
	all, offsets := firstPer(n, n, partition, cols)
	return placesOf(all, offsets, ks)
}

// placesOf is placesPer of rows in the whole stable order, in which partitions begin at offsets.
func placesOf(all []uint32, offsets []int, ks func(size int) []int) (rows []uint32, sizes []int) {
	for i := 1; i < len(offsets); i++ {
		own := all[offsets[i-1]:offsets[i]]
		for _, k := range ks(len(own)) {
			if k < len(own) {
				rows = append(rows, own[k])
			} else {
				rows = append(rows, sorter.NoRow)
			}
		}
		sizes = append(sizes, len(own))
	}
	return rows, sizes
}

func checkPer(t *testing.T, n int, ks []int, partition, cols []rowKey, opts ...sorter.Option) {
	t.Helper()
	name := fmt.Sprintf("n=%d, %d places", n, len(ks))
	for _, key := range slices.Concat(partition, cols) {
		name += ", " + key.name
	}
	all, offsets := firstPer(n, n, partition, cols)
	want, _ := placesOf(all, offsets, func(int) []int { return ks })
	got, err := sorter.RowsBy(n, rowKeyColumns(cols)...).Per(rowKeyColumns(partition)...).Nth(ks, opts...)
	checkSame(t, "Partitions.Nth, "+name, err, got, want)
	qs := []float64{0.5, 0, 1, 0.9, 0.5}
	want, _ = placesOf(all, offsets, func(size int) []int {
		return []int{(size+1)/2 - 1, 0, size - 1, int(math.Ceil(0.9*float64(size))) - 1, (size+1)/2 - 1}
	})
	got, err = sorter.RowsBy(n, rowKeyColumns(cols)...).Per(rowKeyColumns(partition)...).Quantiles(qs, opts...)
	checkSame(t, "Partitions.Quantiles, "+name, err, got, want)
}

func TestPlacesPerPartition(t *testing.T) {
	t.Parallel()
	r := dist.Rand(83)
	opts := [][]sorter.Option{nil, {sorter.Workers(1)}, {sorter.Workers(3)}, {sorter.MemoryLimit(1 << 30)}, {sorter.WithContext(neverCancelled)},
		{sorter.Use(sorter.Radix)}, {sorter.Into(make(perm.Perm, 9)), sorter.MarkRuns(new(perm.Runs))}}
	turn := 0
	for _, n := range []int{0, 1, 2, 100, 5000, 16_384, testkit.Pick(20_000, 200_000)} {
		for _, parts := range []int{1, 2, 30, 900, n/10 + 1, 2*n + 1} {
			partition, values := partitionKeys(n, parts, r), partitionKeys(n, n/3+1, r)
			few := rowKeyOf("few", drawBelow(n, 7, uint64(turn)), cmp.Compare[uint64])
			skewed := make([]float64, n)
			for i := range skewed {
				skewed[i] = math.Exp(80 * (r.Float64() - 0.9))
			}
			values = append(values, rowKeyOf("skewed", skewed, cmp.Compare[float64]), few)
			for _, ks := range [][]int{{0}, {n / 2, 3, 0, 17, 3}, {1, 40}, ascending(60)} {
				if turn++; testkit.Thinned(turn) || n > 5000 && turn%3 > 0 {
					continue
				}
				by := []rowKey{values[turn/2%len(values)]}
				if turn%5 == 0 {
					by = append(by, few)
				}
				checkPer(t, n, ks, partition[turn%5:][:1], by, opts[turn%len(opts)]...)
				if turn%5 == 0 {
					checkPer(t, n, ks, []rowKey{partition[5], partition[1]}, by)
					checkPer(t, n, ks, partition[:1], nil)
					checkPer(t, n, ks, nil, by)
				}
			}
		}
	}
}

// TestLongPartitions has partitions of about as many rows as one worker selects from, and of more, by keys
// of few and of many values, at few places and at many.
func TestLongPartitions(t *testing.T) {
	t.Parallel()
	turn := 0
	for _, sizes := range [][]int{{65_535, 3}, {65_536, 1}, {65_537}, {7, 65_537, 65_536}, {100_000, 100_000}, {300, 200_000, 5, 80_000}} {
		n, offsets := 0, []int{0}
		for _, size := range sizes {
			n += size
			offsets = append(offsets, n)
		}
		r := dist.Rand(uint64(n))
		part := make([]int8, n)
		for i, row := range r.Perm(n) {
			part[row] = int8(sort.SearchInts(offsets[1:], i+1))
		}
		of := []rowKey{rowKeyOf("int8", part, cmp.Compare[int8])}
		for _, by := range longPartitionKeys(n, r) {
			for _, places := range []int{1, 4, 8, 9, 12, 600} {
				if turn++; testkit.ThinnedTo(7, turn) || turn%testkit.Pick(3, 1) != 0 || places == 600 && turn%4 > 0 {
					continue
				}
				ks := mapped(ascending(places), func(int) int { return r.IntN(sizes[r.IntN(len(sizes))]) })
				checkPer(t, n, ks, of, by, [][]sorter.Option{nil, {sorter.Workers(1)}, {sorter.Workers(3)}}[turn%3]...)
			}
		}
	}
}

// longPartitionKeys are keys of n rows: of few values, of many, in order, of two columns that fit one code or do not.
func longPartitionKeys(n int, r *rand.Rand) [][]rowKey {
	value, price, text := make([]int64, n), make([]float64, n), make([]string, n)
	for i := range value {
		value[i], price[i], text[i] = int64(r.Uint64()), float64(r.IntN(100_000))/100, strconv.Itoa(r.IntN(n))
	}
	two, twenty := rowKeyOf("2 values", drawBelow(n, 2, r.Uint64()), cmp.Compare[uint64]), rowKeyOf("20 values", drawBelow(n, 20, r.Uint64()), cmp.Compare[uint64])
	rising := rowKeyOf("rising", mapped(ascending(n), func(i int) int32 { return int32(i / 10_000) }), cmp.Compare[int32])
	falling := rowKeyOf("falling", mapped(ascending(n), func(i int) int32 { return int32(-i) }), cmp.Compare[int32])
	wide, prices := rowKeyOf("int64", value, cmp.Compare[int64]), rowKeyOf("prices", price, cmp.Compare[float64])
	return [][]rowKey{{wide}, {two}, {twenty}, {prices}, {rising, falling}, {falling}, {rowKeyOf("string", text, cmp.Compare[string])}, {two, wide}}
}

func TestQuantilesPer(t *testing.T) {
	t.Parallel()
	r := dist.Rand(85)
	qs := []float64{0, 0.25, 0.5, 0.999, 1}
	for _, n := range []int{0, 1, 50, 3000, 40_000, 200_000} {
		keys := make([]float64, n)
		for i := range keys {
			keys[i] = math.Round(r.NormFloat64() * float64(20_000_000/(n*n+1)+2))
		}
		by := rowKeyOf("float64", keys, cmp.Compare[float64])
		for _, parts := range []int{1, 2, 7, n/4 + 1} {
			of := partitionKeys(n, parts, r)[:1]
			first, sizes := placesPer(n, func(int) []int { return []int{0} }, of, []rowKey{by})
			sorted, _ := firstPer(n, n, of, []rowKey{by})
			var want []float64
			for _, size := range sizes {
				own := mapped(sorted[:size], func(row uint32) float64 { return keys[row] })
				for _, q := range qs {
					at := q * float64(size-1)
					lo, share := own[int(at)], at-math.Floor(at)
					want = append(want, lo+(own[min(int(at)+1, size-1)]-lo)*share)
				}
				sorted = sorted[size:]
			}
			got, rows, err := interpolatedPer(keys, qs, rowKeyColumns(of))
			checkSame(t, fmt.Sprintf("first rows of %d partitions of %d", parts, n), err, rows, first)
			if len(got) != len(want) {
				t.Fatalf("%d quantiles, want %d", len(got), len(want))
			}
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-9 {
					t.Errorf("n=%d, %d partitions: quantile %d is %v, want %v", n, parts, i, got[i], want[i])
				}
			}
		}
	}
}

// interpolatedPer returns the quantiles qs of the keys of each partition, as Quantiles interpolates them, and the row
// of its first key.
func interpolatedPer[K number](keys []K, qs []float64, partition []sorter.Column[int], opts ...sorter.Option) (all []float64, first []uint32, err error) {
	by := sorter.RowsBy(len(keys), sorter.AscOf(keys)).Per(partition...)
	if first, err = by.Nth([]int{0}, opts...); err != nil {
		return nil, nil, err
	}
	rows, parts, err := by.Top(len(keys), opts...)
	if err != nil {
		return nil, nil, err
	}
	ranks := map[int]int{} // the number of each in ks
	for lo, hi := range parts.All() {
		for _, q := range qs {
			at := int(q * float64(hi-lo-1))
			ranks[at], ranks[min(at+1, hi-lo-1)] = 0, 0
		}
	}
	ks := slices.Sorted(maps.Keys(ranks))
	for j, k := range ks {
		ranks[k] = j
	}
	row := func(_, from, k int) uint32 { return rows[from+k] }
	if len(ks)*parts.Len() <= 1<<21 { // otherwise the table is large
		table, err := by.Nth(ks, opts...)
		if err != nil {
			return nil, nil, err
		}
		row = func(part, _, k int) uint32 { return table[part*len(ks)+ranks[k]] }
	}
	part := 0
	for lo, hi := range parts.All() {
		for _, q := range qs {
			at := q * float64(hi-lo-1)
			a, share := float64(keys[row(part, lo, int(at))]), at-math.Floor(at)
			if b := float64(keys[row(part, lo, min(int(at)+1, hi-lo-1))]); a != b && share > 0 {
				a = a*(1-share) + b*share
			}
			all = append(all, a)
		}
		part++
	}
	return all, first, nil
}

// number is a key that has quantiles.
type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func TestPlacesPerMisuse(t *testing.T) {
	cols := []sorter.Column[int]{sorter.AscOf([]int{3, 1, 2})}
	for name, call := range map[string]func(){
		"negative k":              func() { _, _ = sorter.RowsBy(3, cols...).Per(cols...).Nth([]int{0, -1}) },
		"negative n":              func() { _, _ = sorter.RowsBy(-1, cols...).Per(cols...).Nth([]int{0}) },
		"negative n of quantiles": func() { _, _ = sorter.RowsBy(-1, cols...).Per(cols...).Quantiles([]float64{0}) },
		"too many rows":           func() { _, _ = sorter.RowsBy(4).Per(cols...).Nth([]int{0}) },
		"too many rows for cols":  func() { _, _ = sorter.RowsBy(4, cols...).Per().Quantiles([]float64{0}) },
		"no quantile":             func() { _, _ = sorter.RowsBy(3, cols...).Per(cols...).Quantiles([]float64{1.5}) },
		"NaN is no quantile":      func() { _, _ = sorter.RowsBy(1).Per().Quantiles([]float64{math.NaN()}) },
		"partition of fewer rows": func() {
			_, _ = sorter.RowsBy(4, sorter.AscOf([]int{1, 2, 3, 4})).Per(cols...).Quantiles([]float64{0.5})
		},
		"a column without a key":    func() { _, _ = sorter.RowsBy(3, []sorter.Column[int]{{}}...).Per(cols...).Nth([]int{0}) },
		"partitions without a key":  func() { _, _ = sorter.RowsBy(3, cols...).Per([]sorter.Column[int]{{}}...).Nth([]int{0}) },
		"no places, too many rows":  func() { _, _ = sorter.RowsBy(4).Per(cols...).Nth(nil) },
		"no quantiles, a short row": func() { _, _ = sorter.RowsBy(4).Per(cols...).Quantiles(nil) },
	} {
		if text := fmt.Sprint(panicValue(call)); len(text) < 8 || text[:8] != "sorter: " {
			t.Errorf("%s: panicked with %q", name, text)
		}
	}
	own := sorter.RowsBy(3, sorter.AscOf([]int{3, 1, 2})).Per(cols...)
	if rows, err := own.Quantiles(nil); err != nil || len(rows) != 0 {
		t.Errorf("no quantiles: %v, %v", rows, err)
	}
	rows, err := own.Nth([]int{0})
	checkSame(t, "first rows", err, rows, []uint32{1, 2, 0})
}

// TestPlacesPerCancelled cancels a selection in a key function.
func TestPlacesPerCancelled(t *testing.T) {
	for _, at := range []int{1, 30_000, 70_000} {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		key := func(row int) int64 {
			if calls++; calls == at {
				cancel()
			}
			return int64(row) * 7919 % 1001
		}
		got, err := sorter.RowsBy(40_000, sorter.Asc(key)).Per(sorter.Asc(func(row int) int8 { return int8(row % 7) })).Nth([]int{0, 5}, sorter.WithContext(ctx), sorter.Workers(1))
		if cancelled := calls >= at; cancelled != (err != nil) || cancelled != (got == nil) || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in call %d of %d: %d rows, %v", at, calls, len(got), err)
		}
		cancel()
	}
}

// TestPartitionsTopOfOrderedPartitions has partitions that are no 64-bit numbers, whose rows are selected
// from an order by partitions.
func TestPartitionsTopOfOrderedPartitions(t *testing.T) {
	r := dist.Rand(7)
	partitions := mapped(ascending(2500), func(i int) string { return fmt.Sprint("partition ", i) })
	texts := mapped(ascending(200), func(i int) string { return fmt.Sprint("the same long text ", i) })
	turn := 0
	for _, n := range []int{1 << 14, 50_000} {
		for i, count := range []int{300, 1, 5, 2500} {
			if n > 1<<14 && testkit.ThinnedTo(4, i) {
				continue
			}
			partition, text, values := make([]string, n), make([]string, n), make([]int64, n)
			null, skew := make([]bool, n), r.IntN(2) > 0
			for i := range n {
				p := r.IntN(count)
				if skew && r.IntN(2) > 0 {
					p = 0
				}
				partition[i], text[i] = strings.Clone(partitions[p]), strings.Clone(texts[r.IntN(len(texts))])
				values[i], null[i] = r.Int64N(50), r.IntN(10) == 0
			}
			isNull := func(row int) bool { return null[row] }
			byValue := func(a, b uint32) int {
				switch {
				case null[a] && null[b]:
					return 0
				case null[a]:
					return -1
				case null[b]:
					return 1
				}
				return cmp.Compare(values[b], values[a])
			}
			for name, c := range map[string]struct {
				cols    []sorter.Column[int]
				compare func(a, b uint32) int
			}{
				"texts": {[]sorter.Column[int]{sorter.AscOf(text)}, func(a, b uint32) int { return cmp.Compare(text[a], text[b]) }},
				"nulls": {[]sorter.Column[int]{sorter.DescOf(values).NullsFirst(isNull)}, byValue},
				"both": {[]sorter.Column[int]{sorter.DescOf(values).NullsFirst(isNull), sorter.Asc(func(row int) string { return text[row] })},
					func(a, b uint32) int { return cmp.Or(byValue(a, b), cmp.Compare(text[a], text[b])) }},
			} {
				by := []sorter.Column[int]{sorter.AscOf(partition)}
				guess, _ := sorter.RowsBy(n, append(by, c.cols...)...).Order(sorter.Stable())
				order := permOf(oracle.StableRows(n, guess, func(a, b int) int {
					return cmp.Or(cmp.Compare(partition[a], partition[b]), c.compare(uint32(a), uint32(b)))
				}))
				for _, k := range []int{1, 3, 40} {
					if turn++; testkit.ThinnedTo(3, turn+turn/3) {
						continue
					}
					var want []uint32
					wantRuns, in := 0, 0
					for i, row := range order {
						if i == 0 || partition[row] != partition[order[i-1]] {
							wantRuns, in = wantRuns+1, 0
						}
						if in++; in <= k {
							want = append(want, row)
						}
					}
					got, runs, err := sorter.RowsBy(n, c.cols...).Per(sorter.AscOf(partition)).Top(k)
					checkSame(t, fmt.Sprintf("%d rows, %d partitions, first %d by %s", n, count, k, name), err, got, want)
					if runs.Len() != wantRuns {
						t.Errorf("%d rows, %d partitions, first %d by %s: %d partitions", n, count, k, name, runs.Len())
					}
				}
			}
		}
	}
}
