package pipeline

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// The first rows of each partition are ordered among few: a pass over the codes drops the rows that
// come after k others of their partition. Each worker keeps, in a hash table by the codes of
// partitions, the k smallest codes of those that it has seen.

// FirstOfPartitions returns the first k rows of each partition of the rows 0 … n-1, in the order by
// the columns of the partitions and by cols, and the runs of the partitions among them.
func FirstOfPartitions(partition, cols []extract.Column, n, k int, o *call.Options) (first []uint32, parts perm.Runs, err error) {
	own := *o
	own.Into, own.Marks = nil, &call.Marks{Columns: len(partition), Runs: &parts}
	all := slices.Concat(partition, cols)
	if len(partition) == 0 {
		own.Marks = nil
		first, err = FirstRows(cols, n, k, &own)
		return first, perm.RunsAt([]int{0, len(first)}), err
	}
	extract.ForRows(all, n)
	if k = min(k, n); k == 0 {
		return nil, parts, Nothing(n, o)
	}
	rows, whole, err := firstPerPartition(all[:len(partition)], all[len(partition):], n, k, own)
	switch {
	case err != nil:
		return nil, parts, err
	case rows != nil:
		ways.Took(ways.PartitionTable)
		first, err = rows, OrderSelected(all, rows, n, &own)
	case whole || !ways.On(ways.PartitionRuns):
		first, err = orderAll(all, n, own)
	default:
		ways.Took(ways.PartitionRuns)
		return firstOfRuns(all[:len(partition)], all[len(partition):], n, k, own)
	}
	if err != nil {
		return nil, perm.Runs{}, err
	}
	first, parts = cutRunsAt(first, parts, k)
	return first, parts, nil
}

// orderAll is [OrderRows] of rows of which few are a result: the order counts as scratch memory.
func orderAll(cols []extract.Column, n int, o call.Options) (perm.Perm, error) {
	o.Held = 4 * int64(n)
	return OrderRows(cols, n, &o)
}

// firstOfRuns is [FirstOfPartitions] by an order of all rows by the columns of partitions, and one of
// the rows within each, without those that are certainly not among the first.
func firstOfRuns(partition, cols []extract.Column, n, k int, o call.Options) (first []uint32, parts perm.Runs, err error) {
	o.Marks = &call.Marks{Columns: call.AllColumns, Runs: &parts}
	byPartition, err := OrderRows(partition, n, &o)
	if err != nil {
		return nil, perm.Runs{}, err
	}
	o.Marks = nil
	if byPartition, parts, err = leftOfRuns(byPartition, parts, cols, k, o); err != nil {
		return nil, perm.Runs{}, err
	}
	err = orderInRuns(byPartition, parts, cols, o, func(index []uint32) {
		first, parts = cutRunsAt(index, parts, k)
		first = slices.Clone(first)
		for i, at := range first {
			first[i] = byPartition[at]
		}
	})
	if err != nil {
		return nil, perm.Runs{}, err
	}
	return first, parts, nil
}

// leftOfRuns drops rows that are not among the first k by cols of their run of byPartition; it drops none
// if that leaves most. Whole keys are not compared: codes of their first words are enough to drop a row.
// Runs are read in blocks, each of which leaves k rows of a run and those that tie with them.
func leftOfRuns(byPartition perm.Perm, runs perm.Runs, cols []extract.Column, k int, o call.Options) (perm.Perm, perm.Runs, error) {
	n := len(byPartition)
	if runs.Len()+n/engine.Block > n/mostLeft/k {
		return byPartition, runs, nil
	}
	o.Report = nil
	r, err := begin(o, n)
	defer r.end()
	if err != nil {
		return nil, runs, err
	}
	rows, words := r.picked(byPartition, n, cols)
	err = r.decide(facts{verb: toFilter, k: k, words: words, sizes: []uintptr{unsafe.Sizeof(0)}, numbered: true, picked: true})
	if err != nil {
		return nil, runs, err
	}
	words[0].Open(rows, &r.Env)
	src, offsets := extract.Source64(rows, &words[0]), runs.Offsets()
	work, blocks := make([]runWorker, max(1, r.Loop.Workers)), make([][]uint32, (n+engine.Block-1)/engine.Block)
	err = r.Stage("select", len(blocks), 1, func(worker, block, _ int) {
		w, lo := &work[worker], block*engine.Block
		hi := min(lo+engine.Block, n)
		if w.codes == nil {
			w.codes, w.found = make([]uint64, engine.Block), make([]candidate, engine.Block)
		}
		src(w.codes[:hi-lo], lo)
		if r.Loop.Err() == nil { // otherwise codes are left out
			blocks[block] = w.leave(lo, hi, offsets, k)
		}
	})
	left := slices.Concat(blocks...)
	if err = r.Stopped(err); err != nil || len(left) > n/2 {
		return byPartition, runs, err
	}
	ends, i := make([]int, 1, len(offsets)), 0
	for _, end := range offsets[1:] {
		for ; i < len(left) && int(left[i]) < end; i++ {
			left[i] = byPartition[left[i]]
		}
		ends = append(ends, i)
	}
	return left, perm.RunsAt(ends), nil
}

// picked returns the rows with the given numbers, all below n, and their words by columns of row numbers.
func (r *request) picked(numbers []uint32, n int, cols []extract.Column) (extract.Input, []extract.Word) {
	cols = slices.Clone(cols)
	extract.ForPicked(cols, numbers)
	rows := extract.RowNumbers(n).Pick(numbers)
	rows.Arena = &r.Arena
	return rows, extract.Words(cols, r.Order())
}

// runWorker drops rows of runs by their codes.
type runWorker struct {
	codes []uint64
	found []candidate
}

// leave returns the places from lo to hi-1, whose codes are in w, with rows that may be among the first k
// of their runs.
func (w *runWorker) leave(lo, hi int, offsets []int, k int) (left []uint32) {
	next, found := slices.BinarySearch(offsets, lo) // the end of the run
	if found {
		next++
	}
	for from := lo; from < hi; next++ {
		end := min(offsets[next], hi)
		codes, bound := w.codes[from-lo:end-lo], uint64(math.MaxUint64)
		if len(codes) > k {
			bound = w.kth(codes, k)
		}
		for i, c := range codes {
			if c <= bound {
				left = append(left, uint32(from+i))
			}
		}
		from = end
	}
	return left
}

// kth returns the k-th smallest of at most a block of codes, 1 <= k <= len(codes).
func (w *runWorker) kth(codes []uint64, k int) uint64 {
	if k == 1 {
		return slices.Min(codes)
	}
	some := w.found[:len(codes)]
	for i, c := range codes {
		some[i].code = c
	}
	if len(some) <= fewCodes {
		return kthOfFew(some, 0, math.MaxUint64, k)
	}
	return kthCode(some, k)
}

// orderInRuns orders the rows of each run of byPartition by cols and passes to use the order of all, as
// places in byPartition.
func orderInRuns(byPartition perm.Perm, parts perm.Runs, cols []extract.Column, o call.Options, use func(index []uint32)) error {
	n := len(byPartition)
	r, err := begin(o, n)
	defer r.end()
	if err != nil {
		return err
	}
	rows, words := r.picked(byPartition, n, cols)
	segments := cpu.NewSegments(parts.Offsets())
	err = r.decide(facts{verb: toOrderWithin, words: words, sizes: []uintptr{rows.Slice.Size()}, numbered: true, picked: true, segments: segments})
	if err != nil {
		return err
	}
	index := scratch.Take[uint32](&r.Arena, n)
	if err = orderWithin(r, rows, words, segments, index); err == nil {
		use(index)
	}
	return err
}

// cutRunsAt returns the first k rows of each run, and the runs of those.
func cutRunsAt(rows []uint32, parts perm.Runs, k int) ([]uint32, perm.Runs) {
	first, offsets := rows[:0], make([]int, 1, parts.Len()+1)
	for lo, hi := range parts.All() {
		first = append(first, rows[lo:min(hi, lo+k)]...)
		offsets = append(offsets, len(first))
	}
	if len(first) < len(rows)/2 {
		first = slices.Clone(first) // without the memory of the others
	}
	return first, perm.RunsAt(offsets)
}

const (
	leastPartitioned = 1 << 14 // with fewer rows all are ordered
	sampledRows      = 1 << 11 // of which the number of partitions is estimated
	mostLeft         = 8       // rows left, 1/mostLeft of all, up to which the others are dropped first

	// mostTable is the size of a table up to which rows are dropped by it: one outside of the
	// second-level cache takes longer than an order by partitions (EPYC, 2026-11, 10^6 rows, first of
	// 100 000 partitions: 54 ns a row instead of 25).
	mostTable = 256 << 10
)

// firstPerPartition returns rows, ascending, that include the first k of each partition; nil if too
// few can be dropped. Then whole says that rows are ordered as one list.
func firstPerPartition(partition, cols []extract.Column, n, k int, o call.Options) (left []uint32, whole bool, err error) {
	o.Marks, o.Report = nil, nil
	lead, words := extract.Words(partition, o.Order()), extract.Words(cols, o.Order())
	if n < leastPartitioned || n > maxPositions || len(words) == 0 {
		return nil, true, nil
	}
	r, err := begin(o, n)
	defer r.end()
	if err == nil {
		err = r.decide(facts{verb: toFilter, k: k, words: words, sizes: []uintptr{unsafe.Sizeof(0)}, numbered: true})
	}
	switch {
	case err != nil || r.plan.movement != selected:
		return nil, true, err
	case len(lead) != 1 || !lead[0].Exact() || k > n/mostLeft || !ways.On(ways.PartitionTable):
		return nil, false, nil
	}
	rows := extract.RowNumbers(n)
	rows.Arena = &r.Arena
	f := &partitionFilter{r: r, k: k, n: n, each: max(1, partitionChunk/k), most: n / k, decisive: extract.Decisive(words), work: make([]partitionWorker, max(1, r.Loop.Workers))}
	lead[0].Open(rows, &r.Env)
	words[0].Open(rows, &r.Env)
	f.lead, f.value = extract.Source64(rows, &lead[0]), extract.Source64(rows, &words[0])
	for i := range f.work {
		f.work[i].open(f)
	}
	if parts := f.estimate(&f.work[0]); parts > min(float64(n/mostLeft/k), mostTable/float64(unsafe.Sizeof(partitionSlot{})+8*uintptr(k))) {
		return nil, false, r.Loop.Err()
	}
	left, err = f.run()
	return left, false, err
}

// partitionFilter drops rows that come after k others of their partition.
type partitionFilter struct {
	r           *request
	n, k        int
	each        int         // heaps of a chunk
	most        int         // partitions of a worker
	crowded     atomic.Bool // there are more
	decisive    bool        // equal codes are equal keys
	lead, value cpu.Source[uint64]
	work        []partitionWorker
}

// partitionWorker is the partitions that a worker has seen, and the rows that may be among their first.
type partitionWorker struct {
	f      *partitionFilter
	lead   []uint64
	codes  []uint64
	slots  []partitionSlot // a hash table, at most half full
	parts  int
	smalls [][]uint64     // the smallest codes of partitions, in chunks of f.each heaps
	rows   []partitionRow // candidates
}

// partitionSlot is a partition: its code, and its k smallest codes so far.
type partitionSlot struct {
	lead  uint64
	bound uint64 // the largest of k codes; before there are k of them the largest code
	heap  uint32 // its number, from 1; 0: the slot is free
	rows  uint32 // in the heap, at most k
}

// partitionRow is a candidate: a row that may be among the first of its partition.
type partitionRow struct {
	code uint64
	row  uint32
	heap uint32
}

// partitionChunk is the number of codes in the heaps that are taken at a time, or one heap.
const partitionChunk = 1 << 12

func (w *partitionWorker) open(f *partitionFilter) {
	w.f = f
	w.lead, w.codes = make([]uint64, engine.Block), make([]uint64, engine.Block)
	w.slots = make([]partitionSlot, 1024)
}

// heap returns the memory of a heap.
func (w *partitionWorker) heap(number uint32) []uint64 {
	i, k := int(number-1), w.f.k
	return w.smalls[i/w.f.each][i%w.f.each*k:][:k:k]
}

// slot returns the slot of a partition.
func (w *partitionWorker) slot(lead uint64) *partitionSlot {
	mask := len(w.slots) - 1
	for i := int(spread(lead) >> (64 - bits.Len(uint(mask)))); ; i++ {
		switch s := &w.slots[i&mask]; {
		case s.heap != 0 && s.lead == lead:
			return s
		case s.heap == 0 && 2*(w.parts+1) > len(w.slots):
			w.grow()
			return w.slot(lead)
		case s.heap == 0:
			if w.parts%w.f.each == 0 {
				w.smalls = append(w.smalls, make([]uint64, w.f.each*w.f.k))
			}
			w.parts++
			*s = partitionSlot{lead: lead, bound: math.MaxUint64, heap: uint32(w.parts)}
			return s
		}
	}
}

// factor differs in each process, so that no input is known to make partitions collide. Results do not
// depend on it.
var factor = rand.Uint64() | 1

// spread has the bits of a code in its highest bits (multiply-shift, Dietzfelbinger et al., 1997).
func spread(code uint64) uint64 { return (code ^ code>>32) * factor }

// grow doubles the table.
func (w *partitionWorker) grow() {
	before := w.slots
	w.slots = make([]partitionSlot, 2*len(before))
	mask := len(w.slots) - 1
	for _, s := range before {
		if s.heap == 0 {
			continue
		}
		i := int(spread(s.lead) >> (64 - bits.Len(uint(mask))))
		for w.slots[i&mask].heap != 0 {
			i++
		}
		w.slots[i&mask] = s
	}
}

// add adds the rows [lo, hi), at most a block.
func (w *partitionWorker) add(lo, hi int) {
	f, lead, codes := w.f, w.lead[:hi-lo], w.codes[:hi-lo]
	f.lead(lead, lo)
	f.value(codes, lo)
	if f.r.Loop.Err() != nil {
		return // and codes are left out
	}
	if w.parts > f.most {
		f.crowded.Store(true)
	}
	for i, c := range codes {
		s := w.slot(lead[i])
		switch {
		case int(s.rows) < f.k:
			s.push(w.heap(s.heap), c)
		case c < s.bound:
			s.replace(w.heap(s.heap), c)
		case c > s.bound || f.decisive: // k rows before it are not larger
			continue
		}
		w.rows = append(w.rows, partitionRow{c, uint32(lo + i), s.heap})
	}
}

// push adds a code to a heap of fewer than k.
func (s *partitionSlot) push(heap []uint64, c uint64) {
	i := int(s.rows)
	for i > 0 && heap[(i-1)/2] < c {
		heap[i] = heap[(i-1)/2]
		i = (i - 1) / 2
	}
	heap[i] = c
	if s.rows++; int(s.rows) == len(heap) {
		s.bound = heap[0]
	}
}

// replace puts a code in place of the largest of a full heap.
func (s *partitionSlot) replace(heap []uint64, c uint64) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && heap[child+1] > heap[child] {
			child++
		}
		if heap[child] <= c {
			break
		}
		heap[i], i = heap[child], child
	}
	heap[i] = c
	s.bound = heap[0]
}

// estimate returns about how many partitions there are, by those of a sample. Those that the sample
// has missed are estimated from those that it has once and twice (Chao, 1984).
func (f *partitionFilter) estimate(w *partitionWorker) float64 {
	counts, draw := make(map[uint64]int, sampledRows), extract.Drawer(0, f.n, f.k)
	for range sampledRows {
		f.lead(w.lead[:1], extract.Drawn(&draw, f.n))
		counts[w.lead[0]]++
	}
	once, twice := 0.0, 1.0
	for _, c := range counts {
		switch c {
		case 1:
			once++
		case 2:
			twice++
		}
	}
	return float64(len(counts)) + once*once/(2*twice)
}

// run returns the rows that are left.
func (f *partitionFilter) run() ([]uint32, error) {
	r := f.r
	grain := r.Loop.Turn(f.n, engine.Block, 16*engine.Block) / engine.Block * engine.Block
	err := r.Stage("partitions", f.n, grain, func(worker, lo, hi int) {
		for ; lo < hi && r.Loop.Err() == nil && !f.crowded.Load(); lo += engine.Block {
			f.work[worker].add(lo, min(lo+engine.Block, hi))
		}
	})
	if err = r.Stopped(err); err != nil || f.crowded.Load() {
		return nil, err
	}
	set := scratch.Take[uint32](&r.Arena, engine.TieWords(f.n))
	clear(set)
	var count atomic.Int64
	err = r.Stage("select", len(f.work), 1, func(_, i, _ int) { count.Add(int64(f.work[i].mark(set))) })
	if err != nil {
		return nil, err
	}
	left := make([]uint32, 0, count.Load())
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			left = append(left, uint32(i*32+bits.TrailingZeros32(word)))
		}
	}
	return left, nil
}

// mark sets the bits of the rows whose codes are among the k smallest of their partitions, and
// returns how many do.
func (w *partitionWorker) mark(set []uint32) (count int) {
	bounds := make([]uint64, w.parts+1)
	for i := range w.slots {
		bounds[w.slots[i].heap] = w.slots[i].bound
	}
	for _, p := range w.rows {
		if p.code <= bounds[p.heap] {
			atomic.OrUint32(&set[p.row/32], 1<<(p.row%32))
			count++
		}
	}
	return count
}
