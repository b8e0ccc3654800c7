// Package selection finds rows of an order without ordering all: the first k, those of some ranks, and the first k of
// each partition. It knows codes, and the keys that decide after them; package pipeline plans its calls.
package selection

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// First returns the numbers of the first k rows by words, in order, in memory of env. k <= rows.Len. It reads each
// key once; see [FirstBytes] for its memory.
func First(env *engine.Env, rows extract.Input, words []extract.Word, k int) ([]uint32, error) {
	if lead := &words[0]; k <= cpu.SmallLen && extract.Decisive(words) && lead.InMemory && bucket.Splits() {
		lead.Open(rows, env)
		switch {
		case lead.Bits <= 32 && 4*rows.Len <= mostWhole:
			return firstWhole(env, rows.Len, k, extract.Source32(rows, lead))
		case lead.Bits > 32 && 8*rows.Len <= mostWhole:
			return firstWhole(env, rows.Len, k, extract.Source64(rows, lead))
		}
	}
	t := ties.New(env, rows, words)
	order, err := first(env, t, k)
	return order, t.Finish(err)
}

// first is First, except for large runs of ties, which t.Finish refines.
func first(env *engine.Env, t *ties.Breaker, k int) ([]uint32, error) {
	held, err := scan(env, t, k)
	if err != nil {
		return nil, err
	}
	err = env.Stage("select", len(held), 1, func(_, i, _ int) { held[i].cut() })
	if err != nil {
		return nil, err
	}
	if err := share(env, held, k); err != nil {
		return nil, err
	}
	found := foundBy(held)
	all := selector{k: k, t: t, codes: held[0].codes, at: held[0].at}
	all.found = scratch.Take[candidate](&env.Arena, found)[:0]
	for i := range held {
		all.found = append(all.found, held[i].found...)
	}
	all.cut()
	return inOrder(env, t, all.found)
}

// firstWhole is First of at most [cpu.SmallLen] rows by all codes: one is selected, and the rows up to it are collected and ordered.
func firstWhole[C sortkey.Code](env *engine.Env, n, k int, src cpu.Source[C]) (order []uint32, err error) {
	order = scratch.Take[uint32](&env.Arena, k)
	return order, env.Stopped(env.Stage("select", 1, 1, func(int, int, int) {
		codes, moved := scratch.Take[C](&env.Arena, n), scratch.Take[C](&env.Arena, n)
		eachBlock(env, n, func(at, end int) bool {
			src(codes[at:end], at)
			return true
		})
		if env.Loop.Err() != nil {
			return // codes are left out
		}
		copy(moved, codes)
		most, less := bucket.SelectCode(moved, scratch.Take[C](&env.Arena, min(n, bucket.MostBeside[C]())), k-1)
		w := cpu.GetSmall[C]()
		defer w.Put()
		places := w.Index[:k]
		rowsUpTo(order, w.Codes, codes, most, k-less)
		w.Order(places)
		for i, place := range places {
			places[i] = order[place]
		}
		copy(order, places)
	}))
}

// rowsUpTo writes the rows of codes below most, and the first rows that have it, a given number, to order, which has place for these, and
// their codes to found.
func rowsUpTo[C sortkey.Code](order []uint32, found, codes []C, most C, equal int) {
	var masks [engine.Block / 64]uint64
	k := 0
	for at := 0; at < len(codes) && k < len(order); at += engine.Block {
		block := codes[at:min(at+engine.Block, len(codes))]
		loops.UpTo(masks[:], block, most)
		for w, some := range masks[:(len(block)+63)/64] {
			for ; some != 0 && k < len(order); some &= some - 1 {
				i := 64*w + bits.TrailingZeros64(some)
				if block[i] == most {
					if equal == 0 {
						continue
					}
					equal--
				}
				order[k], found[k] = uint32(at+i), block[i]
				k++
			}
		}
	}
}

func foundBy(held []selector) (found int) {
	for i := range held {
		found += len(held[i].found)
	}
	return found
}

const (
	manyFound    = 1 << 14 // candidates up to which one goroutine cuts those of all workers
	foundSampled = 1 << 10
)

// share drops most candidates that are not among the first k of all workers: those above a code that a sample of them puts
// after the k-th, if k of them are not. Each worker has found k, so one goroutine would cut k for each worker (Xeon, 16 workers,
// 2026-11: the first 2^22 of 2^28 uint32 took four times as long as the order of all).
func share(env *engine.Env, held []selector, k int) error {
	found := foundBy(held)
	if len(held) == 1 || found <= max(2*k, manyFound) {
		return nil
	}
	sample := make([]uint64, 0, foundSampled+len(held))
	step := max(1, found/foundSampled)
	for i := range held {
		for at := 0; at < len(held[i].found); at += step {
			sample = append(sample, held[i].found[at].code)
		}
	}
	slices.Sort(sample)
	rank := float64(len(sample)) * float64(k) / float64(found)
	at := int(rank + 4*math.Sqrt(rank) + 1)
	if at >= len(sample) {
		return nil
	}
	below := make([]int, len(held))
	err := env.Stage("select", len(held), 1, func(_, i, _ int) { below[i] = partitionAt(held[i].found, sample[at]) })
	kept := 0
	for _, n := range below {
		kept += n
	}
	if err != nil || kept < k {
		return err
	}
	for i, n := range below {
		held[i].found = held[i].found[:n]
	}
	return nil
}

// partitionAt moves the candidates whose code is at most bound to the front, and counts them.
func partitionAt(some []candidate, bound uint64) (n int) {
	for i, c := range some {
		if c.code <= bound {
			some[i], some[n] = some[n], c
			n++
		}
	}
	return n
}

// inOrder returns the numbers of candidates in order, except for large runs of
// ties.
func inOrder(env *engine.Env, t *ties.Breaker, first []candidate) ([]uint32, error) {
	n := len(first)
	order := scratch.Take[uint32](&env.Arena, n)
	if n <= compared {
		return order, orderFew(env, t, first, order)
	}
	byAt := scratch.Take[uint32](&env.Arena, n)
	err := env.Scoped(func(env *engine.Env) error {
		return cpu.Order(env, n, func(dst []uint32, lo int) {
			for i, c := range first[lo : lo+len(dst)] {
				dst[i] = c.at
			}
		}, false, func(_, lo int, part, _ []uint32) { copy(byAt[lo:], part) })
	})
	if err != nil {
		return nil, err
	}
	return order, env.Scoped(func(env *engine.Env) error {
		return cpu.Order(env, n, func(dst []uint64, lo int) {
			for i, at := range byAt[lo : lo+len(dst)] {
				dst[i] = first[at].code
			}
		}, !extract.Decisive(t.Words), func(worker, lo int, part []uint32, codes []uint64) {
			sorted := order[lo : lo+len(part)]
			for i, x := range part {
				sorted[i] = first[byAt[x]].at
			}
			ties.Refine(t, worker, sorted, codes, extract.Level{})
		})
	})
}

// compared is the number of candidates up to which comparisons order them: each of two orders of
// codes takes 5 µs before its first.
const compared = 256

// orderFew is inOrder of at most compared candidates, which it sorts by their codes.
func orderFew(env *engine.Env, t *ties.Breaker, first []candidate, order []uint32) error {
	slices.SortFunc(first, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.at, b.at))
	})
	for i, c := range first {
		order[i] = c.at
	}
	if extract.Decisive(t.Words) {
		return nil
	}
	codes := scratch.Take[uint64](&env.Arena, len(first))
	for i, c := range first {
		codes[i] = c.code
	}
	return env.Stage("sort", 1, 1, func(worker, _, _ int) { ties.Refine(t, worker, order, codes, extract.Level{}) })
}

// selectPiece is the most elements that a selector takes at a time.
const selectPiece = 16 * engine.Block

// pieceOf returns how many of n elements a worker takes at a time: whole blocks.
func pieceOf(loop *parallel.Loop, n int) int {
	return loop.Turn(n, engine.Block, selectPiece) / engine.Block * engine.Block
}

// selectors returns the number of workers that select from n elements, and how many of these each
// takes at a time.
func selectors(n, workers int) (count, each int) {
	each = pieceOf(&parallel.Loop{Workers: workers}, n)
	return max(1, min(workers, (n+each-1)/each)), each
}

// scan extracts all codes and returns selectors whose candidates include the first k
// elements.
func scan(env *engine.Env, t *ties.Breaker, k int) ([]selector, error) {
	lead := &t.Words[0]
	lead.Open(t.Input, env)
	if lead.Bits <= 32 {
		return sift(env, t, k, extract.Source32(t.Input, lead))
	}
	return sift(env, t, k, extract.Source64(t.Input, lead))
}

// sift is scan of the codes of a source. Keys in memory are read again if a sampled bound is too low.
func sift[C sortkey.Code](env *engine.Env, t *ties.Breaker, k int, codes cpu.Source[C]) ([]selector, error) {
	most := uint64(math.MaxUint64)
	if t.Words[0].InMemory {
		_ = env.Scoped(func(env *engine.Env) error {
			most = sampledBound(env, t.Input.Len, k, codes)
			return nil
		})
	}
	n := t.Input.Len
	count, each := selectors(n, env.Loop.Workers)
	held, blocks := make([]selector, count), make([][]C, count)
	for i := range held {
		held[i].open(t, i, n, k)
		blocks[i] = scratch.Take[C](&env.Arena, engine.Block)
	}
	err := siftUpTo(env, held, blocks, n, each, codes, most)
	if err == nil && most < math.MaxUint64 && foundBy(held) < k {
		for i := range held {
			held[i].found = held[i].found[:0]
		}
		err = siftUpTo(env, held, blocks, n, each, codes, math.MaxUint64)
	}
	return held, err
}

// sampledBound returns a code that is likely to be after the first k of n. Without it, workers find bounds while
// they read, and take k(1 + ln(n/k)) candidates.
func sampledBound[C sortkey.Code](env *engine.Env, n, k int, codes cpu.Source[C]) uint64 {
	sample := sampleOf(env, n, engine.Block, codes) // it takes less than what a worker takes next
	if sample == nil {
		return math.MaxUint64
	}
	rank := float64(len(sample)) * float64(k) / float64(n)
	if at := int(rank + deviations(rank, len(sample))); at < len(sample)/2 {
		return uint64(sample[at])
	}
	return math.MaxUint64
}

// sampleOf returns the codes at even distances of n, at most the given number, in order; none of few.
func sampleOf[C sortkey.Code](env *engine.Env, n, most int, codes cpu.Source[C]) []C {
	if n < leastSampled {
		return nil
	}
	sample := scratch.Take[C](&env.Arena, sampledOf(n, most))
	readSample(sample, n, codes)
	bucket.SortCodes(sample, scratch.Take[C](&env.Arena, len(sample)))
	return sample
}

// readSample reads codes at even distances of n.
func readSample[C sortkey.Code](sample []C, n int, codes cpu.Source[C]) {
	for i := range sample {
		codes(sample[i:i+1], int(uint64(n)*uint64(i)/uint64(len(sample))))
	}
}

// leastSampled is the number of codes from which a sample takes a tenth of a selection at most.
const leastSampled = 1 << 15

func sampledOf(n, most int) int { return max(512, min(n/256, most)) }

// siftUpTo gives selectors the candidates among codes up to a bound, which may be less than the first k.
func siftUpTo[C sortkey.Code](env *engine.Env, held []selector, blocks [][]C, n, each int, codes cpu.Source[C], most uint64) error {
	var bound atomic.Uint64 // no element with a larger code is taken
	bound.Store(most)
	return env.Stopped(env.Stage("extract", n, each, func(worker, lo, hi int) {
		for at := lo; at < hi; at += engine.Block {
			block := blocks[worker][:min(engine.Block, hi-at)]
			if codes(block, at); env.Loop.Err() != nil {
				return // codes and keys are left out
			}
			add(&held[worker], block, at, &bound)
		}
	}))
}

// FirstBytes bounds the scratch memory of [First], by codes of code bytes each, except that in which whole keys are compared:
// candidates and blocks of the workers, all candidates together, and their order.
func FirstBytes(n, k, workers int, code uintptr) int64 {
	held, _ := selectors(n, workers)
	count := int64(held)
	found := int(min(count*int64(k), int64(n)))
	block := scratch.Size(engine.Block, code) + scratch.Size(engine.Block, 8) + scratch.Size(engine.Block, 4) + scratch.AlignedSize(engine.Block/64, 8)
	bytes := count*(scratch.Size(candidateLimit(n, k), unsafe.Sizeof(candidate{}))+block) + scratch.Size(found, unsafe.Sizeof(candidate{}))
	bytes += 2*scratch.Size(k, 4) + max(cpu.OrderBytes(k, workers, 4), cpu.OrderBytes(k, workers, 8))
	if k <= cpu.SmallLen && uintptr(n)*code <= mostWhole {
		return max(bytes, scratch.Size(k, 4)+2*scratch.Size(n, code)+scratch.Size(bucket.MostBeside[uint32](), 4)) // of all codes
	}
	return bytes
}
