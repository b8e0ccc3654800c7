package selection

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// Ranks that are near each other, such as one, are selected by bounds: codes of a sample that are likely to be before and
// after those of all ranks ("Expected time bounds for selection", Floyd and Rivest, 1975). One pass counts the codes before
// the first bound and collects the rows between both. It takes no memory for the codes of all rows.

// mostNear is the part of a sample, one of mostNear, that is between bounds at most. Otherwise codes are equal, or ranks far
// from each other. All rows between them are read for each of at most mostNearRanks ranks.
const mostNear, mostNearRanks = 5, 4

// mostSampled bounds the sample of a selection of ranks. It is within the memory for the codes of all rows, see [RanksBytes].
const mostSampled = 1 << 17

// bounds returns codes that are likely to be before and after those of ranks ks of n rows; false if too many are between.
func bounds[C sortkey.Code](env *engine.Env, n int, ks []int, src cpu.Source[C]) (in span[C], ok bool) {
	sample := sampleOf(env, n, min(mostSampled, n/1024), src)
	if sample == nil {
		return in, false
	}
	part := float64(len(sample)) / float64(n)
	lowest, highest := part*float64(slices.Min(ks)), part*float64(slices.Max(ks))
	from, to := int(lowest-deviations(lowest, len(sample))), int(highest+deviations(highest, len(sample)))
	in = span[C]{0, ^C(0)}
	if from > 0 {
		in.least = sample[from]
	}
	if to < len(sample) {
		in.most = sample[to]
	}
	between := 0
	for _, c := range sample {
		if in.has(c) {
			between++
		}
	}
	return in, between <= len(sample)/mostNear
}

// between is the rows whose codes are in a span, collected by all workers.
type between[C sortkey.Code] struct {
	span[C]
	rows   []candidate
	found  atomic.Int64 // also those that have no memory
	before atomic.Int64 // rows with lesser codes
}

// near replaces ranks ks by rows, as [Ranks] does, if they are near each other, or few. Codes decide.
func near[C sortkey.Code](env *engine.Env, n int, ks []int, src cpu.Source[C]) (done bool, err error) {
	splits := bucket.Splits() && len(ks) <= mostNearRanks
	switch {
	case splits && uintptr(n)*unsafe.Sizeof(C(0)) <= mostWhole && len(ks) <= mostFewRanks:
		err := selectWhole(env, n, ks, src)
		return err == nil, err
	case splits && n >= leastSampled && (n <= mostAlone || env.Loop.Workers <= 2):
		return byCodes(env, n, ks, src)
	case len(ks) > mostNearRanks:
		return false, nil
	}
	return byBounds(env, n, ks, src)
}

// mostWhole is the memory of codes that are all moved by a selection, instead of those between bounds of a sample (Xeon, 2026-11-30:
// 10^5 float32 0.73 instead of 0.88 ns, 10^6 0.98 instead of 0.63).
const mostWhole = 1 << 20

// mostAlone is the most rows in whose codes one worker of many selects, and looks for the rows that have them.
const mostAlone = 1 << 22

// byBounds is near by bounds, unless too many rows are between them.
func byBounds[C sortkey.Code](env *engine.Env, n int, ks []int, src cpu.Source[C]) (done bool, err error) {
	err = env.Scoped(func(env *engine.Env) error {
		in, ok := bounds(env, n, ks, src)
		if !ok {
			return nil
		}
		b := between[C]{span: in, rows: scratch.Take[candidate](&env.Arena, mostFound(n))}
		if err := b.collect(env, n, src); err != nil {
			return err
		}
		before, found := int(b.before.Load()), int(b.found.Load())
		if done = found <= len(b.rows) && before <= slices.Min(ks) && slices.Max(ks) < before+found; !done {
			return nil
		}
		for i, k := range ks {
			ks[i] = b.row(b.rows[:found], k-before)
		}
		return env.Loop.Err()
	})
	return done, env.Stopped(err)
}

// byCodes is near by the codes between bounds alone, of one rank however many these are. The rows of the codes that are selected are looked
// for afterwards.
func byCodes[C sortkey.Code](env *engine.Env, n int, ks []int, src cpu.Source[C]) (done bool, err error) {
	err = env.Scoped(func(env *engine.Env) error {
		in, ok := bounds(env, n, ks, src)
		if !ok && len(ks) > 1 {
			return nil
		}
		codes, before, err := codesWithin(env, n, in, src)
		if done = before <= slices.Min(ks) && slices.Max(ks) < before+len(codes); !done || err != nil {
			return err
		}
		return env.Stage("select", 1, 1, func(int, int, int) { rowsOfRanks(env, n, ks, before, codes, src) })
	})
	return done && err == nil, env.Stopped(err)
}

// selectWhole is near by all codes.
func selectWhole[C sortkey.Code](env *engine.Env, n int, ks []int, src cpu.Source[C]) error {
	return env.Stopped(env.Scoped(func(env *engine.Env) error {
		return env.Stage("select", 1, 1, func(int, int, int) {
			codes := scratch.Take[C](&env.Arena, n)
			for i := range ks { // a sort of all takes as long as six selections
				eachBlock(env, n, func(at, end int) bool {
					src(codes[at:end], at)
					return true
				})
				_ = env.Scoped(func(env *engine.Env) error { // which has no error
					rowsOfRanks(env, n, ks[i:i+1], 0, codes, src)
					return nil
				})
			}
		})
	}))
}

// eachBlock calls f for the rows of each block, until f says that there are no more, or the context ends.
func eachBlock(env *engine.Env, n int, f func(at, end int) (more bool)) {
	for at := 0; at < n && env.Loop.Err() == nil && f(at, min(at+engine.Block, n)); at += engine.Block {
	}
}

// codesWithin returns the codes in a span, in any sequence, and the number of lesser ones.
func codesWithin[C sortkey.Code](env *engine.Env, n int, in span[C], src cpu.Source[C]) (codes []C, before int, err error) {
	codes, blocks := scratch.Take[C](&env.Arena, n), make([][]C, max(1, env.Loop.Workers))
	var found, less atomic.Int64
	err = env.Stage("select", n, pieceOf(&env.Loop, n), func(worker, lo, hi int) {
		if blocks[worker] == nil {
			blocks[worker] = scratch.Take[C](&env.Arena, 2*engine.Block+loops.WithinSlack)
		}
		own, below := blocks[worker], 0
		for at := lo; at < hi && env.Loop.Err() == nil; at += engine.Block {
			block := own[:min(engine.Block, hi-at)]
			if src(block, at); env.Loop.Err() != nil {
				return // codes are left out
			}
			b, count := loops.Within(own[engine.Block:], block, in.least, in.most)
			below += b
			end := int(found.Add(int64(count)))
			copy(codes[end-count:end], own[engine.Block:])
		}
		less.Add(int64(below))
	})
	return codes[:found.Load()], int(less.Load()), env.Stopped(err)
}

// rowsOfRanks replaces ranks ks of n rows by rows. All codes of the ranks are among codes, which follow a number of rows, and are moved.
func rowsOfRanks[C sortkey.Code](env *engine.Env, n int, ks []int, before int, codes []C, src cpu.Source[C]) {
	memory, block := scratch.Take[C](&env.Arena, min(len(codes), bucket.MostBeside[C]())), scratch.Take[C](&env.Arena, engine.Block)
	if len(ks) > 1 {
		bucket.SortCodes(codes, memory)
	}
	for i, k := range ks {
		var code C
		less := 0
		if len(ks) > 1 {
			code = codes[k-before]
			less, _ = slices.BinarySearch(codes, code)
		} else {
			code, less = bucket.SelectCode(codes, memory, k-before)
		}
		left := k - before - less
		eachBlock(env, n, func(at, end int) bool {
			own, place := block[:end-at], -1
			if src(own, at); env.Loop.Err() != nil { // codes are left out
				return false
			}
			if place, left = placeOf(own, code, left); place >= 0 {
				ks[i] = at + place
			}
			return place < 0
		})
	}
}

// row returns the row of rank k, from 0, of some, which it puts in another order. Rows with equal codes come in input
// order.
func (b *between[C]) row(some []candidate, k int) int {
	code, less, equal := kthCode(some, k+1), 0, 0
	for i, c := range some {
		if c.code == code {
			some[i] = some[equal]
			some[equal] = candidate{uint64(c.at), c.at}
			equal++
		}
		if c.code < code { // no branch
			less++
		}
	}
	row := kthCode(some[:equal], k-less+1) // they are ordered by their rows
	for i := range some[:equal] {
		some[i].code = code
	}
	return int(row)
}

// collect collects the rows of a source in the span.
func (b *between[C]) collect(env *engine.Env, n int, src cpu.Source[C]) error {
	blocks := make([][]C, max(1, env.Loop.Workers))
	return env.Stage("select", n, pieceOf(&env.Loop, n), func(worker, lo, hi int) {
		if blocks[worker] == nil {
			blocks[worker] = scratch.Take[C](&env.Arena, engine.Block)
		}
		before := 0
		for at := lo; at < hi && env.Loop.Err() == nil; at += engine.Block {
			block := blocks[worker][:min(engine.Block, hi-at)]
			if src(block, at); env.Loop.Err() == nil { // otherwise codes are left out
				before += b.add(block, at)
			}
		}
		b.before.Add(int64(before))
	})
}

// add adds rows lo, lo+1, … with these codes, at most a block, and returns how many are before all in the span.
func (b *between[C]) add(codes []C, lo int) (before int) {
	var upTo, below [engine.Block / 64]uint64
	count := loops.UpTo(upTo[:], codes, b.most)
	if b.least > 0 {
		before = loops.UpTo(below[:], codes, b.least-1)
	}
	if count -= before; count == 0 {
		return before
	}
	end := int(b.found.Add(int64(count)))
	if end > len(b.rows) {
		return before
	}
	to := b.rows[end-count : end]
	for w := range upTo[:(len(codes)+63)/64] {
		for some := upTo[w] &^ below[w]; some != 0; some &= some - 1 {
			i := w*64 + bits.TrailingZeros64(some)
			to[0] = candidate{uint64(codes[i]), uint32(lo + i)}
			to = to[1:]
		}
	}
	return before
}

// deviations bounds the distance of the rank of a code in a sample of n from its mean: three standard deviations.
func deviations(mean float64, n int) float64 { return 3*math.Sqrt(mean*(1-mean/float64(n))) + 3 }
