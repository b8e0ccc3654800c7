// Package segments sorts each segment of a list by itself, on a device. Segments that fit a
// block are sorted there, several short ones together. Larger ones are sorted together: 32-bit codes by a radix sort that keeps
// elements in their segments, others by two sorts of all, the second by segment.
package segments

import (
	"fmt"
	"slices"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Input is the codes of one list, and its segments.
type Input struct {
	codes.Input
	Offsets cuda.Ptr // 32-bit numbers: segment s has the codes offsets[s] to offsets[s+1]-1
	Count   int      // segments
}

// Sort writes the positions of each segment's codes in stable order, or for keys alone the
// sorted codes, to the places of the segment. It returns when the device is done. Offsets that
// descend or exceed the codes are an error; nothing is written then. whole sorts large segments.
func Sort(w *device.Workspace, in Input, whole codes.Whole, to cuda.Ptr) error {
	if in.Count == 0 {
		return nil
	}
	modules, most := modulesFor(w.Info.SharedPerBlock)
	if err := w.Load(modules); err != nil {
		return err
	}
	note, err := device.Pinned[counts](w)
	if err != nil {
		return err
	}
	c := call{w: w, in: in, to: to, most: most, note: note}
	block, err := w.Lay(func(a *device.Area) { c.head = layOut(a, in, most) })
	if err != nil {
		return err
	}
	defer w.Put(block)
	if err := c.split(); err != nil {
		return err
	}
	q := w.Queue()
	c.sortInBlocks(&q)
	q.Then(func() error { return c.sortLarge(whole) })
	return q.Sync()
}

// call is the sort of one list.
type call struct {
	head
	w    *device.Workspace
	in   Input
	to   cuda.Ptr
	most int // elements of a segment that a block sorts
	note *counts
}

// counts is struct SegmentCounts of segments.cuh.
type counts struct {
	large   uint64
	wrong   uint32
	windows uint32
	own     [kernels.SegmentClasses]uint32
}

const countsBytes = int(unsafe.Sizeof(counts{}))

// head is the device memory of every sort.
type head struct{ counts, windows, lists, large cuda.Ptr }

func layOut(a *device.Area, in Input, most int) head {
	return head{
		counts:  a.Take(countsBytes),
		windows: a.Take(kernels.WindowBytes * windows(in.N)),
		lists:   a.Take(4 * kernels.SegmentClasses * pitch(in.N)),
		large:   a.Take(kernels.LargeBytes * (in.N/(most+1) + 1)),
	}
}

// windows returns the number of windows, including that of segments that begin at the end.
func windows(n int) int { return n/kernels.Window + 1 }

// pitch returns the number of segments that may not fit a window.
func pitch(n int) int { return n/kernels.MinBlockSegment + 1 }

// split finds out which kernel sorts which segment.
func (c *call) split() error {
	q, in := c.w.Queue(), c.in
	q.Fill(c.counts, 0, countsBytes/4)
	q.Fill(c.windows, 0, kernels.WindowBytes/4*windows(in.N))
	grid := min(8*c.w.Info.SMs, (in.Count-1)/kernels.SegmentThreads+1)
	q.Run("split_segments", grid, kernels.SegmentThreads, 0, uint64(in.Offsets), uint64(in.Count), uint64(in.N), uint64(c.most),
		uint64(c.counts), uint64(c.windows), uint64(c.lists), uint64(pitch(in.N)), uint64(c.large))
	q.ToHost(unsafe.Pointer(c.note), c.counts, countsBytes)
	if err := q.Sync(); err != nil {
		return err
	}
	return Wrong(int(c.note.wrong), in)
}

// Wrong returns the error for the first invalid segment, of the given number from the end on; none if it is 0.
func Wrong(fromEnd int, in Input) error {
	if fromEnd == 0 {
		return nil
	}
	s := in.Count - fromEnd
	return fmt.Errorf("sorter: gpu: segment %d of %d: offsets[%d] is below offsets[%d] or above %d", s, in.Count, s+1, s, in.N)
}

// results returns where kernels write sorted codes, and positions: one of the two.
func (c *call) results() []uint64 {
	if c.in.Keys {
		return []uint64{uint64(c.to), 0}
	}
	return []uint64{0, uint64(c.to)}
}

// sortInBlocks sorts all segments that fit a block.
func (c *call) sortInBlocks(q *device.Queue) {
	in := c.in.Input
	from := []uint64{uint64(in.Codes), uint64(c.in.Offsets)}
	if c.note.windows != 0 {
		q.Run("sort_windows"+codes.Width(in.Wide), windows(in.N), 1<<kernels.WindowBits/kernels.SegmentItems, windowShared(in.Wide),
			slices.Concat(from, []uint64{uint64(c.windows)}, c.results())...)
	}
	results := c.results()
	if kind(in) != codes.Width(in.Wide) { // kernels of keys have one result
		results = results[:1]
	}
	for i, class := range classes {
		if count := int(c.note.own[i]); count > 0 {
			q.Run(class.kernel(in), count, 1<<class.bits/kernels.SegmentItems, class.shared(in),
				slices.Concat(from, []uint64{uint64(c.lists) + uint64(4*i*pitch(in.N))}, results)...)
		}
	}
}
