package beamsort

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"example.com/sorter"
)

// planFn makes the plan of a sort from the samples of all runs.
type planFn[T any] struct {
	Config config

	order *Ordering[T]
}

// ProcessElement reads the samples, once, and emits the plan.
func (f *planFn[T]) ProcessElement(ctx context.Context, _ []byte, samples func(*[]byte) bool, emit func([]byte)) error {
	s := sketch[T]{order: f.order, most: mostSamples, weight: 1}
	var all totals
	var message []byte
	for samples(&message) {
		r := reader{rest: message}
		all.plus(r.totals())
		for len(r.rest) > 0 {
			if err := s.add(r.bytes()); err != nil {
				return f.Config.fail("plan", err)
			}
		}
		if r.err != nil {
			return f.Config.fail("plan", r.err)
		}
	}
	parts := f.Config.Shards
	if parts == 0 {
		parts = max(1, (all.Bytes+f.Config.ShardBytes-1)/f.Config.ShardBytes)
	}
	if parts > math.MaxInt32 {
		return f.Config.fail("plan", fmt.Errorf("%d bytes in shards of %d are too many shards", all.Bytes, f.Config.ShardBytes))
	}
	if err := s.sort(ctx); err != nil {
		return f.Config.fail("plan", err)
	}
	emit(s.plan(all, parts))
	return nil
}

// mostSamples bounds the memory of the plan: 32 bytes and an element each.
const mostSamples = 4 << 20

// sketch holds samples of equal weight. When there are too many, it keeps every second one, and
// of those that come later every weight-th.
type sketch[T any] struct {
	order   *Ordering[T]
	most    int
	weight  int // samples that each of these stands for
	skipped int
	samples []sample[T]
}

type sample[T any] struct {
	element T
	encoded []byte
}

func (s *sketch[T]) add(encoded []byte) error {
	if s.skipped++; s.skipped < s.weight {
		return nil
	}
	s.skipped = 0
	e, err := s.order.codec.Decode(encoded)
	if err != nil {
		return err
	}
	s.samples = append(s.samples, sample[T]{e, append([]byte(nil), encoded...)})
	if len(s.samples) < s.most {
		return nil
	}
	s.weight *= 2
	thinned := s.samples[:0]
	for i := 1; i < len(s.samples); i += 2 {
		thinned = append(thinned, s.samples[i])
	}
	clear(s.samples[len(thinned):])
	s.samples = thinned
	return nil
}

// sort puts the samples in order.
func (s *sketch[T]) sort(ctx context.Context) error {
	elements := make([]T, len(s.samples))
	for i := range s.samples {
		elements[i] = s.samples[i].element
	}
	p, err := s.order.order.Order(elements, sorter.Stable(), sorter.WithContext(ctx))
	if err != nil {
		return err
	}
	sorted := make([]sample[T], len(p))
	for i, j := range p {
		sorted[i] = s.samples[j]
	}
	s.samples = sorted
	return nil
}

// A plan is a message: totals, the number of parts, and the splitters. A splitter is an element, the
// part below it, and how elements that tie with it are spread over this part and the next ones:
// the share of them at which each next part begins.

// splitter is a splitter of a plan, decoded.
type splitter[T any] struct {
	element T
	below   int64
	shares  []float64 // ascending, in [0, 1]
}

// plan returns the message. Boundary i of the parts is at share i/parts of the samples: a boundary
// is a sample and a share of those that tie with it.
func (s *sketch[T]) plan(all totals, parts int64) []byte {
	message := all.append(nil)
	message = binary.AppendUvarint(message, uint64(parts))
	n := len(s.samples)
	if n == 0 {
		return message
	}
	compare := s.order.order.Compare
	for b := int64(1); b < parts; {
		at := int(share64(b, parts) * float64(n))
		key := s.samples[at].element
		lo, hi := at, at+1
		for lo > 0 && compare(s.samples[lo-1].element, key) == 0 {
			lo--
		}
		for hi < n && compare(s.samples[hi].element, key) == 0 {
			hi++
		}
		var shares []float64
		for ; b < parts && int(share64(b, parts)*float64(n)) < hi; b++ {
			shares = append(shares, (share64(b, parts)*float64(n)-float64(lo))/float64(hi-lo))
		}
		message = appendRecord(message, s.samples[at].encoded)
		message = binary.AppendUvarint(message, uint64(b)-uint64(len(shares))-1)
		message = binary.AppendUvarint(message, uint64(len(shares)))
		for _, x := range shares {
			message = binary.LittleEndian.AppendUint64(message, math.Float64bits(x))
		}
	}
	return message
}

func share64(b, parts int64) float64 { return float64(b) / float64(parts) }

// plan is a plan, decoded.
type plan[T any] struct {
	totals    totals
	parts     int64
	splitters []splitter[T]
}

// planTotals reads the head of a plan.
func planTotals(message []byte) (t totals, parts int64, err error) {
	r := reader{rest: message}
	t, parts = r.totals(), int64(r.uvarint())
	return t, parts, r.err
}

func readPlan[T any](order *Ordering[T], message []byte) (*plan[T], error) {
	r := reader{rest: message}
	p := &plan[T]{totals: r.totals(), parts: int64(r.uvarint())}
	for r.err == nil && len(r.rest) > 0 {
		encoded := r.bytes()
		s := splitter[T]{below: int64(r.uvarint())}
		for range r.uvarint() {
			if r.err != nil {
				break
			}
			s.shares = append(s.shares, math.Float64frombits(r.uint64()))
		}
		if r.err != nil {
			break
		}
		var err error
		if s.element, err = order.codec.Decode(encoded); err != nil {
			return nil, err
		}
		p.splitters = append(p.splitters, s)
	}
	return p, r.err
}
