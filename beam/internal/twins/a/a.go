// Package twin has a type with the name of one in its twin, for tests.
package twin

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Row has the name of a type of the other package.
type Row struct{ Key int64 }

// Rows emits N rows.
type Rows struct{ N int }

// ProcessElement emits the rows.
func (f *Rows) ProcessElement(_ []byte, emit func(Row)) {
	for i := range f.N {
		emit(Row{key(i * 7919 % f.N)})
	}
}

func init()           { beam.RegisterType(reflect.TypeFor[Rows]()) }
func key(i int) int64 { return int64(i) }
