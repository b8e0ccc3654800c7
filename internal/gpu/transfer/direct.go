package transfer

import (
	"cmp"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/encode"
)

// Memory of the caller that is pinned is copied to the device and back as it is: no worker copies
// it, no slot is taken. job.Plain is set if that holds of the keys, job.Index if it holds of the
// positions.

// directBytes is the largest copy, and directCopies the number under way: enough that the bus
// never waits for a thread to wake, and few enough that a sort stops within 2 ms. 2026-11, H200,
// 1 GiB: 19.9 ms in copies of 8 MiB, 20.5 of 4 MiB, 19.55 of 32 MiB; 4.5 ms of one processor,
// and 20 where waiting polls.
const directBytes, directCopies = 16 << 20, 3

// Direct is copies on the stream of a workspace, a few at a time. Waiting takes no processor.
type Direct struct {
	w    *device.Workspace
	most int // bytes of a copy
	free chan *underWay
}

// underWay is a copy, if there was one.
type underWay struct {
	passed cuda.Event
	busy   bool
}

// Direct returns copies on the session's stream.
func (s *Session) Direct() (*Direct, error) {
	events, err := s.Sleepers(directCopies)
	if err != nil {
		return nil, err
	}
	d := &Direct{s.Workspace, cmp.Or(s.DirectBytes, directBytes), make(chan *underWay, directCopies)}
	for _, e := range events {
		d.free <- &underWay{passed: e}
	}
	return d, nil
}

// start starts a copy, after it has waited until fewer are under way.
func (d *Direct) start(copy func() error) error {
	c := <-d.free
	defer func() { d.free <- c }()
	if err := d.wait(c); err != nil {
		return err
	}
	if err := copy(); err != nil {
		return err
	}
	c.busy = true
	return d.w.Record(c.passed, d.w.Stream)
}

func (d *Direct) wait(c *underWay) error {
	if !c.busy {
		return nil
	}
	c.busy = false
	return d.w.SyncEvent(c.passed)
}

// Wait waits for all copies. None may be started meanwhile.
func (d *Direct) Wait() (err error) {
	for range directCopies {
		c := <-d.free
		err = device.FirstError(err, d.wait(c))
		d.free <- c
	}
	return err
}

// Up sends keys [first, last) of a job to the device, to the codes at to, and passes all of them, piece
// by piece: keys [lo, hi), grain keys or fewer at the end. Every eighth piece or so starts the copy of
// those that follow, too, so that no worker is left with a long piece when the last copy ends.
func (d *Direct) Up(job *engine.Job, to cuda.Ptr, first, last, grain, lo, hi int) error {
	size := codes.Bytes(job.Bits > 32)
	each := max(1, d.most/size/grain) * grain // keys of a copy
	if (lo-first)%each == 0 {
		n := min(each, last-lo)
		err := d.start(func() error {
			return d.w.CopyToDevice(to+cuda.Ptr((lo-first)*size), unsafe.Add(job.Plain.At, lo*size), n*size, d.w.Stream)
		})
		if err != nil {
			return err
		}
	}
	Pass(job, lo, hi)
	return nil
}

// Down copies bytes to memory of the caller. It stops when ask, which is called now and then,
// returns an error.
func (d *Direct) Down(to unsafe.Pointer, from cuda.Ptr, bytes int, ask func() error) error {
	for at := 0; at < bytes; at += d.most {
		if err := ask(); err != nil {
			return err
		}
		n := min(d.most, bytes-at)
		if err := d.start(func() error { return d.w.CopyToHost(unsafe.Add(to, at), from+cuda.Ptr(at), n, d.w.Stream) }); err != nil {
			return err
		}
	}
	return d.Wait()
}

// PassGrain returns how many of n keys of a size pass at a time.
func PassGrain(n int, job *engine.Job, size int) int {
	return Blocks(job.Loop.Turn(n, 64<<10/size, device.SlotBytes/size))
}

// Result returns the memory of the caller that takes the whole result of a job; nil if none does.
func Result(job *engine.Job) unsafe.Pointer {
	switch {
	case !TakesCodes(job):
		return unsafe.Pointer(unsafe.SliceData(job.Index))
	case job.Plain != nil:
		return job.Plain.At
	}
	return nil
}

// Pass has the library copy keys [lo, hi), which are plain, as far as it needs them later. Touching an order
// that the device writes would take time for nothing.
func Pass(job *engine.Job, lo, hi int) {
	if TakesCodes(job) || job.Index == nil {
		job.Plain.Pass(lo, hi)
	}
}

// slots returns the number of slots that a job needs.
func slots(job *engine.Job) int {
	if job.Plain != nil && Result(job) != nil && job.Ties == nil {
		return 0
	}
	return SlotsFor(job)
}

// uploadPlain copies the keys of a job to the device and encodes them there.
func (s *Session) uploadPlain(job *engine.Job, in codes.Input) error {
	d, err := s.Direct()
	if err != nil {
		return err
	}
	var failed Fault
	grain := PassGrain(job.N, job, in.Size())
	err = job.Stage("extract", job.N, grain, func(_, lo, hi int) {
		if failed.Err() == nil {
			failed.Set(d.Up(job, in.Codes, 0, job.N, grain, lo, hi))
		}
	})
	if err := device.FirstError(failed.Err(), err); err != nil {
		return err
	}
	return encode.Keys(s.Workspace, in.Codes, in.N, in.Wide, job.Plain.Code)
}

// downloadKeys decodes sorted codes and copies them over the keys of the job.
func (s *Session) downloadKeys(job *engine.Job, from cuda.Ptr) error {
	wide := job.Bits > 32
	if err := encode.Codes(s.Workspace, from, job.N, wide, job.Plain.Code); err != nil {
		return err
	}
	job.Plain.Overwrite()
	return s.downloadAll(job, job.Plain.At, from, job.N*codes.Bytes(wide))
}

// downloadAll copies bytes to memory of the caller.
func (s *Session) downloadAll(job *engine.Job, to unsafe.Pointer, from cuda.Ptr, bytes int) (failed error) {
	err := job.Stage("download", 1, 1, func(_, _, _ int) {
		d, err := s.Direct()
		if err == nil {
			err = d.Down(to, from, bytes, job.Loop.Err)
		}
		failed = err
	})
	return device.FirstError(failed, err)
}
