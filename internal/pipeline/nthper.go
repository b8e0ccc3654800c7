package pipeline

import (
	"math/bits"
	"slices"
	"sort"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/perm"
)

// Rows at places of the order of each partition are selected from the rows of the partition: all rows
// are ordered by the columns of partitions only, which for few partitions is one pass.

// Places writes the wanted places of an order of size rows to ks. Those that the order does not have
// are negative.
type Places func(size int, ks []int)

// NthsOfPartitions returns for each partition of the rows 0 … n-1, in the order by its columns, the rows at
// the given number of places of the order of its rows by cols, and -1 for places that it does not have.
// parts are the runs of the partitions in an order of all rows.
func NthsOfPartitions(partition, cols []extract.Column, n, each int, places Places, o *call.Options) (rows []int, parts perm.Runs, err error) {
	all := slices.Concat(partition, cols)
	extract.ForRows(all, n)
	own := *o
	own.Into, own.Marks = nil, nil
	g := partitionPlaces{n: n, each: each, places: places}
	if each == 0 || n == 0 {
		return nil, parts, o.Context().Err()
	}
	partition, cols = all[:len(partition)], all[len(partition):]
	if n < leastParted || n > maxPositions || len(partition) == 0 || len(cols) == 0 ||
		o.Limit > 0 || o.Algorithm != engine.Auto || o.Backend != nil {
		err = g.ofOrder(all, len(partition), own)
		return g.result, g.parts, err
	}
	own.Marks = &call.Marks{Columns: call.AllColumns, Runs: &g.parts}
	if g.rows, err = OrderN(partition, n, &own); err != nil {
		return nil, parts, err
	}
	own.Marks = nil
	g.result = make([]int, g.parts.Len()*each)
	if words := extract.Words(cols, o.Order()); extract.Decisive(words) && len(g.result) <= n/mostPlaces {
		err = g.selectAll(cols, own)
	} else {
		err = orderInRuns(g.rows, g.parts, cols, own, g.pick)
	}
	if err != nil {
		return nil, parts, err
	}
	return g.result, g.parts, nil
}

// partitionPlaces is the rows at places of partitions, the runs of rows.
type partitionPlaces struct {
	n      int
	rows   []uint32
	parts  perm.Runs
	each   int
	places Places
	result []int // g.each rows of each partition
}

// ofOrder returns the rows by an order of all rows.
func (g *partitionPlaces) ofOrder(all []extract.Column, partition int, o call.Options) (err error) {
	o.Marks = &call.Marks{Columns: partition, Runs: &g.parts}
	if g.rows, err = OrderN(all, g.n, &o); err != nil {
		return err
	}
	g.result = make([]int, g.parts.Len()*g.each)
	g.pick(nil)
	return nil
}

// pick takes the rows from an order of the places of each partition; nil if they are in order.
func (g *partitionPlaces) pick(index []uint32) {
	i := 0
	for lo, hi := range g.parts.All() {
		ks := g.result[i : i+g.each]
		g.places(hi-lo, ks)
		for j, k := range ks {
			switch {
			case k < 0:
			case index == nil:
				ks[j] = int(g.rows[lo+k])
			default:
				ks[j] = int(g.rows[index[lo+k]])
			}
		}
		i += g.each
	}
}

const (
	// mostPlaces is the number of rows for each wanted place from which on places are selected. With
	// fewer rows the partitions are ordered.
	mostPlaces = 64
	// mostAlone is the largest partition from which one worker selects. All select from a larger one.
	mostAlone = 1 << 16
	// fewSelected is the number of candidates that are sorted rather than counted.
	fewSelected = 24
)

// selectAll selects the rows by codes of cols that hold whole keys.
func (g *partitionPlaces) selectAll(cols []extract.Column, o call.Options) error {
	r, err := begin(o, g.n)
	defer r.end()
	if err != nil {
		return err
	}
	rows, words := r.picked(g.rows, g.n, cols)
	err = r.decide(facts{verb: toFind, k: g.each, words: words, sizes: []uintptr{unsafe.Sizeof(0)}, numbered: true})
	if err != nil {
		return err
	}
	words[0].Open(rows, &r.Env)
	src, offsets := extract.Source64(rows, &words[0]), g.parts.Offsets()
	work := make([]placeWorker, max(1, r.Loop.Workers))
	err = r.Stage("select", g.n, r.Loop.Turn(g.n, engine.Block, mostAlone), func(worker, lo, hi int) {
		w := &work[worker]
		w.g, w.offsets, w.src = g, offsets, src
		first, end := sort.SearchInts(offsets, lo), sort.SearchInts(offsets, hi)
		w.selectFrom(r, first, min(end, len(offsets)-1))
	})
	if err = r.Stopped(err); err != nil {
		return err
	}
	for i := range g.parts.Len() { // the long ones are left
		if lo, hi := offsets[i], offsets[i+1]; hi-lo > mostAlone && err == nil {
			err = g.selectLong(cols, lo, hi, g.result[i*g.each:][:g.each], o)
		}
	}
	return err
}

// selectLong selects the rows of a partition, the rows at places [lo, hi), with all workers.
func (g *partitionPlaces) selectLong(cols []extract.Column, lo, hi int, ks []int, o call.Options) error {
	o.Report = nil
	g.places(hi-lo, ks)
	picked, own := g.rows[lo:hi], slices.Clone(cols)
	extract.ForPicked(own, picked)
	wanted := slices.DeleteFunc(slices.Clone(ks), func(k int) bool { return k < 0 })
	if err := nthsOf(own, extract.RowNumbers(g.n).Pick(picked), wanted, false, o); err != nil {
		return err
	}
	for j, k := range ks {
		if k >= 0 {
			ks[j], wanted = int(picked[wanted[0]]), wanted[1:]
		}
	}
	return nil
}

// placeWorker selects from partitions of at most mostAlone rows.
type placeWorker struct {
	g       *partitionPlaces
	offsets []int
	src     cpu.Source[uint64]
	codes   []uint64    // of partitions that follow each other
	found   []candidate // of one, and of those of its intervals that are searched
}

// selectFrom selects from the partitions first … end-1.
func (w *placeWorker) selectFrom(r *run, first, end int) {
	for i := first; i < end && r.Loop.Err() == nil; {
		j := i + 1
		for j < end && w.offsets[j+1]-w.offsets[i] <= engine.Block {
			j++
		}
		if lo, hi := w.offsets[i], w.offsets[j]; hi-lo <= mostAlone {
			w.extract(lo, hi)
			if r.Loop.Err() != nil {
				return // and codes are left out
			}
			for ; i < j; i++ {
				w.selectOne(i, w.codes[w.offsets[i]-lo:w.offsets[i+1]-lo])
			}
		}
		i = j
	}
}

// extract writes the codes at places [lo, hi).
func (w *placeWorker) extract(lo, hi int) {
	if cap(w.codes) < hi-lo {
		w.codes = make([]uint64, min(mostAlone, max(engine.Block, 2*(hi-lo))))
	}
	for at := lo; at < hi; at += engine.Block {
		w.src(w.codes[at-lo:min(at+engine.Block, hi)-lo], at)
	}
}

// selectOne selects from the i-th partition, by codes.
func (w *placeWorker) selectOne(i int, codes []uint64) {
	g, lo := w.g, w.offsets[i]
	ks := g.result[i*g.each:][:g.each]
	g.places(len(codes), ks)
	w.found = w.found[:0]
	for at, c := range codes {
		w.found = append(w.found, candidate{c, uint32(at)})
	}
	w.find(0, len(codes), 0, ks, func(j int, at uint32) { ks[j] = -2 - int(at) }) // so that it is no place
	for j, k := range ks {
		if k < -1 {
			ks[j] = int(g.rows[lo-2-k])
		}
	}
}

// find passes to put the rows at those places ks, less before, that are in w.found[lo:hi], which it may
// sort. These rows are in the sequence of the input.
func (w *placeWorker) find(lo, hi, before int, ks []int, put func(j int, at uint32)) {
	found := w.found[lo:hi]
	if len(found) > fewSelected {
		if least, most := codeRange(found); least < most {
			w.narrow(lo, hi, before, ks, least, most, put)
			return
		}
	} else {
		insertCandidates(found)
	}
	for j, k := range ks {
		if k -= before; 0 <= k && k < len(found) {
			put(j, found[k].at)
		}
	}
}

// narrow is find of candidates whose codes are from least to most: within those that share the leading
// digit of a place.
func (w *placeWorker) narrow(lo, hi, before int, ks []int, least, most uint64, put func(j int, at uint32)) {
	const digits = 256
	var counts, next [digits]int32 // next: where the candidates of a digit go in w.found, from 1
	shift := max(0, bits.Len64(most-least)-8)
	for _, c := range w.found[lo:hi] {
		counts[uint8((c.code-least)>>(shift&63))]++
	}
	end, sum := len(w.found), before
	for d := range counts {
		n := int(counts[d])
		if n > 0 && wantsPlace(ks, sum, sum+n) {
			next[d], end = int32(end)+1, end+n
		}
		sum += n
	}
	w.found = slices.Grow(w.found, end-len(w.found))[:end]
	for _, c := range w.found[lo:hi] {
		if d := uint8((c.code - least) >> (shift & 63)); next[d] > 0 {
			w.found[next[d]-1] = c
			next[d]++
		}
	}
	for d, sum := 0, before; d < digits; d++ {
		n := int(counts[d])
		if at := int(next[d]) - 1; at >= 0 {
			w.find(at-n, at, sum, ks, put)
			w.found = w.found[:end]
		}
		sum += n
	}
}

// wantsPlace reports whether one of ks is from lo to hi-1.
func wantsPlace(ks []int, lo, hi int) bool {
	for _, k := range ks {
		if lo <= k && k < hi {
			return true
		}
	}
	return false
}

// codeRange returns the least and the largest code.
func codeRange(found []candidate) (least, most uint64) {
	least = ^uint64(0)
	for _, c := range found {
		least, most = min(least, c.code), max(most, c.code)
	}
	return least, most
}

// insertCandidates sorts a few candidates by their codes, ties in their sequence.
func insertCandidates(found []candidate) {
	for i := 1; i < len(found); i++ {
		c, j := found[i], i
		for ; j > 0 && found[j-1].code > c.code; j-- {
			found[j] = found[j-1]
		}
		found[j] = c
	}
}
