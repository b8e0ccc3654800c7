package beamsort

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"
)

// packCall calls ProcessElement of a packFn without reflection.
type packCall[T any] struct{ fn *packFn[T] }

func wrapPack[T any](fn any) map[string]reflectx.Func {
	f := fn.(*packFn[T])
	return map[string]reflectx.Func{
		"ProcessElement": packCall[T]{f},
		"Setup":          reflectx.MakeFunc(f.Setup),
		"StartBundle":    reflectx.MakeFunc(f.StartBundle),
		"FinishBundle":   reflectx.MakeFunc(f.FinishBundle),
	}
}

func (c packCall[T]) Name() string       { return reflectx.FunctionName(c.fn.ProcessElement) }
func (c packCall[T]) Type() reflect.Type { return reflect.TypeOf(c.fn.ProcessElement) }

func (c packCall[T]) Call(args []any) []any {
	return []any{c.Call4x1(args[0], args[1], args[2], args[3])}
}

func (c packCall[T]) Call4x1(ctx, e, block, sample any) any {
	return c.fn.ProcessElement(ctx.(context.Context), e.(T), block.(func([]byte)), sample.(func([]byte)))
}

// topCall calls AddInput of a topFn without reflection.
type topCall[T any] struct{ fn *topFn[T] }

func wrapTop[T any](fn any) map[string]reflectx.Func {
	f := fn.(*topFn[T])
	return map[string]reflectx.Func{
		"CreateAccumulator": reflectx.MakeFunc(f.CreateAccumulator),
		"AddInput":          topCall[T]{f},
		"MergeAccumulators": reflectx.MakeFunc(f.MergeAccumulators),
		"ExtractOutput":     reflectx.MakeFunc(f.ExtractOutput),
	}
}

func (c topCall[T]) Name() string       { return reflectx.FunctionName(c.fn.AddInput) }
func (c topCall[T]) Type() reflect.Type { return reflect.TypeOf(c.fn.AddInput) }

func (c topCall[T]) Call(args []any) []any {
	s, err := c.Call2x2(args[0], args[1])
	return []any{s, err}
}

func (c topCall[T]) Call2x2(s, e any) (any, any) { return c.fn.AddInput(s.(*topState), e.(T)) }

// candidatesCall calls ProcessElement of a candidatesFn without reflection.
type candidatesCall[T any] struct{ fn *candidatesFn[T] }

func wrapCandidates[T any](fn any) map[string]reflectx.Func {
	f := fn.(*candidatesFn[T])
	return map[string]reflectx.Func{
		"ProcessElement": candidatesCall[T]{f},
		"StartBundle":    reflectx.MakeFunc(f.StartBundle),
		"FinishBundle":   reflectx.MakeFunc(f.FinishBundle),
	}
}

func (c candidatesCall[T]) Name() string       { return reflectx.FunctionName(c.fn.ProcessElement) }
func (c candidatesCall[T]) Type() reflect.Type { return reflect.TypeOf(c.fn.ProcessElement) }

func (c candidatesCall[T]) Call(args []any) []any { return []any{c.Call2x1(args[0], args[1])} }

func (c candidatesCall[T]) Call2x1(e, emit any) any {
	return c.fn.ProcessElement(e.(T), emit.(func(T)))
}

// candidatesPerKeyCall calls ProcessElement of a candidatesPerKeyFn without reflection.
type candidatesPerKeyCall[T any] struct{ fn *candidatesPerKeyFn[T] }

func wrapCandidatesPerKey[T any](fn any) map[string]reflectx.Func {
	f := fn.(*candidatesPerKeyFn[T])
	return map[string]reflectx.Func{
		"ProcessElement": candidatesPerKeyCall[T]{f},
		"StartBundle":    reflectx.MakeFunc(f.StartBundle),
		"FinishBundle":   reflectx.MakeFunc(f.FinishBundle),
	}
}

func (c candidatesPerKeyCall[T]) Name() string       { return reflectx.FunctionName(c.fn.ProcessElement) }
func (c candidatesPerKeyCall[T]) Type() reflect.Type { return reflect.TypeOf(c.fn.ProcessElement) }

func (c candidatesPerKeyCall[T]) Call(args []any) []any {
	return []any{c.Call3x1(args[0], args[1], args[2])}
}

func (c candidatesPerKeyCall[T]) Call3x1(key, e, emit any) any {
	return c.fn.ProcessElement(key, e.(T), emit.(func(beam.X, T)))
}
