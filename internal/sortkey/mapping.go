package sortkey

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/floats"
)

// MappingOf returns the function from the bits of a key to its code, for kinds as wide as their
// codes, of 32 or 64 bits; ok is false for others. exact asks for codes of [EncodeExactAt], not
// of [EncodeAt].
func MappingOf(k Kind, o Order, exact bool) (m engine.Mapping, ok bool) {
	switch k {
	case Int32, Uint32:
		return engine.Mapping{Flip: uint64(flipOf[uint32](k, o))}, true
	case Int64, Uint64:
		return engine.Mapping{Flip: flipOf[uint64](k, o)}, true
	case Float32:
		return mappingOf[uint32](o, exact), true
	case Float64:
		return mappingOf[uint64](o, exact), true
	}
	return m, false
}

func mappingOf[B floats.Bits](o Order, exact bool) engine.Mapping {
	f := Floats[B](o)
	if exact {
		f = ExactFloats[B](o)
	}
	m := engine.Mapping{Float: true}
	m.Zero, m.Most, m.NaN, m.Turn, m.Flip = f.Fields()
	return m
}
