package beamsort

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"
)

// Codec turns elements into bytes and back, see [extsort.Codec]. [Fixed] is the codec of elements
// without pointers, [extsort.Strings], [extsort.Bytes] and [extsort.Binary] are others.
type Codec[T any] = extsort.Codec[T]

// Ordering is an order of elements that all processes of a pipeline know by its name: see
// [Register]. It may be used concurrently.
type Ordering[T any] struct {
	name   string
	order  sorter.Ordering[T]
	codec  Codec[T]
	layout *layout // of a Fixed codec, otherwise nil
}

// named is an Ordering of any type, as DoFns that have no type parameter use it.
type named interface {
	Name() string
	element() reflect.Type
	newTop(k int) topElements
	steps(c config) steps
	compareEncoded(a, b []byte) (int, error)
}

// registry holds orderings and codecs by name. Functions of a type are registered with Beam once.
var registry struct {
	sync.Mutex
	orders  map[string]named
	formats map[string]any
	forEach map[string]any
	places  map[string]string // where each name was registered
	types   map[reflect.Type]bool
}

// Register names an order of elements, with the codec that encodes them between workers and in
// files. All processes of a pipeline have to call it before beam.Init, with the same name:
// call it in a variable at package level. One type may have several orders.
//
// The order is that of [sorter.By] with columns. Key functions are called by several
// goroutines at a time. Register panics if the name was registered before, if beam.Init was
// called, if codec is nil, or if T is no type that Beam can register, such as a struct without
// a name.
func Register[T any](name string, codec Codec[T], columns ...sorter.Column[T]) *Ordering[T] {
	if codec == nil {
		panic(fmt.Sprintf("beamsort: Register(%q): codec is nil", name))
	}
	o := &Ordering[T]{name: name, order: sorter.By(columns...), codec: codec}
	if f, ok := codec.(fixedCodec[T]); ok {
		o.layout = f.layout
	}
	enter(name, "Register", 1)
	registry.Lock()
	defer registry.Unlock()
	if registry.orders == nil {
		registry.orders = map[string]named{}
		registry.types = map[reflect.Type]bool{}
	}
	registry.orders[name] = o
	if t := reflect.TypeFor[T](); !registry.types[t] {
		registry.types[t] = true
		registerDoFns[T]()
	}
	return o
}

// enter takes a name, or panics if it is taken or too late. The call that is to blame is that many
// frames above the one of enter.
func enter(name, call string, frames int) {
	if beam.Initialized() {
		panic(fmt.Sprintf("beamsort: %s(%q) after beam.Init: workers would not know it; call it in a variable at package level", call, name))
	}
	_, file, line, _ := runtime.Caller(frames + 1)
	registry.Lock()
	defer registry.Unlock()
	if registry.places == nil {
		registry.places = map[string]string{}
	}
	key := call + " " + name
	if place, ok := registry.places[key]; ok {
		panic(fmt.Sprintf("beamsort: %s(%q) a second time, the first was at %s", call, name, place))
	}
	registry.places[key] = fmt.Sprintf("%s:%d", file, line)
}

// registerDoFns registers the functions of one element type. Package register of Beam would do
// it with far more code: its generic functions take the compiler seconds and hundreds of megabytes
// for each DoFn and type, and mix up types whose package and name are equal.
func registerDoFns[T any]() {
	registerStructs(reflect.TypeFor[T]())
	beam.RegisterType(reflect.TypeFor[packFn[T]]())
	reflectx.RegisterStructWrapper(reflect.TypeFor[packFn[T]](), wrapPack[T])
	beam.RegisterType(reflect.TypeFor[topFn[T]]())
	reflectx.RegisterStructWrapper(reflect.TypeFor[topFn[T]](), wrapTop[T])
	beam.RegisterType(reflect.TypeFor[candidatesFn[T]]())
	reflectx.RegisterStructWrapper(reflect.TypeFor[candidatesFn[T]](), wrapCandidates[T])
	beam.RegisterType(reflect.TypeFor[candidatesPerKeyFn[T]]())
	reflectx.RegisterStructWrapper(reflect.TypeFor[candidatesPerKeyFn[T]](), wrapCandidatesPerKey[T])
	beam.RegisterType(reflect.TypeFor[oneFn[T]]())
	beam.RegisterType(reflect.TypeFor[valuesFn[T]]())
}

// registerStructs registers those types that Beam does not know by itself.
func registerStructs(types ...reflect.Type) {
	for _, t := range types {
		if t.Kind() == reflect.Struct {
			beam.RegisterType(t)
		}
	}
}

func init() {
	beam.RegisterType(reflect.TypeFor[markFn]())
	beam.RegisterType(reflect.TypeFor[planStep]())
	beam.RegisterType(reflect.TypeFor[routeStep]())
	beam.RegisterType(reflect.TypeFor[shardStep]())
	beam.RegisterType(reflect.TypeFor[manifestFn]())
	beam.RegisterType(reflect.TypeFor[Shard]())
}

// lookup returns the order of a name, on the worker that runs a DoFn.
func lookup[T any](name string) (*Ordering[T], error) {
	n, err := lookupNamed(name)
	if err != nil {
		return nil, err
	}
	o, ok := n.(*Ordering[T])
	if !ok {
		return nil, fmt.Errorf("beamsort: order %q is of %v on this worker, and of %v in the pipeline", name, n.element(), reflect.TypeFor[T]())
	}
	return o, nil
}

func lookupNamed(name string) (named, error) {
	registry.Lock()
	defer registry.Unlock()
	n, ok := registry.orders[name]
	if !ok {
		return nil, fmt.Errorf("beamsort: order %q is not registered on this worker; call Register in a variable at package level", name)
	}
	return n, nil
}

// Name returns the name that the order was registered with.
func (o *Ordering[T]) Name() string { return o.name }

// Order returns the order itself.
func (o *Ordering[T]) Order() sorter.Ordering[T] { return o.order }

// Decode returns the element of an encoding, such as First of a [Shard].
func (o *Ordering[T]) Decode(encoded []byte) (T, error) { return o.codec.Decode(encoded) }

// compareEncoded compares two elements by their encodings.
func (o *Ordering[T]) compareEncoded(a, b []byte) (int, error) {
	x, err := o.codec.Decode(a)
	if err != nil {
		return 0, err
	}
	y, err := o.codec.Decode(b)
	if err != nil {
		return 0, err
	}
	return o.order.Compare(x, y), nil
}

func (o *Ordering[T]) element() reflect.Type { return reflect.TypeFor[T]() }
