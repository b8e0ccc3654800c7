package multi

import (
	"unsafe"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/encode"
	"example.com/sorter/internal/gpu/transfer"
)

// uploadPlain copies the keys of all parts from pinned memory of the caller, and encodes them.
func (p *fromHost) uploadPlain() error {
	grain := transfer.PassGrain(p.job.N/len(p.list), p.job, codes.Bytes(p.wide))
	var lists [][]transfer.Task
	for _, q := range p.list {
		d, err := q.Direct()
		if err != nil {
			return err
		}
		lists = append(lists, transfer.Pieces(q.lo, q.hi, grain, func(lo, hi int) transfer.Task {
			return func(int) {
				if p.failed.Err() == nil {
					p.failed.Set(d.Up(p.job, q.codes, q.lo, q.hi, grain, lo, hi))
				}
			}
		}))
	}
	if err := p.stage("extract", grain, lists); err != nil {
		return err
	}
	return p.each(func(q *part) error {
		return encode.Keys(q.Workspace, q.codes, q.hi-q.lo, p.wide, p.job.Plain.Code)
	})
}

// downloadKeys decodes the sorted codes of all parts and copies them over the keys.
func (p *fromHost) downloadKeys(to unsafe.Pointer) error {
	decode := func(q *part) error {
		return encode.Codes(q.Workspace, q.sorted, q.n, p.wide, p.job.Plain.Code)
	}
	if err := p.each(decode); err != nil {
		return err
	}
	p.job.Plain.Overwrite()
	return p.downloadAll(to)
}

// downloadAll copies the results of all parts at once to pinned memory of the caller, each to its
// places.
func (p *fromHost) downloadAll(to unsafe.Pointer) (failed error) {
	size := codes.Input{Wide: p.wide, Keys: p.keys}.ResultSize()
	err := p.job.Stage("download", 1, 1, func(_, _, _ int) {
		failed = p.each(func(q *part) error {
			d, err := q.Direct()
			if err != nil {
				return err
			}
			return d.Down(unsafe.Add(to, size*q.place), q.sorted, size*q.n, p.job.Loop.Err)
		})
	})
	return device.FirstError(failed, err)
}
