package beamsort

import (
	"context"
	"fmt"

	"example.com/sorter/extsort"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// SortValues groups a collection of KV<K, T> by key, and returns a collection of KV<K, []T> with
// the values of each key in order: a secondary sort. Values that tie come out in any order.
//
// The sort is within [Memory], and beyond it on disk; the slice of one key has to fit in memory.
// T and K need coders of Beam. Options other than Memory, TempDir and Workers are ignored. It
// panics if col is not of pairs with values of T.
func SortValues[T any](s beam.Scope, col beam.PCollection, order *Ordering[T], opts ...Option) beam.PCollection {
	order.check("SortValues", valueType("SortValues", col))
	c := newConfig(order.name, append(opts, To("-")))
	s = s.Scope(fmt.Sprintf("beamsort.SortValues(%s)", order.name))
	return beam.ParDo(s, &valuesFn[T]{Config: c}, beam.GroupByKey(s, col))
}

// valuesFn sorts the values of each key.
type valuesFn[T any] struct {
	Config config

	order *Ordering[T]
}

// Setup finds the order.
func (f *valuesFn[T]) Setup() (err error) {
	f.order, err = lookup[T](f.Config.Order)
	return err
}

// ProcessElement sorts the values of one key.
func (f *valuesFn[T]) ProcessElement(ctx context.Context, key beam.X, values func(*T) bool, emit func(beam.X, []T)) error {
	sorted, err := f.sort(ctx, values)
	if err != nil {
		return fmt.Errorf("beamsort: values by %q: %w", f.Config.Order, err)
	}
	emit(key, sorted)
	return nil
}

func (f *valuesFn[T]) sort(ctx context.Context, values func(*T) bool) ([]T, error) {
	var stats extsort.Stats
	s, err := f.order.sorter(&f.Config, extsort.WithContext(ctx), extsort.Report(&stats))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var e T
	for values(&e) {
		if err := s.Append(e); err != nil {
			return nil, err
		}
	}
	sorted := make([]T, 0, s.Len())
	for e, err := range s.All() {
		if err != nil {
			return nil, err
		}
		sorted = append(sorted, e)
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	spilledBytes.Inc(ctx, stats.Written)
	return sorted, nil
}
