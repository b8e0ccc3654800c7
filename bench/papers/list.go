package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"example.com/sorter"
	"example.com/sorter/bench/internal/list"
	"example.com/sorter/internal/dist"
)

// drawn is a distribution as a figure shows it.
type drawn struct {
	slug, name string
	draw       func(n int) []uint64
}

var (
	uniform  = drawn{"uniform", "uniform", independent("uniform")}
	gaussian = drawn{"gauss", "Gaussian", independent("gauss")}
	zipf     = drawn{"zipf", "Zipf", independent("zipf")}
	nearly   = drawn{"nearly", "uniform, nearly sorted", nearlySorted}
)

// independent draws values that depend on nothing before them, on all processors.
func independent(name string) func(n int) []uint64 {
	return func(n int) []uint64 {
		values := make([]uint64, n)
		drawParts(values, dist.Named(name), 0)
		return values
	}
}

// drawnPart is how many values one generator makes: lists are as random, and the
// same, however many processors draw them.
const drawnPart = 1 << 16

// drawParts fills dst with the values of d from the given part on.
func drawParts(dst []uint64, d dist.Dist, first int) {
	list.InParallel(len(dst), func(lo, hi int) {
		for lo = (lo + drawnPart - 1) / drawnPart * drawnPart; lo < hi; lo += drawnPart {
			part := dst[lo:min(lo+drawnPart, len(dst))]
			copy(part, d.Draw(len(part), dist.Rand(uint64(first+lo/drawnPart))))
		}
	})
}

// nearlyWindow is how far elements are from their places in a nearly sorted list.
const nearlyWindow = 16

// nearlySorted is a list whose disorder, as Chen et al. measure it, is below their
// threshold of 10: sorted, then shuffled within windows of nearlyWindow.
func nearlySorted(n int) []uint64 {
	values := independent("uniform")(n)
	if err := sorter.SortKeys(values, sorter.On(sorter.CPU())); err != nil {
		panic(err) // nothing is asked for that could fail
	}
	r := rand.New(rand.NewPCG(uint64(n), nearlyWindow))
	for lo := 0; lo < n; lo += nearlyWindow {
		window := values[lo:min(lo+nearlyWindow, n)]
		r.Shuffle(len(window), func(i, j int) { window[i], window[j] = window[j], window[i] })
	}
	return values
}

// disorder is the sum of the steps between neighbours over the range: the degree
// of disorder of Chen et al., equation 2.
func disorder(values []uint64) float64 {
	sum := 0.0
	for i := 1; i < len(values); i++ {
		sum += math.Abs(float64(values[i]) - float64(values[i-1]))
	}
	return sum / float64(slices.Max(values)-slices.Min(values))
}

// element is what lists hold.
type element interface {
	int32 | float32 | sorter.Float4
}

// kind is a type of elements, made of values of the 64-bit line.
type kind[E element] struct {
	slug, name string
	of         func(v uint64) E
	compare    func(a, b E) int
}

var (
	ints   = kind[int32]{"int", "int32", func(v uint64) int32 { return int32(uint32(v>>32) ^ 1<<31) }, cmp.Compare[int32]}
	floats = kind[float32]{"float", "float", float, cmp.Compare[float32]}
	vec4s  = kind[sorter.Float4]{"float4", "float4", float4, compareFloat4}

	// decimals are the integers 0 to 10000.
	decimals = kind[int32]{"decimal", "int32", func(v uint64) int32 { high, _ := bits.Mul64(v, 10001); return int32(high) }, cmp.Compare[int32]}
)

// float spreads the line over [-1, 1).
func float(v uint64) float32 { return float32(float64(int64(v^1<<63)) / (1 << 63)) }

// float4 has v in its first component and what looks random in the others.
func float4(v uint64) sorter.Float4 {
	h := v * 0x9e3779b97f4a7c15
	return sorter.Float4{float(v), float(h), float(h << 20), float(h << 40)}
}

func compareFloat4(a, b sorter.Float4) int {
	for i := range a {
		if c := cmp.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// elements are a list and what contenders sort, its copy.
type elements[E element] struct {
	kind   kind[E]
	master []E
	work   []E
	digest uint64
}

// newElements makes n elements of values, of which it takes every so-many-th: so
// what is nearly sorted stays so.
func newElements[E element](k kind[E], values []uint64, n int) *elements[E] {
	l := &elements[E]{kind: k, master: make([]E, n), work: make([]E, n)}
	list.InParallel(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			l.master[i] = k.of(values[i*len(values)/n])
		}
	})
	l.digest = list.Digest(l.master)
	return l
}

// input is the list with its contenders.
func (l *elements[E]) input(ways ...way) input {
	return input{len(l.master), func() { list.Copy(l.work, l.master) }, ways}
}

// check reports elements that are out of order, lost or changed.
func (l *elements[E]) check() error {
	if err := list.InOrder(l.work, l.kind.compare); err != nil {
		return err
	}
	if list.Digest(l.work) != l.digest {
		return errors.New("elements were lost or changed")
	}
	return nil
}

// ours is a sort of the library.
func (l *elements[E]) ours(name string, opts ...sorter.Option) way {
	return way{name, func(st *sorter.Stats) error {
		return sorter.SortKeys(l.work, append(opts[:len(opts):len(opts)], sorter.Report(st))...)
	}, l.check}
}

func (l *elements[E]) onCPU(name string, a sorter.Algorithm, opts ...sorter.Option) way {
	return l.ours(name, append(opts, sorter.On(sorter.CPU()), sorter.Use(a))...)
}

// onGPU is a sort on the device, where there is one.
func (l *elements[E]) onGPU(b *bench, name string, a sorter.Algorithm, opts ...sorter.Option) []way {
	if b.gpu == nil {
		return nil
	}
	return []way{l.ours(name, append(opts, sorter.On(b.gpu.engine), sorter.Use(a))...)}
}

// plain is somebody else's sort.
func (l *elements[E]) plain(name string, sort func(s []E)) way {
	return way{name, func(*sorter.Stats) error { sort(l.work); return nil }, l.check}
}

// stdSort is C++'s, where there is a compiler.
func (l *elements[E]) stdSort(b *bench) []way {
	if b.std == nil {
		return nil
	}
	return []way{l.plain(stdSort, func(s []E) { sortByStd(b.std, s) })}
}

// order is an argsort of 64-bit keys by the library.
type order struct {
	keys []uint64
	perm []uint32
}

func (o *order) input(ways ...way) input {
	return input{len(o.keys), func() { o.perm = nil }, ways}
}

func (o *order) ours(name string, opts ...sorter.Option) way {
	return way{name, func(st *sorter.Stats) (err error) {
		o.perm, err = sorter.OrderKeys(o.keys, append(opts[:len(opts):len(opts)], sorter.Report(st))...)
		return err
	}, o.check}
}

// check reports a permutation that is not the stable order: positions of equal
// keys that rise, and keys that rise, leave but one.
func (o *order) check() error {
	if len(o.perm) != len(o.keys) {
		return fmt.Errorf("%d positions", len(o.perm))
	}
	for i := 1; i < len(o.perm); i++ {
		a, b := o.perm[i-1], o.perm[i]
		if c := cmp.Compare(o.keys[a], o.keys[b]); c > 0 || c == 0 && a >= b {
			return fmt.Errorf("positions %d and %d are out of order", i-1, i)
		}
	}
	return nil
}
