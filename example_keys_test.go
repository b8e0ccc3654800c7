package sorter_test

import (
	"crypto/sha1"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"example.com/sorter"
)

// These are the keys of docs/keys.md.

func ExampleByteArray() {
	type object struct {
		Hash [20]byte // SHA-1
		Name string
	}
	objects := []object{
		{sha1.Sum([]byte("one")), "one"},
		{sha1.Sum([]byte("two")), "two"},
		{sha1.Sum([]byte("ten")), "ten"},
	}
	err := sorter.Sort(objects, func(o object) [20]byte { return o.Hash })
	for _, o := range objects {
		fmt.Printf("%x %s\n", o.Hash[:2], o.Name)
	}
	fmt.Println(err)
	// Output:
	// ad78 two
	// dd35 ten
	// fe05 one
	// <nil>
}

func ExampleKey_addr() {
	type host struct {
		Name string
		Addr netip.Addr
	}
	hosts := []host{
		{"six", netip.MustParseAddr("2001:db8::7")},
		{"zone", netip.MustParseAddr("fe80::1%eth0")},
		{"four", netip.MustParseAddr("192.0.2.10")},
		{"none", netip.Addr{}},
		{"link", netip.MustParseAddr("fe80::1")},
		{"nine", netip.MustParseAddr("192.0.2.9")},
	}
	err := sorter.Sort(hosts, func(h host) netip.Addr { return h.Addr })
	for _, h := range hosts {
		fmt.Print(h.Name, " ")
	}
	fmt.Println(err, slices.IsSortedFunc(hosts, func(a, b host) int { return a.Addr.Compare(b.Addr) }))
	// Output: none nine four six link zone <nil> true
}

func ExampleAscEncoded() {
	versions := []string{"1.10.2", "1.9", "2", "1.9.11", "1.10"}
	err := sorter.By(sorter.AscEncoded(func(dst []byte, version string) []byte {
		for number := range strings.SplitSeq(version, ".") {
			n, _ := strconv.ParseUint(number, 10, 32)
			dst = binary.BigEndian.AppendUint32(dst, uint32(n))
		}
		return dst
	})).Sort(versions)
	fmt.Println(versions, err)
	// Output: [1.9 1.9.11 1.10 1.10.2 2] <nil>
}

func ExampleDescEncoded() {
	var numbers []*big.Int
	for _, s := range []string{"0", "-1", "18446744073709551616", "255", "-256", "256", "-18446744073709551617", "-255"} {
		n, _ := new(big.Int).SetString(s, 10)
		numbers = append(numbers, n)
	}
	bySize := sorter.By(sorter.DescEncoded(func(dst []byte, e *big.Int) []byte {
		n := (e.BitLen() + 7) / 8
		dst = binary.BigEndian.AppendUint64(dst, 1<<63+uint64(e.Sign()*n))
		at := len(dst)
		dst = append(dst, make([]byte, n)...)
		e.FillBytes(dst[at:])
		for i := at; e.Sign() < 0 && i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
		return dst
	}))
	fmt.Println(bySize.Sort(numbers), numbers)
	// Output: <nil> [18446744073709551616 256 255 0 -1 -255 -256 -18446744073709551617]
}

func ExampleColumn_NullsFirst() {
	type row struct {
		Score sql.Null[float64]
		Limit *int
	}
	three := 3
	rows := []row{
		{sql.Null[float64]{V: 2, Valid: true}, nil},
		{sql.Null[float64]{}, nil},
		{sql.Null[float64]{V: 2, Valid: true}, &three},
		{sql.Null[float64]{V: 1, Valid: true}, nil},
	}
	err := sorter.By(
		sorter.Asc(func(r row) float64 { return r.Score.V }).NullsFirst(func(r row) bool { return !r.Score.Valid }),
		sorter.Asc(func(r row) int { return *r.Limit }).NullsLast(func(r row) bool { return r.Limit == nil }),
	).Sort(rows)
	for _, r := range rows {
		fmt.Print(r.Score.Valid, " ", r.Score.V, " ", r.Limit != nil, "; ")
	}
	fmt.Println(err)
	// Output: false 0 false; true 1 false; true 2 true; true 2 false; <nil>
}

func ExampleBy_any() {
	values := []any{"b", 2, nil, "a", 1.5, 7}
	number := func(v any) (f float64, ok bool) {
		switch v := v.(type) {
		case int:
			return float64(v), true
		case float64:
			return v, true
		}
		return 0, false
	}
	text := func(v any) (s string, ok bool) { s, ok = v.(string); return s, ok }
	kind := func(v any) uint8 {
		if _, ok := number(v); ok {
			return 1
		}
		if _, ok := text(v); ok {
			return 2
		}
		return 0
	}
	err := sorter.By(
		sorter.Asc(kind),
		sorter.Asc(func(v any) float64 { f, _ := number(v); return f }),
		sorter.Asc(func(v any) string { s, _ := text(v); return s }),
	).Sort(values)
	fmt.Println(values, err)
	// Output: [<nil> 1.5 2 7 a b] <nil>
}
