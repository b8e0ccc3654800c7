package cpu

import (
	"sort"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// Keys is a slice of keys that are fully determined by their codes.
type Keys[C Code] struct {
	Len   int
	View  func(lo, hi int, buf []C) []C // codes of keys [lo, hi), in place or made in buf
	At    func(i uint32) C              // code of key i; not asked for where Words are
	Write func(lo int, codes []C)       // sets keys lo, lo+1, … from codes
	Own   Payload                       // the keys

	// Words aliases the keys if code == word ^ Flip for each of them; otherwise it is nil.
	Words []C
	Flip  C

	// Bits aliases the keys if these are as wide as codes; Code returns the code of a key's
	// bits. Both may be nil.
	Bits []C
	Code func(bits C) C

	Narrow *Narrow // the keys, if they have up to [NarrowBits] bits; otherwise nil

	// Plain returns the keys as codes, and the number plus, if code == key + plus for all
	// codes from least to most; otherwise nil. Plain may be nil.
	Plain func(least, most C) (keys []C, plus C)
}

// Sort sorts the keys by their codes, without index or payload. Scratch is 1 code per key, unless keys that are as wide as
// codes are split, an eighth of one where buckets need a second round, and another code if the sort can be cancelled, or such
// a bucket is large. Keys are untouched until sorted buckets are written back; from then on the sort
// cannot be cancelled.
func (k Keys[C]) Sort(env *engine.Env) error {
	t := &keySort[C]{Keys: k, env: env}
	if done, err := (&task{keys: t}).try(sampledKeyWays); done || err != nil {
		return err
	}
	var done bool
	var err error
	if t.v, done, err = k.survey(env); done || err != nil {
		return err
	}
	if done, err = (&task{keys: t}).try(surveyedKeyWays); done || err != nil {
		return err
	}
	v := t.v
	k = k.plain(&v)
	plus := t.v.Min - v.Min
	first, second := sizeCodeSides(nil, k.Len, unsafe.Sizeof(v.Min))
	c := codeSort[C]{
		sides: [2]func() []C{lazily[C](env, first), lazily[C](env, second)},
		work:  bucket.Workers[C](env), write: k.Write, private: mostPrivate(k.Len, env.Loop.Workers),
	}
	for i := range c.work {
		c.work[i].Plus = plus
	}
	if !env.Loop.Cancellable() {
		if env.Loop.Progress == nil { // which could end the sort by a panic
			c.out = k.Bits
		}
		return c.sort(env, k.View, 0, k.Len, v, 0, 0)
	}
	// A round stays within the places of its bucket and no longer reads them when the bucket
	// is written. So sorted codes may be stored on the other side.
	sorted := c.sides[1]()
	c.write = func(lo int, codes []C) { copy(sorted[lo:], codes) }
	if err := c.sort(env, k.View, 0, k.Len, v, 0, 0); err != nil {
		return err
	}
	env.Commit()
	return env.Stage("write", k.Len, env.ChunkOf(k.Len), func(_, lo, hi int) { k.Write(lo, sorted[lo:hi]) })
}

// KeysBytes bounds the memory, in bytes, of [Keys.Sort] for n codes of the given size.
func KeysBytes(n, workers int, code uintptr) int64 {
	var a scratch.Area
	sizeKeys(&a, n, workers, code)
	return a.Bytes()
}

// sizeKeys sizes the sort of n codes of the given size.
func sizeKeys(a *scratch.Area, n, workers int, code uintptr) {
	engine.SizeBuffers(a, workers, code) // of the survey
	sizeFinding(a, n, workers, code)
	sizeWays(a, sizes{n, workers, code}, surveyedKeyWays, func() {
		sizeCodeSides(a, n, code)
		engine.SizeBuffers(a, workers, code)
		if alone(n, workers, 0) {
			bucket.SizeSorts(a, n, 1, code)
			return
		}
		sizeRounds(a, n, workers, code, 0, func() {
			bucket.SizeSorts(a, n, workers, code)
			if most := mostPrivate(n, workers); most > bucket.MaxLen {
				a.Shares(n, workers, most, code)
			}
		})
	})
}

// sizeCodeSides sizes both sides of the partitions of n codes.
func sizeCodeSides(a *scratch.Area, n int, code uintptr) (first, second scratch.Memory) {
	return a.Aligned(n, code), a.Aligned(n, code)
}

// survey surveys the keys. done means that they are in order.
func (k Keys[C]) survey(env *engine.Env) (v presorted.Survey[C], done bool, err error) {
	if k.Len == 0 {
		return v, true, nil
	}
	v, err = presorted.SurveyWords(env, "survey", k.Len, keyChunkOf(env, k.Len), k.words())
	if err == nil && v.Sorted() {
		v.Report(env)
		return v, true, nil
	}
	return v, false, err
}

// words returns Words if there are any, and a view that makes codes otherwise.
func (k Keys[C]) words() presorted.Words[C] {
	if k.Words != nil {
		return presorted.InMemory(k.Words, k.Flip)
	}
	return presorted.Words[C]{View: k.View, Made: true, At: k.At}
}

// moves returns the moves of the keys, nil if there are none.
func (k Keys[C]) moves(env *engine.Env, v presorted.Survey[C]) (*presorted.Moves, error) {
	return findMoves(env, k.Len, k.words(), v)
}

// leastKeyChunk bounds the number of keys that a worker surveys at a time.
const leastKeyChunk = 16 * engine.Block

// keyChunkOf is [engine.Env.ChunkOf] for a survey of n keys in a slice. One worker surveys leastKeyChunk of them in
// the time that it takes to wake another (EPYC, 2 processors, 2026-11: 22 µs instead of 31 for a sort of
// 9 thousand; bench/results/constants.md).
func keyChunkOf(env *engine.Env, n int) int {
	blocks := (n + engine.Block - 1) / engine.Block
	return max(env.ChunkOf(n), min(leastKeyChunk, blocks*engine.Block))
}

// countedSteps is the part of the keys, n/countedSteps, that may step in the rarer direction for
// moves to be sought before narrow keys are counted. At the limit both take the same time
// (2 cores, 2026-11: 2.2 ns per float32 with 1 % strays, 4.6 by moves with 3 %, 2.0 counted).
const countedSteps = 128

// keySort is a sort of keys for the ways of which they may have the shape.
type keySort[C Code] struct {
	Keys[C]
	env     *engine.Env
	few     heavy[C] // values of most of a sample
	ordered bool     // so is the sample
	v       presorted.Survey[C]
}

// mayMove reports whether moves are sought. Keys that can be counted are counted unless nearly all rise or nearly all fall.
func (t *keySort[C]) mayMove() bool {
	return min(t.v.Falls, t.v.Rises) <= t.Len/countedSteps || !t.narrow()
}

// follow moves the keys that are nearly in order.
func (t *keySort[C]) follow() (done bool, err error) {
	s := &moveSearch[C]{env: t.env, n: t.Len, words: t.words(), v: t.v}
	if done, err = s.find(); !done {
		return false, err
	}
	return true, s.moves.Follow(t.env, t.Own.elements())
}

// followBytes bounds the memory of follow, except that of the search for moves.
func followBytes(s sizes) int64 {
	var a scratch.Area
	presorted.SizeFollow(&a, s.n, s.code)
	return a.Bytes()
}

// haveFewBits reports whether keys are counted before they are surveyed.
func (t *keySort[C]) haveFewBits() bool {
	return t.Narrow != nil && CountsNarrow(t.Len, t.Narrow.bits()) && t.Narrow.inNoOrder()
}

// countNarrow sorts keys of few bits.
func (t *keySort[C]) countNarrow() (done bool, err error) { return true, t.Narrow.Sort(t.env) }

// narrow reports whether keys are counted by value unless there are moves for them. Counters that leave
// the second-level cache gain if values come often (Xeon, 2026-11, 10^6 seconds of a day: 2.6 instead of
// 4.5 ns per 32-bit key, nearly in order 2.2 instead of 7.1).
func (t *keySort[C]) narrow() bool {
	values := uint64(t.v.Max - t.v.Min)
	most := max(min(t.Len, 1<<unevenCellBits-1), min(t.Len/8, 1<<maxCellBits-1))
	return values <= uint64(most) && !alone(t.Len, t.env.Loop.Workers, 0)
}

// plain returns k with the keys themselves as codes if Plain allows it, and subtracts plus
// from the range of v. Then nothing is encoded or decoded.
func (k Keys[C]) plain(v *presorted.Survey[C]) Keys[C] {
	if k.Plain == nil {
		return k
	}
	if keys, plus := k.Plain(v.Min, v.Max); keys != nil {
		v.Min, v.Max = v.Min-plus, v.Max-plus
		k.View, k.Write = in(keys), func(lo int, codes []C) {
			if len(codes) > 0 && &keys[lo] != &codes[0] { // see codeSort.out
				copy(keys[lo:], codes)
			}
		}
	}
	return k
}

// count sorts keys of a narrow range by counting each value.
func (t *keySort[C]) count() (done bool, err error) {
	v, env := t.v, t.env
	k := t.plain(&v)
	b := &buckets[C]{}
	b.min, b.used = v.Min, int(v.Max-v.Min)+1
	b.stripes = stripesOf(k.Len, env.Loop.Workers, b.used)
	counts, err := b.histograms(env, k.View)
	if err != nil {
		return false, err
	}
	end, err := b.total(env, counts)
	if err != nil {
		return false, err
	}
	env.Ran("Counting")
	at := uint32(0)
	for value, n := range end[:b.used] { // where each value's run ends
		at += n
		end[value] = at
	}
	env.Commit()
	buffers := engine.NewBuffers[C](env)
	return true, env.Stage("write", k.Len, env.ChunkOf(k.Len), func(worker, lo, hi int) {
		value := sort.Search(b.used, func(i int) bool { return int(end[i]) > lo })
		for at := lo; at < hi; at += engine.Block {
			block := buffers.Of(worker)[:min(engine.Block, hi-at)]
			for i := range block {
				for int(end[value]) <= at+i {
					value++
				}
				block[i] = v.Min + C(value)
			}
			k.Write(at, block)
		}
	})
}

// countingBytes bounds the memory of count: counters of as many values as [keySort.narrow] allows.
func countingBytes(s sizes) int64 {
	if alone(s.n, s.workers, 0) {
		return 0
	}
	var a scratch.Area
	engine.SizeBuffers(&a, s.workers, s.code)
	a.Either(
		func() { sizeCounters(&a, stripesOf(s.n, s.workers, 1).count, 1<<unevenCellBits) },
		func() { sizeCounters(&a, stripesOf(s.n, s.workers, 1<<unevenCellBits).count, 1<<maxCellBits) },
	)
	return a.Bytes()
}

// codeSort sorts codes in rounds. Each partitions from one side to the other.
type codeSort[C Code] struct {
	sides [2]func() []C      // by round; the first side of the first round is not used
	work  []bucket.Worker[C] // by worker
	write func(lo int, codes []C)

	out []C // places for codes before they are written as keys; nil if there are none

	private int // see mostPrivate
}

// mostPrivate bounds the codes of a bucket that a further round partitions into memory of its worker.
// That memory stays in the worker's caches, which a side of the sort does not. All workers together
// have at most an eighth of the sort's n codes (Xeon 2023, 16 workers, 2026-11, 10^8 float64: buckets
// 0.9 instead of 1.6 ns per key; bench/results/constants.md).
func mostPrivate(n, workers int) int { return min(8*bucket.MaxLen, n/(8*max(1, workers))) }

// again sorts the codes of a bucket, at places from lo on of the given side, in a further round.
func (c *codeSort[C]) again(env *engine.Env, codes []C, lo, side, first int) error {
	v, err := presorted.SurveyCodes(env, "survey", len(codes), in(codes))
	switch {
	case err != nil:
		return err
	case v.Sorted():
		c.write(lo, codes)
		return nil
	case len(codes) > c.private:
		return c.sort(env, in(codes), lo, len(codes), v, 1-side, first)
	}
	private := c.work[first].Private(len(codes))
	write := func(at int, sorted []C) { c.write(lo+at, sorted) }
	own := codeSort[C]{sides: [2]func() []C{eager(private), eager(codes)}, work: c.work, write: write}
	return own.sort(env, in(codes), 0, len(codes), v, 0, first)
}

// sort sorts n codes, surveyed as v, at places from lo on. It partitions them to the given
// side. first is the number of the environment's first worker.
func (c *codeSort[C]) sort(env *engine.Env, codes view[C], lo, n int, v presorted.Survey[C], side, first int) error {
	if alone(n, env.Loop.Workers, 0) {
		return c.locally(env, codes, lo, n, v, side, first)
	}
	if done, err := (&task{codes: &codeRound[C]{c, env, codes, lo, n, v, side, first}}).try(splitWays); done || err != nil {
		return err
	}
	return c.byBuckets(env, codes, lo, n, v, side, first)
}

// codeRound is a call of sort.
type codeRound[C Code] struct {
	c           *codeSort[C]
	env         *engine.Env
	codes       view[C]
	lo, n       int
	v           presorted.Survey[C]
	side, first int
}

func (r *codeRound[C]) splitting() bool { return splitting(r.env, r.codes, r.n, r.v) }

func (r *codeRound[C]) split() (done bool, err error) {
	return true, r.c.bySplits(r.env, r.codes, r.lo, r.n, r.side, r.first)
}

// byBuckets is sort by a partition into buckets.
func (c *codeSort[C]) byBuckets(env *engine.Env, codes view[C], lo, n int, v presorted.Survey[C], side, first int) error {
	moved := c.sides[side]()
	b, err := split(env, lo, n, codes, v, bucketTarget(n, env.Loop.Workers, maxBuckets), func(env *engine.Env, b *buckets[C]) error {
		return partitionCodes(env, b, codes, moved)
	})
	if err != nil {
		return err
	}
	return b.finish(env, func(worker, i int) {
		lo, hi := b.bounds(i)
		if lo == hi {
			return
		}
		codes := moved[lo:hi]
		if lowest, span := b.spread(i, codes); span > 0 {
			codes = c.work[first+worker].Sort(codes, lowest, span)
		}
		c.write(lo, codes)
	}, func(env *engine.Env, worker, i int) error {
		lo, hi := b.bounds(i)
		return c.again(env, moved[lo:hi], lo, side, first+worker)
	})
}

// locally sorts codes that fit the cache on the calling goroutine.
func (c *codeSort[C]) locally(env *engine.Env, codes view[C], lo, n int, v presorted.Survey[C], side, first int) error {
	return env.Stage("buckets", 1, 1, func(int, int, int) {
		own := c.place(lo, n, side)
		codes.copy(own, 0)
		c.write(lo, c.work[first].Sort(own, v.Min, v.Span()))
	})
}

// place returns memory for n codes from lo on that are not partitioned: that of the keys, or the given side.
func (c *codeSort[C]) place(lo, n, side int) []C {
	all := c.out
	if all == nil {
		all = c.sides[side]()
	}
	return all[lo : lo+n]
}
