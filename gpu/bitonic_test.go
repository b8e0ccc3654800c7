//go:build linux && (amd64 || arm64)

package gpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// workspaceWith returns a workspace that has the kernels of an algorithm.
func workspaceWith(t *testing.T, a engine.Algorithm) *workspace {
	t.Helper()
	w := workspaceOf(t)
	if err := w.load(algorithms[a].modules); err != nil {
		t.Fatal(err)
	}
	return w
}

// tileSizes are sizes about those of items, tiles and merges.
func tileSizes() []int {
	if testing.Short() {
		return []int{0, 1, 2, 17, bitonicTile + 1}
	}
	return append([]int{0, 1, 2, 15, 16, 17, 257, 1000, bitonicTile - 1, bitonicTile, bitonicTile + 1,
		2*bitonicTile - 1, 2*bitonicTile + 1, 3 * bitonicTile, 5*bitonicTile + 77, 70_000}, large...)
}

// checkAlgorithm orders codes of all distributions, and of all sizes.
func checkAlgorithm(t *testing.T, w *workspace, by way) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range tileSizes() {
		checkOrders(t, w, by, codesOf["uniform"](r, n))
	}
	for name, make := range codesOf {
		for _, n := range smallSizes(name) {
			t.Run(name, func(t *testing.T) { checkOrders(t, w, by, make(r, n)) })
		}
	}
}

func TestBitonic(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	checkAlgorithm(t, workspaceWith(t, engine.Bitonic), (*workspace).bitonic)
}

// TestBitonicRows takes fewer strides in a pass than the kernels can, so that
// merges take as many passes as with many more elements.
func TestBitonicRows(t *testing.T) {
	w := workspaceWith(t, engine.Bitonic)
	r := rand.New(rand.NewPCG(3, 4))
	n, most := 13*bitonicTile+77, 3
	if testing.Short() {
		n, most = 2*bitonicTile+77, 1
	}
	for rows := 1; rows <= most; rows++ {
		by := func(w *workspace, in input, order cuda.Ptr) (finding, error) { return w.bitonicBy(rows, in, order) }
		t.Run(fmt.Sprint(rows), func(t *testing.T) { checkOrders(t, w, by, codesOf["uniform"](r, n)) })
	}
}

// checkOrders compares orders of codes, of their upper halves, and of codes close
// together with those of the plain twin.
func checkOrders(t *testing.T, w *workspace, by way, wide []uint64) {
	t.Helper()
	narrow := fill32(wide)
	if !slices.Equal(orderBy(t, w, by, narrow), want(narrow)) {
		t.Errorf("%d codes of 32 bits: wrong order", len(wide))
	}
	if !slices.Equal(orderBy(t, w, by, wide), want(wide)) {
		t.Errorf("%d codes of 64 bits: wrong order", len(wide))
	}
	near := fill(len(wide), func(i int) uint64 { return 1<<63 + wide[i]>>30 })
	if !slices.Equal(orderBy(t, w, by, near), want(near)) {
		t.Errorf("%d codes of 64 bits that lie close together: wrong order", len(wide))
	}
}
