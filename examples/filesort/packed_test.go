package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
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

// TestShortFloats compares parseShort with package strconv.
func TestShortFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	taken := 0
	for i := range 100_000 {
		var b []byte
		for range r.IntN(19) {
			b = append(b, "0123456789.-+eE_xN "[min(r.IntN(40), r.IntN(19))])
		}
		if i%2 == 0 {
			b = strconv.AppendFloat(nil, float64(r.Int64N(1e15))/powers[r.IntN(16)], 'f', -1, 64)
		}
		got, ok := parseShort(string(b))
		if !ok {
			continue
		}
		taken++
		if want, err := strconv.ParseFloat(string(b), 64); err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: %v, want %v, %v", b, got, want, err)
		}
	}
	if taken < 40_000 {
		t.Errorf("%d of 100000", taken)
	}
}
