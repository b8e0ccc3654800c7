package oracle

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Bits makes [cmp.Diff] compare as the contract does where elements keep their bits:
// floats by payload and sign, times by instant, location and monotonic clock, structs
// with all their fields, nil and empty slices as different.
func Bits() cmp.Option {
	return cmp.Options{
		cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }),
		cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }),
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

// Diff returns "" if same holds for got and want at every position, and otherwise
// names the first at which it does not and prints the elements around it: those of want
// with a minus, those of got with a plus.
func Diff[T any](got, want []T, same func(a, b T) bool) string {
	n := min(len(got), len(want))
	at := 0
	for at < n && same(got[at], want[at]) {
		at++
	}
	switch {
	case at < n:
		return fmt.Sprintf("first difference at position %d of %d (-want +got):\n%s", at, len(want),
			show(window(got, at), window(want, at), same))
	case len(got) != len(want):
		return fmt.Sprintf("length is %d, want %d; the elements agree up to the shorter one's end", len(got), len(want))
	}
	return ""
}

// window returns the elements of s around position at.
func window[T any](s []T, at int) []T { return s[max(0, at-around):min(len(s), at+around+1)] }

// show prints the difference of two short slices.
func show[T any](got, want []T, same func(a, b T) bool) string {
	if d := cmp.Diff(want, got, cmp.Comparer(same)); d != "" {
		return shortened(d)
	}
	return shortened(fmt.Sprintf("-%+v\n+%+v\n", want, got)) // unequal only by their place
}

// shortened cuts a text that keys of many bytes would make endless.
func shortened(text string) string {
	const most = 4000
	if len(text) > most {
		return fmt.Sprintf("%.*s… (%d bytes)", most, text, len(text))
	}
	return text
}
