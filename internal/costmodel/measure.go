package costmodel

import (
	"context"
	"math/bits"
	"runtime"
	"time"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// A measurement is the best of a few small sorts of synthetic codes on each engine, made while the
// program does not sort. Sorts without payload take about 50 ms together, and those of codes that a sample
// distinguishes from uniform ones twice as long. Sorts with payload take about as long, too, and twice payloadBytes of
// memory.

const (
	fewCodes, manyCodes = 1 << 14, 1 << 21 // the two points of the device's line
	payloadBytes        = 64 << 20         // of elements: exceeds the caches
	calibrationReps     = 5

	// slow is the time of fewCodes from which a device, such as a simulated one, is not measured further.
	slow = 2 * time.Millisecond
)

// Device is the engine to compare with the CPU engine.
type Device interface {
	// Order sorts a job in one pass.
	Order(job *engine.Job) error

	// Pause waits until the program sorts nothing. On an error the measurement ends.
	Pause() error

	// Piece returns how many of n elements a worker extracts at a time for a job with elements
	// of size bytes.
	Piece(n int, job *engine.Job, size int) int
}

// Measure returns costs with one more measurement that w depends on: of sorts without payload, of payload
// or of codes with its sample. On an error it returns c. It takes 50 to 100 ms per call and up to
// twice payloadBytes of memory.
func (c Costs) Measure(d Device, w engine.Work) (more Costs, err error) {
	more = c
	switch {
	case c.codes == nil:
		more.codes, err = measureSorts(d)
	case w.Payload > 0 && c.payload == nil:
		more.payload, err = measurePayload(d, c.codes)
	case w.Sample != engine.Mixed:
		more.samples[w.Sample], err = measureSample(d, c.codes, w.Sample)
	}
	if err != nil {
		return c, err
	}
	return more, nil
}

func measureSorts(d Device) (*sortTimes, error) {
	m := &sortTimes{workers: runtime.GOMAXPROCS(0)}
	if err := measureWidth[uint32](d, m); err != nil {
		return nil, err
	}
	return m, measureWidth[uint64](d, m)
}

func measureWidth[W word](d Device, m *sortTimes) error {
	b := newBench[W](m.workers)
	defer b.Arena.Release(1)
	for _, keys := range []bool{false, true} {
		k := kindOf(engine.Work{Bits: b.bits, Keys: keys})
		for i := range m.cpu[k] {
			n := m.cpu[k].size(i)
			took, err := best(d, func() error { return b.onCPU(n, keys) })
			if err != nil {
				return err
			}
			m.cpu[k][i] = took / float64(n)
		}
		few, err := best(d, func() error { return d.Order(b.job(fewCodes, keys)) })
		if err != nil {
			return err
		}
		m.device[k] = line{each: few / fewCodes}
		if few > float64(slow) {
			continue
		}
		many, err := best(d, func() error { return d.Order(b.job(manyCodes, keys)) })
		if err != nil {
			return err
		}
		m.device[k] = through(fewCodes, few, manyCodes, many)
	}
	return nil
}

// sampled are codes that samples distinguish from uniform ones.
var sampled = [engine.Samples][2]string{
	engine.Drifting: {"seconds of a year with jitter", "milliseconds of a month a minute late"},
	engine.Few:      {"256 values", "256 values"},
}

// measureSample measures manyCodes codes with a sample beside uniform ones.
func measureSample(d Device, m *sortTimes, s engine.Sample) (*ratios, error) {
	r := new(ratios)
	if err := measureRatios[uint32](d, m, r, sampled[s][0]); err != nil {
		return nil, err
	}
	return r, measureRatios[uint64](d, m, r, sampled[s][1])
}

func measureRatios[W word](d Device, m *sortTimes, r *ratios, codes string) error {
	b := newBench[W](m.workers)
	defer b.Arena.Release(1)
	uniform, err := b.many(d, m)
	if err != nil {
		return err
	}
	dist.Fill(b.in, dist.CodesNamed(codes), 1)
	took, err := b.many(d, m)
	for _, k := range b.kinds() {
		r.cpu[k], r.device[k] = took.cpu[k]/uniform.cpu[k], took.device[k]/uniform.device[k]
	}
	return err
}

// kinds are those of orders and of keys.
func (b *bench[W]) kinds() [2]kind {
	return [2]kind{kindOf(engine.Work{Bits: b.bits}), kindOf(engine.Work{Bits: b.bits, Keys: true})}
}

// many measures sorts of all codes; those of a slow device are taken to be one.
func (b *bench[W]) many(d Device, m *sortTimes) (t ratios, err error) {
	for _, k := range b.kinds() {
		keys := k == keys32 || k == keys64
		if t.cpu[k], err = best(d, func() error { return b.onCPU(manyCodes, keys) }); err != nil {
			return t, err
		}
		t.device[k] = 1
		if m.device[k].at(fewCodes) > float64(slow) {
			continue
		}
		took, err := best(d, func() error { return d.Order(b.job(manyCodes, keys)) })
		if err != nil {
			return t, err
		}
		t.device[k] = max(1, took-m.device[k].fixed)
	}
	return t, nil
}

// best returns the shortest of a few runs, in ns, between the sorts of the program.
func best(d Device, f func() error) (ns float64, err error) {
	for i := range calibrationReps {
		if err := d.Pause(); err != nil {
			return 0, err
		}
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

// word is a code.
type word interface{ uint32 | uint64 }

// bench sorts distinct codes of one width, spread evenly.
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

// spread returns the i-th of distinct, evenly spread codes.
func spread[W word](i int) W {
	const golden = 0x9e3779b97f4a7c15
	width := 8 * unsafe.Sizeof(*new(W))
	return W(uint64(i) * (golden>>(64-width) | 1))
}

// job returns a sort of the first n codes in an environment of its own.
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

// measurePayload measures the cost of moving elements, beyond the cost of their codes in m: on
// the CPU engine with their codes and through an order, and on the device with their codes.
func measurePayload(d Device, m *sortTimes) (p *payload, err error) {
	p = new(payload)
	if p.move.small, p.gather.small, err = moves[[smallPayload]byte](d, m); err != nil {
		return nil, err
	}
	if p.move.large, p.gather.large, err = moves[[largePayload]byte](d, m); err != nil {
		return nil, err
	}
	if m.device[order32].at(fewCodes) > float64(slow) {
		return p, nil
	}
	p.send = new(ends)
	if p.send.small, err = sendBack[[smallPayload]byte](d, m); err != nil {
		return nil, err
	}
	p.send.large, err = sendBack[[largePayload]byte](d, m)
	return p, err
}

// sendBack returns the time per element that is sent to the device and back.
func sendBack[E any](d Device, m *sortTimes) (each float64, err error) {
	b := newMover[E](m)
	defer b.job.Arena.Release(1)
	took, err := best(d, func() error { return b.onDevice(d) })
	return max(0, took-m.device[order32].at(len(b.s))) / float64(len(b.s)), err
}

// moves returns the times per element of moving with codes and of gathering.
func moves[E any](d Device, m *sortTimes) (move, gather curve, err error) {
	b := newMover[E](m)
	defer b.job.Arena.Release(1)
	for i := range move {
		n := move.size(i)
		if i == len(move)-1 {
			n = len(b.s)
		}
		took, err := best(d, func() error { return b.onCPU(n) })
		if err != nil {
			return move, gather, err
		}
		move[i] = max(0, took/float64(n)-m.cpu[order32].at(n))
		b.shuffle(n)
		if took, err = best(d, func() error { return b.gathered(d, n) }); err != nil {
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

func newMover[E any](m *sortTimes) *mover[E] {
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

// onDevice sorts all elements on the device, which moves them.
func (b *mover[E]) onDevice(d Device) error {
	n, size := len(b.s), int(unsafe.Sizeof(*new(E)))
	// Sound: elements are arrays of bytes.
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b.s))), n*size)
	return b.job.Scoped(func(env *engine.Env) error {
		return d.Order(&engine.Job{N: n, Bits: 32, Env: env, Codes32: spreadCodes, Elements: &engine.Elements{
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

// gathered copies the first n elements aside, as a sort does while it sends codes, and back
// through an order.
func (b *mover[E]) gathered(d Device, n int) error {
	err := b.job.Stage("aside", n, d.Piece(n, b.job, 4), func(_, lo, hi int) { stream.CopyPast(b.aside[:n], lo, b.s[lo:hi]) })
	if err != nil {
		return err
	}
	return b.job.Stage("gather", n, cpu.GatherPiece(b.job.Env, n), func(_, lo, hi int) {
		cpu.PayloadOf(b.s[lo:hi]).GatherPast(cpu.PayloadOf(b.aside[:n]), b.order[lo:hi])
	})
}
