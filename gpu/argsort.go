package gpu

import (
	"errors"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// errUneven reports codes that the bucket sort has no plan for: too many
// elements share a small part of the range.
var errUneven = errors.New("sorter: gpu: codes too uneven for the bucket sort")

// noteBytes is the size of a lane's pinned note: the sample, the segments of a
// map and the status words, one behind the other.
const (
	noteSegments = (kernels.SampleBytes + 255) &^ 255
	noteStatus   = noteSegments + kernels.Segments*kernels.SegmentBytes
	noteBytes    = noteStatus + 256
)

// finding is the outcome of one argsort.
type finding struct {
	shape  string // "sorted", "reversed", "flat" or ""
	levels int    // of partition
}

// layout hands out parts of one block of device memory.
type layout struct {
	at, end cuda.Ptr
}

func (l *layout) take(bytes int) cuda.Ptr {
	p := l.at
	l.at += cuda.Ptr((bytes + 255) &^ 255)
	return p
}

// memory is the device memory of one argsort besides codes and order.
type memory struct {
	sample, segments, status cuda.Ptr
	cursors, sizes, starts   cuda.Ptr
	oversize, spill          cuda.Ptr
	rooms, buckets           cuda.Ptr
	sizePitch                int // words from one bucket's size to the next
}

// fixedMemory is needed before there is a plan.
func fixedMemory(l *layout) memory {
	return memory{
		sample:   l.take(kernels.SampleBytes),
		segments: l.take(kernels.Segments * kernels.SegmentBytes),
		status:   l.take(4 * kernels.StatusWords),
	}
}

// planned adds what the plan needs. Counters come first, in one piece.
func (m *memory) planned(l *layout, p *plan) (counters int) {
	first := l.at
	m.cursors = l.take(4 * kernels.CursorPitch * p.rooms)
	m.sizes, m.sizePitch = m.cursors, kernels.CursorPitch
	if p.lowBits > 0 {
		m.sizes, m.sizePitch = l.take(4*p.slices), 1
	}
	counters = int(l.at - first)
	m.starts = l.take(4 * p.slices)
	m.oversize = l.take(4 * p.slices)
	m.spill = l.take(8 * kernels.SpillSize)
	m.buckets = l.take(8 * kernels.LocalSize * p.slices)
	if p.lowBits > 0 {
		m.rooms = l.take(8 * p.room * p.rooms)
	}
	return counters
}

// argsort writes the stable order of n codes to order, both in device memory.
// It returns when the device is done.
func (l *lane) argsort(codes cuda.Ptr, wide bool, n int, order cuda.Ptr) (finding, error) {
	if n < 2 {
		return finding{shape: "sorted"}, l.identity(order, n, false)
	}
	head, err := l.take(1 << 16)
	if err != nil {
		return finding{}, err
	}
	defer l.put(head)
	m := fixedMemory(&layout{at: head.at})
	s, sampled, err := l.look(m, codes, wide, n)
	if err != nil {
		return finding{}, err
	}
	if f, err := l.presorted(m, s, codes, wide, n, order); f.shape != "" || err != nil {
		return f, err
	}
	p := planFor(n, wide, s, sampled)
	var size layout
	new(memory).planned(&size, p)
	body, err := l.take(int(size.at))
	if err != nil {
		return finding{}, err
	}
	defer l.put(body)
	counters := m.planned(&layout{at: body.at}, p)
	if err := l.bucketSort(m, counters, p, codes, order); err != nil {
		return finding{}, err
	}
	return l.outcome(m, p)
}

// look samples the codes.
func (l *lane) look(m memory, codes cuda.Ptr, wide bool, n int) (*sample, int, error) {
	sampled := min(max(n/64, min(n/8, 1<<16), 1<<13), 1<<20)
	err := first(
		func() error { return l.Memset32(m.status, 0, kernels.StatusWords, l.stream) },
		func() error {
			return l.run("sample_range"+width(wide), 1, kernels.SampleThreads, kernels.SampleShared, uint64(codes), uint64(n), uint64(m.sample))
		},
		func() error {
			grid := min(64, (sampled+kernels.SampleThreads-1)/kernels.SampleThreads)
			return l.run("sample_segments"+width(wide), grid, kernels.SampleThreads, kernels.SegmentsShared, uint64(codes), uint64(n), uint64(sampled), uint64(m.sample))
		},
		func() error { return l.CopyToHost(l.note, m.sample, kernels.SampleBytes, l.stream) },
		func() error { return l.SyncStream(l.stream) },
	)
	return (*sample)(l.note), sampled, err
}

// presorted ends the sort where the sample looks sorted or reversed and the
// codes are.
func (l *lane) presorted(m memory, s *sample, codes cuda.Ptr, wide bool, n int, order cuda.Ptr) (finding, error) {
	if s.ascents > 0 && s.descents > 0 {
		return finding{}, nil
	}
	grid := min(8*l.info.SMs, (n+kernels.SampleThreads-1)/kernels.SampleThreads)
	err := first(
		func() error {
			return l.run("count_descents"+width(wide), grid, kernels.SampleThreads, 0, uint64(codes), uint64(n), uint64(m.status))
		},
		func() error { return l.readStatus(m) },
	)
	if err != nil {
		return finding{}, err
	}
	switch descents := int(l.status(kernels.StatusDescents)); {
	case descents == 0 && s.low == s.high:
		return finding{shape: "flat"}, l.identity(order, n, false)
	case descents == 0:
		return finding{shape: "sorted"}, l.identity(order, n, false)
	case descents == n-1:
		return finding{shape: "reversed"}, l.identity(order, n, true)
	}
	return finding{}, nil
}

// identity writes the order of sorted or reversed codes.
func (l *lane) identity(order cuda.Ptr, n int, reversed bool) error {
	back := uint64(0)
	if reversed {
		back = 1
	}
	grid := max(1, min(8*l.info.SMs, (n+kernels.SampleThreads-1)/kernels.SampleThreads))
	return first(
		func() error {
			return l.run("write_identity", grid, kernels.SampleThreads, 0, uint64(order), uint64(n), back)
		},
		func() error { return l.SyncStream(l.stream) },
	)
}

// bucketSort gives the device everything to do for the plan.
func (l *lane) bucketSort(m memory, counters int, p *plan, codes, order cuda.Ptr) error {
	return first(
		func() error { return l.Memset32(m.cursors, 0, counters/4, l.stream) },
		func() error { return l.sendSegments(m, p) },
		func() error { return l.splitCodes(m, p, codes) },
		func() error { return l.splitElements(m, p) },
		func() error {
			grid, perRoom := 1, p.slices
			if p.lowBits > 0 {
				grid, perRoom = p.rooms, 1<<p.lowBits
			}
			return l.run("bucket_starts", grid, kernels.StartsThreads, kernels.StartsShared,
				uint64(m.cursors), kernels.CursorPitch, uint64(perRoom), uint64(m.sizes), uint64(m.sizePitch), uint64(m.starts), uint64(m.oversize), uint64(m.status))
		},
		func() error {
			grid := (p.slices + kernels.LocalWarps - 1) / kernels.LocalWarps
			return l.run("local_sort"+width(p.wide), grid, 32*kernels.LocalWarps, kernels.LocalShared,
				uint64(m.buckets), uint64(m.sizes), uint64(m.sizePitch), uint64(m.starts), uint64(p.slices), ^uint64(0)/uint64(p.slices),
				uint64(p.drop), p.nearIfDisplaced, p.near, 1<<p.indexBits-1, uint64(codes), uint64(order), uint64(m.status))
		},
		func() error {
			return l.run("oversize_sort"+width(p.wide), 2*l.info.SMs, kernels.OversizeThreads, kernels.OversizeShared,
				uint64(m.buckets), uint64(m.starts), uint64(p.slices), 1<<p.indexBits-1, uint64(codes), uint64(m.spill), uint64(m.oversize), uint64(order), uint64(m.status))
		},
	)
}

// sendSegments copies the map of uneven codes to the device.
func (l *lane) sendSegments(m memory, p *plan) error {
	if p.segments == nil {
		return nil
	}
	staged := unsafe.Add(l.note, noteSegments)
	*(*[kernels.Segments]segment)(staged) = *p.segments
	return l.CopyToDevice(m.segments, staged, kernels.Segments*kernels.SegmentBytes, l.stream)
}

func (l *lane) splitCodes(m memory, p *plan, codes cuda.Ptr) error {
	kind := "split_codes"
	if p.segments != nil {
		kind = "split_equalised"
	}
	bits, shared := digit(p.rooms)
	rooms, spill := m.rooms, cuda.Ptr(0)
	if p.lowBits == 0 {
		rooms, spill = m.buckets, m.spill
	}
	return l.run(kind+bits+width(p.wide), tiles(p.n), kernels.SplitThreads, shared,
		uint64(codes), uint64(p.n), p.low, p.span, p.up, uint64(m.segments), uint64(p.indexBits), uint64(p.slices), uint64(p.lowBits),
		uint64(rooms), uint64(m.cursors), uint64(p.room), uint64(spill), uint64(m.status))
}

func (l *lane) splitElements(m memory, p *plan) error {
	if p.lowBits == 0 {
		return nil
	}
	bits, shared := digit(1 << p.lowBits)
	perRoom := tiles(p.room)
	return l.run("split_elements"+bits, p.rooms*perRoom, kernels.SplitThreads, shared,
		uint64(m.rooms), uint64(m.cursors), uint64(p.room), uint64(perRoom), uint64(p.slices), uint64(p.lowBits),
		uint64(m.buckets), uint64(m.sizes), uint64(m.spill), uint64(m.status))
}

// outcome waits for the sort and reads how it went.
func (l *lane) outcome(m memory, p *plan) (finding, error) {
	if err := l.readStatus(m); err != nil {
		return finding{}, err
	}
	if l.status(kernels.StatusLost) != 0 {
		return finding{}, errUneven
	}
	if p.lowBits == 0 {
		return finding{levels: 1}, nil
	}
	return finding{levels: 2}, nil
}

// readStatus waits for the stream and fetches the status words.
func (l *lane) readStatus(m memory) error {
	if err := l.CopyToHost(unsafe.Add(l.note, noteStatus), m.status, 4*kernels.StatusWords, l.stream); err != nil {
		return err
	}
	return l.SyncStream(l.stream)
}

func (l *lane) status(word int) uint32 {
	return (*[kernels.StatusWords]uint32)(unsafe.Add(l.note, noteStatus))[word]
}

// digit returns the kernel suffix for a number of digits, and its shared memory.
func digit(values int) (suffix string, shared int) {
	switch {
	case values <= 1<<8:
		return "_8", kernels.SplitShared8
	case values <= 1<<9:
		return "_9", kernels.SplitShared9
	}
	return "_10", kernels.SplitShared10
}

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
