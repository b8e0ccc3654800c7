package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPackedOrder packs random rows and compares the order of their keys with that of their
// values. No key may be the front of another.
func TestPackedOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	texts := []string{"", "\x00", "\x01", "\x02", "\x03", "\xfd", "\xfe", "\xff", "a", "a\x00", "a\x01", "ab", "a\xff", "\xff\xff", "\x00\x00"}
	for range 3000 {
		p, kinds := &packing{}, []kind(nil)
		for range 1 + r.IntN(3) {
			k := integer + kind(r.IntN(5))
			kinds = append(kinds, k)
			p.specs = append(p.specs, spec{kind: k, desc: r.IntN(2) == 0, nullsFirst: r.IntN(2) == 0})
		}
		var cells [2][]cell
		var packed [2]string
		for i := range packed {
			values, nulls := make([]field, len(kinds)), make([]bool, len(kinds))
			for c, k := range kinds {
				x := randomCell(r, k)
				if k == text && !x.null {
					x = plain(texts[r.IntN(len(texts))], "")
					x.csv = x.value.(string)
				}
				if i > 0 && r.IntN(2) == 0 {
					x = cells[0][c]
				}
				cells[i] = append(cells[i], x)
				values[c], nulls[c] = field{text: x.csv}, x.null
			}
			row := strings.Repeat("x", r.IntN(12))
			b, _, bad := p.pack([]byte("before"), []byte("garbage"), row, "\n", values, nulls)
			if packed[i] = string(b[len("before"):]); bad >= 0 || rowOf(packed[i]) != row+"\n" {
				t.Fatalf("%+v: column %d, %q of %q", cells[i], bad, rowOf(packed[i]), row)
			}
		}
		want := 0
		for c, s := range p.specs {
			if want == 0 {
				want = compareCells(cells[0][c], cells[1][c], s)
			}
		}
		a, b := keyOf(packed[0]), keyOf(packed[1])
		if got := orderPacked.Compare(packed[0], packed[1]); got != want || strings.Compare(a, b) != want {
			t.Fatalf("%+v\n%+v\n%+v\nkeys %x %x: %d, want %d", p.specs, cells[0], cells[1], a, b, got, want)
		}
		if a != b && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
			t.Fatalf("%+v: key %x is the front of %x", p.specs, a, b)
		}
	}
}

// TestPackedInts compares keys of integers around the lengths that they may have.
func TestPackedInts(t *testing.T) {
	all := []int64{math.MinInt64, math.MaxInt64, 0}
	for shift := range 63 {
		for _, near := range []int64{-1, 0, 1} {
			all = append(all, 1<<shift+near, -1<<shift+near)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for i := range all[1:] {
		if a, b := appendInt(nil, all[i]), appendInt(nil, all[i+1]); bytes.Compare(a, b) >= 0 {
			t.Errorf("%d: %x, %d: %x", all[i], a, all[i+1], b)
		}
	}
}
