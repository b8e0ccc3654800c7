package beamsort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
)

// TopK returns a collection of one slice, []T, with the first k elements of col in order. It has
// all if there are fewer, and is empty if there are none. Of elements that tie with the last any may be
// taken.
//
// Each bundle holds up to 2k elements, at least 64, and drops those that are after the k-th
// one known at the cost of one comparison. Its first k go through the shuffle. Beam encodes the result, so T needs a coder
// of Beam, which it has unless it is a struct with fields that Beam does not know. It panics if k is not positive, col is
// not of T or order is nil.
func TopK[T any](s beam.Scope, col beam.PCollection, k int, order *Ordering[T]) beam.PCollection {
	positive("TopK", int64(k))
	checkGiven("TopK", s, col)
	order.check("TopK", col.Type().Type())
	s = s.Scope(fmt.Sprintf("beamsort.TopK(%s)", order.name))
	candidates := beam.ParDo(s.Scope("bundle"), &candidatesFn[T]{Order: order.name, K: k}, col)
	found := beam.Combine(s, &topFn[T]{Order: order.name, K: k}, candidates)
	return beam.ParDo(s, &oneFn[T]{}, beam.Impulse(s), beam.SideInput{Input: found})
}

// candidatesFn emits the first K elements of each bundle. Runners may combine a bundle before the shuffle, and
// those of Java, for Flink and Spark, do not: they would group all elements by one key, and send
// them in one message.
type candidatesFn[T any] struct {
	Order string
	K     int

	top *top[T]
}

// StartBundle drops the state of a failed bundle.
func (f *candidatesFn[T]) StartBundle(_ func(T)) error {
	o, err := lookup[T](f.Order)
	if err != nil {
		return err
	}
	f.top = &top[T]{order: o, k: f.K}
	return nil
}

// ProcessElement adds an element.
func (f *candidatesFn[T]) ProcessElement(e T, _ func(T)) error { return f.top.add(e) }

// FinishBundle emits the first elements.
func (f *candidatesFn[T]) FinishBundle(emit func(T)) error {
	if err := f.top.cut(); err != nil {
		return err
	}
	for _, e := range f.top.candidates {
		emit(e)
	}
	f.top = nil
	return nil
}

// oneFn emits the slice that there is, or an empty one: Beam does not combine a collection without
// elements.
type oneFn[T any] struct{}

// ProcessElement emits one slice.
func (*oneFn[T]) ProcessElement(_ []byte, found func(*[]T) bool, emit func([]T)) {
	first := []T{}
	found(&first)
	emit(first)
}

// TopPerKey returns, for a collection of KV<K, T>, a collection of KV<K, []T> with the first k
// elements of each key in order. Each bundle holds up to 65,536 elements and 2k of one key, and sends
// the first k of each of their keys through the shuffle. Everything else said of [TopK] holds.
func TopPerKey[T any](s beam.Scope, col beam.PCollection, k int, order *Ordering[T]) beam.PCollection {
	positive("TopPerKey", int64(k))
	checkGiven("TopPerKey", s, col)
	_, value := pairTypes("TopPerKey", col)
	order.check("TopPerKey", value)
	s = s.Scope(fmt.Sprintf("beamsort.TopPerKey(%s)", order.name))
	candidates := beam.ParDo(s.Scope("bundle"), &candidatesPerKeyFn[T]{Order: order.name, K: k}, col)
	return beam.CombinePerKey(s, &topFn[T]{Order: order.name, K: k}, candidates)
}

// candidatesPerKeyFn emits the first K elements of each key of a bundle, or of a part of it whose elements it has room for.
// See candidatesFn.
type candidatesPerKeyFn[T any] struct {
	Order string
	K     int

	order   *Ordering[T]
	encoder beam.ElementEncoder
	encoded bytes.Buffer
	keys    map[string]*topOfKey[T] // by the bytes that the engine groups by
	held    int                     // elements of all keys
}

// topOfKey are the first elements of a key.
type topOfKey[T any] struct {
	key beam.X
	top[T]
}

// mostHeld is how many elements a candidatesPerKeyFn holds before it emits them.
const mostHeld = 1 << 16

// StartBundle drops the state of a failed bundle.
func (f *candidatesPerKeyFn[T]) StartBundle(_ func(beam.X, T)) (err error) {
	f.order, err = lookup[T](f.Order)
	f.keys, f.held = map[string]*topOfKey[T]{}, 0
	return err
}

// ProcessElement adds an element to those of its key.
func (f *candidatesPerKeyFn[T]) ProcessElement(key beam.X, e T, emit func(beam.X, T)) error {
	if f.encoder == nil {
		f.encoder = beam.NewElementEncoder(reflect.TypeOf(key))
	}
	f.encoded.Reset()
	if err := f.encoder.Encode(key, &f.encoded); err != nil {
		return fmt.Errorf("beamsort: TopPerKey by %q: key: %w", f.Order, err)
	}
	t := f.keys[string(f.encoded.Bytes())]
	if t == nil {
		t = &topOfKey[T]{key, top[T]{order: f.order, k: f.K}}
		f.keys[f.encoded.String()] = t
	}
	before := len(t.candidates)
	if err := t.add(e); err != nil {
		return err
	}
	if f.held += len(t.candidates) - before; f.held-len(t.candidates) < mostHeld-leastTop {
		return nil
	}
	return f.FinishBundle(emit)
}

// FinishBundle emits the first elements of each key.
func (f *candidatesPerKeyFn[T]) FinishBundle(emit func(beam.X, T)) error {
	for _, t := range f.keys {
		if err := t.cut(); err != nil {
			return err
		}
		for _, e := range t.candidates {
			emit(t.key, e)
		}
	}
	clear(f.keys)
	f.held = 0
	return nil
}

// pairTypes returns the types of the keys and values of a collection of pairs.
func pairTypes(call string, col beam.PCollection) (key, value reflect.Type) {
	if !typex.IsKV(col.Type()) {
		panic(fmt.Sprintf("beamsort: %s of %v, which are no pairs", call, col.Type()))
	}
	types := col.Type().Components()
	return types[0].Type(), types[1].Type()
}

// topFn is the CombineFn of the first K elements.
type topFn[T any] struct {
	Order string
	K     int
}

// CreateAccumulator returns an empty accumulator.
func (f *topFn[T]) CreateAccumulator() (*topState, error) { return newTopState(f.Order, f.K) }

// AddInput adds an element.
func (f *topFn[T]) AddInput(s *topState, e T) (*topState, error) {
	t, ok := s.elements.(*top[T])
	if !ok {
		return nil, fmt.Errorf("beamsort: order %q is not of %T", f.Order, e)
	}
	return s, t.add(e)
}

// MergeAccumulators adds the elements of b to a.
func (f *topFn[T]) MergeAccumulators(a, b *topState) (*topState, error) {
	to := a.elements.(*top[T])
	for _, e := range b.elements.(*top[T]).candidates {
		if err := to.add(e); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// ExtractOutput returns the elements in order.
func (f *topFn[T]) ExtractOutput(s *topState) ([]T, error) {
	t := s.elements.(*top[T])
	if err := t.cut(); err != nil {
		return nil, err
	}
	return t.candidates, nil
}

// topState is the accumulator. It has no type parameter, because Beam finds the functions of
// its coder by their names, and those of a generic type have one name for all its types.
type topState struct {
	Order    string
	K        int
	elements topElements
}

// topElements are the elements of an accumulator: a [top] of their type.
type topElements interface {
	encode(dst []byte) ([]byte, error)
	decode(src []byte) error
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[*topState](), encodeTop, decodeTop)
}

func newTopState(order string, k int) (*topState, error) {
	o, err := lookupNamed(order)
	if err != nil {
		return nil, err
	}
	return &topState{Order: order, K: k, elements: o.newTop(k)}, nil
}

func encodeTop(s *topState) ([]byte, error) {
	message := binary.AppendUvarint(nil, uint64(s.K))
	message = appendRecord(message, []byte(s.Order))
	return s.elements.encode(message)
}

func decodeTop(message []byte) (*topState, error) {
	r := reader{rest: message}
	k, order := r.uvarint(), r.bytes()
	if r.err != nil {
		return nil, fmt.Errorf("beamsort: TopK: %w", r.err)
	}
	s, err := newTopState(string(order), int(k))
	if err != nil {
		return nil, err
	}
	return s, s.elements.decode(r.rest)
}

// top holds the first k elements among others: the k-th, when it is known, bounds those that
// are added.
type top[T any] struct {
	order      *Ordering[T]
	k          int
	candidates []T
	bound      bool // candidates[:k] are the first so far, in order
}

func (o *Ordering[T]) newTop(k int) topElements { return &top[T]{order: o, k: k} }

// leastTop is how many elements are collected at least before they are selected.
const leastTop = 64

func (t *top[T]) add(e T) error {
	if t.bound && t.order.order.Compare(e, t.candidates[t.k-1]) >= 0 {
		return nil
	}
	t.candidates = append(t.candidates, e)
	if len(t.candidates) < leastTop || len(t.candidates)/2 < t.k { // 2*k may overflow
		return nil
	}
	return t.cut()
}

// cut drops all but the first k elements, and puts those in order.
func (t *top[T]) cut() error {
	if err := t.order.order.TopK(t.candidates, t.k); err != nil {
		return err
	}
	if len(t.candidates) >= t.k {
		clear(t.candidates[t.k:])
		t.candidates, t.bound = t.candidates[:t.k], true
	}
	return nil
}

func (t *top[T]) encode(dst []byte) ([]byte, error) {
	if len(t.candidates) > t.k {
		if err := t.cut(); err != nil {
			return nil, err
		}
	}
	var encoded []byte
	var err error
	for _, e := range t.candidates {
		if encoded, err = t.order.encode(encoded[:0], e); err != nil {
			return nil, fmt.Errorf("beamsort: TopK by %q: codec: %w", t.order.name, err)
		}
		dst = appendRecord(dst, encoded)
	}
	return dst, nil
}

func (t *top[T]) decode(src []byte) error {
	r := reader{rest: src}
	for r.err == nil && len(r.rest) > 0 {
		encoded := r.bytes()
		if r.err != nil {
			break
		}
		e, err := t.order.codec.Decode(encoded)
		if err != nil {
			return fmt.Errorf("beamsort: TopK by %q: codec: %w", t.order.name, err)
		}
		t.candidates = append(t.candidates, e)
	}
	return r.err
}
