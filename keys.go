package sorter

import (
	"net/netip"
	"time"

	"golang.org/x/exp/constraints"
)

// Key is the type of a key, named types of these included.
//
// Integers are ordered by value, false before true, strings and byte slices
// bytewise, arrays by their first component that differs, times by instant, and
// addresses as [netip.Addr.Compare] has them: none, IPv4, IPv6 with their zones.
// Floats follow [cmp.Compare]: every NaN first and equal to every other NaN,
// −0 equal to +0.
type Key interface {
	constraints.Integer | constraints.Float | ~bool | ~string | ~[]byte |
		~[2]float32 | ~[3]float32 | ~[4]float32 | ByteArray | time.Time | netip.Addr | Int128 | Uint128
}

// ByteArray is the type of an array of up to 64 bytes: a hash, a UUID, a binary column of a database.
type ByteArray interface {
	~[1]byte | ~[2]byte | ~[3]byte | ~[4]byte | ~[5]byte | ~[6]byte | ~[7]byte | ~[8]byte |
		~[9]byte | ~[10]byte | ~[11]byte | ~[12]byte | ~[13]byte | ~[14]byte | ~[15]byte | ~[16]byte |
		~[17]byte | ~[18]byte | ~[19]byte | ~[20]byte | ~[21]byte | ~[22]byte | ~[23]byte | ~[24]byte |
		~[25]byte | ~[26]byte | ~[27]byte | ~[28]byte | ~[29]byte | ~[30]byte | ~[31]byte | ~[32]byte |
		~[33]byte | ~[34]byte | ~[35]byte | ~[36]byte | ~[37]byte | ~[38]byte | ~[39]byte | ~[40]byte |
		~[41]byte | ~[42]byte | ~[43]byte | ~[44]byte | ~[45]byte | ~[46]byte | ~[47]byte | ~[48]byte |
		~[49]byte | ~[50]byte | ~[51]byte | ~[52]byte | ~[53]byte | ~[54]byte | ~[55]byte | ~[56]byte |
		~[57]byte | ~[58]byte | ~[59]byte | ~[60]byte | ~[61]byte | ~[62]byte | ~[63]byte | ~[64]byte
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
