package sorter_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// TestReserve: the first sort takes the memory that is reserved, and after Trim it takes new memory.
func TestReserve(t *testing.T) {
	testkit.SkipInstrumented(t)
	defer sorter.Trim()
	type trade struct {
		ID    uint64
		Price float32
	}
	const n = 500_000
	trades := make([]trade, n)
	for i := range trades {
		trades[i] = trade{uint64(i), float32(i * 7919 % n)}
	}
	byPrice := sorter.By(sorter.Asc(func(t trade) float32 { return t.Price }))
	allocated := func() uint64 {
		s := slices.Clone(trades)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := byPrice.Sort(s); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	sorter.Trim()
	sorter.Reserve(byPrice.ScratchBytes(n))
	with := allocated()
	sorter.Trim()
	without := allocated()
	if without < 4*n || with > without/4 {
		t.Errorf("%d bytes are allocated with reserved memory, %d without", with, without)
	}
}

func TestReserveMisuse(t *testing.T) {
	for _, bytes := range []int64{-1, 1 << 62} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.HasPrefix(v, "sorter: ") || !strings.Contains(v, fmt.Sprint(bytes)) {
					t.Errorf("Reserve(%d): %s", bytes, v)
				}
			}()
			sorter.Reserve(bytes)
		}()
	}
}

func ExampleReserve() {
	byPrice := sorter.By(sorter.Asc(func(price float64) float64 { return price }))
	sorter.Reserve(byPrice.ScratchBytes(1_000_000)) // when the service starts
	defer sorter.Trim()

	prices := []float64{20.5, 19, 21}
	fmt.Println(byPrice.Sort(prices), prices)
	// Output: <nil> [19 20.5 21]
}
