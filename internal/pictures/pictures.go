package main

import (
	"cmp"
	"fmt"
	"slices"
)

// pictures draws each picture, by the name of its file.
var pictures = map[string]func() *canvas{
	"bucket-radix":   bucketRadix,
	"index-gather":   indexGather,
	"bucket-bitonic": bucketBitonic,
	"bitonic": func() *canvas {
		return network("The bitonic network over 16 elements, in tiles of 4: steps between tiles share passes over memory", 16, 4)
	},
	"hybrid":      hybrid,
	"quick-merge": quickMerge,
	"cpu-bucket":  cpuBucket,
	"radix":       radix,
	"merge-sort":  mergeSort,
	"sample-sort": sampleSort,
	"merge": func() *canvas {
		return mergePath("Two sorted lists merged along a path that diagonals cut into equal parts", []int{3, 12, 19, 31, 46, 53, 64, 80}, []int{8, 27, 31, 59, 68, 72, 87, 95}, 4)
	},
	"chunks": chunks,
}

// input is the input of most pictures. One code comes twice.
var input = []int{53, 12, 87, 31, 64, 8, 95, 46, 19, 72, 31, 27, 80, 59, 3, 68}

// element is a code and where it was in the input.
type element struct{ code, at, tone int }

func (e element) cell() cell {
	return cell{words: fmt.Sprintf("%02d", e.code), id: e.at, tone: e.tone}
}

// letters has an element's payload beside its code, payload only that.
func (e element) letters() cell { c := e.cell(); c.words += e.payload().words; return c }
func (e element) payload() cell { c := e.cell(); c.words = string(rune('a' + e.at)); return c }

// position has an element's place in the input.
func (e element) position() cell { c := e.cell(); c.words = fmt.Sprintf("%d", e.at); return c }

func elements(codes []int, tone func(at int) int) (es []element) {
	for at, code := range codes {
		es = append(es, element{code, at, tone(at)})
	}
	return es
}

// toned gives the elements of each part a tone of their own.
func toned(parts [][]element) [][]element {
	for i, part := range parts {
		for k := range part {
			part[k].tone = i
		}
	}
	return parts
}

// by cuts es stably into parts.
func by(es []element, parts int, part func(e element) int) [][]element {
	out := make([][]element, parts)
	for _, e := range es {
		out[part(e)] = append(out[part(e)], e)
	}
	return out
}

// chunked cuts es into parts of n.
func chunked(es []element, n int) [][]element {
	return slices.Collect(slices.Chunk(slices.Clone(es), n))
}

func sorted(es []element) []element {
	return slices.SortedStableFunc(slices.Values(es), func(a, b element) int { return cmp.Compare(a.code, b.code) })
}

func sortedParts(parts [][]element) (out [][]element) {
	for _, part := range parts {
		out = append(out, sorted(part))
	}
	return out
}

// pairs joins neighbouring parts.
func pairs(parts [][]element) (out [][]element) {
	for i := 0; i < len(parts); i += 2 {
		out = append(out, slices.Concat(parts[i:min(i+2, len(parts))]...))
	}
	return out
}

// groups makes a group of each part, with the i-th name if there are any, and
// free places up to size elements.
func groups(parts [][]element, show func(e element) cell, size int, names ...string) (gs []group) {
	for i, part := range parts {
		g := group{}
		if len(names) > 0 {
			g.name = names[i]
		}
		for _, e := range part {
			g.cells = append(g.cells, show(e))
		}
		for len(g.cells) < size {
			g.cells = append(g.cells, cell{id: none})
		}
		gs = append(gs, g)
	}
	return gs
}

func one(es []element) [][]element { return [][]element{es} }

func plain(int) int { return 0 }

// quarter is the interval of four, of a range of 100, that a code lies in.
func quarter(e element) int { return e.code / 25 }

func bucketRadix() *canvas {
	buckets := toned(by(elements(input, plain), 4, quarter))
	all := sorted(slices.Concat(buckets...))
	in := slices.SortedFunc(slices.Values(all), func(a, b element) int { return cmp.Compare(a.at, b.at) })
	return rows("BucketRadix: elements move with their codes into buckets, and are sorted inside the cache",
		row{label: []string{"codes (numbers),", "elements (letters)"}, groups: groups(one(in), element.letters, 0)},
		row{label: []string{"partition: places", "from a histogram"}, groups: groups(buckets, element.letters, 0, "bucket 0", "bucket 1", "bucket 2", "bucket 3")},
		row{label: []string{"radix passes and", "a gather, in cache"}, groups: groups(sortedParts(buckets), element.letters, 0)},
		row{label: []string{"written back"}, groups: groups(one(all), element.payload, 0)})
}

func indexGather() *canvas {
	buckets := toned(by(elements(input, plain), 4, quarter))
	all := sorted(slices.Concat(buckets...))
	in := slices.SortedFunc(slices.Values(all), func(a, b element) int { return cmp.Compare(a.at, b.at) })
	return rows("IndexGather: codes and positions are put in order, elements move once at the end",
		row{label: []string{"codes"}, groups: groups(one(in), element.cell, 0)},
		row{label: []string{"positions, ordered", "by any algorithm"}, groups: groups(one(all), element.position, 0)},
		row{label: []string{"elements, where", "they were"}, groups: groups(one(in), element.payload, 0), apart: true},
		row{label: []string{"gathered through", "the positions"}, groups: groups(one(all), element.payload, 0)})
}

func bucketBitonic() *canvas {
	halves := by(elements(input, plain), 2, func(e element) int { return e.code / 50 })
	buckets := toned(by(slices.Concat(halves...), 4, quarter))
	all := sorted(slices.Concat(buckets...))
	tone := func(e element) element { e.tone = quarter(e); return e }
	for _, half := range halves {
		for k := range half {
			half[k] = tone(half[k])
		}
	}
	in := slices.SortedFunc(slices.Values(all), func(a, b element) int { return cmp.Compare(a.at, b.at) })
	return rows("BucketBitonic: two splits, into partitions and into buckets with free places, then a network for each bucket",
		row{label: []string{"codes"}, groups: groups(one(in), element.cell, 0)},
		row{label: []string{"first split,", "by a sample"}, groups: groups(halves, element.cell, 10, "partition 0", "partition 1")},
		row{label: []string{"second split,", "by counts"}, groups: groups(buckets, element.cell, 5, "bucket 0", "bucket 1", "bucket 2", "bucket 3")},
		row{label: []string{"a warp's network", "in each"}, groups: groups(sortedParts(buckets), element.cell, 5)},
		row{label: []string{"positions of the", "elements"}, groups: groups(one(all), element.position, 0)})
}

func quickMerge() *canvas {
	parts := toned(chunked(elements(input, plain), 4))
	runs := sortedParts(parts)
	twos := sortedParts(pairs(runs))
	return rows("QuickMerge: every worker sorts a part, all merge",
		row{label: []string{"equal parts"}, groups: groups(parts, element.cell, 0, "worker 0", "worker 1", "worker 2", "worker 3")},
		row{label: []string{"quicksort"}, groups: groups(runs, element.cell, 0)},
		row{label: []string{"merged two by two,", "by all workers"}, groups: groups(twos, element.cell, 0)},
		row{label: []string{"and again"}, groups: groups(sortedParts(pairs(twos)), element.cell, 0)})
}

func mergeSort() *canvas {
	tiles := toned(chunked(elements(input, plain), 4))
	runs := sortedParts(tiles)
	twos := sortedParts(pairs(runs))
	all := sortedParts(pairs(twos))
	cut := func(parts [][]element) [][]element { return chunked(slices.Concat(parts...), 4) }
	return rows("MergeSort: tiles are sorted and merged in pairs, each merge cut into equal pieces",
		row{label: []string{"tiles"}, groups: groups(tiles, element.cell, 0, "tile 0", "tile 1", "tile 2", "tile 3")},
		row{label: []string{"sorted in fast", "memory"}, groups: groups(runs, element.cell, 0)},
		row{label: []string{"first merge, in", "equal pieces"}, groups: groups(cut(twos), element.cell, 0, "block 0", "block 1", "block 2", "block 3")},
		row{label: []string{"second merge"}, groups: groups(cut(all), element.cell, 0, "block 0", "block 1", "block 2", "block 3")})
}

func cpuBucket() *canvas {
	parts := toned(by(elements(input, plain), 4, quarter))
	all := slices.Concat(parts...)
	in := slices.SortedFunc(slices.Values(all), func(a, b element) int { return cmp.Compare(a.at, b.at) })
	return rows("CPUBucket: equal intervals of the range, each sorted by quicksort",
		row{label: []string{"codes"}, groups: groups(one(in), element.cell, 0)},
		row{label: []string{"equal intervals,", "counted before"}, groups: groups(parts, element.cell, 0, "0 to 24", "25 to 49", "50 to 74", "75 to 99")},
		row{label: []string{"quicksort, a worker", "for each"}, groups: groups(sortedParts(parts), element.cell, 0)})
}

func radix() *canvas {
	codes := []int{31, 12, 2, 33, 20, 11, 3, 30, 12, 21, 0, 32, 13, 1, 23, 22} // digits of base 4
	low := func(e element) int { return e.code % 10 }
	high := func(e element) int { return e.code / 10 }
	first := toned(by(elements(codes, plain), 4, low))
	in := slices.SortedFunc(slices.Values(slices.Concat(first...)), func(a, b element) int { return cmp.Compare(a.at, b.at) })
	second := by(slices.Concat(first...), 4, high)
	return rows("Radix: one stable partition for each digit, the lowest first",
		row{label: []string{"codes of two digits"}, groups: groups(one(in), element.cell, 0)},
		row{label: []string{"by the low digit"}, groups: groups(first, element.cell, 0, "_0", "_1", "_2", "_3")},
		row{label: []string{"by the high digit,", "equal ones as", "they came"}, groups: groups(second, element.cell, 0, "0_", "1_", "2_", "3_")})
}

func sampleSort() *canvas {
	const each = 2 // of this number of elements of a tile, or of samples, one is taken
	tiles := toned(chunked(elements(input, plain), 8))
	runs := sortedParts(tiles)
	var samples []element
	for _, run := range runs {
		for i := 0; i < len(run); i += each {
			samples = append(samples, run[i])
		}
	}
	samples = sorted(samples)
	bucket := func(e element) (b int) {
		for b+1 < len(samples)/each && (e.code > samples[each*(b+1)].code || e.code == samples[each*(b+1)].code && e.at >= samples[each*(b+1)].at) {
			b++
		}
		return b
	}
	buckets := by(slices.Concat(runs...), len(samples)/each, bucket)
	names := []string{"below"}
	for b := range buckets[1:] {
		names = append(names, fmt.Sprintf("from %02d", samples[each*(b+1)].code))
	}
	names[0] += fmt.Sprintf(" %02d", samples[each].code)
	spaced := []group{}
	for _, pair := range chunked(samples, each) {
		spaced = append(spaced, groups(one(pair), element.cell, 0)...)
	}
	return rows("SampleSort: samples of sorted tiles become splitters, and no bucket is more than twice as large as the mean",
		row{label: []string{"tiles"}, groups: groups(tiles, element.cell, 0, "tile 0", "tile 1")},
		row{label: []string{"sorted"}, groups: groups(runs, element.cell, 0)},
		row{label: []string{"every second one,", "sorted: a splitter", "leads each pair"}, groups: spaced},
		row{label: []string{"runs of each tile", "to their buckets"}, groups: groups(buckets, element.cell, 0, names...), apart: true},
		row{label: []string{"sorted"}, groups: groups(sortedParts(buckets), element.cell, 0)})
}

// piped gives part k of the given number its time, and a tone.
func piped(parts int, from, each, long float64, words string) (spans []span) {
	for k := range parts {
		at := from + each*float64(k)
		spans = append(spans, span{at, at + long, fmt.Sprintf("%s%d", words, k), k % len(tones)})
	}
	return spans
}

func hybrid() *canvas {
	return timeline("Hybrid: the device sorts tiles, the CPU merges those that have come", 50,
		lane{"extract, upload", piped(6, 0, 1.1, 1.1, "tile ")},
		lane{"device sorts", piped(6, 1.1, 1.1, 0.8, "")},
		lane{"download", piped(6, 1.95, 1.1, 0.9, "run ")},
		lane{"CPU merges", []span{{4, 5.6, "runs 0, 1", 0}, {6.2, 7.8, "runs 2, 3", 2}, {8.4, 11, "what is left", 3}}})
}

func chunks() *canvas {
	return timeline("A list that does not fit: chunks are sorted one after the other, runs stay on the device as long as they fit", 50,
		lane{"extract, upload", piped(4, 0, 1.6, 1.6, "chunk ")},
		lane{"device sorts", piped(4, 1.6, 1.6, 0.9, "run ")},
		lane{"device merges", []span{{7.4, 9, "all runs", 0}}},
		lane{"download", []span{{9, 11, "order", 0}}},
		lane{"or: download", piped(4, 2.5, 1.6, 1.2, "run ")},
		lane{"CPU merges", []span{{5.4, 7, "runs 0, 1", 0}, {8.5, 11, "what is left", 3}}})
}
