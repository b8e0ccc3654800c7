package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// TestLocal sorts buckets of all lengths around those where digits change, of codes
// whose leading bits separate most, few and none of them: themselves and by their
// order.
func TestLocal(t *testing.T) {
	for _, bound := range []string{"", "avx2", "none"} {
		undo := vecsort.Restrict(bound)
		locally[uint32](t)
		locally[uint64](t)
		undo()
	}
}

func locally[C Code](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	bits := int(unsafe.Sizeof(C(0))) * 8
	lengths := []int{2, shortSort, shortSort + 1, 33, 64, 65, 700, 1025, 4097, 1 << 15, maxLocal}
	if !testkit.Long() {
		lengths = lengths[:len(lengths)-2]
	}
	for name, code := range map[string]func(i, n int) C{
		"uniform":   func(int, int) C { return C(r.Uint64()) },
		"16 values": func(int, int) C { return C(r.Uint64N(16)) << (bits - 7) },
		"narrow":    func(int, int) C { return C(r.Uint64N(100)) },
		"nested":    func(int, int) C { return C(r.Uint64()) >> (bits / 5 * r.IntN(5)) },
		"falling runs": func(i, n int) C {
			return C(r.Uint64N(3))<<(bits-3) + C(n-i)
		},
		"short runs": func(i, n int) C {
			return C(r.IntN(n/16+1))*(^C(0)/C(n/16+1)) + C(r.Uint64N(100))
		},
		"two signs": func(int, int) C { return C(1)<<(bits-1) ^ C(r.Uint64())>>r.IntN(bits) },
		"equal in part": func(i, n int) C {
			if r.IntN(40) > 0 {
				return C(r.Uint64())
			}
			return 1 << (bits - 3)
		},
		"outliers": func(i, n int) C {
			switch i {
			case n / 3:
				return 0
			case n / 2:
				return ^C(0)
			}
			return 1<<(bits-2) + C(r.Uint64N(1<<20))
		},
	} {
		w := local[C]{env: newEnv(1)}
		for _, n := range lengths {
			name := fmt.Sprintf("%s, %d codes of %d bits", name, n, bits)
			codes := make([]C, n)
			for i := range codes {
				codes[i] = code(i, n)
			}
			sorted := slices.Sorted(slices.Values(codes))
			v := surveyOf(codes)
			order := w.order(codes, v.min, v.span())
			for i, x := range order {
				if codes[x] != sorted[i] || i > 0 && sorted[i-1] == sorted[i] && order[i-1] > x {
					t.Errorf("%s: element %d is at place %d", name, x, i)
					break
				}
			}
			if got := w.sortCodes(codes, v.min, v.span()); !slices.Equal(got, sorted) {
				t.Errorf("%s: not sorted", name)
			}
		}
	}
}
