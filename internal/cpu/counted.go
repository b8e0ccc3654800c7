package cpu

import (
	"encoding/binary"
	"sort"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Keys of up to 16 bits are counted where they lie, one counter for each key that there can be, and written in runs:
// a counting sort.

// Narrow is keys of up to 16 bits.
type Narrow struct {
	Bytes []uint8  // the bits of the keys, if they have up to 8; otherwise nil
	Words []uint16 // of keys of up to 16 bits; otherwise nil
	Flip  uint32   // code == bits ^ Flip
}

// NarrowBits is the most bits of keys that are counted as [Narrow].
const NarrowBits = 16

// narrowValues returns how many counters keys of some bits take.
func narrowValues(bits int) int {
	if bits > 8 {
		return 1 << 16
	}
	return 1 << 8
}

// CountsNarrow reports whether n keys of some bits are counted if a sample of them is in no order.
func CountsNarrow(n, bits int) bool { return bits <= NarrowBits && n >= 2*narrowValues(bits) }

// bits returns the bits of a key in memory.
func (k *Narrow) bits() int {
	if k.Words != nil {
		return 16
	}
	return 8
}

// narrowStripes returns the stripes of n keys of a number of values. Each has counters of its own, which are summed by one worker.
func narrowStripes(n, workers, values int) stripes {
	return stripes{n, max(1, min(workers, n/(4*values)))}
}

// NarrowBytes bounds the memory, in bytes, of [Narrow.Sort] for n keys of some bits.
func NarrowBytes(n, workers, bits int) int64 {
	var a scratch.Area
	sizeNarrow(&a, n, workers, narrowValues(bits))
	return a.Bytes()
}

// sizeNarrow sizes the counters of each stripe.
func sizeNarrow(a *scratch.Area, n, workers, values int) scratch.Memory {
	return a.MemoryEach(narrowStripes(n, workers, values).count, values, unsafe.Sizeof(0))
}

// Sort sorts the keys. They are untouched until the first is written; from then on the sort cannot be cancelled.
func (k *Narrow) Sort(env *engine.Env) error {
	if k.Words != nil {
		return sortNarrow(env, k.Words, uint16(k.Flip), countWords)
	}
	return sortNarrow(env, k.Bytes, uint8(k.Flip), countBytes)
}

func sortNarrow[B uint8 | uint16](env *engine.Env, keys []B, flip B, count func(counts []int, keys []B)) error {
	values := int(^B(0)) + 1
	s := narrowStripes(len(keys), env.Loop.Workers, values)
	each := sizeNarrow(nil, len(keys), env.Loop.Workers, values)
	counts := make([][]int, s.count)
	for i := range counts {
		counts[i] = scratch.In[int](&env.Arena, each)
	}
	err := env.Stage("survey", s.count, 1, func(_, i, _ int) {
		lo, hi := s.stripe(i)
		clear(counts[i])
		for ; lo < hi && env.Loop.Err() == nil; lo += leastKeyChunk {
			count(counts[i], keys[lo:min(lo+leastKeyChunk, hi)])
		}
	})
	if err = env.Stopped(err); err != nil {
		return err
	}
	all := counts[0]
	for _, own := range counts[1:] {
		for i, n := range own {
			all[i] += n
		}
	}
	r, code, at := runsOf[B]{keys: keys, flip: flip, counts: all}, B(0), 0
	for group := range r.ends {
		for range values / groups {
			at += all[code^flip]
			code++
		}
		r.ends[group] = at
	}
	env.Ran("Counting")
	env.Commit()
	return env.Stage("write", len(keys), env.ChunkOf(len(keys)), func(_, lo, hi int) { r.write(lo, hi) })
}

// groups is the number of groups of codes whose places are known. Those of each code are counted from there.
const groups = 1 << 8

// inNoOrder reports whether a sample of the keys neither rises nor falls.
func (k *Narrow) inNoOrder() bool {
	if k.Words != nil {
		return unordered(k.Words, uint16(k.Flip))
	}
	return unordered(k.Bytes, uint8(k.Flip))
}

func unordered[B uint8 | uint16](keys []B, flip B) bool {
	step, rises, falls, last := max(1, len(keys)/heavySample), false, false, keys[0]^flip
	for at := 0; at < len(keys); at += step {
		code := keys[at] ^ flip
		rises, falls, last = rises || code > last, falls || code < last, code
	}
	return rises && falls
}

// countBytes counts keys by their bits. Neighbours, which may be equal, have different counters: one that was just
// written is read late.
func countBytes(counts []int, keys []uint8) {
	var of [4][1 << 8]uint32
	for ; len(keys) >= 8; keys = keys[8:] {
		x := binary.NativeEndian.Uint64(keys)
		of[0][uint8(x)]++
		of[1][uint8(x>>8)]++
		of[2][uint8(x>>16)]++
		of[3][uint8(x>>24)]++
		of[0][uint8(x>>32)]++
		of[1][uint8(x>>40)]++
		of[2][uint8(x>>48)]++
		of[3][uint8(x>>56)]++
	}
	for _, k := range keys {
		of[0][k]++
	}
	for k := range counts {
		counts[k] += int(of[0][k] + of[1][k] + of[2][k] + of[3][k])
	}
}

// countWords counts keys by their bits.
func countWords(counts []int, keys []uint16) {
	of := (*[1 << 16]int)(counts)
	for _, k := range keys {
		of[k]++
	}
}

// runsOf are keys as runs of equal ones.
type runsOf[B uint8 | uint16] struct {
	keys   []B
	flip   B
	counts []int       // by the bits of a key
	ends   [groups]int // of groups of codes
}

// write writes the keys of places from lo to hi.
func (r *runsOf[B]) write(lo, hi int) {
	const round = 32 // bytes of a run that are written at once, and over the next runs
	size := int(unsafe.Sizeof(r.flip))
	// Sound: the bytes are those of the keys, which are numbers.
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(r.keys))), len(r.keys)*size)
	group, end := sort.Search(groups, func(g int) bool { return r.ends[g] > lo }), 0
	if group > 0 {
		end = r.ends[group-1]
	}
	for code := group * (len(r.counts) / groups); lo < hi; code++ {
		key := B(code) ^ r.flip
		end = min(end+r.counts[key], hi)
		pattern := uint64(key) * (^uint64(0) / uint64(^B(0)))
		at := lo
		for ; at < end && (hi-at)*size >= round; at += round / size {
			to := bytes[at*size:][:round]
			binary.NativeEndian.PutUint64(to, pattern)
			binary.NativeEndian.PutUint64(to[8:], pattern)
			binary.NativeEndian.PutUint64(to[16:], pattern)
			binary.NativeEndian.PutUint64(to[24:], pattern)
		}
		for ; at < end; at++ {
			r.keys[at] = key
		}
		lo = max(lo, end)
	}
}
