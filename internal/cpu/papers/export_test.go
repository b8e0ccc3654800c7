package papers

import "example.com/sorter/internal/engine"

// Helpers of tests that run the algorithms through the engine.
var (
	Named       = named
	OrderOf     = orderOf
	StableOrder = stableOrder
)

func init() { Link() }

// Sizes are those around all that any of the algorithms cuts.
func Sizes() []int {
	sizes := []int{0, 1, 2, 3, shortRun, shortRun + 1, shortSort, shortSort + 1, 500}
	for _, edge := range []int{engine.Block, networkTile, 2 * networkTile, 2 * leastPart, tileLen, 2 * tileLen, sampleTileLen, 3 * sampleTileLen, chunk} {
		sizes = append(sizes, edge-1, edge, edge+1)
	}
	return sizes
}
