package beamsort

import (
	"context"
	"fmt"
	"iter"

	"example.com/sorter/extsort"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// SortValues groups a collection of KV<K, T> by key and sorts the values of each key: a secondary
// sort. It returns a collection of KV<K, []T>. Values that tie come out in any order.
//
// The sort is within [Memory], and beyond it on disk; the slice of one key has to fit in memory.
// [ForEachKey] takes keys with any number of values. T and K need coders of Beam. Options other
// than Memory, TempDir and Workers are ignored. It panics if col is not of pairs with values of T.
func SortValues[T any](s beam.Scope, col beam.PCollection, order *Ordering[T], opts ...Option) beam.PCollection {
	checkGiven("SortValues", s, col)
	_, value := pairTypes("SortValues", col)
	order.check("SortValues", value)
	s = s.Scope(fmt.Sprintf("beamsort.SortValues(%s)", order.name))
	return beam.ParDo(s, &valuesFn[T]{Config: newConfig(order.name, opts)}, beam.GroupByKey(s, col))
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
	return f.order.sortValues(ctx, &f.Config, values, func(n int64, sorted iter.Seq2[T, error]) error {
		all := make([]T, 0, n)
		for e, err := range sorted {
			if err != nil {
				return err
			}
			all = append(all, e)
		}
		emit(key, all)
		return nil
	})
}

// sortValues sorts the n values of one key, and calls use with them in order.
func (o *Ordering[T]) sortValues(ctx context.Context, c *config, values func(*T) bool, use func(n int64, sorted iter.Seq2[T, error]) error) error {
	var stats extsort.Stats
	err := func() error {
		s, err := o.sorter(c, extsort.WithContext(ctx), extsort.Report(&stats))
		if err != nil {
			return err
		}
		defer s.Close()
		var e T
		for values(&e) {
			if err := s.Append(e); err != nil {
				return err
			}
		}
		if err := use(s.Len(), s.All()); err != nil {
			return err
		}
		return s.Close()
	}()
	if err != nil {
		return fmt.Errorf("beamsort: values by %q: %w", o.name, err)
	}
	valuesPerKey.Update(ctx, stats.Elements)
	spilledBytes.Inc(ctx, stats.Written)
	return nil
}
