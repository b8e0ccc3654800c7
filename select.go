package sorter

import (
	"fmt"
	"math"
	"slices"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
	"golang.org/x/exp/constraints"
)

// TopN returns the numbers of the first k of the rows 0 … n-1, in order, by columns whose key
// functions take a row number: what ORDER BY … LIMIT k asks for, of data that is stored by
// column. With k >= n these are all rows: [OrderN].
//
// The selection is stable: of rows that tie, those with smaller numbers are taken and come
// first. With k up to n/32 it takes the time and the scratch of [TopK], which is proportional
// to n + k log k, and otherwise those of [OrderN]. The result is new memory of k numbers;
// [Into], [MarkRuns] and [MarkRunsBy] are ignored.
//
// It panics if k is negative. Everything else said of [OrderN] holds, but with k up to n/32 it
// runs on the CPU, whatever [On] says.
func TopN(n, k int, cols []Column[int], opts ...Option) ([]uint32, error) {
	if n < 0 || k < 0 {
		panic(fmt.Sprintf("sorter: TopN of %d of %d rows", k, n))
	}
	var o config
	return pipeline.FirstN(columnsOf(cols), n, k, apply(&o, opts))
}

// TopNPer returns the first k rows of each partition of the rows 0 … n-1, as numbers: what SQL asks
// for by row_number() OVER (PARTITION BY … ORDER BY …) <= k. Rows are in one partition if they tie in
// all columns of partition. The result is in the order by these and then by cols. parts has
// the partitions: part i of the result is that of the i-th.
//
// The selection is stable: of rows that tie, those with smaller numbers are taken and come first. All
// k are in the result where a partition has as many rows. Without columns of partitions it is [TopN].
//
// It takes time proportional to n, and that of an order of the rows that are left, about k of each
// partition. A hash table of the partitions and their k smallest codes drops the other rows, if the
// columns of partitions fit 64 bits together, such as numbers without nulls. It takes up to 96+8*k
// bytes for each partition and worker, which [Report] does not count. Otherwise, such as for strings,
// rows are ordered by partition first. If partitions have few more rows than k, and under a
// [MemoryLimit], with [Use] or [On] a device, all rows are ordered, which takes the time and the
// scratch of [OrderN]. Key functions are called up to three times for a row, those of partitions
// once more each time that the row is drawn for a sample.
//
// It panics if n or k is negative. [Into], [MarkRuns] and [MarkRunsBy] are ignored. Everything else
// said of [OrderN] holds.
func TopNPer(n, k int, partition, cols []Column[int], opts ...Option) (rows []uint32, parts perm.Runs, err error) {
	if n < 0 || k < 0 {
		panic(fmt.Sprintf("sorter: TopNPer of %d of %d rows", k, n))
	}
	var o config
	return pipeline.FirstOfPartitions(columnsOf(partition), columnsOf(cols), n, k, apply(&o, opts))
}

// TopOrder returns the positions in s of the first k elements by key, in order, and leaves s
// alone: the first k of [Order]. [perm.Gather] copies these elements. Everything else said of
// [TopN] holds, and it panics if key is nil.
func TopOrder[E any, K Key](s []E, k int, key func(E) K, opts ...Option) ([]uint32, error) {
	if key == nil {
		panic("sorter: nil key function")
	}
	checkTop(k)
	var o config
	return pipeline.First(sortkey.KindOf[K](), cpu.PayloadOf(s), k, extract.Func[E, K](key), apply(&o, opts))
}

// TopOrder returns the positions in s of the first k elements of the order, and leaves s alone;
// see [TopOrder].
func (o Ordering[E]) TopOrder(s []E, k int, opts ...Option) ([]uint32, error) {
	checkTop(k)
	var options config
	return pipeline.FirstByColumns(o.own, cpu.PayloadOf(s), k, apply(&options, opts))
}

func checkTop(k int) {
	if k < 0 {
		panic(fmt.Sprintf("sorter: TopOrder of %d elements", k))
	}
}

// Nth returns the position in s of the element that comes k-th in the order by key, from 0, and
// leaves s alone: [Order] at k. The median is at k = len(s)/2, the quantile q at
// k = int(q * float64(len(s)-1)).
//
// Ties come in input order: the result is the same on every engine.
//
// It takes time proportional to len(s): codes are extracted, and those that may be the k-th are
// counted by their digits until few are left. If an eighth of the elements, or 2^20, tie on
// the first 8 bytes of wider keys or in the first columns, all are ordered. Scratch is about one code (4 or 8 bytes) per
// element, in the worst case that of [Order] more.
//
// It panics if key is nil, and unless 0 <= k < len(s). Everything else said of [Order] holds,
// but it runs on the CPU, whatever [On] says.
func Nth[E any, K Key](s []E, k int, key func(E) K, opts ...Option) (int, error) {
	if key == nil {
		panic("sorter: nil key function")
	}
	checkNth(len(s), k)
	var o config
	return pipeline.Nth(sortkey.KindOf[K](), cpu.PayloadOf(s), k, extract.Func[E, K](key), apply(&o, opts))
}

// NthN returns the number of the row that comes k-th, from 0, in the order of the rows 0 … n-1
// by columns whose key functions take a row number: [OrderN] at k. Everything said of [Nth]
// holds.
func NthN(n, k int, cols []Column[int], opts ...Option) (int, error) {
	checkNth(n, k)
	var o config
	return pipeline.NthN(columnsOf(cols), n, k, apply(&o, opts))
}

// Nth returns the position in s of the element that comes k-th in the order, from 0; see [Nth].
func (o Ordering[E]) Nth(s []E, k int, opts ...Option) (int, error) {
	checkNth(len(s), k)
	var options config
	return pipeline.NthByColumns(o.own, cpu.PayloadOf(s), k, apply(&options, opts))
}

func checkNth(n, k int) {
	if k < 0 || k >= n {
		panic(fmt.Sprintf("sorter: Nth at %d of %d elements", k, n))
	}
}

// NthsN returns the numbers of the rows that come at places ks, from 0, in the order of the rows
// 0 … n-1 by columns whose key functions take a row number: [OrderN] at each of ks, as [NthN] finds
// one. ks may come in any sequence and are left alone.
//
// It takes about the time of one [NthN]: codes are extracted and counted once, and the rows that may
// be at any of the places collected in one pass. If more than eight places are among 65536 rows or more
// that share the leading bits of their codes, or the places are very many, all rows are ordered.
//
// It panics unless 0 <= k < n for all k of ks. Everything else said of [NthN] holds.
func NthsN(n int, ks []int, cols []Column[int], opts ...Option) ([]int, error) {
	if n < 0 {
		panic(fmt.Sprintf("sorter: NthsN of %d rows", n))
	}
	rows := slices.Clone(ks)
	for _, k := range ks {
		checkNth(n, k)
	}
	var o config
	apply(&o, opts)
	if err := pipeline.NthsN(columnsOf(cols), n, rows, &o); err != nil {
		return nil, err
	}
	return rows, nil
}

// QuantilesN returns for each q of qs, in [0, 1], the number of the row that is the quantile q of the
// rows 0 … n-1 by columns whose key functions take a row number: the first row, in the order of
// [OrderN], that has a share q of all rows up to it. It is at place ceil(q*n)-1, or 0 for q = 0: SQL's
// percentile_disc, and the nearest rank. Other definitions are places for [NthsN]: lower
// is int(q*float64(n-1)), and higher math.Ceil of the same.
//
// Rows with nulls and NaNs count like others and have their places at an end of the order. It panics
// if a q is not in [0, 1], or if n is 0 and there is a q. Everything else said of [NthsN] holds.
func QuantilesN(n int, qs []float64, cols []Column[int], opts ...Option) ([]int, error) {
	ks := make([]int, len(qs))
	for i, q := range qs {
		checkQuantile(q)
		ks[i] = placeOf(q, n)
	}
	return NthsN(n, ks, cols, opts...)
}

// NthsNPer returns for each partition of the rows 0 … n-1 the numbers of the rows that come at places
// ks, from 0, in the order of its rows by cols, as [NthsN] does for all rows: rows[i*len(ks)+j] is that
// at ks[j] in the i-th partition, or -1 if it has no more than ks[j] rows. Rows are in one partition if
// they tie in all columns of partition. Partitions come in the order by these.
//
// It takes the time and the scratch of [OrderN] by the columns of partition and cols, and 4 bytes more for
// each row.
//
// It panics if n or a k of ks is negative. Everything else said of [NthsN] holds.
func NthsNPer(n int, ks []int, partition, cols []Column[int], opts ...Option) (rows []int, err error) {
	if n < 0 {
		panic(fmt.Sprintf("sorter: NthsNPer of %d rows", n))
	}
	for _, k := range ks {
		if k < 0 {
			panic(fmt.Sprintf("sorter: NthsNPer at %d", k))
		}
	}
	var o config
	apply(&o, opts)
	rows, _, err = pipeline.NthsOfPartitions(columnsOf(partition), columnsOf(cols), n, len(ks), func(size int, places []int) {
		for j, k := range ks {
			if places[j] = k; k >= size {
				places[j] = -1
			}
		}
	}, &o)
	return rows, err
}

// QuantilesNPer returns for each partition of the rows 0 … n-1 the numbers of the rows that are the
// quantiles qs, in [0, 1], of its rows by cols, as [QuantilesN] does for all rows: rows[i*len(qs)+j] is
// the quantile qs[j] of the i-th partition. That is SQL's percentile_disc with GROUP BY.
//
// It panics if a q is not in [0, 1]. Everything else said of [NthsNPer] holds.
func QuantilesNPer(n int, qs []float64, partition, cols []Column[int], opts ...Option) (rows []int, err error) {
	if n < 0 {
		panic(fmt.Sprintf("sorter: QuantilesNPer of %d rows", n))
	}
	for _, q := range qs {
		checkQuantile(q)
	}
	var o config
	apply(&o, opts)
	rows, _, err = pipeline.NthsOfPartitions(columnsOf(partition), columnsOf(cols), n, len(qs), func(size int, places []int) {
		for j, q := range qs {
			places[j] = placeOf(q, size)
		}
	}, &o)
	return rows, err
}

// placeOf returns the place of the quantile q of n rows, one at least, by the nearest rank.
func placeOf(q float64, n int) int { return min(max(int(math.Ceil(q*float64(n)))-1, 0), n-1) }

// QuantilesPer returns for each partition of the rows of keys the quantiles qs, in [0, 1], of its keys,
// as [Quantiles] does for all keys: all[i*len(qs)+j] is the quantile qs[j] of the i-th partition. rows[i]
// is the number of the row with its first key, by which columns are read that name the partition. That
// is SQL's percentile_cont with GROUP BY.
//
// It panics if a q is not in [0, 1], or if a column of partition has fewer rows than keys. Everything else
// said of [NthsNPer] holds, for two places of each quantile and one more.
func QuantilesPer[K constraints.Integer | constraints.Float](keys []K, qs []float64, partition []Column[int], opts ...Option) (all []float64, rows []int, err error) {
	for _, q := range qs {
		checkQuantile(q)
	}
	var o config
	apply(&o, opts)
	each := 1 + 2*len(qs)
	found, parts, err := pipeline.NthsOfPartitions(columnsOf(partition), columnsOf([]Column[int]{AscOf(keys)}), len(keys), each, func(size int, places []int) {
		places[0] = 0
		for j, q := range qs {
			places[1+2*j], places[2+2*j] = placesOf(q, size)
		}
	}, &o)
	if err != nil {
		return nil, nil, err
	}
	all, rows = make([]float64, 0, len(found)/each*len(qs)), make([]int, 0, len(found)/each)
	for lo, hi := range parts.All() {
		own := found[len(rows)*each:][:each]
		rows = append(rows, own[0])
		for j, q := range qs {
			all = append(all, quantileOf(float64(keys[own[1+2*j]]), float64(keys[own[2+2*j]]), q, hi-lo))
		}
	}
	return all, rows, nil
}

// Quantiles returns the quantiles qs, in [0, 1], of keys, which are left alone. The quantile q is at
// place q*(len(keys)-1) of the order, from 0, and between two keys linear by the distance from them:
// the default of NumPy, R, Arrow and Excel, and SQL's percentile_cont. The median is 0.5.
//
// Keys are converted to float64 first. A quantile at a NaN, or between one and a key, is NaN; NaNs come first in the
// order, or where [NaNsLast] and [NaNsFirst] say. With [Descending], q counts from the largest key.
// There is no quantile of no keys: all are NaN.
//
// It takes the time and the scratch of [NthsN] for two places of each quantile. More than 256 quantiles,
// and those of up to 65536 keys or of keys of few values, are read from a sorted copy of keys. It panics if a q is
// not in [0, 1]. Everything else said of [NthsN] holds.
func Quantiles[K constraints.Integer | constraints.Float](keys []K, qs []float64, opts ...Option) ([]float64, error) {
	ks := make([]int, 0, 2*len(qs))
	for _, q := range qs {
		checkQuantile(q)
		lo, hi := placesOf(q, len(keys))
		ks = append(ks, lo, hi)
	}
	all := make([]float64, len(qs))
	var o config
	apply(&o, opts)
	if len(keys) == 0 {
		for i := range all {
			all[i] = math.NaN()
		}
		if err := pipeline.Nothing(0, &o); err != nil {
			return nil, err
		}
		return all, nil
	}
	if kind, s := sortkey.KindOf[K](), cpu.PayloadOf(keys); pipeline.SortsForPlaces(kind, s, len(ks), &o) {
		o.Backend = cpu.Host
		keys = slices.Clone(keys)
		if err := pipeline.SortKeys(keys, &o); err != nil {
			return nil, err
		}
	} else if err := pipeline.NthsOfKeys(kind, s, ks, &o); err != nil {
		return nil, err
	}
	for i, q := range qs {
		all[i] = quantileOf(float64(keys[ks[2*i]]), float64(keys[ks[2*i+1]]), q, len(keys))
	}
	return all, nil
}

// placesOf returns the places of n keys between which the quantile q lies.
func placesOf(q float64, n int) (lo, hi int) {
	lo = int(q * float64(n-1))
	return lo, min(lo+1, n-1)
}

// quantileOf returns the quantile q of n keys, which lies between those at [placesOf].
func quantileOf(lo, hi, q float64, n int) float64 {
	h := q * float64(n-1)
	return between(lo, hi, h-math.Floor(h))
}

// between returns the point at a share of the way from a to b.
func between(a, b, share float64) float64 {
	switch {
	case a == b || share == 0:
		return a
	case math.Signbit(a) != math.Signbit(b): // the distance may be more than a float64 holds
		return a*(1-share) + b*share
	}
	return a + (b-a)*share
}

func checkQuantile(q float64) {
	if !(q >= 0 && q <= 1) { // false for NaN
		panic(fmt.Sprintf("sorter: quantile %v, which is not in [0, 1]", q))
	}
}

// SearchRangeN returns the rows lo … hi-1 of the rows 0 … n-1, which are in order by cols, that
// tie with row in every column. If there are none, lo == hi is where it belongs. row may be any
// number that the key functions take, such as that of a probe that columns hold after the
// last of n rows.
//
// It compares about 2*log2(n) times, on the calling goroutine, and takes no scratch besides an
// [Ordering] of the columns. It panics if n is negative, or if a column has no key function.
func SearchRangeN(n int, cols []Column[int], row int) (lo, hi int) {
	if n < 0 {
		panic(fmt.Sprintf("sorter: SearchRangeN of %d rows", n))
	}
	by := By(cols...)
	return rangeOf(n, func(i int) int { return by.Compare(row, i) })
}
