package sorter

import (
	"time"

	"golang.org/x/exp/constraints"
)

// Key is the type of a key, named types of these included.
//
// Integers are ordered by value, false before true, strings and byte slices
// bytewise, arrays by their first component that differs, times by instant.
// Floats follow [cmp.Compare]: every NaN first and equal to every other NaN,
// −0 equal to +0.
type Key interface {
	constraints.Integer | constraints.Float | ~bool | ~string | ~[]byte |
		~[2]float32 | ~[3]float32 | ~[4]float32 | ~[16]byte | time.Time | Int128 | Uint128
}

// Int128 is a 128-bit integer, ordered by value: Hi·2^64 + Lo. In memory it is the decimal128 of
// Apache Arrow, and decimals of one scale are in the order of these integers.
type Int128 struct {
	Lo uint64
	Hi int64
}

// Uint128 is [Int128] without a sign.
type Uint128 struct{ Lo, Hi uint64 }

// Float4 is a vector of four floats, ordered by its first component that
// differs.
type Float4 [4]float32
