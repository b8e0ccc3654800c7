package gpu

import (
	"errors"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// errUneven reports codes that the bucket sort has no plan for: some part of
// their range holds far more elements than its neighbourhood in a sample. It
// does not leave the package.
var errUneven = errors.New("sorter: gpu: codes too uneven for the bucket sort")

// sample is what the sample kernels found: struct SampleNote of sample.cuh, and, if
// they were asked for, the codes of the first sample.
type sample struct {
	low, high, differ uint64
	ascents, descents uint64  // among kernels.RangeSamples pairs of neighbours
	distance          float64 // between the two of each pair, summed up
	parts             [kernels.Segments]uint32
	told              atomic.Uint32 // the device has written what is above
	few               atomic.Uint32 // it writes nothing else: codes of few values, in no order
	code              [kernels.RangeSamples]uint64
	position          [kernels.RangeSamples]uint32
}

// nearlyOrdered reports whether most neighbours are in one order.
func (s *sample) nearlyOrdered() bool {
	return 8*min(s.ascents, s.descents) < max(s.ascents, s.descents)
}

// degree estimates the degree of disorder of n codes, see [NearlySorted].
func (s *sample) degree(n int) float64 {
	return s.distance / float64(max(s.high-s.low, 1)) * float64(n) / kernels.RangeSamples
}

// note is a workspace's pinned memory: what small copies come from and go to.
type note struct {
	sample sample
	count  [kernels.Segments]uint32
	status [kernels.StatusWords]uint32
	bounds bounds
	ends   [2]uint64 // the lowest and the highest code
	sums   [2]uint64 // of the hashes of codes, and of sorted codes
	u32    segmentMap[uint32]
	u64    segmentMap[uint64]
	radix  radixNote
	route  routeNote
}

// area hands out parts of one block of device memory.
type area struct{ at cuda.Ptr }

func (a *area) take(bytes int) cuda.Ptr {
	p := a.at
	a.at += cuda.Ptr((bytes + 255) &^ 255)
	return p
}

// memory is the device memory of one sort besides codes and what they become.
type memory struct {
	sample, count, table, status    cuda.Ptr
	sections, rooms, cursors, tiles cuda.Ptr
	elements                        cuda.Ptr // in rooms; null where the first partition fills buckets
	sizes, slices, oversize, bucket cuda.Ptr
	spill, below, above             cuda.Ptr
}

// headBytes is enough for what is needed before there is a plan.
const headBytes = 1 << 18

func head(a *area) memory {
	return memory{
		sample: a.take(kernels.SampleBytes),
		count:  a.take(4 * kernels.Segments),
		table:  a.take(max(kernels.MapBytesU32, kernels.MapBytesU64)),
		status: a.take(4 * kernels.StatusWords),
	}
}

// body adds what the plan needs.
func (m *memory) body(a *area, p *plan) {
	m.sections = a.take(kernels.SectionsBytes)
	m.rooms = a.take(kernels.RoomBytes * (p.rooms + 1))
	m.cursors = a.take(4 * kernels.CursorPitch * p.rooms)
	m.slices = a.take(kernels.SliceBytes * p.buckets)
	m.oversize = a.take(4 * p.buckets)
	element, listed := p.elementSize(), 4
	if p.keys {
		listed = element
	}
	m.spill = a.take(element * kernels.SpillSize)
	m.below, m.above = a.take(listed*kernels.OutsideSize), a.take(listed*kernels.OutsideSize)
	m.bucket = a.take(element * kernels.LocalSize * p.buckets)
	if p.twice {
		m.sizes = a.take(4 * p.buckets)
		m.tiles = a.take(8 * p.tiles())
		m.elements = a.take(element * p.places())
	}
}

// bucketBytes bounds the device memory of the bucket sort, by its largest plans
// of each kind and by the radix sort, which takes what is too uneven.
func bucketBytes(d *device, in input) int {
	bytes := d.algorithms[lastResort].bytes(d, in)
	n := max(in.n, 2)
	for _, n := range []int{n, 1<<(bits.Len(uint(n))-1) - 1} { // fewer elements may need more: their sample is smaller
		in.n = max(n, 2)
		for _, p := range largestPlans(&d.parts, in) {
			var size area
			new(memory).body(&size, p)
			bytes = max(bytes, int(size.at))
		}
	}
	return headBytes + bytes
}

// argsort orders codes by the bucket sort, or returns errUneven.
func (w *workspace) argsort(in input, to cuda.Ptr) (finding, error) {
	return w.argsortIf(func(input, Spreading) bool { return true }, false, in, to)
}

// argsortIf is argsort in ways that are worth it only, and unless few are not, of no
// codes in no order that have few values. A sample may mislead: a way that fails is
// followed by the next, which assumes less.
func (w *workspace) argsortIf(worth func(input, Spreading) bool, notFew bool, in input, to cuda.Ptr) (finding, error) {
	if in.n < 2 {
		return finding{shape: "sorted"}, w.identity(in, to, false)
	}
	first, err := w.take(headBytes)
	if err != nil {
		return finding{}, err
	}
	defer w.put(first)
	m := head(&area{first.at})
	if err := w.look(m, in, notFew); err != nil {
		return finding{}, err
	}
	if f, err := w.presorted(m, in, to); f.shape != "" || err != nil {
		return f, err
	}
	for way := w.firstWay(in); way <= Quantiles && worth(in, way); way++ {
		w.attempts[way].begun.Add(1)
		if f, err := w.attempt(way, m, in, to); !errors.Is(err, errUneven) {
			return f, err
		}
		w.attempts[way].failed.Add(1)
	}
	return finding{}, errUneven
}

// firstWay is what the sample suggests, unless the engine was told.
func (w *workspace) firstWay(in input) Spreading {
	if w.parts.spread != BySample {
		return w.parts.spread
	}
	s := &w.note.sample
	lay := layoutFor(in.n, in.wide, s.low, s.high, unevenMargin)
	switch {
	case lay.even(s.parts[:], in.samples(), s.low, s.high):
		return Linear
	case smooth(s.parts[:]) && in.n >= kernels.Segments:
		return Sections
	}
	return Quantiles
}

// attempt sorts in one of the ways.
func (w *workspace) attempt(way Spreading, m memory, in input, to cuda.Ptr) (finding, error) {
	p, err := w.plan(way, m, in)
	if err != nil {
		return finding{}, err
	}
	if p.keys = in.keys; p.keys {
		if err := w.load(keyModules); err != nil {
			return finding{}, err
		}
	}
	if p.strided = w.strides(in, way); p.strided {
		if err := w.load(stridedModules); err != nil {
			return finding{}, err
		}
	}
	var size area
	new(memory).body(&size, p)
	block, err := w.take(int(size.at))
	if err != nil {
		return finding{}, err
	}
	defer w.put(block)
	m.body(&area{block.at}, p)
	if err := w.bucketSort(m, p, in.codes, to); err != nil {
		return finding{}, err
	}
	return w.outcome(p)
}

// strides reports whether the first partition in a way is that of nearly sorted codes.
func (w *workspace) strides(in input, way Spreading) bool {
	below := in.nearlyBelow()
	if w.parts.nearly != nil {
		below = *w.parts.nearly
	}
	return way == Linear && w.note.sample.degree(in.n) < below
}

// sampleBits is the binary logarithm of the size of the second sample, in which
// parts of the range should hold many codes each.
func (in input) sampleBits() int {
	b := bits.Len(uint(in.n))
	return min(max(b-6, min(b-3, 17), 13), 20)
}

func (in input) samples() int { return 1 << in.sampleBits() }

// sampleGrid is the number of blocks that take it: few, since each adds its
// counts to those of the others, with samples enough to be worth that.
func (w *workspace) sampleGrid(in input) int {
	return max(1, min(2*w.info.SMs, in.samples()/(4*kernels.SampleThreads)))
}

func (in input) indexBits() int { return bits.Len(uint(in.n - 1)) }

// lookPatience is how long a sort looks for the sample before it waits for the
// device in the driver, which takes a few µs more.
const lookPatience = 100 * time.Microsecond

// look samples the codes, or returns errUneven for those of few values if it is to.
func (w *workspace) look(m memory, in input, notFew bool) error {
	told, few := &w.note.sample.told, &w.note.sample.few
	told.Store(0)
	few.Store(0)
	tell := uint64(0)
	if notFew {
		tell = mapped(few)
	}
	return first(
		func() error { return w.sampleRange(m, in, tell) },
		func() error {
			return w.run("sample_segments"+width(in.wide), w.sampleGrid(in), kernels.SampleThreads, kernels.SegmentsShared,
				uint64(in.codes), uint64(in.n), uint64(in.sampleBits()), uint64(in.indexBits()), uint64(m.sample), mapped(&w.note.sample))
		},
		func() error {
			if await(time.Now().Add(lookPatience), told, few) {
				return nil
			}
			return w.SyncStream(w.stream)
		},
		func() error {
			if few.Load() != 0 {
				return errUneven
			}
			return nil
		},
	)
}

// sampleRange takes the first sample, and clears what is counted later. It tells of
// few values in the host's memory unless tell is 0.
func (w *workspace) sampleRange(m memory, in input, tell uint64) error {
	return w.run("sample_range"+width(in.wide), kernels.RangeBlocks, kernels.SampleThreads, kernels.SampleShared,
		uint64(in.codes), uint64(in.n), uint64(m.sample), uint64(m.status), tell)
}

// presorted ends the sort where the sample looks sorted or reversed and the
// codes are.
func (w *workspace) presorted(m memory, in input, to cuda.Ptr) (finding, error) {
	s := &w.note.sample
	if w.parts.blind || s.ascents > 0 && s.descents > 0 {
		return finding{}, nil
	}
	err := first(
		func() error {
			return w.run("count_descents"+width(in.wide), w.gridFor(in.n), kernels.SampleThreads, 0, uint64(in.codes), uint64(in.n), uint64(m.status))
		},
		func() error { return w.readStatus(m) },
	)
	if err != nil {
		return finding{}, err
	}
	switch descents := int(w.note.status[kernels.StatusDescents]); {
	case descents == 0 && s.low == s.high:
		return finding{shape: "flat"}, w.identity(in, to, false)
	case descents == 0:
		return finding{shape: "sorted"}, w.identity(in, to, false)
	case descents == in.n-1:
		return finding{shape: "reversed"}, w.identity(in, to, true)
	}
	return finding{}, nil
}

// gridFor is a grid of kernels.SampleThreads threads for a read of n elements.
func (w *workspace) gridFor(n int) int {
	return max(1, min(8*w.info.SMs, (n+kernels.SampleThreads-1)/kernels.SampleThreads))
}

// identity writes the order of sorted or reversed codes, or these in order.
func (w *workspace) identity(in input, to cuda.Ptr, reversed bool) error {
	write := func() error {
		back := uint64(0)
		if reversed {
			back = 1
		}
		return w.run("write_identity", w.gridFor(in.n), kernels.SampleThreads, 0, uint64(to), uint64(in.n), back)
	}
	switch {
	case in.keys && reversed:
		write = func() error {
			return w.run("reverse_codes"+width(in.wide), w.gridFor(in.n), kernels.SampleThreads, 0, uint64(in.codes), uint64(in.n), uint64(to))
		}
	case in.keys:
		write = func() error { return w.CopyOnDevice(to, in.codes, in.size()*in.n, w.stream) }
	}
	return first(write, func() error { return w.SyncStream(w.stream) })
}

// plan makes the plan of an attempt, and sends its table to the device if it has
// one. Keys alone have no plan with a table, by which equal codes are told apart by
// their positions.
func (w *workspace) plan(way Spreading, m memory, in input) (*plan, error) {
	s := &w.note.sample
	if in.keys && (way == Quantiles || in.crowded(s)) {
		return nil, errUneven
	}
	if way == Linear {
		return evenPlan(in.wide, layoutFor(in.n, in.wide, s.low, s.high, evenMargin), w.parts.mean(in.n, evenSlice)).fitting()
	}
	lay := layoutFor(in.n, in.wide, s.low, s.high, unevenMargin)
	if way == Sections {
		return sectionsPlan(in.wide, lay, s.parts[:], in.samples(), w.parts.mean(in.n, sectionSlice), &w.note.bounds)
	}
	var t *table
	err := first(
		func() error {
			return w.CopyToHost(unsafe.Pointer(&s.code), m.sample+kernels.SampleCodesAt, 12*kernels.RangeSamples, w.stream)
		},
		func() error { return w.SyncStream(w.stream) },
		func() error {
			t = quantilesTable(in.wide, &lay, sortedSample(s, lay.stretch()))
			return w.countSegments(m, in, t)
		},
	)
	if err != nil {
		return nil, err
	}
	p, err := mappedPlan(lay, t, w.note.count[:], in.samples(), w.parts.mean(in.n, fullSlice)).fitting()
	if err != nil {
		return nil, err
	}
	return p, w.send(m, t)
}

// sortedSample returns the first sample in order. Its positions ascend, so a
// stable sort by code is one by key: radix passes over the digits that differ.
func sortedSample(s *sample, stretch uint32) []key {
	const digit = 11
	room := sampleRooms.Get().(*[2][kernels.RangeSamples]key)
	defer sampleRooms.Put(room)
	keys, spare := room[0][:], room[1][:]
	differ := uint64(0)
	for i := range keys {
		keys[i] = key{s.code[i], s.position[i] * stretch}
		differ |= s.code[i] ^ s.code[0]
	}
	for shift := 0; differ>>shift > 0; shift += digit {
		var next [1 << digit]int
		for _, k := range keys {
			next[k.code>>shift&(1<<digit-1)]++
		}
		sum := 0
		for d, c := range next {
			next[d] = sum
			sum += c
		}
		for _, k := range keys {
			d := k.code >> shift & (1<<digit - 1)
			spare[next[d]] = k
			next[d]++
		}
		keys, spare = spare, keys
	}
	return slices.Clone(keys)
}

// sampleRooms keeps memory to sort samples in.
var sampleRooms = sync.Pool{New: func() any { return new([2][kernels.RangeSamples]key) }}

// countSegments counts the second sample by segment of t.
func (w *workspace) countSegments(m memory, in input, t *table) error {
	shared := kernels.MapSharedU32
	if in.wide {
		shared = kernels.MapSharedU64
	}
	return first(
		func() error { return w.send(m, t) },
		func() error { return w.Memset32(m.count, 0, kernels.Segments, w.stream) },
		func() error {
			return w.run("sample_map"+width(in.wide), w.sampleGrid(in), kernels.SampleThreads, shared,
				uint64(in.codes), uint64(in.n), uint64(in.sampleBits()), uint64(in.indexBits()), uint64(m.table), uint64(m.sample), uint64(m.count))
		},
		func() error {
			return w.CopyToHost(unsafe.Pointer(&w.note.count), m.count, 4*kernels.Segments, w.stream)
		},
		func() error { return w.SyncStream(w.stream) },
	)
}

// send copies a table to the device.
func (w *workspace) send(m memory, t *table) error {
	if t.wide {
		put(t, &w.note.u64)
		return w.CopyToDevice(m.table, unsafe.Pointer(&w.note.u64), kernels.MapBytesU64, w.stream)
	}
	put(t, &w.note.u32)
	return w.CopyToDevice(m.table, unsafe.Pointer(&w.note.u32), kernels.MapBytesU32, w.stream)
}

// bucketSort gives the device everything to do for the plan.
func (w *workspace) bucketSort(m memory, p *plan, codes, to cuda.Ptr) error {
	return first(
		func() error { return w.openRooms(m, p) },
		func() error { return w.splitCodes(m, p, codes) },
		func() error { return w.fillBuckets(m, p) },
		func() error { return w.Record(w.split, w.stream) },
		func() error {
			grid := (p.buckets + kernels.LocalWarps - 1) / kernels.LocalWarps
			return w.run("local_sort"+p.kind(), grid, 32*kernels.LocalWarps, p.localShared(),
				slices.Concat([]uint64{uint64(m.bucket), uint64(m.slices), uint64(m.status)}, p.reading(codes), []uint64{uint64(p.nearAt()), uint64(to)})...)
		},
		// One of the few oversize buckets takes longer than many others: they go first, or
		// the device would wait for them when the others are done.
		func() error { return w.WaitEvent(w.side, w.split) },
		func() error {
			rooms := 0
			if p.twice {
				rooms = p.rooms
			}
			return w.Launch(w.function("oversize_sort"+p.kind()), 2*w.info.SMs, kernels.OversizeThreads, kernels.OversizeShared, w.side, slices.Concat(
				[]uint64{uint64(m.bucket), uint64(p.n), uint64(m.slices), uint64(m.rooms), uint64(rooms), p.scale}, p.reading(codes),
				[]uint64{uint64(m.spill), uint64(m.oversize), uint64(m.below), uint64(m.above), uint64(to), uint64(m.status), mapped(&w.note.status)})...)
		},
		func() error { return w.Record(w.split, w.side) },
		func() error { return w.WaitEvent(w.stream, w.split) },
	)
}

// openRooms makes the rooms of the first partition.
func (w *workspace) openRooms(m memory, p *plan) error {
	table, sizes := uint64(0), 0
	if p.bounds != nil {
		table = mapped(p.bounds)
	}
	if p.twice {
		sizes = p.buckets
	}
	return w.run("open_rooms", w.gridFor(max(p.rooms+1, sizes)), kernels.SampleThreads, 0,
		uint64(m.rooms), uint64(m.cursors), uint64(p.rooms), table, uint64(m.sections), p.scale, uint64(p.room), uint64(m.sizes), uint64(sizes), uint64(m.status))
}

func (w *workspace) splitCodes(m memory, p *plan, codes cuda.Ptr) error {
	elements, spill := m.elements, cuda.Ptr(0)
	if !p.twice {
		elements, spill = m.bucket, m.spill
	}
	d := digit(p.rooms)
	layout := []uint64{uint64(codes), uint64(p.n), p.low, p.span, uint64(p.elementUp())}
	if !p.keys {
		layout = append(layout, uint64(p.wordAt()), p.keep)
	}
	equal := []uint64{p.scale, uint64(elements), uint64(p.room), uint64(m.cursors), uint64(spill)}
	outside := []uint64{uint64(m.below), uint64(m.above), uint64(m.status)}
	switch {
	case p.table != nil:
		return w.run("split_mapped"+d.suffix+width(p.wide), min(p.codeTiles(), 2*w.info.SMs), kernels.SplitThreads, d.mapped(p.wide),
			slices.Concat(layout, equal, []uint64{uint64(m.status), uint64(m.table), uint64(p.indexBits)})...)
	case p.bounds != nil:
		return w.run("split_sections"+d.suffix+p.kind(), p.codeTiles(), kernels.SplitThreads, d.section(p),
			slices.Concat(layout, []uint64{uint64(elements), uint64(m.sections), uint64(m.cursors), uint64(spill)}, outside)...)
	}
	name := "split_codes"
	if p.strided {
		name = "split_strided"
	}
	return w.run(name+d.suffix+p.kind(), p.codeTiles(), kernels.SplitThreads, d.split(p), slices.Concat(layout, equal, outside)...)
}

// fillBuckets finds where buckets come in the order, having moved what is in
// rooms to buckets.
func (w *workspace) fillBuckets(m memory, p *plan) error {
	if !p.twice {
		return w.run("bucket_starts", 1, kernels.RoomThreads, kernels.StartsShared,
			uint64(m.cursors), p.scale, uint64(p.buckets), uint64(m.slices), uint64(m.oversize), uint64(m.status))
	}
	d, kind := digit(p.most), ""
	if p.elementSize() < 8 {
		kind = p.kind()
	}
	return first(
		func() error {
			return w.run("plan_rooms", 1, kernels.RoomThreads, kernels.RoomsShared, uint64(m.rooms), uint64(m.cursors), uint64(p.rooms),
				uint64(p.least), uint64(p.target), uint64(p.most), uint64(p.tile()), uint64(m.tiles), uint64(m.status))
		},
		func() error {
			return w.run("split_elements"+d.suffix+kind, p.tiles(), kernels.SplitThreads, d.split(p),
				uint64(m.elements), uint64(m.rooms), uint64(m.tiles), uint64(m.bucket), uint64(m.sizes), uint64(m.spill), uint64(m.status))
		},
		func() error {
			return w.run("room_starts", p.rooms, kernels.RoomThreads, kernels.StartsShared, uint64(m.rooms), uint64(m.sizes), uint64(m.slices), uint64(m.oversize), uint64(m.status))
		},
	)
}

// outcome waits for the sort and looks at how it went.
func (w *workspace) outcome(p *plan) (finding, error) {
	if err := w.SyncStream(w.stream); err != nil {
		return finding{}, err
	}
	if w.note.status[kernels.StatusLost] != 0 {
		return finding{}, errUneven
	}
	f := finding{levels: 1}
	if p.twice {
		f.levels = 2
	}
	if p.strided {
		f.shape = "nearly sorted"
	}
	return f, nil
}

// readStatus waits for the stream and fetches the status words.
func (w *workspace) readStatus(m memory) error {
	if err := w.CopyToHost(unsafe.Pointer(&w.note.status), m.status, 4*kernels.StatusWords, w.stream); err != nil {
		return err
	}
	return w.SyncStream(w.stream)
}

// digits says which kernels split by a number of digits, and their shared memory.
type digits struct {
	suffix                                 string
	shared, sections, mappedU32, mappedU64 int
	keys, keySections                      int // where elements are codes of 32 bits
}

var digitKernels = []digits{
	{"_8", kernels.SplitShared8, kernels.SectionShared8, kernels.MappedShared8U32, kernels.MappedShared8U64, kernels.SplitKeys8, kernels.SectionKeys8},
	{"_9", kernels.SplitShared9, kernels.SectionShared9, kernels.MappedShared9U32, kernels.MappedShared9U64, kernels.SplitKeys9, kernels.SectionKeys9},
	{"_10", kernels.SplitShared10, kernels.SectionShared10, kernels.MappedShared10U32, kernels.MappedShared10U64, kernels.SplitKeys10, kernels.SectionKeys10},
}

func (d digits) mapped(wide bool) int {
	if wide {
		return d.mappedU64
	}
	return d.mappedU32
}

func (d digits) split(p *plan) int {
	if p.elementSize() < 8 {
		return d.keys
	}
	return d.shared
}

func (d digits) section(p *plan) int {
	if p.elementSize() < 8 {
		return d.keySections
	}
	return d.sections
}

// digit returns the kernels for up to maxDigits values.
func digit(values int) digits { return digitKernels[max(0, bits.Len(uint(values-1))-8)] }

func width(wide bool) string {
	if wide {
		return "_u64"
	}
	return "_u32"
}

// first runs steps up to the first that fails.
func first(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
