package dist

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/internal/sortkey"
)

func allCodes() []Codes { return slices.Concat(Shapes, Users, HeldBack, Adversaries, []Codes{Strided}) }

// TestNames holds names to one meaning each, and to what a list of a command's flag can have.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range allCodes() {
		if seen[c.Name] || strings.Contains(c.Name, ",") {
			t.Errorf("%q", c.Name)
		}
		seen[c.Name] = true
	}
}

// TestFill draws codes with other numbers of goroutines, which must not change them, and by another seed.
func TestFill(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n = 3*chunk + 29
	for _, c := range allCodes() {
		for _, bits := range []int{8, 16, 32, 64} {
			if !c.Has(bits) {
				continue
			}
			one, many := make([]uint64, n), make([]uint64, n)
			runtime.GOMAXPROCS(1)
			FillBits(one, c, bits, 1)
			for _, workers := range []int{3, 16} { // fewer than chunks, and more
				runtime.GOMAXPROCS(workers)
				clear(many)
				FillBits(many, c, bits, 1)
				if !slices.Equal(one, many) {
					t.Errorf("%s: the codes depend on the number of goroutines", c.Name)
				}
			}
			if top := slices.Max(one); top > math.MaxUint64>>(64-bits) {
				t.Errorf("%s: %#x has more than %d bits", c.Name, top, bits)
			}
			values := map[uint64]bool{}
			for i := 0; i < n && len(values) < 10; i++ {
				values[one[i]] = true
			}
			if len(values) < 10 && bits > 8 && c.Name != "flat" {
				t.Errorf("%s: %d values of %d bits", c.Name, len(values), bits)
			}
		}
	}
}

// TestKeys has keys whose codes are those that Fill draws.
func TestKeys(t *testing.T) {
	for _, c := range allCodes() {
		if c.Has(32) {
			switch c.Of {
			case Unsigned:
				checkKeys[uint32, uint32](t, c)
			case Signed:
				checkKeys[int32, uint32](t, c)
			case Float:
				checkKeys[float32, uint32](t, c)
			}
		}
		switch c.Of {
		case Unsigned:
			checkKeys[uint64, uint64](t, c)
		case Signed:
			checkKeys[int64, uint64](t, c)
		case Float:
			checkKeys[float64, uint64](t, c)
		}
	}
}

func checkKeys[K sortkey.Key, C uint32 | uint64](t *testing.T, c Codes) {
	t.Helper()
	codes, again := make([]C, 5000), make([]C, 5000)
	Fill(codes, c, 3)
	sortkey.Encode(again, Keys[K](c, len(codes), 3), sortkey.Order{})
	if !slices.Equal(codes, again) {
		t.Errorf("%s: keys have other codes", c.Name)
	}
}

// TestValues holds some keys to what their names promise.
func TestValues(t *testing.T) {
	const n = 100_000
	for _, x := range Keys[float64](CodesNamed("float prices"), n, 1) {
		if x < 0 || math.Round(100*x)/100 != x {
			t.Fatalf("a price of %v", x)
		}
	}
	if values := distinct(Keys[uint64](CodesNamed("hashed keys of 10^3 equal"), n, 1)); values != 1000 {
		t.Errorf("%d hashed keys of 1000", values)
	}
	nulls := 0
	for _, x := range Keys[float32](CodesNamed("float nulls and prices"), n, 1) {
		if x != x {
			nulls++
		}
	}
	if nulls < n*29/100 || nulls > n*31/100 {
		t.Errorf("%d nulls of %d", nulls, n)
	}
	late := Keys[int64](CodesNamed("nanoseconds of a day a minute late"), n, 1)
	for i := 1; i < n; i++ {
		if late[i] < late[i-1]-60e9 || late[i] >= (epoch+day+61)*1e9 {
			t.Fatalf("%d after %d", late[i], late[i-1])
		}
	}
	for _, at := range Keys[int64](CodesNamed("seconds of a year with gaps"), n, 1) {
		if hour := (at - epoch) % day / 3600; hour < 8 || hour >= 18 || (at-epoch)/day%7 >= 5 {
			t.Fatalf("%d is in a gap", at-epoch)
		}
	}
}

func distinct(keys []uint64) int {
	slices.Sort(keys)
	return len(slices.Compact(keys))
}

// BenchmarkFill draws 2^22 codes by one goroutine: 2^24 are to take less than a second.
func BenchmarkFill(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	codes := make([]uint64, 1<<22)
	for _, c := range allCodes() {
		b.Run(c.Name, func(b *testing.B) {
			b.SetBytes(int64(8 * len(codes)))
			for b.Loop() {
				Fill(codes, c, 1)
			}
		})
	}
}
