package extsort

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// compiler makes the program of a type.
type compiler struct {
	root  reflect.Type
	all   *xxhash.Digest // of the fields and their types
	open  []reflect.Type // whose programs are being made, from the root on
	texts []step         // of the program in hand, which come last
	*program
}

// programOf returns the program of a type. The error names the field that has none.
func programOf(t reflect.Type) (*program, error) {
	c := compiler{root: t, all: xxhash.New()}
	p, err := c.compile(t, "")
	if err == nil {
		p.fields = fmt.Sprintf("%v by its fields %016x", t, c.all.Sum64())
	}
	return p, err
}

// compile returns the program of a type, that of a field of the root.
func (c *compiler) compile(t reflect.Type, field string) (*program, error) {
	if slices.Contains(c.open, t) {
		return nil, c.refuse(t, field, "it refers to itself")
	}
	own := compiler{root: c.root, all: c.all, open: append(c.open[:len(c.open):len(c.open)], t), program: new(program)}
	if err := own.add(t, 0, field); err != nil {
		return nil, err
	}
	own.steps = append(own.steps, own.texts...)
	own.least += own.fixed
	return own.program, nil
}

// refuse returns the error of a field.
func (c *compiler) refuse(t reflect.Type, field, why string) error {
	if field == "" {
		return fmt.Errorf("extsort: %v has no codec: %s; write a Codec for NewCoded", t, why)
	}
	return fmt.Errorf("extsort: field %s of %v, of type %v, has no codec: %s; write a Codec for NewCoded", strings.TrimPrefix(field, "."), c.root, t, why)
}

var (
	timeType = reflect.TypeFor[time.Time]()
	addrType = reflect.TypeFor[netip.Addr]()
)

// add adds a value at an offset.
func (c *compiler) add(t reflect.Type, offset uintptr, field string) error {
	fmt.Fprint(c.all, field, " ", t, " ", t.Size(), ";")
	switch {
	case t.Size() == 0:
		return nil
	case t == timeType:
		c.vary(step{kind: timeStep, offset: offset}, 8+4)
		return nil
	case t == addrType:
		c.vary(step{kind: addrStep, offset: offset}, 1)
		return nil
	}
	switch k := t.Kind(); {
	case k == reflect.Bool:
		c.bools = append(c.bools, uint32(c.fixed))
		return c.move(t, offset, field)
	case k <= reflect.Complex128:
		return c.move(t, offset, field)
	case k == reflect.String:
		c.text(textStep, offset)
		return nil
	case k == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		c.text(bytesStep, offset)
		return nil
	case k == reflect.Pointer:
		return c.pointer(t.Elem(), offset, field)
	case k == reflect.Array:
		return c.array(t, offset, field)
	case k == reflect.Struct:
		return c.fieldsOf(t, offset, field)
	}
	return c.refuse(t, field, "it is a "+t.Kind().String())
}

// mostFixed is the most bytes of fixed size, so that their places have 32 bits.
const mostFixed = math.MaxInt32

// move adds a value of fixed size.
func (c *compiler) move(t reflect.Type, offset uintptr, field string) error {
	size := t.Size()
	if size > mostFixed-uintptr(c.fixed) {
		return c.refuse(t, field, "it is too large")
	}
	if n := len(c.moves); n > 0 && c.moves[n-1].offset+uintptr(c.moves[n-1].size) == offset {
		c.moves[n-1].size += uint32(size)
	} else {
		c.moves = append(c.moves, move{offset, uint32(c.fixed), uint32(size)})
	}
	c.fixed += int(size)
	return nil
}

// vary adds a value whose encoding has at least some bytes.
func (c *compiler) vary(s step, least int) {
	c.steps = append(c.steps, s)
	c.least += least
}

// text adds a string or a byte slice.
func (c *compiler) text(k stepKind, offset uintptr) {
	c.texts = append(c.texts, step{kind: k, offset: offset})
	c.least++
}

func (c *compiler) pointer(to reflect.Type, offset uintptr, field string) error {
	sub, err := c.compile(to, field)
	if err == nil {
		c.vary(step{kind: pointerStep, offset: offset, sub: sub, make: maker(to)}, 1)
	}
	return err
}

// fewElements is the most elements of an array that are fields of their own.
const fewElements = 4

// array adds an array: one move if it holds numbers only.
func (c *compiler) array(t reflect.Type, offset uintptr, field string) error {
	of, n := t.Elem(), t.Len()
	if k := of.Kind(); reflect.Bool < k && k <= reflect.Complex128 {
		return c.move(t, offset, field)
	}
	field += "[]"
	if n <= fewElements {
		for i := range n {
			if err := c.add(of, offset+uintptr(i)*of.Size(), field); err != nil {
				return err
			}
		}
		return nil
	}
	sub, err := c.compile(of, field)
	if err != nil {
		return err
	}
	least := n * sub.least
	if sub.least > 0 && least/n != sub.least {
		return c.refuse(t, field, "it is too large")
	}
	c.vary(step{kind: arrayStep, offset: offset, sub: sub, n: n, size: of.Size()}, least)
	return nil
}

// fieldsOf adds the fields of a struct. Pointers of unexported fields of other packages may mean more than the value that
// they point to.
func (c *compiler) fieldsOf(t reflect.Type, offset uintptr, field string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		name := field + "." + f.Name
		if !f.IsExported() && f.PkgPath != c.home() && f.Type.Kind() == reflect.Pointer {
			return c.refuse(f.Type, name, "it is internal to package "+f.PkgPath)
		}
		if err := c.add(f.Type, offset+f.Offset, name); err != nil {
			return err
		}
	}
	return nil
}

// home is the package of the root: that of its fields, if it has no name.
func (c *compiler) home() string {
	if path := c.root.PkgPath(); path != "" || c.root.Kind() != reflect.Struct {
		return path
	}
	for i := range c.root.NumField() {
		if path := c.root.Field(i).PkgPath; path != "" {
			return path
		}
	}
	return ""
}

// maker returns the function that takes new memory for a type.
func maker(t reflect.Type) func() unsafe.Pointer {
	switch t {
	case reflect.TypeFor[string]():
		return newOf[string]
	case reflect.TypeFor[int]():
		return newOf[int]
	case reflect.TypeFor[int64]():
		return newOf[int64]
	case reflect.TypeFor[int32]():
		return newOf[int32]
	case reflect.TypeFor[float64]():
		return newOf[float64]
	case reflect.TypeFor[bool]():
		return newOf[bool]
	case timeType:
		return newOf[time.Time]
	}
	return func() unsafe.Pointer { return reflect.New(t).UnsafePointer() }
}

func newOf[T any]() unsafe.Pointer { return unsafe.Pointer(new(T)) }
