package gpu

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// mergeSort orders codes by merge sort: runs of a tile each, sorted in shared
// memory, are merged in pairs until one is left. Nothing depends on how codes
// are distributed.
func (l *lane) mergeSort(in input, order cuda.Ptr) (finding, error) {
	if in.n == 0 {
		return finding{}, nil
	}
	block, err := l.take(mergeSortBytes(l.device, in.wide, in.n))
	if err != nil {
		return finding{}, err
	}
	defer l.put(block)
	a := area{block.at}
	paths := a.take(pathsBytes(in.n, kernels.MergeTile))
	from, to := runs{a.take(codeBytes(in.wide) * in.n), order}, a.runs(in.wide, in.n)
	rounds := mergeRounds(in.n, kernels.MergeTile)
	if rounds%2 == 1 { // the last merge writes to order
		from, to = to, from
	}
	return finding{levels: rounds}, first(
		func() error { return l.tileSort(in, from) },
		func() error { _, err := l.merge(in.wide, in.n, kernels.MergeTile, from, to, paths, false); return err },
		func() error { return l.SyncStream(l.stream) },
	)
}

// mergeSortBytes is the device memory that a merge sort takes besides codes and
// order.
func mergeSortBytes(_ *device, wide bool, n int) int {
	return 2*runsBytes(wide, n) - 4*n + pathsBytes(n, kernels.MergeTile)
}
