package beamsort

import (
	"context"
	"encoding/binary"
	"slices"

	"example.com/sorter"
	"github.com/cespare/xxhash/v2"
)

// packFn packs the elements of a bundle into sorted runs. It emits their blocks, and a message of
// samples for each run.
type packFn[T any] struct {
	Config config

	order    *Ordering[T]
	elements []T
	arena    []byte // encodings of elements, unless they are fixed
	ends     []int  // of each encoding in arena
}

// Setup finds the order.
func (f *packFn[T]) Setup() (err error) {
	f.order, err = lookup[T](f.Config.Order)
	return err
}

// StartBundle drops the state of a failed bundle.
func (f *packFn[T]) StartBundle(_ context.Context, block, sample func([]byte)) {
	f.reset()
}

func (f *packFn[T]) reset() {
	f.elements, f.arena, f.ends = f.elements[:0], f.arena[:0], f.ends[:0]
}

// ProcessElement adds an element to the run, which it emits when it is full.
func (f *packFn[T]) ProcessElement(ctx context.Context, e T, block, sample func([]byte)) error {
	if len(f.elements) == cap(f.elements) {
		f.grow()
	}
	f.elements = append(f.elements, e)
	var size int64
	if l := f.order.layout; l != nil {
		size = int64(len(f.elements)) * int64(l.size)
	} else {
		arena, err := f.order.encode(f.arena, e)
		if err != nil {
			return f.Config.fail("pack: codec", err)
		}
		f.arena = arena
		f.ends = append(f.ends, len(f.arena))
		size = int64(len(f.arena))
	}
	if size < f.Config.PackBytes {
		return nil
	}
	return f.flush(ctx, block, sample)
}

// grow makes room for four times as many elements, or a run of a known size: append, which
// grows by a quarter, would allocate four times the memory of a run.
func (f *packFn[T]) grow() {
	more := max(256, 3*len(f.elements))
	if l := f.order.layout; l != nil {
		more = max(1, min(more, int(f.Config.PackBytes)/l.size+1-len(f.elements)))
	}
	f.elements = slices.Grow(f.elements, more)
}

// FinishBundle emits the last run.
func (f *packFn[T]) FinishBundle(ctx context.Context, block, sample func([]byte)) error {
	return f.flush(ctx, block, sample)
}

// flush sorts the run, and emits its blocks and samples.
func (f *packFn[T]) flush(ctx context.Context, block, sample func([]byte)) error {
	n := len(f.elements)
	if n == 0 {
		return nil
	}
	var sum totals
	var blocks [][]byte
	var err error
	if f.order.layout != nil {
		blocks, err = f.sortFixed(ctx, &sum)
	} else {
		blocks, err = f.sortCoded(ctx, &sum)
	}
	if err != nil {
		return f.Config.fail("pack", err)
	}
	message, taken, err := f.samples(blocks, sum)
	if err != nil {
		return f.Config.fail("pack", err)
	}
	for _, b := range blocks {
		block(b)
	}
	sample(message)
	f.reset()

	runsPacked.Inc(ctx, 1)
	recordsPacked.Inc(ctx, sum.Count)
	bytesPacked.Inc(ctx, sum.Bytes)
	blocksPacked.Inc(ctx, int64(len(blocks)))
	samplesTaken.Inc(ctx, int64(taken))
	return nil
}

// sortFixed sorts the elements. Blocks are their memory, which is not used again.
func (f *packFn[T]) sortFixed(ctx context.Context, sum *totals) ([][]byte, error) {
	if err := f.order.order.Sort(f.elements, sorter.Stable(), sorter.WithContext(ctx)); err != nil {
		return nil, err
	}
	size := f.order.layout.size
	run := memory(f.elements, size)
	f.order.layout.clear(run)
	sum.addFixed(run, size)
	f.elements = nil
	step := max(1, int(f.Config.BlockBytes)/size) * size
	blocks := make([][]byte, 0, len(run)/step+1)
	for at := 0; at < len(run); at += step {
		end := min(at+step, len(run))
		blocks = append(blocks, run[at:end:end])
	}
	return blocks, nil
}

// sortCoded orders the elements and copies their encodings in order.
func (f *packFn[T]) sortCoded(ctx context.Context, sum *totals) ([][]byte, error) {
	p, err := f.order.order.Order(f.elements, sorter.Stable(), sorter.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	var blocks [][]byte
	var block []byte
	for _, i := range p {
		from := 0
		if i > 0 {
			from = f.ends[i-1]
		}
		encoded := f.arena[from:f.ends[i]]
		sum.add(encoded)
		if len(block) > 0 && len(block)+len(encoded)+binary.MaxVarintLen64 > int(f.Config.BlockBytes) {
			blocks, block = append(blocks, block), nil
		}
		if block == nil {
			block = make([]byte, 0, min(len(f.arena)+len(p)*2, int(f.Config.BlockBytes)))
		}
		block = appendRecord(block, encoded)
	}
	clear(f.elements)
	return append(blocks, block), nil
}

// samples returns the message of a run: its totals, and an element for each gap of its bytes.
// Where the first gap begins depends on the run's bytes, so that short runs are sampled as
// evenly as long ones.
func (f *packFn[T]) samples(blocks [][]byte, sum totals) (message []byte, taken int, err error) {
	message = sum.append(nil)
	gap := f.Config.GapBytes
	next := int64(share(sum.Sum) * float64(gap)) // bytes up to the next sample
	v := blockView[T]{order: f.order}
	for _, b := range blocks {
		if l := f.order.layout; l != nil {
			for ; next < int64(len(b)); next += gap {
				at := int(next) / l.size * l.size
				message = appendRecord(message, b[at:at+l.size])
				taken++
			}
			next -= int64(len(b))
			continue
		}
		if err := v.read(b); err != nil {
			return nil, 0, err
		}
		for i := range v.len() {
			encoded := v.encoded(i)
			for ; next < int64(len(encoded)); next += gap {
				message = appendRecord(message, encoded)
				taken++
			}
			next -= int64(len(encoded))
		}
	}
	return message, taken, nil
}

// share maps a hash to [0, 1).
func share(h uint64) float64 { return float64(h>>11) / (1 << 53) }

// phase is a share that depends on the bytes of a block.
func phase(block []byte) float64 { return share(xxhash.Sum64(block)) }
