package gpu

import (
	"sort"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
)

// chunking is how a list comes to the device: chunks of it are sorted one after
// the other, and the runs they become are merged.
type chunking struct {
	device    *device
	algorithm engine.Algorithm // that sorts a chunk
	n, length int              // elements, and those of a chunk; a multiple of engine.Block if it is less than n
	wide      bool
	keys      bool // nothing but sorted codes is wanted
	onDevice  bool // runs stay on the device and are merged there; else on the host
}

// longestChunk keeps lists that do not fit one pass in parts of which one is
// uploaded while another is sorted.
const longestChunk = 1 << 29

// hybridTile is the least that the device sorts at a time for engine.Hybrid: what
// takes longer than the start of a sort. hybridTiles is how many tiles a long
// list has, so that little is left to merge when the last one is sorted.
const hybridTile, hybridTiles = 1 << 20, 16

// chunking decides how a job comes to the device, within the memory there is.
// One chunk is a sort in one pass.
func (w *workspace) chunking(job *engine.Job) (chunking, error) {
	c := chunking{device: w.device, algorithm: job.Algorithm, n: job.N, length: job.N, wide: job.Bits > 32, keys: takesCodes(job)}
	if c.algorithm == engine.Hybrid {
		err := w.tile(&c)
		return c, err
	}
	one := c.onePassBytes()
	space, err := w.space(one)
	if err != nil || c.n <= c.sorter(c.n).most && one <= space {
		return c, err
	}
	runs := runsBytes(c.input(c.n))
	c.onDevice = 2*runs+mergeBytes(c.n, engine.Block) <= space
	if c.onDevice && c.cut(space-runs, longestChunk) {
		return c, nil
	}
	c.onDevice = false
	if !c.cut(space, longestChunk) {
		return c, w.full(space, c.n)
	}
	return c, nil
}

// tile is chunking for engine.Hybrid.
func (w *workspace) tile(c *chunking) error {
	c.algorithm = engine.Auto
	most := max(hybridTile, c.n/hybridTiles)
	space, err := w.space(c.bytes(blocks(min(most, max(c.n, 1)))))
	if err == nil && !c.cut(space, most) {
		err = w.full(space, c.n)
	}
	return err
}

func (w *workspace) full(space, n int) error {
	return cuda.Shortage(w.info.Ordinal, "%d bytes for a sort of %d elements", space, n)
}

// cut makes chunks of about one size, at most about most elements, that can be
// sorted in so much memory. It returns false where none can.
func (c *chunking) cut(space, most int) bool {
	most = min(most, c.sorter(c.n).most, blocks(max(c.n, 1))) / engine.Block
	c.length = engine.Block * sort.Search(most, func(b int) bool { return c.bytes(engine.Block*(b+1)) > space })
	if c.length == 0 {
		return false
	}
	if k := c.chunks(); k > 1 {
		c.length = blocks((c.n + k - 1) / k)
	}
	return true
}

// chunks is their number.
func (c *chunking) chunks() int { return (c.n + c.length - 1) / c.length }

// blocks rounds n up to a multiple of engine.Block.
func blocks(n int) int { return (n + engine.Block - 1) / engine.Block * engine.Block }

// bytes is the device memory that sorting chunks of that length takes, besides
// runs that stay on the device.
func (c *chunking) bytes(length int) int {
	own := 2 * (codeBytes(c.wide)*length + 256)
	if !c.onDevice {
		own += runsBytes(c.input(length))
	}
	return own + c.sortBytes(length)
}

// onePassBytes is the device memory of a sort in one pass.
func (c *chunking) onePassBytes() int {
	in := c.input(c.n)
	return (in.size()+in.resultSize())*(c.n+64) + c.sortBytes(c.n)
}

// sortBytes is the device memory of a sort besides codes and what they become, or of
// a check of it, and of what take may waste of a tight workspace.
func (c *chunking) sortBytes(n int) int {
	bytes := max(c.sorter(n).needs(c.device, c.input(n)), checkBytes(n))
	return bytes + bytes/tightWaste
}

// input is what sorts n of the elements.
func (c *chunking) input(n int) input { return input{wide: c.wide, n: n, keys: c.keys} }

func (c *chunking) sorter(n int) algorithm {
	return c.device.algorithms.demanding(c.algorithm, c.input(n))
}

// space is the device memory that a sort may take which takes about want. Where
// that is not far more, the workspace is tight and gives up what others left it.
func (w *workspace) space(want int) (int, error) {
	space := w.limit
	if space == 0 {
		if uint64(want) < w.info.Memory/16 {
			return want, nil // asking takes longer than sorting a few elements
		}
		free, _, err := w.MemInfo()
		if err != nil {
			return 0, err
		}
		space = int(free) + w.idleBytes()
		space -= space / 16 // for whatever else allocates
	}
	if w.tight = want > space/(2*waste); !w.tight {
		return space, nil
	}
	return space, w.drop(all)
}
