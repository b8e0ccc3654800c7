package papers

import (
	"example.com/sorter/internal/engine"
)

// tileLen is the number of pairs that a worker sorts in its cache before runs are merged in
// memory.
const tileLen = 1 << 14

// mergeSort sorts tiles in the cache and merges these runs pair by pair, each merge by all
// workers: the parallel merge sort of Hwu, Kirk and El Hajj, "Programming Massively Parallel
// Processors" (2022), 13.7.
func mergeSort[C engine.Code](env *engine.Env, pairs []pair[C]) ([]pair[C], error) {
	spare := takePairs[C](env, len(pairs))
	err := env.Stage("tiles", len(pairs), tileLen, func(_, lo, hi int) { sortTile(pairs[lo:hi], spare[lo:hi]) })
	if err = env.Stopped(err); err != nil {
		return nil, err
	}
	m := merging[C]{pairs, spare, runsOf(env, len(pairs), tileLen)}
	return m.all(env)
}

// sortTile sorts a tile in the cache; spare is scratch of the same length.
func sortTile[C engine.Code](tile, spare []pair[C]) {
	for lo := 0; lo < len(tile); lo += shortRun {
		insertionOf(tile[lo:min(lo+shortRun, len(tile))])
	}
	mergeTile(tile, spare, shortRun)
}

// shortRun is the number of pairs that insertion sorts before merging begins.
const shortRun = 16

// mergeTile merges the runs of a tile, each of run pairs; spare is scratch of the same length.
func mergeTile[C engine.Code](tile, spare []pair[C], run int) {
	n, src, dst := len(tile), tile, spare
	for ; run < n; run *= 2 {
		for lo := 0; lo < n; lo += 2 * run {
			mid, hi := min(lo+run, n), min(lo+2*run, n)
			merge(dst[lo:hi], src[lo:mid], src[mid:hi])
		}
		src, dst = dst, src
	}
	copy(tile, src)
}

// insertionOf sorts pairs by insertion sort.
func insertionOf[C engine.Code](pairs []pair[C]) {
	for i := 1; i < len(pairs); i++ {
		p := pairs[i]
		j := i
		for ; j > 0 && below(p, pairs[j-1]) == 1; j-- {
			pairs[j] = pairs[j-1]
		}
		pairs[j] = p
	}
}
