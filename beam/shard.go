package beamsort

import (
	"context"
	"fmt"
	"io"

	"example.com/sorter/extsort"
)

// shardFn sorts the pieces of a part and writes its shard.
type shardFn[T any] struct {
	Config config

	order *Ordering[T]
}

// ProcessElement sorts and writes one part. It reads the pieces once: not every runner can
// hand them out again.
func (f *shardFn[T]) ProcessElement(ctx context.Context, part int64, pieces func(*[]byte) bool, message []byte, emit func(Shard)) error {
	_, parts, err := planTotals(message)
	if err != nil {
		return f.Config.fail("shard", err)
	}
	shard, err := f.write(ctx, part, parts, pieces)
	if err != nil {
		return f.Config.fail(fmt.Sprintf("shard %d of %d", part, parts), err)
	}
	emit(shard)
	return nil
}

func (f *shardFn[T]) write(ctx context.Context, part, parts int64, pieces func(*[]byte) bool) (Shard, error) {
	var stats extsort.Stats
	sorted, err := f.order.sorter(&f.Config, extsort.WithContext(ctx), extsort.Report(&stats))
	if err != nil {
		return Shard{}, err
	}
	defer sorted.Close()
	if err := f.collect(sorted, pieces); err != nil {
		return Shard{}, err
	}
	shard := Shard{Part: part, Parts: parts, Path: shardName(&f.Config, part, parts)}
	var sum totals
	shard.Bytes, err = writeFile(ctx, shard.Path, f.Config.Direct, func(w io.Writer) error {
		return f.order.writeShard(w, &f.Config, sorted, &shard, &sum)
	})
	if err != nil {
		return Shard{}, err
	}
	shard.Count, shard.Sum = sum.Count, sum.Sum
	if err := sorted.Close(); err != nil {
		return Shard{}, err
	}
	records.Inc(ctx, shard.Count)
	bytesWritten.Inc(ctx, shard.Bytes)
	spilledBytes.Inc(ctx, stats.Written)
	partBytes.Update(ctx, sum.Bytes)
	shardsWritten.Inc(ctx, 1)
	return shard, nil
}

// sorter returns a sorter of elements within the memory of c.
func (o *Ordering[T]) sorter(c *config, opts ...extsort.Option) (*extsort.Sorter[T], error) {
	opts = append(opts, extsort.MemoryLimit(c.Memory), extsort.Workers(c.Workers))
	if len(c.TempDirs) > 0 {
		opts = append(opts, extsort.TempDir(c.TempDirs...))
	}
	if o.layout != nil {
		return extsort.New(o.order, opts...)
	}
	return extsort.NewCoded(o.order, o.codec, opts...)
}

// collect appends the elements of all pieces.
func (f *shardFn[T]) collect(sorted *extsort.Sorter[T], pieces func(*[]byte) bool) error {
	view := blockView[T]{order: f.order}
	var piece []byte
	for pieces(&piece) {
		if err := view.read(piece); err != nil {
			return err
		}
		if f.order.layout != nil {
			if err := sorted.Append(view.fixed...); err != nil {
				return err
			}
			continue
		}
		for i := range view.len() {
			e, err := view.element(i)
			if err != nil {
				return err
			}
			if err := sorted.Append(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeShard writes all elements, and fills in the first and the last.
func (o *Ordering[T]) writeShard(w io.Writer, c *config, sorted *extsort.Sorter[T], shard *Shard, sum *totals) error {
	open, err := o.format(*c)
	if err != nil {
		return err
	}
	out, err := open(w, sum)
	if err != nil {
		return err
	}
	var last []byte
	for batch, err := range sorted.Batches() {
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			continue
		}
		if shard.First == nil {
			if shard.First, err = o.encode([]byte{}, batch[0]); err != nil {
				return err
			}
			last = []byte{} // not nil, also where the last encoding is empty
		}
		if last, err = o.encode(last[:0], batch[len(batch)-1]); err != nil {
			return err
		}
		if err := out.Write(batch); err != nil {
			return err
		}
	}
	shard.Last = last
	return out.Close()
}
