package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/scratch"
)

// plan is the result of decide.
type plan struct {
	engine      engine.Backend   // orders the codes; never nil
	algorithm   engine.Algorithm // how; Auto: in the engine's own way
	Movement    movement
	way         *way         // nil: the general one
	grain       ranges.Grain // of a merge
	bytes       int64        // of scratch memory, at most, besides the requests of the engine itself
	mayFallBack bool         // the CPU finishes a sort in which the engine fails
	calibration string
	observer    engine.Observer // of the time that the call takes; nil: none
	work        engine.Work     // that the observer was asked about
}

// ownWay reports whether the CPU sorts by its own algorithms, which move elements with
// their codes.
func (p *plan) ownWay() bool { return p.engine == cpu.Host && p.algorithm == engine.Auto }

// decide is the one place that chooses the engine, the algorithm, the movement and the way of a
// call and bounds its memory. It reads no element, except for the facts that take a sample, and opens no
// device: it asks devices whether the work is worth them. Where the way of its plan is not done, it plans
// for the ways after that. It returns ErrMemoryLimit where no plan fits the limit.
func decide(f *Facts) (plan, error) {
	within := f.Verb == toSortWithin || f.Verb == ToOrderWithin
	switch {
	case within && f.n > MaxPositions:
		return plan{engine: cpu.Host}, TooLong(f.n)
	case f.n == 0: // no engine is asked
		return f.onHost(toIndex, 0)
	case len(f.Words) == 0 && (f.Verb != toOrder || f.n <= MaxPositions): // all elements are equal
		return f.onHost(toIndex, 0)
	case f.Verb == toMerge:
		return f.merging()
	case f.Verb == ToFilter:
		return f.filtering()
	case within:
		return f.onHost(withinSegments, f.withinBytes())
	case f.most > 0 && f.n > f.most && f.Verb != toOrder:
		return f.long()
	case f.n > MaxPositions:
		return plan{engine: cpu.Host}, TooLong(f.n)
	case f.Verb == ToFind, f.Verb == ToSelect && f.K <= MostSelected(f.n, f.workers):
		return f.selection()
	case f.Verb == toDecode && !(engine.OrdersCodes(f.algorithm) && !f.insists()):
		return f.decoding()
	}
	m := f.movement()
	if w, bytes := f.shortcut(f.Verb); w != nil {
		if w.movement != asPlanned {
			m = w.movement
		}
		return plan{engine: cpu.Host, Movement: m, bytes: bytes, way: w}, nil
	}
	return f.ordering(m)
}

// movement returns how elements move where the CPU orders in its own way.
func (f *Facts) movement() movement {
	switch f.Verb {
	case toOrder, ToSelect:
		return toIndex
	case toPair:
		if !f.decodable {
			return throughIndex
		}
	}
	moved := f.Sizes[len(f.Sizes)-1] // with its code: an element, or a value
	if f.algorithm == engine.BucketRadix || f.algorithm == engine.Auto && moved <= moveBytes {
		return withCodes
	}
	return throughIndex
}

// moveBytes is the element size up to which elements move with their codes
// through the buckets; larger ones are gathered once through the finished
// index. It is two cache lines, beyond which a random read costs little more
// than a sequential one; BenchmarkElementSize compares both ways by size.
const moveBytes = 128

// MostSelected returns the most elements that are selected; for more all are ordered. Each worker finds as many, so more
// workers gain less. The selection of n/64 by 2 workers takes 0.45 of an order, n/128 by 8 0.9, n/256 by 16 0.8
// (Xeon, 16 processors, 2026-11, 2^24 uint32).
func MostSelected(n, workers int) int { return n / (16 * max(2, workers)) }

// ordering plans a sort by an order of codes, in place where nothing else fits.
func (f *Facts) ordering(m movement) (plan, error) {
	w := engine.Work{Bits: f.Words[0].Bits, Further: extract.FurtherCodes(f.Words)}
	if m == withCodes {
		for _, size := range f.Sizes {
			w.Payload += size
		}
	}
	if f.insists() {
		return f.onDevice(f.device(&w, nil), m.indexed(), f.deviceBytes(m))
	}
	bytes := f.hostBytes(m)
	if !f.fits(bytes) {
		if f.Verb == ToSelect {
			return f.selection()
		}
		return f.onHost(InPlace, f.inPlaceBytes())
	}
	p := plan{engine: cpu.Host, algorithm: f.codesAlgorithm(), Movement: m, bytes: bytes}
	if f.backend == nil {
		if b := f.device(&w, &p); b != nil {
			both := f.hostBytes(m.indexed()) + f.fallBackBytes()
			if f.fits(both) && (p.algorithm != engine.Auto || f.suits(b, &w, &p)) {
				p.engine, p.mayFallBack, p.Movement, p.bytes = b, true, m.indexed(), both
			}
		}
	}
	return p, nil
}

// selection plans to select the first k; under a memory limit too small for that, to order
// all elements in place.
func (f *Facts) selection() (plan, error) {
	bytes, least := f.selectBytes(), f.inPlaceBytes()
	if f.Verb == ToFind {
		bytes = f.findBytes()
	}
	if f.fits(bytes) {
		return f.onHost(Selected, bytes)
	}
	p, err := f.onHost(InPlace, least)
	if err != nil {
		err = f.require(min(bytes, least))
	}
	return p, err
}

// filtering plans to drop rows that come after k others of their partition, before the others are
// ordered. How much memory that takes depends on the number of partitions: under a limit all rows are
// ordered, and where an engine or an algorithm is asked for.
func (f *Facts) filtering() (plan, error) {
	if f.limit > 0 || f.insists() || f.algorithm != engine.Auto {
		return f.onHost(toIndex, 0)
	}
	return f.onHost(Selected, 0)
}

// decoding plans to sort keys by codes that lose nothing.
func (f *Facts) decoding() (plan, error) {
	w := engine.Work{Bits: f.Words[0].Bits, Keys: true}
	if f.insists() {
		return f.onDevice(f.device(&w, nil), asCodes, scratch.Size(f.n, extract.CodeSize(f.Words)))
	}
	p := plan{engine: cpu.Host, Movement: asCodes, bytes: cpu.KeysBytes(f.n, f.workers, extract.CodeSize(f.Words))}
	if cpu.CountsNarrow(f.n, w.Bits) {
		p.bytes = max(p.bytes, cpu.NarrowBytes(f.n, f.workers, w.Bits))
	}
	if !f.fits(p.bytes) {
		return f.onHost(InPlace, 0)
	}
	if f.backend == nil {
		if b := f.device(&w, &p); b != nil && f.suits(b, &w, &p) {
			p.engine, p.mayFallBack = b, true
		}
	}
	return p, nil
}

// long plans a sort of more elements than positions number.
func (f *Facts) long() (plan, error) {
	if f.Verb == toDecode && f.Words[0].Bits <= cpu.NarrowBits && f.algorithm == engine.Auto && !f.insists() {
		return f.onHost(counted, cpu.NarrowBytes(f.n, f.workers, f.Words[0].Bits))
	}
	return f.onHost(chunked, f.chunkedBytes())
}

// merging plans a merge, of ranges that fit the memory limit.
func (f *Facts) merging() (p plan, err error) {
	switch {
	case f.most > 0 && f.n > f.most && !extract.Decisive(f.Words): // otherwise nothing numbers elements
		return f.onHost(parted, f.partedBytes())
	case f.runs > ranges.MostRuns:
		return f.onHost(aside, f.asideBytes())
	}
	for g := range ranges.Grains(f.n, f.runs) {
		if bytes := f.mergeBytes(g); p.engine == nil || bytes < p.bytes {
			p, err = f.onHost(merged, bytes)
			p.grain = g
		}
		if err == nil {
			break
		}
	}
	return p, err
}

// onHost plans that the CPU does it in its own way, if the memory fits.
func (f *Facts) onHost(m movement, bytes int64) (plan, error) {
	return plan{engine: cpu.Host, Movement: m, bytes: bytes}, f.require(bytes)
}

// onDevice plans that a device does it and nobody else, if the memory fits.
func (f *Facts) onDevice(b engine.Backend, m movement, bytes int64) (plan, error) {
	return plan{engine: b, algorithm: f.codesAlgorithm(), Movement: m, bytes: bytes}, f.require(bytes)
}

// device returns the device that does the work: the one asked for, or the first that
// expects to be faster than the CPU. Where there is none, it is nil, or the first of all if
// the CPU lacks the algorithm. It is called once in a sort: measurements made meanwhile may
// change the answers. p takes the calibration, unless it is nil.
func (f *Facts) device(w *engine.Work, p *plan) engine.Backend {
	if f.backend != nil {
		return f.backend
	}
	w.N, w.Workers = f.n, f.workers
	for _, b := range f.devices {
		worth := b.Worth(*w)
		if c, ok := b.(engine.Calibrated); ok && f.reported && p != nil {
			p.calibration = c.Calibration()
		}
		if o, ok := b.(engine.Observer); ok && p != nil {
			p.observer, p.work = o, *w
		}
		if worth {
			return b
		}
	}
	if cpu.Host.Runs(f.algorithm) {
		return nil
	}
	return f.devices[0] // see findDevices
}

// suits reports whether b, which seems worth the work, is so for a sample of its codes, too. Codes in order
// are left to the CPU engine, and nobody learns from them.
func (f *Facts) suits(b engine.Backend, w *engine.Work, p *plan) bool {
	switch w.Sample = f.Sampled(); w.Sample {
	case engine.Ordered:
		p.observer = nil
		return false
	case engine.Mixed:
		return true
	}
	p.work = *w
	return b.Worth(*w)
}
