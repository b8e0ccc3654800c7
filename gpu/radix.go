package gpu

import (
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// radix is the radix sort with tiles of one size.
type radix struct {
	image           []byte
	suffix          string // of its kernels
	tile, threads   int    // elements of a tile; threads of the block that moves it
	shared, keysU32 int    // bytes of a tile; of one of keys of 32 bits
	countBlocks     int    // of radix_histogram that an SM holds
}

// Devices run largeRadix, or smallRadix if it does not fit their shared memory.
var (
	largeRadix = &radix{kernels.Radix, "", kernels.RadixTile, kernels.RadixThreads, kernels.RadixShared, kernels.RadixKeysU32, kernels.RadixCountBlocks}
	smallRadix = &radix{kernels.RadixSmall, "_small", kernels.SmallRadixTile, kernels.SmallRadixThreads, kernels.SmallRadixShared, kernels.SmallRadixKeysU32, kernels.SmallCountBlocks}
)

func (r *radix) algorithm() algorithm {
	k := map[string]int{}
	for _, in := range []input{{}, {wide: true}, {keys: true}, {wide: true, keys: true}} {
		k[r.histogram(in)], k[r.pass(in)] = countShared(in), r.passShared(in)
	}
	return algorithm{[]*module{{r.image, k}}, r.sort, true, maxN, r.bytes}
}

// histogram and pass are names of kernels.
func (r *radix) histogram(in input) string { return "radix_histogram" + r.suffix + in.kind() }

func (r *radix) pass(in input) string { return "radix_pass" + r.suffix + in.kind() }

// countShared and passShared are the shared memory of their blocks.
func countShared(in input) int {
	if in.wide {
		return kernels.RadixCountSharedU64
	}
	return kernels.RadixCountSharedU32
}

func (r *radix) passShared(in input) int {
	if in.keys && !in.wide {
		return r.keysU32
	}
	return r.shared
}

// Counts of tiles tell as many elements as a sort may have.
const _ = uint(kernels.RadixMost - maxN)

// radixMemory is the device memory of one radix sort besides codes and what they
// become.
type radixMemory struct {
	words     cuda.Ptr // counts of tiles
	even, odd cuda.Ptr // elements, which each pass moves from one to the other; of keys alone, one of them is the result
}

func (r *radix) layOut(a *area, in input) radixMemory {
	m := radixMemory{words: a.take(4 * kernels.RadixDigits * r.tiles(in.n))}
	if in.keys {
		m.even = a.take(in.size() * in.n)
	} else {
		m.even, m.odd = a.take(8*in.n), a.take(8*in.n)
	}
	return m
}

// bytes is the device memory of a radix sort besides codes and what they become.
func (r *radix) bytes(_ *device, in input) int {
	var size area
	r.layOut(&size, in)
	return int(size.at)
}

// radixStates are two states of a workspace's radix sorts, which take them by turns: a
// sort finds one clear, and clears the other, which the sort before it used.
type radixStates struct {
	at    cuda.Ptr // of both
	turn  int      // 0 or 1
	clear bool     // the one whose turn it is
}

// radixStateBytes is from one state to the other.
const radixStateBytes = (kernels.RadixStateBytes + 255) &^ 255

// take returns the state of a sort, and the one that the sort is to clear.
func (s *radixStates) take(w *workspace) (state, spent cuda.Ptr, err error) {
	if !s.clear { // nobody did: this is the first sort, or the last one failed
		err = w.Memset32(s.at, 0, 2*radixStateBytes/4, w.stream)
	}
	state, spent = s.at+cuda.Ptr(s.turn*radixStateBytes), s.at+cuda.Ptr((1-s.turn)*radixStateBytes)
	s.turn, s.clear = 1-s.turn, false
	return state, spent, err
}

// sort orders codes digit by digit. The device finds out itself which digits all codes
// share, and whether the codes are in order; passes that are not needed end at once.
func (r *radix) sort(w *workspace, in input, to cuda.Ptr) (finding, error) {
	if in.n < 2 {
		return finding{shape: "sorted"}, w.identity(in, to, false)
	}
	block, err := w.take(r.bytes(w.device, in))
	if err != nil {
		return finding{}, err
	}
	defer w.put(block)
	state, spent, err := w.states.take(w)
	if err != nil {
		return finding{}, err
	}
	m := r.layOut(&area{block.at}, in)
	err = first(
		func() error { return r.countDigits(w, m, in, to, state, spent) },
		func() error { return r.passes(w, m, in, to, state) },
		func() error { return w.SyncStream(w.stream) },
	)
	w.states.clear = err == nil
	return w.note.radix.get().finding(), err
}

// radixNote is what the device writes meanwhile: struct RadixNote of radix.cuh.
type radixNote struct{ shuffled, found atomic.Uint32 }

func (r *radixNote) clear() {
	r.shuffled.Store(0)
	r.found.Store(0)
}

// get returns what was found, 0 if nothing was yet.
func (r *radixNote) get() radixFound { return radixFound(r.found.Load()) }

// radixFound is places where codes differ, a bit each, below their shape.
type radixFound uint32

func (f radixFound) passes() int { return bits.OnesCount32(uint32(f) & (1<<kernels.RadixShape - 1)) }

func (f radixFound) finding() finding {
	switch f >> kernels.RadixShape {
	case kernels.RadixDescending:
		return finding{shape: "reversed"}
	case kernels.RadixAscending:
		return finding{shape: "sorted"}
	case kernels.RadixFlat:
		return finding{shape: "flat"}
	}
	return finding{levels: f.passes()}
}

// countDigits counts the digits of all places and makes starts of the counts.
func (r *radix) countDigits(w *workspace, m radixMemory, in input, to, state, spent cuda.Ptr) error {
	grid := min(r.countBlocks*w.info.SMs, (in.n+kernels.RadixCountTile-1)/kernels.RadixCountTile)
	ordered := uint64(1)
	if in.shuffled {
		ordered = 0
	}
	w.note.radix.clear()
	return w.run(r.histogram(in), grid, kernels.RadixCountThreads, countShared(in),
		uint64(in.codes), uint64(in.n), ordered, uint64(to), uint64(state), uint64(spent), uint64(m.words), mapped(&w.note.radix))
}

// radixPatience is how long a sort looks for what its passes depend on, in all. A
// device that others keep busy for longer is given passes that it may not need: each
// takes 2 µs then.
const radixPatience = 50 * time.Microsecond

// passes enqueues the passes that are needed, or as many as there are places
// where the device does not tell in time. The first pass is on its way when the
// digits are counted: for codes in no order the device soon knows that it is needed.
// The others can wait for the counts, since they wait for the first one.
func (r *radix) passes(w *workspace, m radixMemory, in input, to, state cuda.Ptr) error {
	moving := []uint64{uint64(m.even), uint64(m.odd), uint64(to)}
	if in.keys {
		moving = []uint64{uint64(m.even), uint64(to)}
	}
	end := time.Now().Add(radixPatience)
	for pass := range in.places() {
		switch note := &w.note.radix; {
		case pass > 0:
			await(end, &note.found)
		case !in.shuffled:
			await(end, &note.shuffled, &note.found)
		}
		if found := w.note.radix.get(); found != 0 && pass >= found.passes() {
			return nil
		}
		err := w.runTiles(r.pass(in), r.tiles(in.n), r.threads, r.passShared(in),
			slices.Concat([]uint64{uint64(in.codes), uint64(in.n), uint64(pass), uint64(state), uint64(m.words)}, moving)...)
		if err != nil {
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

func (r *radix) tiles(n int) int { return (n + r.tile - 1) / r.tile }
