package runs

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Sort orders codes by merge sort: runs of one tile each, sorted in shared memory, are merged
// in pairs until one is left. Its time does not depend on the distribution of codes.
func Sort(w *device.Workspace, in codes.Input, result cuda.Ptr) (codes.Outcome, error) {
	if in.N == 0 {
		return codes.Outcome{}, nil
	}
	block, err := w.Take(SortBytes(in))
	if err != nil {
		return codes.Outcome{}, err
	}
	defer w.Put(block)
	a := device.Area{At: block.At}
	paths := a.Take(PathsBytes(in.N, kernels.MergeTile))
	last, other := Runs{Codes: result}, LayOut(&a, in)
	if !in.Keys {
		last = Runs{Codes: a.Take(in.Size() * in.N), Positions: result}
	}
	rounds := Rounds(in.N, kernels.MergeTile)
	from, to := last, other
	if rounds%2 == 1 { // the last merge writes the result
		from, to = to, from
	}
	found := codes.Outcome{Levels: rounds}
	if err := tileSort(w, in, from); err != nil {
		return found, err
	}
	if _, err := Merge(w, in, kernels.MergeTile, from, to, paths, in.Keys); err != nil {
		return found, err
	}
	return found, w.SyncStream(w.Stream)
}

// SortBytes returns the device memory of a merge sort besides codes and result.
func SortBytes(in codes.Input) int {
	return 2*Bytes(in) - in.ResultSize()*in.N + PathsBytes(in.N, kernels.MergeTile)
}
