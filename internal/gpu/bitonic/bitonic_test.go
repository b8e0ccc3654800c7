//go:build linux && (amd64 || arm64)

package bitonic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

func TestSort(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.CheckAlgorithm(t, gputest.Workspace(t, Modules...), gputest.TileSizes(Tile), Sort)
}

// TestRows takes fewer strides in a pass than the kernels can, so that
// merges take as many passes as with many more elements.
func TestRows(t *testing.T) {
	w := gputest.Workspace(t, Modules...)
	r := rand.New(rand.NewPCG(3, 4))
	n, most := 13*Tile+77, 3
	if !testkit.Long() {
		n, most = Tile+77, 1
	}
	for rows := 1; rows <= most; rows++ {
		by := func(w *device.Workspace, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
			return sortBy(w, rows, in, order)
		}
		t.Run(fmt.Sprint(rows), func(t *testing.T) { gputest.CheckOrders(t, w, by, gputest.CodesOf["uniform"](r, n)) })
	}
}
