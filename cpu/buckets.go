package cpu

import (
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

const (
	// minCellBits and maxCellBits bound the cells of a histogram. 2^11 counters
	// stay in the first-level cache and are enough for even data; 2^16 resolve
	// floating-point codes, half of which often lie in one of 128 exponents.
	minCellBits = 11
	maxCellBits = 16

	// maxBuckets is the number of even buckets that a partition aims at:
	// places written to at a time, bounded by the translation cache and the
	// second-level cache. Uneven data may give up to bucketSlots.
	maxBuckets  = 2048
	bucketSlots = 2 * maxBuckets

	// maxLocal is the largest bucket that is sorted locally: its positions
	// leave half of a 32-bit word to the code.
	maxLocal = 1 << 16

	// minStripe is the least number of elements that is worth a stripe of its
	// own, with its own counters.
	minStripe = 1 << 16
)

// Tables bounds the scratch memory, in bytes, of histograms and workspaces for
// n elements: what a sort takes besides its codes, indices and payload.
func Tables(n, workers int) int64 {
	// A worker's words, codes, output and ties are 128 bytes per element of its
	// largest bucket at most, rounded up; the blocks are those of survey,
	// histogram and partition.
	each := 128*int64(min(n, maxLocal)) + 4*8*engine.Block
	counters := int64(4 << maxCellBits)
	if n <= 2*orderTarget {
		return each
	}
	stripes := int64(stripesFor(n, workers))
	return stripes*(counters+combinedBytes*2*int64(min(n/orderTarget+1, bucketSlots))) + int64(workers)*each
}

// stripesFor returns the number of stripes for n elements: several for each
// worker, so that one that is held up does not hold up the others.
func stripesFor(n, workers int) int { return max(1, min(4*workers, n/minStripe)) }

// cells maps codes to equally wide cells of their range.
type cells[C Code] struct {
	min   C
	shift int
	count int // cells in use
}

func (c cells[C]) of(code C) uint16 { return uint16((code - c.min) >> c.shift) }

// slots holds a position per bucket.
type slots [bucketSlots]uint32

// buckets is the plan of one partition round: which codes go to which bucket,
// and where each stripe of the input puts them.
type buckets[C Code] struct {
	cells[C]
	table   *[1 << maxCellBits]uint16 // bucket of each cell
	first   []int32                   // first cell of each bucket, and the number of cells
	start   []int                     // first position of each bucket, and n
	stripes int                       // the input is cut into so many stripes
	next    []slots                   // next[stripe][bucket]: where the stripe's next element goes
}

// len returns the number of buckets.
func (b *buckets[C]) len() int { return len(b.start) - 1 }

// bounds returns the positions of bucket i.
func (b *buckets[C]) bounds(i int) (lo, hi int) { return b.start[i], b.start[i+1] }

// codes returns the lowest code that bucket i can hold and the number of bits
// by which its codes exceed it; 0 bits is a bucket of equal codes.
func (b *buckets[C]) codes(i int) (lowest C, width int) {
	from, to := uint64(b.first[i]), uint64(b.first[i+1])
	return b.min + C(from)<<b.shift, bits.Len64((to-from)<<b.shift - 1)
}

// stripe returns the elements of stripe i of n.
func (b *buckets[C]) stripe(i, n int) (lo, hi int) {
	if i == b.stripes-1 {
		return n / b.stripes * i, n
	}
	return n / b.stripes * i, n / b.stripes * (i + 1)
}

// plan cuts n codes, surveyed as v, into buckets of about target elements.
func plan[C Code](env *engine.Env, n int, codes view[C], v survey[C], target int) (*buckets[C], error) {
	target = max(target, (n+maxBuckets-1)/maxBuckets)
	b := &buckets[C]{stripes: stripesFor(n, env.Loop.Workers)}
	b.min, b.shift = v.min, max(0, v.width()-resolution(n, codes, v, target))
	b.count = int((v.max-v.min)>>b.shift) + 1

	counts, err := b.histograms(env, n, codes)
	if err != nil {
		return nil, err
	}
	b.cut(counts, target)
	b.place(counts)
	return b, nil
}

// histograms counts the codes of every stripe by cell.
func (b *buckets[C]) histograms(env *engine.Env, n int, codes view[C]) ([][]uint32, error) {
	counts := make([][]uint32, b.stripes)
	for i := range counts {
		counts[i] = scratch.Take[uint32](&env.Arena, 1<<maxCellBits)
	}
	buffers := newBuffers[C](env)
	err := env.Stage("histogram", b.stripes, 1, func(worker, i, _ int) {
		count := (*[1 << maxCellBits]uint32)(counts[i])
		clear(count[:b.count])
		b.each(env, n, i, codes, buffers.of(worker), func(_ int, block []C) {
			histogram(count, block, b.cells)
		})
	})
	return counts, stopped(env, err)
}

// each calls f for the blocks of a stripe until the context is cancelled.
func (b *buckets[C]) each(env *engine.Env, n, stripe int, codes view[C], buf []C, f func(lo int, block []C)) {
	lo, hi := b.stripe(stripe, n)
	for ; lo < hi && env.Loop.Err() == nil; lo += engine.Block {
		f(lo, codes(lo, min(lo+engine.Block, hi), buf))
	}
}

// resolution chooses the bits of the histogram from a sample of the codes.
func resolution[C Code](n int, codes view[C], v survey[C], target int) int {
	const sample = 1024
	var count [1 << minCellBits]uint16
	var one [1]C
	c := cells[C]{min: v.min, shift: max(0, v.width()-minCellBits)}
	step, most := max(1, n/sample), uint16(0)
	for i := 0; i < n; i += step {
		cell := c.of(codes(i, i+1, one[:])[0])
		count[cell]++
		most = max(most, count[cell])
	}
	// A code of the sample stands for step elements; four of an even sample
	// fall into one cell by chance.
	if most <= 4 || int(most)*step <= target {
		return minCellBits
	}
	return maxCellBits
}

// histogram counts codes by cell.
func histogram[C Code](count *[1 << maxCellBits]uint32, codes []C, c cells[C]) {
	for _, code := range codes {
		count[c.of(code)]++
	}
}

// cut joins neighbouring cells into buckets of about target elements.
func (b *buckets[C]) cut(counts [][]uint32, target int) {
	b.table = new([1 << maxCellBits]uint16)
	b.first = make([]int32, 1, maxBuckets)
	b.start = make([]int, 1, maxBuckets)
	size, total := 0, 0 // elements of the open bucket, and of all cells so far
	for cell := range b.count {
		here := 0
		for _, c := range counts {
			here += int(c[cell])
		}
		// Close the open bucket before a cell that would overfill it, so that a
		// heavy cell, which may be a single value, stands alone.
		if size > 0 && size+here > target+target/4 {
			b.first = append(b.first, int32(cell))
			b.start = append(b.start, total)
			size = 0
		}
		b.table[cell] = uint16(len(b.start) - 1)
		size += here
		total += here
	}
	b.first = append(b.first, int32(b.count))
	b.start = append(b.start, total)
}

// place turns the cell counts of every stripe into write positions.
func (b *buckets[C]) place(counts [][]uint32) {
	b.next = make([]slots, b.stripes)
	for i := range b.next {
		for cell, n := range counts[i][:b.count] {
			b.next[i][b.table[cell]] += n
		}
	}
	for k := range b.len() {
		at := uint32(b.start[k])
		for i := range b.next {
			at, b.next[i][k] = at+b.next[i][k], at
		}
	}
}
