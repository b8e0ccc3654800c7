package gpu

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
)

// slotsPerWorker is how many pinned slots a worker alternates between: it fills
// one while the copy of the other is under way.
const slotsPerWorker = 2

// order runs one job: codes up, sort, order down.
func (l *lane) order(e *Engine, job *engine.Job) error {
	wide := job.Bits > 32
	codeBytes := 4
	if wide {
		codeBytes = 8
	}
	block, err := l.take((codeBytes + 4) * (job.N + 64))
	if err != nil {
		return err
	}
	defer l.put(block)
	order := block.at
	codes := order + cuda.Ptr(4*job.N+255)&^255
	if wide {
		err = upload(l, job, codes, job.Codes64)
	} else {
		err = upload(l, job, codes, job.Codes32)
	}
	if err != nil {
		return err
	}
	if err := l.sortStage(job, codes, wide, order); err != nil {
		return err
	}
	if e.verify {
		if err := l.check(codes, wide, job.N, order); err != nil {
			return err
		}
	}
	return l.download(job, order)
}

func (l *lane) sortStage(job *engine.Job, codes cuda.Ptr, wide bool, order cuda.Ptr) error {
	var f finding
	var failed error
	err := job.Stage("sort", 1, 1, func(_, _, _ int) { f, failed = l.argsort(codes, wide, job.N, order) })
	if err != nil || failed != nil {
		return firstError(failed, err)
	}
	job.Trace.Algorithm = "bucket bitonic"
	job.Trace.Found(f.shape)
	job.Trace.Rounds = f.levels
	return nil
}

// upload extracts the codes straight into pinned slots and sends each slot off
// while the next one is filled.
func upload[W word](l *lane, job *engine.Job, codes cuda.Ptr, pull func(dst []W, lo int)) error {
	var w W
	size := int(unsafe.Sizeof(w))
	grain := slotBytes / size
	turns := make([]int, max(1, job.Loop.Workers))
	fails := make([]error, len(turns))
	err := job.Stage("extract", job.N, grain, func(worker, lo, hi int) {
		if fails[worker] != nil {
			return
		}
		s := l.turn(worker, turns)
		fails[worker] = first(
			func() error { return l.wait(s) },
			func() error {
				dst := at[W](s.memory, hi-lo)
				for b := lo; b < hi; b += engine.Block {
					if err := job.Loop.Err(); err != nil {
						return err
					}
					pull(dst[b-lo:min(b-lo+engine.Block, hi-lo)], b)
				}
				return nil
			},
			func() error { return l.CopyToDevice(codes+cuda.Ptr(lo*size), s.memory, (hi-lo)*size, l.stream) },
			func() error { return l.mark(s) },
		)
	})
	return firstError(append(fails, err)...)
}

// download brings the order back slot by slot and hands each one on while the
// others are on their way.
func (l *lane) download(job *engine.Job, order cuda.Ptr) error {
	const grain = slotBytes / 4
	turns := make([]int, max(1, job.Loop.Workers))
	fails := make([]error, len(turns))
	err := job.Stage("download", job.N, grain, func(worker, lo, hi int) {
		if fails[worker] != nil {
			return
		}
		s := l.turn(worker, turns)
		fails[worker] = first(
			func() error { return l.wait(s) },
			func() error { return l.CopyToHost(s.memory, order+cuda.Ptr(4*lo), 4*(hi-lo), l.stream) },
			func() error { return l.mark(s) },
			func() error { return l.wait(s) },
		)
		if fails[worker] == nil {
			job.Emit(lo, at[uint32](s.memory, hi-lo))
		}
	})
	return firstError(append(fails, err)...)
}

// turn returns the slot that a worker uses next.
func (l *lane) turn(worker int, turns []int) *slot {
	s := &l.slots[worker*slotsPerWorker+turns[worker]%slotsPerWorker]
	turns[worker]++
	return s
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
