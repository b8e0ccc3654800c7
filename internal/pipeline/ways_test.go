package pipeline

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// columnOf returns a column of 64-bit keys by row number.
func columnOf(keys []int64) column.Spec {
	return column.SpecOfSlice(sortkey.Int64, unsafe.Pointer(unsafe.SliceData(keys)), len(keys))
}

// TestDealtRows orders rows of which the first column has few values, or as many as are dealt and one more.
func TestDealtRows(t *testing.T) {
	r := dist.Rand(71)
	for _, n := range []int{4200, 5000, 40_000} {
		for _, values := range []int{2, 97, n / leastDealt, n/leastDealt + 1, n} {
			for _, limit := range []int64{0, 1 << 20} {
				first, second := make([]int64, n), make([]int64, n)
				for i := range first {
					first[i], second[i] = int64(r.IntN(values))-7, int64(r.IntN(n/3))<<20
				}
				calls := 0
				third := column.SpecOf(sortkey.Int64, column.Func[int, int64](func(row int) int64 { calls++; return -int64(row) }))
				for _, specs := range [][]column.Spec{{columnOf(first), columnOf(second)}, {columnOf(first), columnOf(second), third}} {
					calls = 0
					p, err := OrderRows(extract.AppendColumns(nil, specs), n, &call.Options{Workers: 1, Limit: limit})
					if errors.Is(err, engine.ErrMemoryLimit) {
						continue
					}
					want := make(perm.Perm, n)
					for i := range want {
						want[i] = uint32(i)
					}
					slices.SortStableFunc(want, func(a, b uint32) int {
						c := cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[a], second[b]))
						if c == 0 && len(specs) == 3 {
							c = cmp.Compare(b, a)
						}
						return c
					})
					if err != nil || !slices.Equal(p, want) || calls > n {
						t.Errorf("%d rows of %d values, limit %d, %d columns: %v, %d calls", n, values, limit, len(specs), err, calls)
					}
				}
			}
		}
	}
}

// TestRowsBesideNulls orders rows that are in order except for their nulls, or for a step at any place.
func TestRowsBesideNulls(t *testing.T) {
	r := dist.Rand(72)
	for i := range testkit.Pick(150, 1000) {
		n := []int{4097, 5000, 3 * engine.Block, 3*engine.Block + 1, 20_000}[r.IntN(5)]
		keys, others, null, share := make([]int64, n), make([]int64, n), make([]bool, n), []int{0, 1, 10, 99, 100}[r.IntN(5)]
		for k := range keys {
			keys[k], others[k], null[k] = int64(4*k), int64(r.IntN(50)), r.IntN(100) < share
		}
		at := []int{r.IntN(n-1) + 1, engine.Block, 2 * engine.Block, n - 1}[r.IntN(4)]
		switch r.IntN(3) {
		case 0:
			keys[at] = keys[at-1] // ties
		case 1:
			keys[at] = keys[at-1] - 1
		}
		isNull, place := column.NullFunc[int](func(row int) bool { return null[row] }), column.NullPlace(1+r.IntN(2))
		specs := []column.Spec{columnOf(keys).WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), place), columnOf(others)}[:1+r.IntN(2)]
		want := make(perm.Perm, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int {
			c := 0
			switch {
			case null[a] != null[b] && null[a] == (place == column.NullsFirst):
				return -1
			case null[a] != null[b]:
				return 1
			case !null[a]:
				c = cmp.Compare(keys[a], keys[b])
			}
			if c == 0 && len(specs) == 2 {
				c = cmp.Compare(others[a], others[b])
			}
			return c
		})
		p, err := OrderRows(extract.AppendColumns(nil, specs), n, &call.Options{Workers: int32(1 + r.IntN(3))})
		if err != nil || !slices.Equal(p, want) {
			t.Fatalf("case %d: %d rows, %d %% null, a step at %d, %d columns: wrong order, %v", i, n, share, at, len(specs), err)
		}
	}
}

// needed is an error of a memory limit.
type needed int64

func (needed) Error() string { return "memory" }

// TestRequired names the limit that is enough, or says that no memory is.
func TestRequired(t *testing.T) {
	before := engine.NewMemoryError
	defer func() { engine.NewMemoryError = before }()
	engine.NewMemoryError = func(_, need int64, _ int) error { return needed(need) }
	for _, c := range []struct {
		limit, bytes int64
		want         error
	}{
		{0, 0, nil}, {0, 1 << 40, nil}, {10, 10, nil}, {10, 11, needed(11)}, {10, scratch.TooLarge - 1, needed(scratch.TooLarge - 1)}, {10, scratch.TooLarge, needed(math.MaxInt64)}, {1, scratch.TooLarge, needed(math.MaxInt64)},
	} {
		if got := required(5, c.limit, c.bytes); got != c.want {
			t.Errorf("limit %d, %d bytes: %v, want %v", c.limit, c.bytes, got, c.want)
		}
	}
	if err := required(5, 0, scratch.TooLarge); !errors.Is(err, engine.ErrTooLong) {
		t.Errorf("more than can be addressed: %v", err)
	}
}
