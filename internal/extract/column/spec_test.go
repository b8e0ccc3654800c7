package column

import (
	"cmp"
	"testing"
	"unsafe"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// TestSpec returns from a column the kind, the order and the nulls that it was given.
func TestSpec(t *testing.T) {
	isNull := NullFunc[int](func(int) bool { return false })
	null := *(*unsafe.Pointer)(unsafe.Pointer(&isNull))
	for nans := sortkey.NaNs(0); nans <= sortkey.TotalOrder; nans++ {
		for place := NoNulls; place <= NullsLast; place++ {
			for _, desc := range []bool{false, true} {
				s := SpecOf(sortkey.Float64, Func[int, float64](func(int) float64 { return 0 })).WithNaNs(nans)
				if desc {
					s = s.Descending()
				}
				if place != NoNulls {
					s = s.WithNulls(null, place)
				}
				if s.Kind() != sortkey.Float64 || s.Order() != (sortkey.Order{Desc: desc, NaNs: nans}) || s.Nulls() != place || s.WithoutNulls().Nulls() != NoNulls {
					t.Errorf("NaNs %d, nulls %d, descending %t: %+v, nulls %d", nans, place, desc, s.Order(), s.Nulls())
				}
			}
		}
	}
	if other := NullFunc[string](func(string) bool { return false }); !NullsByRow(isNull) || !NullsByRow(new(NullBits)) || NullsByRow(other) {
		t.Error("other nulls are known by row number")
	}
}

// TestFormatComparisons compares rows by formats as by their keys in a slice.
func TestFormatComparisons(t *testing.T) {
	numbers := []int64{5, -3, 5, 1 << 40, -3, 0}
	texts := []string{"b", "", "ab", "b", "a longer text than a view holds", "a longer text than a view holds, and more"}
	octets := []byte("\x00\x01\x02\x00\x01\x02\xff\x00\x00\x00\x01\x03\x80\x00\x00\x00\x00\x00")
	var wide []byte
	for i := range 6 {
		wide = append(wide, make([]byte, 15)...)
		wide = append(wide, byte(i*i%4))
	}
	var arena []byte
	offsets := []uint32{0}
	for _, s := range texts {
		arena = append(arena, s...)
		offsets = append(offsets, uint32(len(arena)))
	}
	views, buffers := testkit.ViewsOf(texts, func(int) bool { return false }, dist.Rand(42))
	concat := func(parts ...Format) Format {
		all, ok := Concat(parts)
		if !ok {
			t.Fatal("parts of unlike kinds")
		}
		return all
	}
	bytesOf := func(data []byte, width int) func(a, b int) int {
		return func(a, b int) int {
			return cmp.Compare(string(data[a*width:(a+1)*width]), string(data[b*width:(b+1)*width]))
		}
	}
	for name, c := range map[string]struct {
		format  Format
		compare func(a, b int) int
	}{
		"a slice":         {InSlice(numbers), func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) }},
		"slices":          {concat(InSlice(numbers[:2]), InSlice(numbers[2:])), func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) }},
		"texts":           {InSlice(texts), func(a, b int) int { return cmp.Compare(texts[a], texts[b]) }},
		"an arena":        {Arena(arena, offsets), func(a, b int) int { return cmp.Compare(texts[a], texts[b]) }},
		"arenas":          {concat(Arena(arena, offsets[:3]), Arena(arena, offsets[2:])), func(a, b int) int { return cmp.Compare(texts[a], texts[b]) }},
		"views":           {Views(views, buffers), func(a, b int) int { return cmp.Compare(texts[a], texts[b]) }},
		"octets":          {Octets(octets, 3), bytesOf(octets, 3)},
		"parts of octets": {concat(Octets(octets[:6], 3), Octets(octets[6:], 3)), bytesOf(octets, 3)},
		"wide octets":     {Octets(wide, 16), bytesOf(wide, 16)},
		"parts of wide":   {concat(Octets(wide[:32], 16), Octets(wide[32:], 16)), bytesOf(wide, 16)},
	} {
		for _, desc := range []bool{false, true} {
			got := (&formatKey{c.format}).Comparison(sortkey.Order{Desc: desc}).(func(a, b int) int)
			for a := range c.format.Len() {
				for b := range c.format.Len() {
					want := c.compare(a, b)
					if desc {
						want = -want
					}
					if cmp.Compare(got(a, b), 0) != want {
						t.Errorf("%s, descending %t: rows %d and %d compare as %d, want %d", name, desc, a, b, got(a, b), want)
					}
				}
			}
		}
	}
}
