package oracle

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Bits makes [cmp.Diff] compare as the contract does where elements keep their bits:
// floats by payload and sign, times by instant, location and monotonic clock, structs
// with all their fields, nil and empty slices as different. NaNs of different bits are
// printed as these.
func Bits() cmp.Option {
	return cmp.Options{
		cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.FilterValues(func(a, b float32) bool { return a == a || b == b },
			cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })),
		cmp.FilterValues(func(a, b float64) bool { return a == a || b == b },
			cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })),
		cmp.FilterValues(func(a, b float32) bool { return a != a && b != b },
			cmp.Transformer("NaN", func(f float32) string { return fmt.Sprintf("%#08x", math.Float32bits(f)) })),
		cmp.FilterValues(func(a, b float64) bool { return a != a && b != b },
			cmp.Transformer("NaN", func(f float64) string { return fmt.Sprintf("%#016x", math.Float64bits(f)) })),
		cmp.Comparer(func(a, b time.Time) bool { return a == b }),
	}
}

// Ties makes [cmp.Diff] take keys for equal that tie: all NaNs, zeros of both signs,
// times of one instant.
func Ties() cmp.Option {
	return cmp.Options{
		cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.Comparer(func(a, b float32) bool { return a == b || a != a && b != b }),
		cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b }),
		cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }),
	}
}

// around is how many elements before and after the first difference Diff prints.
const around = 3

// Diff returns "" if same holds for got and want at every position. Otherwise it names
// the first position at which same does not hold, and prints the elements around it:
// those of want with a minus, those of got with a plus. Equal slices cost one call of
// same per element.
func Diff[T any](got, want []T, same func(a, b T) bool) string {
	n := min(len(got), len(want))
	at := 0
	for at < n && same(got[at], want[at]) {
		at++
	}
	switch {
	case at < n:
		return fmt.Sprintf("first difference at position %d of %d (-want +got):\n%s", at, len(want),
			show(tied(window(got, at), window(want, at), same), window(want, at)))
	case len(got) != len(want):
		return fmt.Sprintf("length is %d, want %d; the elements agree up to the shorter one's end", len(got), len(want))
	}
	return ""
}

// window returns the elements of s around position at.
func window[T any](s []T, at int) []T { return s[max(0, at-around):min(len(s), at+around+1)] }

// tied returns got with the elements of want where same holds, so that what is printed
// differs only where same does not.
func tied[T any](got, want []T, same func(a, b T) bool) []T {
	got = slices.Clone(got)
	for i := range min(len(got), len(want)) {
		if same(got[i], want[i]) {
			got[i] = want[i]
		}
	}
	return got
}

// DiffValues returns "" if got and want are equal by bits, and otherwise prints in which
// fields they differ. Further options may leave fields out.
func DiffValues(got, want any, opts ...cmp.Option) string {
	return shortened(cmp.Diff(want, got, Bits(), cmp.Options(opts)))
}

// show prints the difference of two short slices that are not the same.
func show(got, want any) string {
	if d := DiffValues(got, want); d != "" {
		return d
	}
	return shortened(fmt.Sprintf("-%+v\n+%+v\nequal, but not the same memory\n", want, got))
}

// shortened cuts a text that keys of many bytes would make endless.
func shortened(text string) string {
	const most = 4000
	if len(text) > most {
		return fmt.Sprintf("%.*s… (%d bytes)", most, text, len(text))
	}
	return text
}
