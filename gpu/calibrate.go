package gpu

import (
	"context"
	"math/bits"
	"runtime"
	"time"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// Calibration runs once in a process, in the background, behind the opening of
// the device: small sorts of made-up codes on both engines, the best of a few
// each, since the program goes on meanwhile. It takes some 50 ms. What elements
// cost to move is measured when the first are to be moved, and takes about as
// long and twice payloadBytes.

const (
	fewCodes, manyCodes = 1 << 14, 1 << 21 // between which the device's line lies
	payloadBytes        = 64 << 20         // of elements: more than the caches of the cores
	calibrationReps     = 5

	// slow is a device not worth measuring any further, such as one that is
	// simulated.
	slow = 5 * time.Millisecond
)

// calibrate has the costs of w measured in the background, unless they are, or
// something is being measured. e.mu is held, and the device works.
func (e *Engine) calibrate(w engine.Work) {
	m := e.model
	if e.measuring || m != nil && (w.Payload == 0 || e.payload != nil) {
		return
	}
	e.measuring = true
	e.users.Add(1)
	go func() {
		defer e.users.Done()
		var p *payload
		var err error
		if m == nil {
			m, err = measureModel(e)
		} else {
			p, err = measurePayload(e, m)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if err == nil {
			e.model, e.payload, e.measuring = m, p, false
		}
	}()
}

// Calibration returns the planner's measurements of the device and of the CPU engine, ""
// before there are any. See model.go for the meaning of the numbers.
func (e *Engine) Calibration() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.model == nil:
		return ""
	case e.payload == nil:
		return e.model.String()
	}
	return e.model.String() + "; " + e.payload.String()
}

// measureModel measures sorts without payload, on a workspace of their own.
func measureModel(e *Engine) (*model, error) {
	m := &model{workers: runtime.GOMAXPROCS(0)}
	return m, e.with(context.Background(), engine.Auto, func(w *workspace) error {
		if err := measureWidth[uint32](e, w, m); err != nil {
			return err
		}
		return measureWidth[uint64](e, w, m)
	})
}

func measureWidth[W word](e *Engine, w *workspace, m *model) error {
	b := newBench[W](m.workers)
	defer b.Arena.Release(1)
	for _, keys := range []bool{false, true} {
		k := kindOf(engine.Work{Bits: b.bits, Keys: keys})
		for i := range m.cpu[k] {
			n := m.cpu[k].size(i)
			took, err := best(func() error { return b.onCPU(n, keys) })
			if err != nil {
				return err
			}
			m.cpu[k][i] = took / float64(n)
		}
		few, err := best(func() error { return w.order(e, b.job(fewCodes, keys)) })
		if err != nil {
			return err
		}
		m.device[k] = line{each: few / fewCodes}
		if few > float64(slow) {
			continue
		}
		many, err := best(func() error { return w.order(e, b.job(manyCodes, keys)) })
		if err != nil {
			return err
		}
		m.device[k] = through(fewCodes, few, manyCodes, many)
	}
	return nil
}

// best returns the shortest of a few runs, in ns.
func best(f func() error) (ns float64, err error) {
	for i := range calibrationReps {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		if took := float64(time.Since(start)); i == 0 || took < ns {
			ns = took
		}
	}
	return ns, nil
}

// bench sorts codes of one width, all different and spread evenly.
type bench[W word] struct {
	engine.Env
	bits       int
	in, sorted []W
	order      []uint32
}

func newBench[W word](workers int) *bench[W] {
	b := &bench[W]{bits: 8 * int(unsafe.Sizeof(*new(W)))}
	b.Loop.Workers = workers
	b.in, b.sorted = scratch.Take[W](&b.Arena, manyCodes), scratch.Take[W](&b.Arena, manyCodes)
	b.order = scratch.Take[uint32](&b.Arena, manyCodes)
	for i := range b.in {
		b.in[i] = spread[W](i)
	}
	return b
}

// spread is the i-th of codes that are different and spread evenly.
func spread[W word](i int) W {
	const golden = 0x9e3779b97f4a7c15
	width := 8 * unsafe.Sizeof(*new(W))
	return W(uint64(i) * (golden>>(64-width) | 1))
}

// job is a sort of the first n codes, in an environment of its own.
func (b *bench[W]) job(n int, keys bool) *engine.Job {
	job := &engine.Job{N: n, Bits: b.bits, Env: new(engine.Env)}
	job.Loop.Workers = b.Loop.Workers
	pull := func(dst []W, lo int) { copy(dst, b.in[lo:]) }
	emit := func(lo int, codes []W) { copy(b.sorted[lo:], codes) }
	switch pull := any(pull).(type) {
	case func([]uint32, int):
		job.Codes32 = pull
		if keys {
			job.EmitCodes32 = any(emit).(func(int, []uint32))
		}
	case func([]uint64, int):
		job.Codes64 = pull
		if keys {
			job.EmitCodes64 = any(emit).(func(int, []uint64))
		}
	}
	job.Emit = func(lo int, order []uint32) { copy(b.order[lo:], order) }
	return job
}

// onCPU sorts the first n codes on the CPU engine.
func (b *bench[W]) onCPU(n int, keys bool) error {
	job := b.job(n, keys)
	defer job.Arena.Release(1)
	if !keys {
		return cpu.Engine{}.Order(context.Background(), job)
	}
	all := cpu.Keys[W]{
		Len:   n,
		View:  func(lo, hi int, _ []W) []W { return b.in[lo:hi] },
		Write: func(lo int, codes []W) { copy(b.sorted[lo:], codes) },
	}
	return all.Sort(job.Env)
}

// measurePayload measures what elements cost to move: on the CPU engine, on top
// of what m says of their codes, through an order, and with their codes to the device,
// on top of what m says of orders.
func measurePayload(e *Engine, m *model) (p *payload, err error) {
	p = new(payload)
	if p.move.small, p.gather.small, err = moves[[smallPayload]byte](m); err != nil {
		return nil, err
	}
	if p.move.large, p.gather.large, err = moves[[largePayload]byte](m); err != nil {
		return nil, err
	}
	if m.device[order32].at(fewCodes) > float64(slow) {
		return p, nil
	}
	p.carry = new(ends)
	err = e.with(context.Background(), engine.Auto, func(w *workspace) (err error) {
		if p.carry.small, err = carry[[smallPayload]byte](e, w, m); err != nil {
			return err
		}
		p.carry.large, err = carry[[largePayload]byte](e, w, m)
		return err
	})
	return p, err
}

// carry returns the time per element that travels to the device.
func carry[E any](e *Engine, w *workspace, m *model) (each float64, err error) {
	b := newMover[E](m)
	defer b.job.Arena.Release(1)
	took, err := best(func() error { return b.carried(e, w) })
	return max(0, took-m.device[order32].at(len(b.s))) / float64(len(b.s)), err
}

// moves returns the times per element.
func moves[E any](m *model) (move, gather curve, err error) {
	b := newMover[E](m)
	defer b.job.Arena.Release(1)
	for i := range move {
		n := move.size(i)
		if i == len(move)-1 {
			n = len(b.s)
		}
		took, err := best(func() error { return b.onCPU(n) })
		if err != nil {
			return move, gather, err
		}
		move[i] = max(0, took/float64(n)-m.cpu[order32].at(n))
		b.shuffle(n)
		if took, err = best(func() error { return b.gathered(n) }); err != nil {
			return move, gather, err
		}
		gather[i] = took / float64(n)
	}
	return move, gather, nil
}

// mover moves elements.
type mover[E any] struct {
	job      *engine.Job
	s, aside []E
	order    []uint32
}

func newMover[E any](m *model) *mover[E] {
	most := payloadBytes / int(unsafe.Sizeof(*new(E)))
	job := &engine.Job{Env: new(engine.Env)}
	job.Loop.Workers = m.workers
	return &mover[E]{job, scratch.Take[E](&job.Arena, most), scratch.Take[E](&job.Arena, most), scratch.Take[uint32](&job.Arena, most)}
}

// onCPU sorts the first n elements on the CPU engine.
func (b *mover[E]) onCPU(n int) error {
	return b.job.Scoped(func(env *engine.Env) error { return cpu.Move(env, cpu.PayloadOf(b.s[:n]), spreadCodes) })
}

func spreadCodes(dst []uint32, lo int) {
	for i := range dst {
		dst[i] = spread[uint32](lo + i)
	}
}

// carried sorts all elements on the device, to which they travel.
func (b *mover[E]) carried(e *Engine, w *workspace) error {
	n, size := len(b.s), int(unsafe.Sizeof(*new(E)))
	// Sound: elements are arrays of bytes.
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b.s))), n*size)
	return b.job.Scoped(func(env *engine.Env) error {
		return w.order(e, &engine.Job{N: n, Bits: 32, Env: env, Codes32: spreadCodes, Elements: &engine.Elements{
			Size: size,
			Pull: func(dst []byte, lo int) {
				copy(dst, bytes[lo*size:])
				stream.CopyPast(b.aside, lo, b.s[lo:lo+len(dst)/size])
			},
			Settle: func() error { return nil },
			Push:   func(lo int, elements []byte) { stream.CopyPast(bytes, lo*size, elements) },
		}})
	})
}

// shuffle makes an order of n elements, a power of two.
func (b *mover[E]) shuffle(n int) {
	for i := range b.order[:n] {
		b.order[i] = spread[uint32](i) >> (32 - bits.Len(uint(n-1)))
	}
}

// gathered moves the first n elements aside, as they are while their codes are sent,
// and back through an order.
func (b *mover[E]) gathered(n int) error {
	return first(
		func() error {
			return b.job.Stage("aside", n, grain(n, b.job, 4), func(_, lo, hi int) { stream.CopyPast(b.aside[:n], lo, b.s[lo:hi]) })
		},
		func() error {
			return b.job.Stage("gather", n, cpu.GatherPiece(b.job.Env, n), func(_, lo, hi int) { cpu.PayloadOf(b.s[lo:hi]).GatherPast(cpu.PayloadOf(b.aside[:n]), b.order[lo:hi]) })
		},
	)
}
