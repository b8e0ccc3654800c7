package selection

import (
	"runtime"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gather"
)

// mostSelections is the number of selections up to which they take less time than an order of all, which takes
// as long as 12 of 2^28 codes on an H200, and as 5 of 2^24.
const mostSelections = 6

// Ranks writes the elements of ranks, each by a selection, consecutive ones by one. If that takes too
// many, whole orders all. It returns when the device is done.
func Ranks(w *device.Workspace, in Input, ranks []int, whole codes.Whole, to Result) error {
	runs := runsOf(ranks)
	if len(runs) > mostSelections {
		return ranksOfAll(w, in, ranks, whole, to)
	}
	for _, run := range runs {
		in.First, in.Count = ranks[0], run
		if err := Select(w, in, whole, to); err != nil {
			return err
		}
		ranks = ranks[run:]
		to = to.after(run, in.Size())
	}
	return nil
}

// runsOf returns the lengths of runs of consecutive ranks.
func runsOf(ranks []int) (runs []int) {
	for i, rank := range ranks {
		if i > 0 && rank == ranks[i-1]+1 {
			runs[len(runs)-1]++
		} else {
			runs = append(runs, 1)
		}
	}
	return runs
}

// after returns where results go after n of them, with codes of size bytes.
func (r Result) after(n, size int) Result {
	if r.Order != 0 {
		r.Order += cuda.Ptr(4 * n)
	}
	if r.Sorted != 0 {
		r.Sorted += cuda.Ptr(size * n)
	}
	return r
}

// ranksOfAll takes the elements of ranks from the order of all.
func ranksOfAll(w *device.Workspace, in Input, ranks []int, whole codes.Whole, to Result) error {
	places := make([]uint32, len(ranks))
	for i, rank := range ranks {
		places[i] = uint32(rank)
	}
	m := len(places)
	var order, at, positions cuda.Ptr
	block, err := w.Lay(func(a *device.Area) { order, at, positions = a.Take(4*in.N), a.Take(4*m), a.Take(4*m) })
	if err != nil {
		return err
	}
	defer w.Put(block)
	q := w.Queue()
	q.Load(gather.Modules)
	q.ToDevice(at, unsafe.Pointer(unsafe.SliceData(places)), 4*m)
	q.Then(func() error {
		return whole(w, codes.Input{Codes: in.Codes, Wide: in.Wide, N: in.N}, order)
	})
	q.Then(func() error { return gather.Elements(w, w.Stream, order, at, 0, m, 4, positions) })
	pick(&q, w, positions, 0, m, 0, in.Codes, in.Size(), to)
	err = q.Sync()
	runtime.KeepAlive(places)
	return err
}
