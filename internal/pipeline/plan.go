package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
)

// moveBytes is the element size up to which elements move with their codes
// through the buckets; larger ones are gathered once through the finished
// index. It is two cache lines, beyond which a random read costs little more
// than a sequential one; BenchmarkElementSize compares both ways by size.
const moveBytes = 128

// algorithmFor decides how elements of the given size are sorted by words.
func (r *run) algorithmFor(size uintptr) engine.Algorithm {
	if r.Algorithm == engine.BucketRadix || r.Algorithm == engine.Auto && size <= moveBytes {
		return engine.BucketRadix
	}
	return engine.IndexGather
}

// orderer returns the engine that orders codes of words, nil for the CPU engine in
// its own way. Elements of the given sizes are moved by a; Auto stands for none. It
// is called once in a sort: measurements made meanwhile may change the choice. Rows
// whose sample is in order are for the CPU engine, which only reads them.
func orderer(r *run, a engine.Algorithm, rows extract.Input, words []extract.Word, sizes ...uintptr) engine.Backend {
	w := engine.Work{Bits: words[0].Bits}
	if a == engine.BucketRadix {
		w.Payload, a = sum(sizes), engine.IndexGather // that of the CPU engine, or else through an index
	}
	b := r.device(w)
	if b == nil {
		return nil
	}
	if !r.mayFinish(b) {
		r.needed = needAlone(r, a, words, sizes...)
		return b
	}
	r.needed = needOn(r, a, words, sizes...)
	switch {
	case !r.Fits(r.needed), !r.Algorithm.OrdersCodes() && extract.SampleInOrder(&r.Env, rows, &words[0]):
		return nil
	}
	return b
}

// device returns the engine that does the work, whose number of elements and
// workers are the run's; nil for the CPU engine in its own way.
func (r *run) device(w engine.Work) engine.Backend {
	if r.Backend == cpu.Host && !r.Algorithm.OrdersCodes() {
		return nil
	}
	if r.Backend != nil {
		return r.Backend
	}
	w.N, w.Workers = r.n, r.Loop.Workers
	for _, b := range r.devices {
		worth := b.Worth(w)
		if c, ok := b.(engine.Calibrated); ok && r.Report != nil {
			r.used.Calibration = c.Calibration()
		}
		if worth {
			return b
		}
	}
	switch {
	case !r.Algorithm.OrdersCodes():
		return nil
	case cpu.Host.Runs(r.Algorithm):
		return cpu.Host
	}
	return r.devices[0] // see findDevices
}

// insists reports whether the caller asked for a device, or for an algorithm that
// only devices have.
func (r *run) insists() bool {
	return r.Backend != nil && r.Backend != cpu.Host || !cpu.Host.Runs(r.Algorithm)
}

// mayFinish reports whether the CPU finishes a sort in which b fails.
func (r *run) mayFinish(b engine.Backend) bool { return b != cpu.Host && !r.insists() }
