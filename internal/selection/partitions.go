package selection

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/scratch"
)

// The first rows of each partition are found among few: a pass over the codes drops the rows that
// come after k others of their partition. Each worker keeps, in a hash table by the codes of
// partitions, the k smallest codes of those that it has seen.

const (
	sampledRows = 1 << 11 // of which the number of partitions is estimated
	mostLeft    = 8       // rows left, 1/mostLeft of all, up to which the others are dropped first

	// mostTable is the size of a table up to which rows are dropped by it: one outside of the
	// second-level cache takes longer than an order by partitions (EPYC, 2026-11, 10^6 rows, first of
	// 100 000 partitions: 54 ns a row instead of 25).
	mostTable = 256 << 10
)

// FirstOfPartitions returns numbers of rows, ascending, that include the first k of each partition; nil if too few can
// be dropped by a table. Partitions are rows with the same code of lead, which holds whole keys; within them words
// decide. It opens lead and the first word. Where a sample has too many partitions it extracts no other codes.
func FirstOfPartitions(env *engine.Env, rows extract.Input, lead *extract.Word, words []extract.Word, k int) ([]uint32, error) {
	n := rows.Len
	if k > n/mostLeft {
		return nil, nil
	}
	f := &partitionFilter{env: env, k: k, n: n, each: max(1, partitionChunk/k), most: n / k, decisive: extract.Decisive(words), work: make([]partitionWorker, max(1, env.Loop.Workers))}
	lead.Open(rows, env)
	words[0].Open(rows, env)
	f.lead, f.value = extract.Source64(rows, lead), extract.Source64(rows, &words[0])
	for i := range f.work {
		f.work[i].open(f)
	}
	if parts := f.estimate(&f.work[0]); parts > min(float64(n/mostLeft/k), mostTable/float64(unsafe.Sizeof(partitionSlot{})+8*uintptr(k))) {
		return nil, env.Loop.Err()
	}
	return f.run()
}

// partitionFilter drops rows that come after k others of their partition.
type partitionFilter struct {
	env         *engine.Env
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
	bound uint64 // the largest of k codes; before there are k of them, the largest that there can be
	heap  uint32 // its number, from 1; 0: the slot is free
	rows  uint32 // that went into the heap, at most k
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
				w.smalls = append(w.smalls, slices.Repeat([]uint64{math.MaxUint64}, w.f.each*w.f.k))
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
	if f.env.Loop.Err() != nil {
		return // and codes are left out
	}
	if w.parts > f.most {
		f.crowded.Store(true)
	}
	for i, c := range codes {
		s := w.slot(lead[i])
		switch {
		case c < s.bound || int(s.rows) < f.k:
			s.replace(w.heap(s.heap), c)
		case c > s.bound || f.decisive: // k rows before it are not larger
			continue
		}
		w.rows = append(w.rows, partitionRow{c, uint32(lo + i), s.heap})
	}
}

// replace puts a code in place of the largest of a heap, which is at first full of the largest that there can be.
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
	s.bound, s.rows = heap[0], min(s.rows+1, uint32(len(heap)))
}

// estimate returns about how many partitions there are, by those of a sample. Those that the sample
// has missed are estimated from those that it has once and twice (Chao, 1984).
func (f *partitionFilter) estimate(w *partitionWorker) float64 {
	counts, draw := make(map[uint64]int, sampledRows), texts.Drawer(0, f.n, f.k)
	for range sampledRows {
		f.lead(w.lead[:1], texts.Drawn(&draw, f.n))
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
	env := f.env
	err := env.Stage("partitions", f.n, pieceOf(&env.Loop, f.n), func(worker, lo, hi int) {
		for ; lo < hi && env.Loop.Err() == nil && !f.crowded.Load(); lo += engine.Block {
			f.work[worker].add(lo, min(lo+engine.Block, hi))
		}
	})
	if err = env.Stopped(err); err != nil || f.crowded.Load() {
		return nil, err
	}
	set := scratch.Take[uint32](&env.Arena, engine.TieWords(f.n))
	clear(set)
	var count atomic.Int64
	err = env.Stage("select", len(f.work), 1, func(_, i, _ int) { count.Add(int64(f.work[i].mark(set))) })
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
