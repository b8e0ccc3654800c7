package extsort

import (
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/scratch"
)

// streamLayout divides the memory of a merge of streams.
type streamLayout struct {
	workers int
	block   int // elements of a block
	blocks  int // of a source at most: those of windows that are merged, one to read on, one that is filled
	window  int // elements of a window at most
	bytes   int64
}

// windows returns how many windows there are: those that are merged, and one that is handed out.
func (l *streamLayout) windows() int { return l.workers + 1 }

const (
	wantedWindow = 32 << 10  // elements of a window that is merged in the caches of one worker
	fewestBlock  = 128       // elements of a block, of many sources: less time is taken for each source
	mostBlock    = 8 << 10   // and of few
	blockBytes   = 256 << 10 // bytes of a block of large elements
	slowBlock    = 16        // elements of a block below which fewer workers are faster
)

// layOut returns the layout of a merge of k sources, with the longest blocks that fit.
func (m *streams[E]) layOut(k int) (streamLayout, error) {
	size := max(int(unsafe.Sizeof(*new(E))), 1)
	wanted := min(max(2*wantedWindow/max(k, 1), fewestBlock), mostBlock)
	wanted = max(min(wanted, blockBytes/size), 1)
	workers := m.crew()
	for block := wanted; ; block /= 2 {
		if block < slowBlock && block < wanted && workers > 1 {
			workers, block = workers/2, wanted
		}
		l := m.layoutOf(k, max(block, 1), workers)
		if l.bytes <= m.memory {
			return l, nil
		}
		if block <= 1 {
			return l, tooLittle(m.memory, l.bytes)
		}
	}
}

// layoutOf returns the layout of a number of workers and a length of blocks.
func (m *streams[E]) layoutOf(k, length, workers int) streamLayout {
	l := streamLayout{workers: workers, block: length, blocks: workers + horizon, window: horizon * k * length}
	size := unsafe.Sizeof(*new(E))
	state := int64(unsafe.Sizeof(source[E]{})) + int64(l.blocks)*int64(unsafe.Sizeof(block[E]{})+unsafe.Sizeof(seen[E]{})+8) + 64
	each := state + int64(l.blocks)*scratch.Size(length, size)
	regions := horizon * k
	work := pipeline.MergeBytes(m.cols, size, l.window, min(regions, ranges.MostRuns), &call.Options{Workers: 1})
	if regions > fewRegions {
		work = max(work, m.order.ScratchBytes(l.window, sorter.Workers(1)))
	}
	window := scratch.Size(l.window+1, size) + int64(regions)*int64(unsafe.Sizeof(region[E]{})+40)
	l.bytes = int64(k)*each + int64(l.windows())*window + int64(workers)*work
	return l
}
