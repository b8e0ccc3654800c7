package beamsort

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// ForEach is a function of the sorted values of one key, that all processes of a pipeline know by
// its name: see [RegisterForEach].
type ForEach[K, T, R any] struct {
	name  string
	order *Ordering[T]
	fn    func(ctx context.Context, key K, values iter.Seq2[T, error], emit func(R)) error
}

// RegisterForEach names a function of the sorted values of one key, for [ForEachKey]. What
// [Register] demands of calls and names holds here as well.
//
// fn ranges over values at most once, from the first to the last or to a break. An error of the
// sort is yielded once, as the last pair, with a zero value; it fails the bundle, also where fn
// drops it. emit emits a result, any number of times. ctx is that of the bundle, for metrics of
// Beam. fn is called for several keys at a time, and again where a bundle is run again.
func RegisterForEach[K, T, R any](name string, order *Ordering[T], fn func(ctx context.Context, key K, values iter.Seq2[T, error], emit func(R)) error) *ForEach[K, T, R] {
	if order == nil || fn == nil {
		panic(fmt.Sprintf("beamsort: RegisterForEach(%q): order or fn is nil", name))
	}
	enter(name, "RegisterForEach", 1)
	each := &ForEach[K, T, R]{name, order, fn}
	registry.Lock()
	defer registry.Unlock()
	if registry.forEach == nil {
		registry.forEach = map[string]any{}
	}
	registry.forEach[name] = each
	registerStructs(reflect.TypeFor[K](), reflect.TypeFor[R]())
	beam.RegisterType(reflect.TypeFor[forEachFn[K, T, R]]())
	return each
}

// ForEachKey groups a collection of KV<K, T> by key and calls the function with each key and its
// values in order: a secondary sort. It returns a collection of KV<K, R> with the results. Values
// that tie come in any order.
//
// The values of a key are sorted within [Memory], and beyond it on disk, so a key may have more
// than memory holds. They are read from the runner once, one by one; how many of them a runner
// keeps in memory is its own matter. K, T and R need coders of Beam. Options other than Memory,
// TempDir and Workers are ignored. It panics if col is not of pairs of K and T. Errors fail the
// bundle, and name the order and the function.
func ForEachKey[K, T, R any](s beam.Scope, col beam.PCollection, each *ForEach[K, T, R], opts ...Option) beam.PCollection {
	checkGiven("ForEachKey", s, col)
	if each == nil {
		panic("beamsort: ForEachKey of a nil ForEach")
	}
	key, value := pairTypes("ForEachKey", col)
	each.order.check("ForEachKey", value)
	if want := reflect.TypeFor[K](); key != want {
		panic(fmt.Sprintf("beamsort: ForEachKey(%q) of keys %v, but keys are %v", each.name, want, key))
	}
	s = s.Scope(fmt.Sprintf("beamsort.ForEachKey(%s)", each.name))
	fn := &forEachFn[K, T, R]{Config: newConfig(each.order.name, opts), Name: each.name}
	return beam.ParDo(s, fn, beam.GroupByKey(s, col))
}

// forEachFn calls a ForEach with each key.
type forEachFn[K, T, R any] struct {
	Config config
	Name   string

	each *ForEach[K, T, R]
}

// Setup finds the function.
func (f *forEachFn[K, T, R]) Setup() error {
	registry.Lock()
	defer registry.Unlock()
	found, ok := registry.forEach[f.Name]
	if !ok {
		return fmt.Errorf("beamsort: ForEach %q is not registered on this worker; call RegisterForEach in a variable at package level", f.Name)
	}
	if f.each, ok = found.(*ForEach[K, T, R]); !ok {
		return fmt.Errorf("beamsort: ForEach %q is a %T on this worker, and a %T in the pipeline", f.Name, found, f.each)
	}
	return nil
}

// ProcessElement sorts the values of one key, and calls the function.
func (f *forEachFn[K, T, R]) ProcessElement(ctx context.Context, key K, values func(*T) bool, emit func(K, R)) error {
	return f.each.order.sortValues(ctx, &f.Config, values, func(_ int64, sorted iter.Seq2[T, error]) error {
		var failed error
		checked := func(yield func(T, error) bool) {
			sorted(func(e T, err error) bool {
				if err != nil {
					failed = err
				}
				return yield(e, err)
			})
		}
		if err := f.each.fn(ctx, key, checked, func(r R) { emit(key, r) }); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		return failed
	})
}
