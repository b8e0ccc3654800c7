package multi

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/transfer"
)

// stage runs the tasks of all parts in alternation, so that all links are busy. There are at
// least as many tasks as pieces of grain elements.
func (p *fromHost) stage(name string, grain int, lists [][]transfer.Task) error {
	work := transfer.InTurns(lists...)
	calls := (p.job.N + grain - 1) / grain
	err := p.job.Stage(name, p.job.N, grain, func(worker, lo, _ int) {
		for k := lo / grain; k < len(work); k += calls {
			work[k](worker)
		}
	})
	return device.FirstError(p.failed.Err(), err)
}

// extract extracts the codes of all parts and uploads them.
func (p *fromHost) extract() error {
	if p.job.Plain != nil {
		return p.uploadPlain()
	}
	if p.wide {
		return uploadParts(p, p.job.Codes64)
	}
	return uploadParts(p, p.job.Codes32)
}

func uploadParts[W codes.Word](p *fromHost, pull func(dst []W, lo int)) error {
	size := codes.Bytes(p.wide)
	grain := transfer.Grain(p.job.N/len(p.list), p.job, size)
	var lists [][]transfer.Task
	for _, q := range p.list {
		ring := transfer.NewRing(q.Slots())
		lists = append(lists, transfer.Pieces(q.lo, q.hi, grain, func(lo, hi int) transfer.Task {
			to := q.codes + cuda.Ptr((lo-q.lo)*size)
			return func(int) {
				ring.With(&p.failed, func(s *device.Slot) error {
					return transfer.Send(q.Workspace, s, q.Stream, p.job, to, lo, hi, pull)
				})
			}
		}))
	}
	return p.stage("extract", grain, lists)
}

// downloadResults downloads the results that the job takes.
func (p *fromHost) downloadResults() error {
	to := transfer.Result(p.job)
	switch {
	case !transfer.TakesCodes(p.job) && to != nil:
		return p.downloadAll(to)
	case !transfer.TakesCodes(p.job):
		return downloadParts(p, p.job.Emit)
	}
	if err := p.job.Loop.Err(); err != nil {
		return err
	}
	p.job.Commit() // keys are written from here on
	if to != nil {
		return p.downloadKeys(to)
	}
	if p.job.EmitCodes64 != nil {
		return downloadParts(p, p.job.EmitCodes64)
	}
	return downloadParts(p, p.job.EmitCodes32)
}

// downloadParts downloads from all devices at once, each result to its places.
func downloadParts[W codes.Word](p *fromHost, emit func(lo int, words []W)) error {
	grain := transfer.Grain(p.job.N/len(p.list), p.job, int(unsafe.Sizeof(*new(W))))
	var lists [][]transfer.Task
	for _, q := range p.list {
		d := transfer.NewDownload(q.Workspace, q.n, grain, q.sorted, func(lo int, words []W) { emit(q.place+lo, words) })
		if err := d.Start(); err != nil {
			return err
		}
		lists = append(lists, transfer.Pieces(0, q.n, grain, func(_, _ int) transfer.Task {
			return func(int) {
				if p.failed.Err() == nil { // otherwise Workspace.Done waits for the pieces under way
					d.Receive()
					p.failed.Set(d.Err())
				}
			}
		}))
	}
	return p.stage("download", grain, lists)
}
