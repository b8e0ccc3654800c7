package transfer

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gather"
)

// mostPayload is the largest element, in bytes, of which a slot holds a block with its codes.
const mostPayload = device.SlotBytes/engine.Block - 8

// Fits reports whether elements of a size can be sent with their codes: they consist of words,
// and a slot holds a block of them.
func Fits(size int) bool { return gather.WordOf(size) != 0 && size <= mostPayload }

// payloadBytes returns the device memory of a job's elements, and of one slot's worth per
// slot.
func (s *Session) payloadBytes(job *engine.Job) int {
	return job.N*job.Elements.Size + 256 + max(SlotsFor(job), len(s.Slots()))*device.SlotBytes
}

// payloadOf takes memory for a job's elements, nil if they are not sent.
func (s *Session) payloadOf(job *engine.Job) (*payload, error) {
	if job.Elements == nil {
		return nil, nil
	}
	if err := s.Load(gather.Modules); err != nil {
		return nil, err
	}
	b, err := s.Take(s.payloadBytes(job))
	sorted := b.At + cuda.Ptr(job.N*job.Elements.Size+255)&^255
	return &payload{job.Elements, b.At, sorted}, err
}

// span is places [lo, hi) of an order.
type span struct{ lo, hi int }

// unload downloads the elements in order, except those of pieces with ties: for these it
// downloads positions, which the library settles; for all, if there are many. Each piece of
// elements is gathered for its slot on a stream of its own, so that gathers run ahead of the
// copies.
func (s *Session) unload(job *engine.Job, p *payload, order cuda.Ptr) error {
	grain := Grain(job.N, job, p.Size)
	free, tied := spans(job, grain)
	if len(tied) > len(free) {
		return download(s, job, job.N, order, job.Emit)
	}
	if err := s.downloadPositions(job, tied, grain, order); err != nil {
		return err
	}
	if err := p.Settle(); err != nil {
		return err
	}
	if err := job.Loop.Err(); err != nil {
		return err
	}
	job.Commit() // elements are written from here on
	return s.downloadElements(job, p, free, grain, order)
}

// downloadPositions downloads the positions at places of an order.
func (s *Session) downloadPositions(job *engine.Job, places []span, grain int, order cuda.Ptr) error {
	return s.downloadSpans(job, places, grain, func(slot *device.Slot, at span) error {
		return s.CopyToHost(slot.Memory, order+cuda.Ptr(4*at.lo), 4*(at.hi-at.lo), s.Stream)
	}, func(slot *device.Slot, at span) { job.Emit(at.lo, words[uint32](slot.Memory, at.hi-at.lo)) })
}

// downloadElements downloads the elements at places of an order.
func (s *Session) downloadElements(job *engine.Job, p *payload, places []span, grain int, order cuda.Ptr) error {
	return s.downloadSpans(job, places, grain, func(slot *device.Slot, at span) error {
		sorted := p.sorted + cuda.Ptr(slot.Number*device.SlotBytes)
		if err := gather.Elements(s.Workspace, s.Side, p.at, order, at.lo, at.hi-at.lo, p.Size, sorted); err != nil {
			return err
		}
		if err := s.After(s.Stream, s.Side); err != nil {
			return err
		}
		return s.CopyToHost(slot.Memory, sorted, (at.hi-at.lo)*p.Size, s.Stream)
	}, func(slot *device.Slot, at span) { p.Push(at.lo, words[byte](slot.Memory, (at.hi-at.lo)*p.Size)) })
}

// downloadSpans lets fetch copy each of places, which are grain long except the last, to a
// slot, and emits the slots.
func (s *Session) downloadSpans(job *engine.Job, places []span, grain int, fetch func(*device.Slot, span) error, emit func(*device.Slot, span)) error {
	n := 0
	for _, p := range places {
		n += p.hi - p.lo
	}
	return newDownload(s.Workspace, n, grain,
		func(slot *device.Slot, lo, _ int) error { return fetch(slot, places[lo/grain]) },
		func(slot *device.Slot, lo, _ int) { emit(slot, places[lo/grain]) },
	).run(job)
}

// spans cuts the order of a job into pieces of grain places, those without ties and the
// others. The place before a tie counts as tied.
func spans(job *engine.Job, grain int) (free, tied []span) {
	for lo := 0; lo < job.N; lo += grain {
		s := span{lo, min(lo+grain, job.N)}
		if end := min(s.hi+1, job.N); job.Ties != nil && engine.Ties(job.Ties).Next(true, s.lo, end) < end {
			tied = append(tied, s)
		} else {
			free = append(free, s)
		}
	}
	return free, tied
}
