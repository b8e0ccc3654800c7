package scratch

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// lengths and sizes whose products pass an int, a 64-bit number, or neither.
var (
	lengths = []int{0, 1, 7, 8, 9, 1000, exact - 1, exact, exact + 1, 1 << 24, 1<<28 - 1, 1 << 28, 1 << 29, 1 << 30, math.MaxInt32, math.MaxInt/8 + 1, math.MaxInt - 1, math.MaxInt}
	sizes   = []uintptr{0, 1, 2, 3, 4, 7, 8, 16, 24, 4096, 1 << 16, 1 << 20, 1 << 31, math.MaxInt, ^uintptr(0)}
)

func TestSizesDoNotWrap(t *testing.T) {
	for _, n := range lengths {
		for _, size := range sizes {
			exactly := new(big.Int).Mul(big.NewInt(int64(n)), new(big.Int).SetUint64(uint64(size)))
			fits := exactly.Cmp(big.NewInt(most)) <= 0
			for name, got := range map[string]int64{"Size": Size(n, size), "AlignedSize": AlignedSize(n, size), "Shares": Shares(n, 3, n, size)} {
				switch {
				case !fits && got != TooLarge:
					t.Errorf("%s(%d, %d) = %d, want TooLarge", name, n, size, got)
				case fits && (big.NewInt(got).Cmp(exactly) < 0 || name != "Shares" && got >= TooLarge):
					t.Errorf("%s(%d, %d) = %d", name, n, size, got)
				}
			}
		}
	}
}

// TestImpossibleMemory takes what cannot exist: nothing may be read or written there.
func TestImpossibleMemory(t *testing.T) {
	type word = uint64
	const n = math.MaxInt/8 + 1
	var a Arena
	for name, take := range map[string]func(){
		"Take":                 func() { Take[word](&a, n) },
		"Take of pointers":     func() { Take[[2]*int](&a, n) },
		"TakeAligned":          func() { TakeAligned[word](&a, n) },
		"Fit":                  func() { Fit[word](n) },
		"Unset":                func() { Unset(math.MaxInt/4 + 1) },
		"Take of large arrays": func() { Take[[1 << 10]word](&a, n>>9) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "sorter: ") {
					t.Errorf("%s panicked with %q", name, text)
				}
			}()
			take()
		}()
	}
}

// TestSizesAreHeld compares the bounds with the bytes taken.
func TestSizesAreHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + r.IntN(1<<r.IntN(19))
		for name, c := range map[string]struct {
			take func(a *Arena, n int) int
			size func(n int) int64
		}{
			"bytes":    {func(a *Arena, n int) int { return len(Take[byte](a, n)) }, func(n int) int64 { return Size(n, 1) }},
			"words":    {func(a *Arena, n int) int { return len(Take[uint64](a, n)) }, func(n int) int64 { return Size(n, 8) }},
			"triples":  {func(a *Arena, n int) int { return len(Take[[3]uint64](a, n)) }, func(n int) int64 { return Size(n, 24) }},
			"aligned":  {func(a *Arena, n int) int { return len(TakeAligned[uint32](a, n)) }, func(n int) int64 { return AlignedSize(n, 4) }},
			"pointers": {func(a *Arena, n int) int { return len(Take[*int](a, n)) }, func(n int) int64 { return Size(n, wordSize) }},
			"strings":  {func(a *Arena, n int) int { return len(Take[[3]*int](a, n)) }, func(n int) int64 { return Size(n, 3*wordSize) }},
			"fitted":   {func(a *Arena, n int) int { return len(Take[uint32](a, Fit[uint32](n))) }, func(n int) int64 { return Size(n, 4) }},
		} {
			var a Arena
			if got := c.take(&a, n); got < n || a.Used() > c.size(n) {
				t.Errorf("%s: %d of %d, holding %d bytes, want at most %d", name, got, n, a.Used(), c.size(n))
			}
			a.Release(1)
		}
	}
}

const wordSize = 4 << (^uintptr(0) >> 63)

// TestSharesAreHeld takes memory in parts for the given number of elements together.
func TestSharesAreHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n, parts := 1+r.IntN(1<<r.IntN(18)), 1+r.IntN(20)
		largest := 1 + r.IntN(n)
		var a Arena
		left := n
		for range parts {
			some := min(left, largest, 1+r.IntN(2*(n/parts+1)))
			Take[uint64](&a, some)
			left -= some
		}
		if most := Shares(n, parts, largest, 8); a.Used() > most {
			t.Errorf("%d parts of at most %d, %d in all: %d bytes, want at most %d", parts, largest, n, a.Used(), most)
		}
		a.Release(1)
	}
}
