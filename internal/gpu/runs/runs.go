// Package runs merges sorted runs on a device.
package runs

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Runs is sorted codes and, unless only keys are sorted, their input positions, in device
// memory. The runs of a list follow each other in input order, all of one length except the
// last.
type Runs struct{ Codes, Positions cuda.Ptr }

// Modules has the kernels of runs.
var Modules = []*device.Module{{Image: kernels.Merge, Kernels: runKernels()}}

func runKernels() map[string]int {
	k := map[string]int{}
	for _, wide := range []bool{false, true} {
		k["tile_sort"+codes.Width(wide)], k["merge_tiles"+codes.Width(wide)] = shared(wide), shared(wide)
		k["merge_paths"+codes.Width(wide)], k["gather_run"+codes.Width(wide)] = 0, 0
	}
	return k
}

func shared(wide bool) int {
	if wide {
		return kernels.MergeSharedU64
	}
	return kernels.MergeSharedU32
}

// Bytes returns the device memory that LayOut takes.
func Bytes(in codes.Input) int {
	if in.Keys {
		return in.Size()*in.N + 256
	}
	return in.Size()*in.N + 4*in.N + 2*256
}

// LayOut takes memory for runs of the elements of in.
func LayOut(a *device.Area, in codes.Input) Runs {
	r := Runs{Codes: a.Take(in.Size() * in.N)}
	if !in.Keys {
		r.Positions = a.Take(4 * in.N)
	}
	return r
}

// Rounds returns the number of rounds of pairwise merges of runs of the given length.
func Rounds(n, length int) (rounds int) {
	for ; length < n; length *= 2 {
		rounds++
	}
	return rounds
}

// PathsBytes bounds the memory of the paths of all merges of runs at least that long.
func PathsBytes(n, length int) int { return 4*mergeTiles(n, length) + 256 }

// MergeBytes bounds the memory of the paths of all merges, reused for the ties of the last
// run.
func MergeBytes(n, length int) int { return max(PathsBytes(n, length), codes.TiesBytes(n)+256) }

// mergeTiles returns the number of tiles of a merge of runs of that length; merges of longer
// runs have no more.
func mergeTiles(n, length int) int {
	pairs, rest := n/(2*length), n%(2*length)
	return pairs*tilesOfPair(length) + (rest+kernels.MergeTile-1)/kernels.MergeTile
}

func tilesOfPair(length int) int { return (2*length + kernels.MergeTile - 1) / kernels.MergeTile }

// tileSort makes a run of each tile.
func tileSort(w *device.Workspace, in codes.Input, to Runs) error {
	return w.RunTiles("tile_sort"+codes.Width(in.Wide), (in.N+kernels.MergeTile-1)/kernels.MergeTile, kernels.MergeThreads, shared(in.Wide),
		uint64(in.Codes), uint64(in.N), uint64(to.Codes), uint64(to.Positions))
}

// Gather makes a run of codes, whose first has position base, and of their order. order may be
// the memory of the run's positions; these may be null.
func Gather(w *device.Workspace, in codes.Input, order cuda.Ptr, base int, to Runs) error {
	return w.Run("gather_run"+codes.Width(in.Wide), max(1, min(32*w.Info.SMs, (in.N+kernels.MergeThreads-1)/kernels.MergeThreads)), kernels.MergeThreads, 0,
		uint64(in.Codes), uint64(order), uint64(in.N), uint64(base), uint64(to.Codes), uint64(to.Positions))
}

// Merge merges the runs of in's elements until one is left, stably. It alternates between from
// and to and returns the last run, with its codes if withCodes; for keys alone without
// positions.
func Merge(w *device.Workspace, in codes.Input, length int, from, to Runs, paths cuda.Ptr, withCodes bool) (Runs, error) {
	for ; length < in.N; length *= 2 {
		if 2*length >= in.N && !withCodes {
			to.Codes = 0
		}
		if err := mergePairs(w, in.Wide, in.N, length, from, to, paths); err != nil {
			return Runs{}, err
		}
		from, to = to, from
	}
	return from, nil
}

// mergePairs merges each pair of neighbouring runs.
func mergePairs(w *device.Workspace, wide bool, n, length int, from, to Runs, paths cuda.Ptr) error {
	tiles, ofPair := mergeTiles(n, length), tilesOfPair(length)
	err := w.Run("merge_paths"+codes.Width(wide), (tiles+kernels.MergeThreads-1)/kernels.MergeThreads, kernels.MergeThreads, 0,
		uint64(from.Codes), uint64(n), uint64(length), uint64(ofPair), uint64(tiles), uint64(paths))
	for start := 0; start < tiles && err == nil; start += device.Patience {
		err = w.RunTiles("merge_tiles"+codes.Width(wide), min(device.Patience, tiles-start), kernels.MergeThreads, shared(wide),
			uint64(from.Codes), uint64(from.Positions), uint64(n), uint64(length), uint64(ofPair), uint64(start), uint64(paths), uint64(to.Codes), uint64(to.Positions))
	}
	return err
}
