package segments

import (
	"slices"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// radixModules has the kernels of the radix sort of large segments.
var radixModules = []*device.Module{{Image: kernels.SegmentRadix, Kernels: map[string]int{
	"radix_segments_tiles":         0,
	"radix_segments_histogram":     kernels.SegmentDigitsBytes,
	"radix_segments_starts":        kernels.SegmentStartsShared,
	"radix_segments_pass_u32":      kernels.RadixShared,
	"radix_segments_pass_keys_u32": kernels.RadixKeysU32,
}}}

// radixMemory is the device memory of the radix sort of large segments.
type radixMemory struct {
	state, tiles, digits, words cuda.Ptr
	even, odd                   cuda.Ptr // elements: each pass moves from one to the other; for keys the result is the other
}

func (l *large) layOutRadix(a *device.Area) radixMemory {
	m := radixMemory{
		state:  a.Take(kernels.SegmentRadixBytes),
		tiles:  a.Take(kernels.SegmentTileBytes * l.radixTiles()),
		digits: a.Take(kernels.SegmentDigitsBytes * l.count),
		words:  a.Take(4 * kernels.RadixDigits * l.radixTiles()),
	}
	if l.in.Keys {
		m.even = a.Take(4 * l.n)
		return m
	}
	m.even, m.odd = a.Take(8*l.n), a.Take(8*l.n)
	return m
}

// radixTiles bounds the number of tiles: each segment has one that is not full.
func (l *large) radixTiles() int { return l.n/kernels.RadixTile + l.count }

// sortEach sorts 32-bit codes, each segment by itself: every pass of a radix sort moves the elements of all segments,
// within their segments. It takes the time of a radix sort of one list.
func (l *large) sortEach() error {
	if err := l.w.Load(radixModules); err != nil {
		return err
	}
	var m radixMemory
	block, err := l.w.Lay(func(a *device.Area) { m = l.layOutRadix(a) })
	if err != nil {
		return err
	}
	defer l.w.Put(block)
	segments, tiles, digits, state := uint64(l.call.large), uint64(m.tiles), uint64(m.digits), uint64(m.state)
	most := l.radixTiles()
	q := l.w.Queue()
	q.Fill(m.state, 0, kernels.SegmentRadixBytes/4)
	q.Fill(m.words, 0, kernels.RadixDigits*most)
	q.Run("radix_segments_tiles", (32*l.count-1)/kernels.LargeThreads+1, kernels.LargeThreads, 0, segments, uint64(l.count), tiles, digits, state)
	q.Run("radix_segments_histogram", most, kernels.RadixThreads, kernels.SegmentDigitsBytes, uint64(l.in.Codes), segments, tiles, digits, state)
	q.Run("radix_segments_starts", l.count, kernels.RadixDigits, kernels.SegmentStartsShared, segments, digits, state)
	kernel, shared, moving := "radix_segments_pass_u32", kernels.RadixShared, []uint64{uint64(m.even), uint64(m.odd), uint64(l.to)}
	if l.in.Keys {
		kernel, shared, moving = "radix_segments_pass_keys_u32", kernels.RadixKeysU32, []uint64{uint64(m.even), uint64(l.to)}
	}
	for pass := range uint64(32 / kernels.RadixBits) {
		q.RunTiles(kernel, most, kernels.RadixThreads, shared,
			slices.Concat([]uint64{uint64(l.in.Codes), pass, segments, tiles, digits, state, uint64(m.words)}, moving)...)
	}
	return q.Sync()
}
