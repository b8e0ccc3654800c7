package papers

import (
	"sort"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

const (
	// sampleTileLen bounds the number of pairs that a worker sorts in its cache before
	// samples are taken.
	sampleTileLen = 1 << 15

	// sampleBuckets is the paper's s. The paper found 64 best on the GPUs of 2010; here
	// buckets of ten million pairs have to fit the cache.
	sampleBuckets = 256
)

// sampleSort sorts tiles, takes equidistant samples of each, takes equidistant samples of
// these as splitters, moves every tile's share of a bucket there, and sorts the buckets: the
// deterministic sample sort of Dehne and Zaboli, "Deterministic sample sort for GPUs" (2012).
// The comments number its steps. No bucket of n pairs is larger than 2n/s, whatever the input.
// Each tile's share of a bucket is sorted, so buckets are sorted by merging.
func sampleSort[C engine.Code](env *engine.Env, pairs []pair[C]) ([]pair[C], error) {
	n := len(pairs)
	spare, tile := takePairs[C](env, n), sampleTile(n)
	err := env.Stage("tiles", n, tile, func(_, lo, hi int) { sortTile(pairs[lo:hi], spare[lo:hi]) }) // steps 1 and 2
	if err != nil || tile == n {
		return pairs, err
	}
	splitters, err := splittersOf(env, pairs, tile)
	if err != nil {
		return nil, err
	}
	b, err := locate(env, pairs, tile, splitters)
	if err != nil {
		return nil, err
	}
	if err := b.relocate(env, spare, pairs); err != nil {
		return nil, err
	}
	return pairs, b.sort(env, spare, pairs)
}

// sampleTile returns the length of all tiles except the last, which is shorter by less than
// the number of tiles.
func sampleTile(n int) int {
	tiles := (n + sampleTileLen - 1) / sampleTileLen
	return (n + tiles - 1) / tiles
}

// splittersOf returns the last pairs of all buckets except the last bucket, given sorted
// tiles.
//
// Let there be m tiles of t pairs, with a sample at the end of every g-th part, g <= t/2s, M
// samples in all, and let a bucket end at every ⌈M/s⌉-th sample in order. A bucket gets from
// each tile the g pairs up to each sample in it, and less than g more before the next sample:
// less than g⌈M/s⌉ + gm in all. That is at most n/s + g + n/2s, and less than 2n/s if there
// are two tiles. With s samples per tile, as in the paper, instead of 2s, this holds only if
// all divisions are exact.
func splittersOf[C engine.Code](env *engine.Env, pairs []pair[C], tile int) ([]pair[C], error) {
	part, each := samplesOf(tile)
	last := (len(pairs) - 1) / tile
	memory := sizeSamples(nil, len(pairs), env.Loop.Workers, unsafe.Sizeof(pairs[0])).samples
	samples := scratch.PartIn[pair[C]](&env.Arena, memory, last*each+(len(pairs)-last*tile)/part)
	err := env.Stage("samples", len(samples), each, func(_, lo, hi int) { // step 3
		from := pairs[lo/each*tile:]
		for i := range samples[lo:hi] {
			samples[lo+i] = from[(i+1)*part-1]
		}
	})
	if err != nil {
		return nil, err
	}
	samples, err = quickMerge(env, samples) // step 4
	if err != nil {
		return nil, err
	}
	splitters := make([]pair[C], 0, sampleBuckets) // step 5
	step := (len(samples) + sampleBuckets - 1) / sampleBuckets
	for end := step; end < len(samples); end += step {
		splitters = append(splitters, samples[end-1])
	}
	return splitters, nil
}

// samplesOf returns how many pairs of a tile one sample stands for, and the number of samples
// of a tile; the last tile may have fewer.
func samplesOf(tile int) (part, each int) {
	part = max(1, tile/(2*sampleBuckets))
	return part, tile / part
}

// sampling is the memory of samples, and of the bounds and the sorts of buckets.
type sampling struct{ samples, start, ends scratch.Memory }

// sizeSamples sizes the samples and buckets of n pairs of the given size.
func sizeSamples(a *scratch.Area, n, workers int, size uintptr) (m sampling) {
	tile := sampleTile(max(1, n))
	_, each := samplesOf(tile)
	tiles := n/tile + 1
	m.samples = a.Memory(tiles*each, size)
	sizeQuickMerge(a, tiles*each, workers, size)
	a.Hold(sampleBuckets * int64(size)) // splitters
	m.start = a.Memory(sampleBuckets*tiles+1, 4)
	m.ends = a.MemoryEach(max(1, workers), tiles, unsafe.Sizeof(n))
	return m
}

// located is the part of each tile that belongs to each bucket.
type located[C engine.Code] struct {
	tile, tiles, buckets int
	// start[bucket*tiles+tile] is the destination of that part; the last element is the number
	// of pairs.
	start []uint32
}

// locate finds the bounds of the buckets in every tile.
func locate[C engine.Code](env *engine.Env, pairs []pair[C], tile int, splitters []pair[C]) (*located[C], error) {
	b := &located[C]{tile: tile, tiles: (len(pairs) + tile - 1) / tile, buckets: len(splitters) + 1}
	memory := sizeSamples(nil, len(pairs), env.Loop.Workers, unsafe.Sizeof(pairs[0])).start
	b.start = scratch.PartIn[uint32](&env.Arena, memory, b.buckets*b.tiles+1)
	b.start[0] = 0
	sizes := b.start[1:]
	err := env.Stage("locate", len(pairs), tile, func(_, lo, hi int) { // step 6
		rest, at := pairs[lo:hi], lo/tile
		for k, bound := range splitters {
			n := sort.Search(len(rest), func(i int) bool { return below(bound, rest[i]) == 1 })
			sizes[k*b.tiles+at] = uint32(n)
			rest = rest[n:]
		}
		sizes[len(splitters)*b.tiles+at] = uint32(len(rest))
	})
	if err != nil {
		return nil, err
	}
	for i, size := range sizes { // step 7
		sizes[i] = b.start[i] + size
	}
	return b, nil
}

// bounds returns the places of bucket k.
func (b *located[C]) bounds(k int) (lo, hi int) {
	return int(b.start[k*b.tiles]), int(b.start[(k+1)*b.tiles])
}

// relocate moves the parts of all tiles to their buckets: step 8.
func (b *located[C]) relocate(env *engine.Env, dst, pairs []pair[C]) error {
	return env.Stage("relocate", len(pairs), b.tile, func(_, lo, hi int) {
		rest := pairs[lo:hi]
		for i := lo / b.tile; i < len(b.start)-1; i += b.tiles {
			from, to := b.start[i], b.start[i+1]
			copy(dst[from:to], rest)
			rest = rest[to-from:]
		}
	})
}

// sort sorts every bucket of pairs into dst: step 9.
func (b *located[C]) sort(env *engine.Env, pairs, dst []pair[C]) error {
	ends := make([][]int, max(1, env.Loop.Workers))
	memory := sizeSamples(nil, len(pairs), env.Loop.Workers, unsafe.Sizeof(pairs[0])).ends
	return env.Stage("buckets", b.buckets, 1, func(worker, k, _ int) {
		lo, hi := b.bounds(k)
		if ends[worker] == nil {
			ends[worker] = scratch.PartIn[int](&env.Arena, memory, b.tiles)
		}
		for i := range b.tiles {
			ends[worker][i] = int(b.start[k*b.tiles+i+1]) - lo
		}
		m := merging[C]{pairs[lo:hi], dst[lo:hi], ends[worker]}
		copyPairs(env, dst[lo:hi], m.here(env))
	})
}
