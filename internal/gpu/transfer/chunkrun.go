package transfer

import (
	"sync"
	"sync/atomic"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/runs"
)

// chunks is one job under way. Its work is a list of tasks for the workers. A task waits only
// for earlier tasks, so there is always a worker that makes progress.
type chunks[W codes.Word] struct {
	*Session
	job *engine.Job
	chunking
	pull func(dst []W, lo int)

	list    []chunk[W]
	codes   [2]cuda.Ptr  // of the chunk being sorted and of the one being uploaded
	own     device.Block // holds codes
	runs    runs.Runs    // of all chunks if these stay; otherwise of one
	ups     Ring         // for uploads
	downs   Ring         // for downloads
	groups  []*group[W]  // on the host
	mergers []*merger[W] // by worker
	failed  Fault
	found   codes.Outcome // of the last chunk
}

// chunk is elements [lo, hi).
type chunk[W codes.Word] struct {
	lo, hi   int
	host     hostRun[W]
	uploaded sync.WaitGroup // pieces
	sorted   sync.WaitGroup
	arrived  sync.WaitGroup // pieces of a run that goes to the host
}

// group is neighbouring runs that are merged before all runs have arrived.
type group[W codes.Word] struct {
	first, last int // chunks
	merged      hostRun[W]
	once        sync.Once    // takes merged
	left        atomic.Int64 // pieces
}
