package cpu

import (
	"math"
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

const (
	// evenCellBits gives 2^11 counters, which stay in the first-level cache. Skewed data has
	// 2^16 cells or, if there is much of it, up to 2^maxCellBits: a quarter of the float64
	// between -1 and 1 have one of 2048 exponents (EPYC 2022, one worker, 2026-11, 2·10^7
	// float64: 7.2 instead of 8.0 ns per key with 2^17 cells; bench/results/constants.md, also for
	// the alternatives that lost).
	evenCellBits   = 11
	unevenCellBits = 16
	maxCellBits    = 18

	// maxBuckets is the number of buckets that a partition of uniform data aims at. It bounds
	// the places written to at a time, for the translation cache and the second-level cache.
	// Skewed data may give up to bucketSlots. Codes with their numbers are smaller and go to
	// maxOrderBuckets (2 cores with 2 MiB of second-level cache, 2026-11: 5 % for 32-bit
	// codes, 15 % for 64-bit codes; bench/results/constants.md).
	maxBuckets      = maxOrderBuckets / 2
	maxOrderBuckets = bucketSlots / 2
	bucketSlots     = stream.MostBuckets

	// leastTarget and mostTarget bound the mean number of elements of a bucket. Few buckets
	// are written to in the first-level cache; small buckets are sorted in the second-level
	// cache. If workers would be idle, buckets shrink to sharedTarget (2 cores with 1 MiB of
	// second-level cache, 2026-11: 9.7 ns per 24-byte element for 50 thousand, 13.6 for 8
	// thousand; bench/results/constants.md).
	sharedTarget = 1 << 11
	leastTarget  = 1 << 13
	mostTarget   = 50_000

	// localBytes bounds the bytes of a list that one worker sorts alone. The list and its copy
	// are both in the second-level cache.
	localBytes = 1 << 20

	// minStripe is the least number of elements of a stripe, which has counters of its own. A
	// stripe has no fewer elements than counters.
	minStripe = 1 << 13
)

// alone reports whether one worker sorts n elements of size bytes, payload included, or n codes if
// size is 0, even if there are several workers. A partition costs as much as the sort of its buckets,
// and each stage wakes all workers (EPYC 2022, 2 processors, 2026-11: 6.2 ns alone and 10 together per
// key for an order of 32 thousand; bench/results/constants.md).
func alone(n, workers int, size uintptr) bool {
	most := bucket.MaxLen
	switch {
	case workers > 2 && size == 0:
		most = bucket.MaxLen * 3 / 4
	case workers > 2:
		most = bucket.MaxLen / 2
	}
	return n <= leastTarget || n <= most && uintptr(n)*size < localBytes
}

// sizePlan sizes one partition of n codes of the given size, and of a payload of size
// other, 0 for none: the plan, and the buffers and combiners of its execution.
func sizePlan(a *scratch.Area, n, workers int, code, other uintptr) {
	few := stripesOf(n, workers, 0).count
	a.Either(
		func() { sizeCounters(a, few, 1<<evenCellBits) },
		func() { // fewer cells in as many stripes take less
			bits := mostCellBits(n, workers)
			sizeCounters(a, stripesOf(n, workers, 1<<bits/2).count, 1<<bits)
		},
	)
	sizeTable(a)
	sizeSlots(a, few)
	buckets := mostBuckets(n, workers)
	a.Hold(int64(max(buckets, maxBuckets)) * bucketBytes)
	engine.SizeBuffers(a, workers, code) // of the histogram
	engine.SizeBuffers(a, workers, code) // of the partition
	sizeCombiners(a, few, n, buckets, code, other)
}

// sizeCounters sizes the histogram of each stripe, and that of all together.
func sizeCounters(a *scratch.Area, stripes, counters int) (each, all scratch.Memory) {
	return a.MemoryEach(stripes, counters, 4), a.Memory(counters, 4)
}

// sizeTable sizes the buckets of cells.
func sizeTable(a *scratch.Area) scratch.Memory { return a.Memory(1<<maxCellBits, 2) }

// sizeSlots sizes where the elements of each stripe go.
func sizeSlots(a *scratch.Area, stripes int) scratch.Memory {
	return a.Memory(stripes, unsafe.Sizeof(stream.Slots{}))
}

// sizeCombiners sizes what stripes combine on the way to buckets.
func sizeCombiners(a *scratch.Area, stripes, n, buckets int, size, other uintptr) {
	a.Times(stripes, func() { a.Hold(stream.CombinersBytes(n, buckets, size, other)) })
}

// mostBuckets bounds the number of buckets of one partition of n elements.
func mostBuckets(n, workers int) int {
	// Two neighbouring buckets hold more than one target together. A round of one worker may
	// aim at 16 buckets.
	return min(2*(n/bucketTarget(n, workers, maxOrderBuckets))+2*16, bucketSlots)
}

// bucketBytes bounds the memory, in bytes, of a bucket's bounds and its turn: a 32-bit and a
// 64-bit number, in a list that has grown, and two more.
const bucketBytes = 2*(4+8) + 2*8

// cells maps codes to equally wide cells of their range.
type cells[C Code] struct {
	min   C
	shift uint8 // less than 64
	used  int   // number of cells
}

// of returns the cell of a code. The masks remove the compiler's checks of the shift and of
// table bounds, which take longer than the shift.
func (c cells[C]) of(code C) uint32 {
	return uint32(uint64(code-c.min)>>(c.shift&63)) % (1 << maxCellBits)
}

// buckets is the plan of one partition round: the bucket of each cell, and the write positions
// of each stripe.
type buckets[C Code] struct {
	cells[C]
	first []int32 // first cell of each bucket, and the number of cells
	start []int   // first position of each bucket, and the end of the last
	full  int     // a bucket with more elements is a single cell

	// Used by the partition only, see split.
	table *[1 << maxCellBits]uint16 // bucket of each cell
	next  []stream.Slots            // next[stripe][bucket]: where the stripe's next element goes
	stripes
}

// stripes cuts n elements into count stripes.
type stripes struct{ n, count int }

// stripesOf returns the stripes of n elements, each of max(minStripe, least) elements at
// least. There are several per worker, for balance.
func stripesOf(n, workers, least int) stripes {
	if workers <= 1 {
		return stripes{n, 1}
	}
	return stripes{n, max(1, min(4*workers, n/max(minStripe, least)))}
}

// stripe returns the elements of stripe i.
func (s stripes) stripe(i int) (lo, hi int) {
	if i == s.count-1 {
		return s.n / s.count * i, s.n
	}
	return s.n / s.count * i, s.n / s.count * (i + 1)
}

// mostCellBits bounds the bits of a histogram of n elements: a stripe has at most as many
// counters as elements, or 2^unevenCellBits.
func mostCellBits(n, workers int) int {
	s := stripesOf(n, workers, 1<<unevenCellBits)
	return max(unevenCellBits, min(maxCellBits, bits.Len(uint(s.n/s.count))-1))
}

// len returns the number of buckets.
func (b *buckets[C]) len() int { return len(b.start) - 1 }

// bounds returns the positions of bucket i.
func (b *buckets[C]) bounds(i int) (lo, hi int) { return b.start[i], b.start[i+1] }

// size returns the number of elements of bucket i.
func (b *buckets[C]) size(i int) int { return b.start[i+1] - b.start[i] }

// codes returns the lowest code that bucket i can hold and how far its codes can exceed it; span 0
// means equal codes. A span is at most the greatest code: one bucket of all codes spans 1<<32 or
// 1<<64, which wraps to 0, minus 1.
func (b *buckets[C]) codes(i int) (lowest, span C) {
	from, to := C(b.first[i]), C(b.first[i+1])
	return b.min + from<<b.shift, (to-from)<<b.shift - 1
}

// spread returns the lowest code of bucket i and how far its codes can exceed it; span 0 means
// that they are in order. A bucket with more than b.full codes is a single
// cell and likely a single value, so it is surveyed.
func (b *buckets[C]) spread(i int, codes []C) (lowest, span C) {
	lowest, span = b.codes(i)
	switch {
	case len(codes) == 1:
		return lowest, 0
	case span == 0 || len(codes) <= b.full:
		return lowest, span
	}
	v := presorted.SummaryOf(codes)
	if v.Sorted() {
		return v.Min, 0
	}
	return v.Min, v.Span()
}

// bucketTarget returns the number of elements that buckets of n elements should have. It is
// limited so that workers are busy to the end, and that there are at most most buckets.
func bucketTarget(n, workers, most int) int {
	share := n / (16 * max(1, workers))
	least := min(max(4*share, sharedTarget), leastTarget)
	return max(min(max(share, least), mostTarget), (n+most-1)/most)
}

// split partitions n codes, surveyed as v, into buckets of about target elements. The first
// begins at position lo. move carries the plan out. Memory that only plan and move need is
// given back.
func split[C Code](env *engine.Env, lo, n int, codes view[C], v presorted.Survey[C], target int, move func(env *engine.Env, b *buckets[C]) error) (b *buckets[C], err error) {
	err = env.Scoped(func(env *engine.Env) error {
		if b, err = plan(env, lo, n, codes, v, target); err != nil {
			return err
		}
		return move(env, b)
	})
	if err != nil {
		return nil, err
	}
	b.table, b.next = nil, nil
	env.Trace.Rounds++
	return b, nil
}

// plan cuts n codes, surveyed as v, into buckets for split.
func plan[C Code](env *engine.Env, lo, n int, codes view[C], v presorted.Survey[C], target int) (*buckets[C], error) {
	b := &buckets[C]{full: target + target/4}
	b.min, b.shift = v.Min, uint8(max(0, v.Width()-resolution(n, codes, v, target, mostCellBits(n, env.Loop.Workers))))
	b.used = int((v.Max-v.Min)>>b.shift) + 1
	least := max(b.used, b.counters()/2) // a narrow range uses less than half of its counters
	b.stripes = stripesOf(n, env.Loop.Workers, least)
	if b.count > env.Loop.Workers { // each stripe more takes a sum of its counters
		b.count = max(env.Loop.Workers, min(b.count, n/(4*least)))
	}

	counts, err := b.histograms(env, codes)
	if err != nil {
		return nil, err
	}
	total, err := b.total(env, counts)
	if err != nil {
		return nil, err
	}
	b.cut(env, lo, total)
	return b, b.place(env, counts)
}

// histograms counts the codes of every stripe by cell.
func (b *buckets[C]) histograms(env *engine.Env, codes view[C]) ([][]uint32, error) {
	counts := make([][]uint32, b.count)
	memory, _ := sizeCounters(nil, b.count, b.counters())
	for i := range counts {
		counts[i] = scratch.In[uint32](&env.Arena, memory)
	}
	buffers := engine.NewBuffers[C](env)
	err := env.Stage("histogram", b.count, 1, func(worker, i, _ int) {
		count := counts[i]
		clear(count[:b.used])
		b.each(env, i, codes, buffers.Of(worker), func(_ int, block []C) {
			histogram(count, block, b.cells)
		})
	})
	return counts, env.Stopped(err)
}

// each calls f for the blocks of a stripe until the context is cancelled.
func (b *buckets[C]) each(env *engine.Env, stripe int, codes view[C], buf []C, f func(lo int, block []C)) {
	lo, hi := b.stripe(stripe)
	for ; lo < hi && env.Loop.Err() == nil; lo += engine.Block {
		f(lo, codes(lo, min(lo+engine.Block, hi), buf))
	}
}

// resolution chooses the bits of the histogram from a sample of the codes. It returns
// evenCellBits if no cell of the sample would exceed target; otherwise enough bits that the
// fullest cell, if uniform, falls to target, at most bound. A value that makes up most of a cell does not
// count: no finer cells divide it (Xeon, 2 workers, 2026-11, 10^6 hashed 32-bit keys of which one is 6 %:
// histogram 0.7 instead of 3.1 ns).
func resolution[C Code](n int, codes view[C], v presorted.Survey[C], target, bound int) int {
	var sample [1 << evenCellBits]struct {
		value        C // the one that most codes have, if there is such
		count, votes uint16
	}
	var one [1]C
	c := cells[C]{min: v.Min, shift: uint8(max(0, v.Width()-evenCellBits))}
	step := max(64, n>>12)
	for i := 0; i < n; i += step {
		code := codes(i, i+1, one[:])[0]
		switch cell := &sample[c.of(code)%(1<<evenCellBits)]; {
		case cell.votes == 0:
			cell.value, cell.votes = code, 1
			cell.count++
		case cell.value == code:
			cell.votes++
			cell.count++
		default:
			cell.votes--
			cell.count++
		}
	}
	most := uint16(0)
	for i := range sample {
		if cell := &sample[i]; cell.votes > 1 {
			cell.count -= cell.votes - 1
		}
		most = max(most, sample[i].count)
	}
	// A sampled code stands for step codes. Three standard deviations are subtracted, since
	// the fullest of many cells is likely to be overestimated.
	if seen := float64(most); (seen-3*math.Sqrt(seen))*float64(step) <= float64(target) {
		return evenCellBits
	}
	more := bits.Len(uint(int(most) * step / target))
	return max(unevenCellBits, min(evenCellBits+more, bound))
}

// counters returns the number of counters of a histogram: one of three constants, so that no
// bounds are checked while counting.
func (c cells[C]) counters() int {
	switch {
	case c.used <= 1<<evenCellBits:
		return 1 << evenCellBits
	case c.used <= 1<<unevenCellBits:
		return 1 << unevenCellBits
	}
	return 1 << maxCellBits
}

// close reports whether most neighbours of codes are in one cell, by a few of them: codes are nearly in order, or few.
func (c cells[C]) close(codes []C) bool {
	const pairs = 16
	same, step := 0, len(codes)/pairs
	for i := 0; step > 1 && i < pairs; i++ {
		if c.of(codes[i*step]) == c.of(codes[i*step+1]) {
			same++
		}
	}
	return same > pairs*3/4
}

// histogram counts codes by cell. A counter that is added to twice in a row waits for its store, so runs
// of one cell are counted apart (Xeon, 2026-11, 10^6 nearly sorted 32-bit codes: 0.6 instead of 1.7 ns).
func histogram[C Code](count []uint32, codes []C, c cells[C]) {
	if c.close(codes) {
		last, run := c.of(codes[0]), uint32(0)
		for _, code := range codes {
			if cell := c.of(code); cell != last {
				count[last] += run
				last, run = cell, 0
			}
			run++
		}
		count[last] += run
		return
	}
	switch len(count) {
	case 1 << evenCellBits:
		count := (*[1 << evenCellBits]uint32)(count)
		for _, code := range codes {
			count[c.of(code)%(1<<evenCellBits)]++
		}
	case 1 << unevenCellBits:
		count := (*[1 << unevenCellBits]uint32)(count)
		for _, code := range codes {
			count[c.of(code)%(1<<unevenCellBits)]++
		}
	default:
		count := (*[1 << maxCellBits]uint32)(count)
		_ = count[0] // known not to be nil in the loop
		for _, code := range codes {
			count[c.of(code)]++
		}
	}
}

// total adds up the counts of all stripes.
func (b *buckets[C]) total(env *engine.Env, counts [][]uint32) ([]uint32, error) {
	if len(counts) == 1 {
		return counts[0], nil
	}
	_, memory := sizeCounters(nil, len(counts), b.counters())
	total := scratch.PartIn[uint32](&env.Arena, memory, b.used)
	grain := min(max(1<<15/len(counts), 1<<8), 1<<12) // the sums stay in the first-level cache
	err := env.Stage("histogram", b.used, grain, func(_, lo, hi int) {
		sums := total[lo:hi]
		clear(sums)
		for _, count := range counts {
			for i, n := range count[lo:hi] {
				sums[i] += n
			}
		}
	})
	return total, err
}

// cut joins neighbouring cells into buckets. The first begins at position lo.
func (b *buckets[C]) cut(env *engine.Env, lo int, total []uint32) {
	b.table = (*[1 << maxCellBits]uint16)(scratch.In[uint16](&env.Arena, sizeTable(nil)))
	b.first = make([]int32, 1, maxBuckets)
	b.start = make([]int, 1, maxBuckets)
	b.start[0] = lo
	size, end := 0, lo // size and end of the open bucket
	for cell, here := range total[:b.used] {
		// Close the open bucket before a cell that would overfill it. So a heavy cell, which
		// may be a single value, is a bucket of its own.
		if size > 0 && size+int(here) > b.full {
			b.first = append(b.first, int32(cell))
			b.start = append(b.start, end)
			size = 0
		}
		b.table[cell] = uint16(len(b.start) - 1)
		size += int(here)
		end += int(here)
	}
	b.first = append(b.first, int32(b.used))
	b.start = append(b.start, end)
}

// place turns the cell counts of every stripe into write positions.
func (b *buckets[C]) place(env *engine.Env, counts [][]uint32) error {
	b.next = scratch.In[stream.Slots](&env.Arena, sizeSlots(nil, b.count))
	nb := b.len()
	err := env.Stage("histogram", len(counts), max(1, 1<<14/b.used), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			next := &b.next[i]
			clear(next[:nb])
			for cell, n := range counts[i][:b.used] {
				if n > 0 { // most cells of floats have none
					next[b.table[cell]] += n
				}
			}
		}
	})
	if err != nil {
		return err
	}
	var at stream.Slots
	for k := range nb {
		at[k] = uint32(b.start[k])
	}
	for i := range b.next {
		for k, n := range b.next[i][:nb] {
			b.next[i][k] = at[k]
			at[k] += n
		}
	}
	return nil
}
