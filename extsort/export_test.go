package extsort

import (
	"reflect"

	"example.com/sorter/internal/spill"
)

// OnDisk makes a Sorter use a disk of the test.
func OnDisk(d spill.Disk) Option { return func(o *options) { o.disk = d } }

// ReadsAhead reports whether the system reads blocks of the runs ahead.
func ReadsAhead[E any](s *Sorter[E]) bool { return s.readsAhead(s.runs) }

// Program is the program of a type that only reflection knows.
type Program struct{ p *program }

// ProgramOf returns the program of a type.
func ProgramOf(t reflect.Type) (Program, error) {
	p, err := programOf(t)
	return Program{p}, err
}

// Append appends the encoding of what v points to.
func (p Program) Append(dst []byte, v reflect.Value) []byte {
	return p.p.append(dst, v.UnsafePointer())
}

// Decode decodes to what v points to.
func (p Program) Decode(src []byte, v reflect.Value) bool {
	d := decoder{src: src}
	return d.decode(p.p, v.UnsafePointer()) && len(d.src) == 0
}
