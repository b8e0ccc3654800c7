package bucket

import (
	"math"
	"slices"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// launch enqueues all work of the plan.
func (c *call) launch(q *device.Queue, p *plan) {
	w, reading, near := c.w, p.reading(c.in), []uint64{uint64(p.nearAt())}
	if p.octaves { // of which all phases need it
		near = nil
	}
	c.openPartitions(q, p)
	c.splitCodes(q, p)
	c.fillBuckets(q, p)
	q.Then(func() error { return w.Record(w.Split, w.Stream) })
	q.Run("local_sort"+p.readingKind(), (p.buckets+kernels.LocalWarps-1)/kernels.LocalWarps, 32*kernels.LocalWarps, p.localShared(),
		slices.Concat([]uint64{uint64(c.bucket), uint64(c.slices), uint64(c.status)}, reading, near, []uint64{uint64(c.to)})...)
	// Oversize buckets are few and slow. They start first, so that the device does not wait
	// for them at the end.
	q.Then(func() error { return w.WaitEvent(w.Side, w.Split) })
	partitions := 0
	if p.twice {
		partitions = p.partitions
	}
	q.RunOn(w.Side, "oversize_sort"+p.readingKind(), 2*w.Info.SMs, kernels.OversizeThreads, kernels.OversizeShared, slices.Concat(
		[]uint64{uint64(c.bucket), uint64(p.n), uint64(c.slices), uint64(c.partitions), uint64(partitions), p.scale}, reading,
		[]uint64{uint64(c.spill), uint64(c.oversize), uint64(c.below), uint64(c.above), uint64(c.to), uint64(c.status), device.Mapped(&c.note.status)})...)
	q.After(w.Stream, w.Side)
}

// openPartitions initializes the partitions of the first split.
func (c *call) openPartitions(q *device.Queue, p *plan) {
	table, sizes := uint64(0), 0
	if p.bounds != nil {
		table = device.Mapped(p.bounds)
	}
	if p.twice {
		sizes = p.buckets
	}
	q.Run("open_partitions", codes.Grid(c.w, max(p.partitions+1, sizes)), kernels.SampleThreads, 0,
		uint64(c.partitions), uint64(c.cursors), uint64(p.partitions), table, uint64(c.sections), p.scale, uint64(p.capacity), uint64(c.sizes), uint64(sizes), uint64(oversizeBudget(c.in)), uint64(c.status))
}

// splitCodes makes elements of codes and moves them to partitions, or to buckets if there is only
// one split.
func (c *call) splitCodes(q *device.Queue, p *plan) {
	elements, spill := c.elements, cuda.Ptr(0)
	if !p.twice {
		elements, spill = c.bucket, c.spill
	}
	d := digit(p.partitions)
	layout := []uint64{uint64(c.in.Codes), uint64(p.n), p.low, p.span, uint64(p.elementUp())}
	if !p.keys {
		layout = append(layout, uint64(p.wordAt()), p.keep)
	}
	equal := []uint64{p.scale, uint64(elements), uint64(p.capacity), uint64(c.cursors), uint64(spill)}
	outside := []uint64{uint64(c.below), uint64(c.above), uint64(c.status)}
	if p.numbers {
		outside = append(outside, uint64(c.in.Numbers))
	}
	switch {
	case p.table != nil:
		q.Run("split_mapped"+d.suffix+codes.Width(p.wide), min(p.codeTiles(), 2*c.w.Info.SMs), kernels.SplitThreads, d.mapped(p.wide),
			slices.Concat(layout, equal, []uint64{uint64(c.status), uint64(c.table), uint64(p.indexBits)})...)
		return
	case p.octaves:
		q.Run("split_octaves"+d.suffix+codes.Width(p.wide), p.codeTiles(), kernels.SplitThreads, d.sections,
			slices.Concat([]uint64{uint64(c.in.Codes), uint64(p.n), p.low, p.span, uint64(p.indexBits), math.MaxUint64/p.positionScale() + 1, uint64(elements), uint64(c.sections), uint64(c.cursors), uint64(spill)}, outside)...)
		return
	case p.bounds != nil:
		q.Run("split_sections"+d.suffix+p.splittingKind(), p.codeTiles(), kernels.SplitThreads, d.section(p),
			slices.Concat(layout, []uint64{uint64(elements), uint64(c.sections), uint64(c.cursors), uint64(spill)}, outside)...)
		return
	}
	name := "split_codes"
	if p.strided {
		name = "split_strided"
	}
	q.Run(name+d.suffix+p.splittingKind(), p.codeTiles(), kernels.SplitThreads, d.split(p), slices.Concat(layout, equal, outside)...)
}

// fillBuckets moves the elements of partitions to buckets, and computes the start of each bucket
// in the order.
func (c *call) fillBuckets(q *device.Queue, p *plan) {
	if !p.twice {
		q.Run("bucket_starts", 1, kernels.PartitionThreads, kernels.StartsShared,
			uint64(c.cursors), p.scale, uint64(p.buckets), uint64(c.slices), uint64(c.oversize), uint64(c.status))
		return
	}
	d, kind := digit(p.most), ""
	if p.elementSize() < 8 {
		kind = p.kind()
	}
	q.Run("plan_partitions", 1, kernels.PartitionThreads, kernels.PartitionsShared, uint64(c.partitions), uint64(c.cursors), uint64(p.partitions),
		uint64(p.least), uint64(p.target), uint64(p.most), uint64(p.tile()), uint64(c.memory.tiles), uint64(c.status))
	q.Run("split_elements"+d.suffix+kind, p.tiles(), kernels.SplitThreads, d.split(p),
		uint64(c.elements), uint64(c.partitions), uint64(c.memory.tiles), uint64(c.bucket), uint64(c.sizes), uint64(c.spill), uint64(c.status))
	q.Run("partition_starts", p.partitions, kernels.PartitionThreads, kernels.StartsShared, uint64(c.partitions), uint64(c.sizes), uint64(c.slices), uint64(c.oversize), uint64(c.status))
}
