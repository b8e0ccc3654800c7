package extract_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// record is an element with an encoded key. Its number shows stability.
type record struct {
	key    []byte
	group  uint16
	null   bool
	number int
}

// encodedKeys draw the bytes of a key, of all lengths that memory for keys treats in its own way.
var encodedKeys = map[string]func(r *rand.Rand, i int) []byte{
	"8 bytes":      func(r *rand.Rand, _ int) []byte { return binary.BigEndian.AppendUint64(nil, r.Uint64()) },
	"few":          func(r *rand.Rand, _ int) []byte { return []byte(fmt.Sprint("key ", r.IntN(20))) },
	"in order":     func(_ *rand.Rand, i int) []byte { return fmt.Appendf(nil, "%09d", i) },
	"empty":        func(r *rand.Rand, _ int) []byte { return make([]byte, r.IntN(3)) },
	"lengths":      func(r *rand.Rand, _ int) []byte { return drawBytes(r, r.IntN(100)) },
	"4000 to 4200": func(r *rand.Rand, _ int) []byte { return drawBytes(r, 4000+r.IntN(200)) },
	"long":         func(r *rand.Rand, _ int) []byte { return drawBytes(r, []int{1, 500, 33000, 70000}[r.IntN(4)]) },
}

// long are keys of which a few hundred fill megabytes.
var long = map[string]bool{"4000 to 4200": true, "long": true}

// drawBytes returns n bytes that begin with a few values, so that keys tie up to late bytes.
func drawBytes(r *rand.Rand, n int) []byte {
	b := bytes.Repeat([]byte{byte(r.IntN(2))}, n)
	if n > 0 {
		b[n-1] = byte(r.Uint32())
	}
	return b
}

// encodings are ways in which a function may return a key.
var encodings = map[string]func(dst []byte, e record) []byte{
	"appended": func(dst []byte, e record) []byte { return append(dst, e.key...) },
	"own":      func(_ []byte, e record) []byte { return e.key },
	"either": func(dst []byte, e record) []byte {
		if e.number%3 == 0 {
			return e.key
		}
		return append(append(dst, e.key...), "cut off"...)[:len(e.key)]
	},
	"byte by byte": func(dst []byte, e record) []byte {
		for i := range e.key {
			dst = append(dst, e.key[i:i+1]...)
		}
		return dst
	},
}

// TestEncoded compares columns of encoded keys with a stable sort, at lengths on both sides of each threshold.
func TestEncoded(t *testing.T) {
	r := dist.Rand(8)
	for shape, draw := range encodedKeys {
		for way, encode := range encodings {
			for _, n := range []int{0, 1, 3, 16, 17, 300, 4096, 5000} {
				if n > 300 && (testing.Short() || long[shape]) {
					continue
				}
				s := make([]record, n)
				for i := range s {
					s[i] = record{draw(r, i), uint16(r.IntN(3)), r.IntN(8) == 0, i}
				}
				checkEncoded(t, fmt.Sprintf("%s, %s, %d", shape, way, n), s, encode)
			}
		}
	}
}

func checkEncoded(t *testing.T, what string, s []record, encode func(dst []byte, e record) []byte) {
	t.Helper()
	isNull := func(e record) bool { return e.null }
	group := sorter.Asc(func(e record) uint16 { return e.group })
	byKey := func(a, b record) int { return bytes.Compare(a.key, b.key) }
	for name, c := range map[string]struct {
		o       sorter.Ordering[record]
		compare func(a, b record) int
	}{
		"ascending":  {sorter.By(sorter.AscEncoded(encode)), byKey},
		"descending": {sorter.By(sorter.DescEncoded(encode)), func(a, b record) int { return byKey(b, a) }},
		"nulls last": {sorter.By(sorter.AscEncoded(encode).NullsLast(isNull)), func(a, b record) int {
			if a.null != b.null {
				return map[bool]int{true: 1, false: -1}[a.null]
			} else if a.null {
				return 0
			}
			return byKey(a, b)
		}},
		"group first": {sorter.By(group, sorter.DescEncoded(encode)), func(a, b record) int {
			if a.group != b.group {
				return int(a.group) - int(b.group)
			}
			return byKey(b, a)
		}},
	} {
		want := slices.Clone(s)
		slices.SortStableFunc(want, c.compare)
		got := slices.Clone(s)
		if err := c.o.Sort(got, sorter.Stable()); err != nil {
			t.Fatal(err)
		}
		p, err := c.o.Order(s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i].number != want[i].number || s[p[i]].number != want[i].number {
				t.Fatalf("%s, %s: place %d has %d, and %d in an order, want %d", what, name, i, got[i].number, s[p[i]].number, want[i].number)
			}
			if i > 0 && c.o.Compare(want[i-1], want[i]) != max(-1, min(1, c.compare(want[i-1], want[i]))) {
				t.Fatalf("%s, %s: Compare at place %d", what, name, i)
			}
		}
	}
}

// TestEncodedPanics has an encoder that panics at any call: the slice stays as it was, and later sorts are right.
func TestEncodedPanics(t *testing.T) {
	r := dist.Rand(9)
	for range 12 {
		s := make([]record, 1+r.IntN(6000))
		for i := range s {
			s[i] = record{key: drawBytes(r, r.IntN(30)), number: i}
		}
		before, at := slices.Clone(s), r.IntN(len(s))
		failing := sorter.By(sorter.AscEncoded(func(dst []byte, e record) []byte {
			dst = append(dst, e.key...)
			if e.number == at {
				panic("encode")
			}
			return dst
		}))
		func() {
			defer func() {
				if got := recover(); got != "encode" {
					t.Fatalf("panics with %v", got)
				}
			}()
			if err := failing.Sort(s); err != nil {
				t.Fatal(err)
			}
		}()
		if !slices.EqualFunc(s, before, func(a, b record) bool { return a.number == b.number }) {
			t.Fatal("a panic moved elements")
		}
		checkEncoded(t, "after a panic", s, encodings["appended"])
	}
}

// TestEncodedAllocations counts allocations: keys of a few bytes take none of their own.
func TestEncodedAllocations(t *testing.T) {
	testkit.SkipInstrumented(t)
	s := make([]record, 3000)
	for i := range s {
		s[i] = record{key: binary.BigEndian.AppendUint64(nil, uint64(i)*0x9E3779B97F4A7C15)}
	}
	o, p := sorter.By(sorter.AscEncoded(encodings["appended"])), make([]uint32, len(s))
	got := testing.AllocsPerRun(20, func() {
		if _, err := o.Order(s, sorter.Into(p)); err != nil {
			t.Fatal(err)
		}
	})
	if got > 10 {
		t.Errorf("%v allocations for %d keys", got, len(s))
	}
}
