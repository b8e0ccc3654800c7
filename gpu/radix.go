package gpu

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// radixModules are the kernels of the radix sort.
var radixModules = []*module{{kernels.Radix, map[string]int{
	"radix_histogram_u32": kernels.RadixCountSharedU32, "radix_histogram_u64": kernels.RadixCountSharedU64,
	"radix_starts":   kernels.RadixStartsShared,
	"radix_pass_u32": kernels.RadixShared, "radix_pass_u64": kernels.RadixShared,
	"radix_pass_keys_u32": kernels.RadixKeysU32, "radix_pass_keys_u64": kernels.RadixShared,
}}}

// Counts of tiles tell as many elements as a sort may have.
const _ = uint(kernels.RadixMost - maxN)

// radixMemory is the device memory of one radix sort besides codes and what they
// become.
type radixMemory struct {
	state, words cuda.Ptr // cleared before, in one piece
	even, odd    cuda.Ptr // elements, which each pass moves from one to the other; of keys alone, one of them is the result
}

// radixLayout lays the memory out, and returns how much is to be cleared.
func radixLayout(a *area, in input) (m radixMemory, cleared int) {
	first := a.at
	m.state = a.take(kernels.RadixStateBytes)
	m.words = a.take(4 * kernels.RadixDigits * radixTiles(in.n))
	cleared = int(a.at - first)
	if in.keys {
		m.even = a.take(in.size() * in.n)
	} else {
		m.even, m.odd = a.take(8*in.n), a.take(8*in.n)
	}
	return m, cleared
}

// radixBytes is the device memory of a radix sort besides codes and what they become.
func radixBytes(_ *device, in input) int {
	var size area
	radixLayout(&size, in)
	return int(size.at)
}

// radixSort orders codes digit by digit. It has to wait for nothing on the way:
// the device finds out itself which digits all codes share, and whether the codes
// are in order; passes that are not needed end at once.
func (l *lane) radixSort(in input, to cuda.Ptr) (finding, error) {
	if in.n < 2 {
		return finding{shape: "sorted"}, l.identity(in, to, false)
	}
	var size area
	radixLayout(&size, in)
	block, err := l.take(int(size.at))
	if err != nil {
		return finding{}, err
	}
	defer l.put(block)
	m, cleared := radixLayout(&area{block.at}, in)
	err = first(
		func() error { return l.Memset32(m.state, 0, cleared/4, l.stream) },
		func() error { return l.countDigits(m, in) },
		func() error { return l.radixPasses(m, in, to) },
		func() error {
			return l.CopyToHost(unsafe.Pointer(&l.note.radix), m.state+kernels.RadixFoundAt, int(unsafe.Sizeof(l.note.radix)), l.stream)
		},
		func() error { return l.SyncStream(l.stream) },
	)
	return l.note.radix.finding(), err
}

// radixFound is what the device found out, as struct RadixState has it.
type radixFound struct {
	active uint32 // places where codes differ, a bit each
	shape  uint32
}

func (f radixFound) finding() finding {
	switch {
	case f.shape == kernels.RadixDescending:
		return finding{shape: "reversed"}
	case f.shape == kernels.RadixAscending && f.active > 0:
		return finding{shape: "sorted"}
	case f.shape == kernels.RadixAscending:
		return finding{shape: "flat"}
	}
	return finding{levels: bits.OnesCount32(f.active)} // each had its pass
}

// countDigits counts the digits of all places and makes starts of the counts.
func (l *lane) countDigits(m radixMemory, in input) error {
	grid := min(kernels.RadixCountBlocks*l.info.SMs, (in.n+kernels.RadixCountTile-1)/kernels.RadixCountTile)
	ordered := uint64(1)
	if in.shuffled {
		ordered = 0
	}
	shared := kernels.RadixCountSharedU32
	if in.wide {
		shared = kernels.RadixCountSharedU64
	}
	return first(
		func() error {
			return l.run("radix_histogram"+width(in.wide), grid, kernels.RadixCountThreads, shared, uint64(in.codes), uint64(in.n), ordered, uint64(m.state))
		},
		func() error {
			return l.run("radix_starts", 1, kernels.RadixDigits, kernels.RadixStartsShared, uint64(in.n), uint64(in.places()), ordered, uint64(m.state))
		},
	)
}

// radixPasses enqueues a pass for each place.
func (l *lane) radixPasses(m radixMemory, in input, to cuda.Ptr) error {
	kernel, shared, moving := "radix_pass", kernels.RadixShared, []uint64{uint64(m.even), uint64(m.odd), uint64(to)}
	if in.keys {
		kernel, moving = "radix_pass_keys", []uint64{uint64(m.even), uint64(to)}
		if !in.wide {
			shared = kernels.RadixKeysU32
		}
	}
	for place := range in.places() {
		args := append([]uint64{uint64(in.codes), uint64(in.n), uint64(place), uint64(m.state), uint64(m.words)}, moving...)
		if err := l.run(kernel+width(in.wide), radixTiles(in.n), kernels.RadixThreads, shared, args...); err != nil {
			return err
		}
	}
	return nil
}

// places is the number of digits of a code.
func (in input) places() int {
	if in.wide {
		return 64 / kernels.RadixBits
	}
	return 32 / kernels.RadixBits
}

func radixTiles(n int) int { return (n + kernels.RadixTile - 1) / kernels.RadixTile }
