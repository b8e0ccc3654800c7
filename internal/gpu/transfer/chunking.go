package transfer

import (
	"sort"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/runs"
)

// chunking is how a list is cut: its chunks are sorted one after the other, and the sorted
// runs are merged.
type chunking struct {
	sorter    *dispatch.Sorter
	algorithm engine.Algorithm // that sorts a chunk
	n, length int              // elements, and those of a chunk; a multiple of engine.Block if it is less than n
	wide      bool
	keys      bool // only sorted codes are wanted
	onDevice  bool // runs stay on the device and are merged there; else on the host
}

// longestChunk bounds the chunks of lists that do not fit one pass, so that one is uploaded
// while another is sorted.
const longestChunk = 1 << 29

// hybridTile is the least number of elements that the device sorts at a time for
// engine.Hybrid; smaller sorts are dominated by their start. hybridTiles is the number of
// tiles of a long list: enough that little is left to merge when the last one is sorted.
const hybridTile, hybridTiles = 1 << 20, 16

// chunking decides how a job is cut, given the free memory. One chunk is a sort in one pass.
func (s *Session) chunking(job *engine.Job) (chunking, error) {
	c := chunking{sorter: s.Sorter, algorithm: job.Algorithm, n: job.N, length: job.N, wide: job.Bits > 32, keys: TakesCodes(job)}
	if c.algorithm == engine.Hybrid {
		err := s.tile(&c)
		return c, err
	}
	one := c.onePassBytes()
	space, err := s.Space(one)
	if err != nil || c.n <= c.most() && one <= space {
		return c, err
	}
	runBytes := runs.Bytes(c.input(c.n))
	c.onDevice = 2*runBytes+runs.MergeBytes(c.n, engine.Block) <= space
	if c.onDevice && c.cut(space-runBytes, longestChunk) {
		return c, nil
	}
	c.onDevice = false
	if !c.cut(space, longestChunk) {
		return c, s.full(space, c.n)
	}
	return c, nil
}

// tile is chunking for engine.Hybrid.
func (s *Session) tile(c *chunking) error {
	c.algorithm = engine.Auto
	most := max(hybridTile, c.n/hybridTiles)
	space, err := s.Space(c.bytes(Blocks(min(most, max(c.n, 1)))))
	if err == nil && !c.cut(space, most) {
		err = s.full(space, c.n)
	}
	return err
}

func (s *Session) full(space, n int) error {
	return cuda.Shortage(s.Info.Ordinal, "%d bytes for a sort of %d elements", space, n)
}

// cut makes chunks of about equal size, each of about most elements at most, that can be
// sorted in space bytes. It returns false if there is no such size.
func (c *chunking) cut(space, most int) bool {
	most = min(most, c.most(), Blocks(max(c.n, 1))) / engine.Block
	c.length = engine.Block * sort.Search(most, func(b int) bool { return c.bytes(engine.Block*(b+1)) > space })
	if c.length == 0 {
		return false
	}
	if k := c.chunks(); k > 1 {
		c.length = Blocks((c.n + k - 1) / k)
	}
	return true
}

// chunks returns the number of chunks.
func (c *chunking) chunks() int { return (c.n + c.length - 1) / c.length }

// bytes returns the device memory of sorting chunks of the given length, without runs that
// stay on the device.
func (c *chunking) bytes(length int) int {
	own := 2 * (codes.Bytes(c.wide)*length + 256)
	if !c.onDevice {
		own += runs.Bytes(c.input(length))
	}
	return own + c.sortBytes(length)
}

// onePassBytes returns the device memory of a sort in one pass.
func (c *chunking) onePassBytes() int {
	in := c.input(c.n)
	return (in.Size()+in.ResultSize())*(c.n+64) + c.sortBytes(c.n)
}

// sortBytes returns the device memory of a sort of n elements besides codes and result.
func (c *chunking) sortBytes(n int) int { return SortBytes(c.sorter, c.algorithm, c.input(n)) }

// SortBytes returns the device memory of a sort, or of its check, besides codes and result. It
// includes the waste of a workspace that is short of memory.
func SortBytes(s *dispatch.Sorter, a engine.Algorithm, in codes.Input) int {
	return device.WithWaste(max(s.Bytes(a, in), codes.CheckBytes(in.N)))
}

// input returns a sort of n of the elements.
func (c *chunking) input(n int) codes.Input {
	return codes.Input{Wide: c.wide, N: n, Keys: c.keys}
}

// most returns the largest number of elements of a chunk.
func (c *chunking) most() int { return c.sorter.MaxN(c.algorithm, c.input(c.n)) }

// LimitFor returns the device memory with which a list of n elements is cut into chunks of the
// given length, whose runs stay on the device or go to the host. For tests.
func LimitFor(s *dispatch.Sorter, a engine.Algorithm, wide, keys, onDevice bool, n, length int) int {
	c := chunking{sorter: s, algorithm: a, n: n, wide: wide, keys: keys, onDevice: onDevice}
	if a == engine.Hybrid {
		c.algorithm = engine.Auto
	}
	limit := c.bytes(length)
	if onDevice {
		limit += runs.Bytes(c.input(n))
	}
	return limit
}

// Chunks returns the number of chunks of a job and whether their runs stay on the device.
func (s *Session) Chunks(job *engine.Job) (chunks int, onDevice bool, err error) {
	c, err := s.chunking(job)
	return c.chunks(), c.onDevice, err
}
