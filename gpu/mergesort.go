package gpu

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// mergeSort orders codes by merge sort: runs of a tile each, sorted in shared
// memory, are merged in pairs until one is left. Nothing depends on how codes
// are distributed.
func (w *workspace) mergeSort(in input, result cuda.Ptr) (finding, error) {
	if in.n == 0 {
		return finding{}, nil
	}
	block, err := w.take(mergeSortBytes(w.device, in))
	if err != nil {
		return finding{}, err
	}
	defer w.put(block)
	a := area{block.at}
	paths := a.take(pathsBytes(in.n, kernels.MergeTile))
	last, other := runs{codes: result}, a.runs(in)
	if !in.keys {
		last = runs{a.take(in.size() * in.n), result}
	}
	rounds := mergeRounds(in.n, kernels.MergeTile)
	from, to := last, other
	if rounds%2 == 1 { // the last merge writes the result
		from, to = to, from
	}
	return finding{levels: rounds}, first(
		func() error { return w.tileSort(in, from) },
		func() error { _, err := w.merge(in, kernels.MergeTile, from, to, paths, in.keys); return err },
		func() error { return w.SyncStream(w.stream) },
	)
}

// mergeSortBytes is the device memory that a merge sort takes besides codes and
// what they become.
func mergeSortBytes(_ *device, in input) int {
	return 2*runsBytes(in) - in.resultSize()*in.n + pathsBytes(in.n, kernels.MergeTile)
}
