package gpu

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// runs are sorted codes beside their input positions, in device memory, or without
// them where only keys are sorted. Those of a list follow each other in input order,
// all of one length but for the last.
type runs struct{ codes, positions cuda.Ptr }

// mergeModules are the kernels of runs.
var mergeModules = []*module{{kernels.Merge, mergeKernels()}}

func mergeKernels() map[string]int {
	k := map[string]int{}
	for _, wide := range []bool{false, true} {
		shared := mergeShared(wide)
		k["tile_sort"+width(wide)], k["merge_tiles"+width(wide)] = shared, shared
		k["merge_paths"+width(wide)], k["gather_run"+width(wide)] = 0, 0
	}
	return k
}

func mergeShared(wide bool) int {
	if wide {
		return kernels.MergeSharedU64
	}
	return kernels.MergeSharedU32
}

// runsBytes is the device memory that area.runs takes.
func runsBytes(in input) int {
	if in.keys {
		return in.size()*in.n + 256
	}
	return in.size()*in.n + 4*in.n + 2*256
}

func (a *area) runs(in input) runs {
	r := runs{codes: a.take(in.size() * in.n)}
	if !in.keys {
		r.positions = a.take(4 * in.n)
	}
	return r
}

func codeBytes(wide bool) int {
	if wide {
		return 8
	}
	return 4
}

// mergeRounds is how many times runs of that length are merged in pairs until
// one is left.
func mergeRounds(n, length int) (rounds int) {
	for ; length < n; length *= 2 {
		rounds++
	}
	return rounds
}

// pathsBytes is enough for the paths of all merges of runs at least that long.
func pathsBytes(n, length int) int { return 4*mergeTiles(n, length) + 256 }

// mergeBytes is enough for the paths of all merges, and then for the ties of the
// run that is left.
func mergeBytes(n, length int) int { return max(pathsBytes(n, length), tiesBytes(n)+256) }

// mergeTiles is how many tiles the merge of runs of that length has; that of
// longer runs has no more.
func mergeTiles(n, length int) int {
	pairs, rest := n/(2*length), n%(2*length)
	return pairs*tilesOfPair(length) + (rest+kernels.MergeTile-1)/kernels.MergeTile
}

func tilesOfPair(length int) int { return (2*length + kernels.MergeTile - 1) / kernels.MergeTile }

// tileSort makes a run of each tile.
func (w *workspace) tileSort(in input, to runs) error {
	return w.runTiles("tile_sort"+width(in.wide), (in.n+kernels.MergeTile-1)/kernels.MergeTile, kernels.MergeThreads, mergeShared(in.wide),
		uint64(in.codes), uint64(in.n), uint64(to.codes), uint64(to.positions))
}

// gatherRun makes a run of codes whose first has position base, and of their
// order, which may be where the run's positions go. These may be null.
func (w *workspace) gatherRun(in input, order cuda.Ptr, base int, to runs) error {
	return w.run("gather_run"+width(in.wide), max(1, min(32*w.info.SMs, (in.n+kernels.MergeThreads-1)/kernels.MergeThreads)), kernels.MergeThreads, 0,
		uint64(in.codes), uint64(order), uint64(in.n), uint64(base), uint64(to.codes), uint64(to.positions))
}

// merge merges the runs of in's elements, of that length, until one is left. It
// reads and writes from and to in turns, and returns the last run, with its codes if
// these are asked for; of keys alone that has no positions.
func (w *workspace) merge(in input, length int, from, to runs, paths cuda.Ptr, codes bool) (runs, error) {
	for ; length < in.n; length *= 2 {
		if 2*length >= in.n && !codes {
			to.codes = 0
		}
		if err := w.mergePairs(in.wide, in.n, length, from, to, paths); err != nil {
			return runs{}, err
		}
		from, to = to, from
	}
	return from, nil
}

// mergePairs merges each pair of neighbouring runs.
func (w *workspace) mergePairs(wide bool, n, length int, from, to runs, paths cuda.Ptr) error {
	tiles, ofPair := mergeTiles(n, length), tilesOfPair(length)
	err := w.run("merge_paths"+width(wide), (tiles+kernels.MergeThreads-1)/kernels.MergeThreads, kernels.MergeThreads, 0,
		uint64(from.codes), uint64(n), uint64(length), uint64(ofPair), uint64(tiles), uint64(paths))
	for start := 0; start < tiles && err == nil; start += patience {
		err = w.runTiles("merge_tiles"+width(wide), min(patience, tiles-start), kernels.MergeThreads, mergeShared(wide),
			uint64(from.codes), uint64(from.positions), uint64(n), uint64(length), uint64(ofPair), uint64(start), uint64(paths), uint64(to.codes), uint64(to.positions))
	}
	return err
}
