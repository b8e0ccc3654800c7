package codes

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Modules has the kernels of the first sample, of sorted and reversed codes, of ties and of
// the checks.
var Modules = []*device.Module{{Image: kernels.Order, Kernels: orderKernels()}}

func orderKernels() map[string]int {
	k := map[string]int{"write_identity": 0, "count_missing": 0}
	for _, wide := range []bool{false, true} {
		width := Width(wide)
		k["sample_range"+width] = kernels.SampleShared
		k["count_descents"+width], k["mark_order"+width], k["mark_ties"+width] = 0, 0, 0
		k["write_ordered"+width], k["sum_codes"+width] = 0, 0
	}
	return k
}

// Grid returns a grid of blocks of kernels.SampleThreads threads that read n elements.
func Grid(w *device.Workspace, n int) int {
	return max(1, min(8*w.Info.SMs, (n+kernels.SampleThreads-1)/kernels.SampleThreads))
}

// Identity writes the order of sorted codes, or copies these codes.
func Identity(w *device.Workspace, in Input, to cuda.Ptr) error {
	q := w.Queue()
	if in.Keys {
		q.Copy(to, in.Codes, in.Size()*in.N)
	} else {
		q.Run("write_identity", Grid(w, in.N), kernels.SampleThreads, 0, uint64(to), uint64(in.N))
	}
	return q.Sync()
}

// Ordered writes the result for codes that seem to be in order, or to fall, and sets a word of the status if they are not.
// Falling codes whose positions are wanted must differ.
func Ordered(q *device.Queue, w *device.Workspace, in Input, falling bool, to, status cuda.Ptr) {
	order, sorted, falls := to, cuda.Ptr(0), uint64(0)
	if in.Keys {
		order, sorted = 0, to
	}
	if falling {
		falls = 1
	}
	q.Run("write_ordered"+Width(in.Wide), Grid(w, in.N), kernels.SampleThreads, 0,
		uint64(in.Codes), uint64(in.N), falls, uint64(order), uint64(sorted), uint64(status))
}

// Ties returns device memory with the ties of an order, marked as in engine.Job.
func Ties(w *device.Workspace, in Input, order cuda.Ptr) (cuda.Ptr, error) {
	ties, err := w.Take(TiesBytes(in.N))
	if err != nil {
		return 0, err
	}
	return ties.At, MarkTies(w, in, order, ties.At)
}

// TiesBytes returns the device memory of the ties of n elements.
func TiesBytes(n int) int { return 4 * engine.TieWords(n) }

// MarkTies marks the ties of an order; order 0 means that the codes are sorted.
func MarkTies(w *device.Workspace, in Input, order, ties cuda.Ptr) error {
	return w.Run("mark_ties"+Width(in.Wide), Grid(w, in.N), kernels.SampleThreads, 0, uint64(in.Codes), uint64(order), uint64(in.N), uint64(ties))
}
