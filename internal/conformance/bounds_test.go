package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
	"example.com/sorter/perm"
)

// Every plan bounds the scratch memory of its call before any is taken. Calls drawn at random are held to
// that, and to what their errors say of the memory that is enough.

// boundSizes are lengths around those at which calls take another way.
var boundSizes = []int{1, 2, 24, 25, 100, 1000, 2047, 2049, 4095, 4096, 4097, 6000, 8191, 8192, 8193, 16_384, 20_000, 32_769, 49_153, 65_535, 65_536, 65_537, 131_072, 140_000}

// boundValues draw the i-th of n values, besides valueShapes.
var boundValues = []func(r *rand.Rand) func(i int) uint64{
	func(r *rand.Rand) func(i int) uint64 { // few values of unlike magnitude
		values := make([]uint64, 2+r.IntN(100))
		for i := range values {
			values[i] = r.Uint64() >> r.IntN(64)
		}
		return func(int) uint64 { return values[r.IntN(len(values))] }
	},
	func(r *rand.Rand) func(i int) uint64 { // those of 32 bits
		values := make([]uint64, 2+r.IntN(100))
		for i := range values {
			values[i] = uint64(r.Uint32()>>1>>r.IntN(31)) << 32
		}
		return func(int) uint64 { return values[r.IntN(len(values))] }
	},
	func(r *rand.Rand) func(i int) uint64 { // a crowd at an end, others of unlike magnitude
		share, most := 1+r.IntN(10), uint64(r.IntN(2))*math.MaxUint64
		return func(int) uint64 {
			if r.IntN(share+1) > 0 {
				return most
			}
			return most ^ r.Uint64()>>r.IntN(64)
		}
	},
	func(r *rand.Rand) func(i int) uint64 { // floats of narrow clusters
		spread := math.Exp(-float64(r.IntN(20)))
		return func(int) uint64 { return math.Float64bits(float64(r.IntN(50)) + r.NormFloat64()*spread) }
	},
	func(r *rand.Rand) func(i int) uint64 { // in order, ties apart
		each := 1 + r.IntN(300)
		return func(i int) uint64 { return uint64(i/each) << 20 }
	},
}

// drawValues returns n values.
func drawValues(r *rand.Rand, n int) []uint64 {
	all := make([]uint64, n)
	var draw func(i int) uint64
	if k := r.IntN(len(boundValues) + len(valueShapes)); k < len(boundValues) {
		draw = boundValues[k](r)
	} else {
		shape := valueShapes[k-len(boundValues)]
		draw = func(i int) uint64 { return shape.draw(r, i, n) }
	}
	for i := range all {
		all[i] = draw(i)
	}
	return all
}

// boundKeys are kinds of keys that are made of values.
type boundKey interface {
	column(r *rand.Rand, values []uint64) sorter.Column[int] // by row number
	verbs(r *rand.Rand, values []uint64) []boundCall
}

type kindOf[K sorter.Key] struct{ of func(v uint64) K }

var boundKinds = []boundKey{
	kindOf[int32]{func(v uint64) int32 { return int32(v >> 32) }},
	kindOf[uint64]{func(v uint64) uint64 { return v }},
	kindOf[int8]{func(v uint64) int8 { return int8(v >> 56) }},
	kindOf[bool]{func(v uint64) bool { return v>>63 != 0 }},
	kindOf[uint16]{func(v uint64) uint16 { return uint16(v >> 48) }},
	kindOf[float64]{math.Float64frombits},
	kindOf[float32]{func(v uint64) float32 { return math.Float32frombits(uint32(v >> 32)) }},
	kindOf[string]{textsOf[0]},
	kindOf[string]{textsOf[1]},
	kindOf[string]{textsOf[2]},
	kindOf[[]byte]{func(v uint64) []byte { return []byte(textsOf[3](v)) }},
	kindOf[[16]byte]{func(v uint64) (id [16]byte) { copy(id[:], decimal(v)); return id }},
	kindOf[mac]{arrayOf[mac]},
	kindOf[[20]byte]{arrayOf[[20]byte]},
	kindOf[netip.Addr]{addrOf},
	kindOf[time.Time]{func(v uint64) time.Time { return time.Unix(int64(v>>20), int64(v%1e9)) }},
	kindOf[sorter.Int128]{func(v uint64) sorter.Int128 { return sorter.Int128{Hi: int64(v >> 40), Lo: v << 24} }},
	kindOf[sorter.Float4]{func(v uint64) sorter.Float4 {
		return sorter.Float4{float32(v >> 60), float32(v >> 40 & 0xff), float32(v)}
	}},
}

func (k kindOf[K]) column(r *rand.Rand, values []uint64) sorter.Column[int] {
	var c sorter.Column[int]
	keys := mapped(values, k.of)
	switch r.IntN(4) {
	case 0:
		c = sorter.Asc(func(row int) K { return keys[row] })
	case 1:
		c = sorter.DescOf(keys)
	case 2:
		cut := r.IntN(len(keys) + 1)
		c = sorter.Chunks([][]K{keys[:cut], keys[cut:]}).Asc()
	default:
		c = sorter.AscOf(keys)
	}
	share := 1 + r.IntN(20)
	switch r.IntN(6) {
	case 0:
		c = c.NullsFirst(func(row int) bool { return values[row]%uint64(share) == 0 })
	case 1:
		bits := make([]byte, len(values)/8+1)
		for i := range bits {
			bits[i] = byte(r.Uint32() | r.Uint32())
		}
		c = c.NullsLastBits(bits, 0)
	}
	return c
}

// boundCall is a call, on a fresh copy of its input.
type boundCall struct {
	name string
	run  func(opts ...sorter.Option) error
	most func(opts ...sorter.Option) int64 // what ScratchBytes says, nil where nothing does
}

func ignored[T any](_ T, err error) error { return err }

// verbs are calls by keys of a kind.
func (k kindOf[K]) verbs(r *rand.Rand, values []uint64) []boundCall {
	keys := mapped(values, k.of)
	all := []boundCall{
		{"SortKeys", func(opts ...sorter.Option) error { return sorter.SortKeys(slices.Clone(keys), opts...) }, nil},
		{"OrderKeys", func(opts ...sorter.Option) error { return ignored(sorter.OrderKeys(keys, opts...)) }, nil},
		{"TopKeys", func(opts ...sorter.Option) error { return sorter.TopKeys(slices.Clone(keys), topOf(values), opts...) }, nil},
		{"SortPairs", func(opts ...sorter.Option) error {
			return sorter.SortPairs(slices.Clone(keys), make([][3]byte, len(keys)), opts...)
		}, nil},
	}
	switch r.IntN(4) {
	case 0:
		return append(all, structVerbs(r, values, func(v uint64) uint8 { return uint8(v >> 56) }, func(e uint8) uint64 { return uint64(e) })...)
	case 1:
		return append(all, structVerbs(r, values, func(v uint64) [2]uint32 { return [2]uint32{uint32(v >> 32)} }, func(e [2]uint32) uint64 { return uint64(e[0]) })...)
	case 2:
		return append(all, structVerbs(r, values, func(v uint64) fill { return fill{Price: float32(v)} }, func(e fill) uint64 { return uint64(e.Price) })...)
	}
	return append(all, structVerbs(r, values, func(v uint64) [25]uint64 { return [25]uint64{v} }, func(e [25]uint64) uint64 { return e[0] })...)
}

// topOf is a number of selected elements that follows from the input alone.
func topOf(values []uint64) int {
	n := len(values)
	return []int{0, 1, n / 40, n / 3, n, n + 1}[n/7%6]
}

// structVerbs are calls on elements that are made of values.
func structVerbs[E any](r *rand.Rand, values []uint64, of func(v uint64) E, key func(e E) uint64) []boundCall {
	in, n := mapped(values, of), len(values)
	k, cut := []int{0, 1, n / 40, n / 3, n}[r.IntN(5)], r.IntN(n+1)
	sorted := slices.Clone(in)
	if sorter.Sort(sorted[:cut], key) != nil || sorter.Sort(sorted[cut:], key) != nil {
		panic("no order")
	}
	offsets := drawOffsets(r, n)
	cols := []sorter.Column[E]{
		sorter.Asc(key),
		sorter.Asc(func(e E) uint32 { return uint32(key(e) >> 32) }),
		sorter.Asc(key).NullsFirst(func(e E) bool { return key(e)%5 == 0 }),
		sorter.Asc(func(e E) string { return textsOf[1](key(e)) }),
	}
	r.Shuffle(len(cols), func(i, j int) { cols[i], cols[j] = cols[j], cols[i] })
	by := sorter.By(cols[:1+r.IntN(3)]...)
	copied := func() []E { return slices.Clone(in) }
	return []boundCall{
		{"Sort", func(opts ...sorter.Option) error { return sorter.Sort(copied(), key, opts...) }, nil},
		{"Ordering.Sort", func(opts ...sorter.Option) error { return by.Sort(copied(), opts...) },
			func(opts ...sorter.Option) int64 { return by.ScratchBytes(n, opts...) }},
		{"Order", func(opts ...sorter.Option) error { return ignored(sorter.Order(in, key, opts...)) }, nil},
		{"Ordering.Order", func(opts ...sorter.Option) error { return ignored(by.Order(in, opts...)) }, nil},
		{"TopK", func(opts ...sorter.Option) error { return sorter.TopK(copied(), k, key, opts...) }, nil},
		{"Ordering.TopK", func(opts ...sorter.Option) error { return by.TopK(copied(), k, opts...) }, nil},
		{"TopOrder", func(opts ...sorter.Option) error { return ignored(sorter.By(sorter.Asc(key)).TopOrder(in, k, opts...)) }, nil},
		{"Ordering.TopOrder", func(opts ...sorter.Option) error { return ignored(by.TopOrder(in, k, opts...)) }, nil},
		{"Nth", func(opts ...sorter.Option) error {
			return ignored(sorter.By(sorter.Asc(key)).Nth(in, []int{min(k, n-1)}, opts...))
		}, nil},
		{"Ordering.Nth", func(opts ...sorter.Option) error { return ignored(by.Nth(in, []int{min(k, n-1)}, opts...)) }, nil},
		{"SortWithin", func(opts ...sorter.Option) error {
			return sorter.By(sorter.Asc(key)).SortWithin(copied(), offsets, opts...)
		}, nil},
		{"Ordering.SortWithin", func(opts ...sorter.Option) error { return by.SortWithin(copied(), offsets, opts...) }, nil},
		{"Merge", func(opts ...sorter.Option) error {
			return sorter.Merge(make([]E, n), [][]E{sorted[:cut], sorted[cut:]}, key, opts...)
		}, nil},
		{"Ordering.Merge of many", func(opts ...sorter.Option) error {
			return by.Merge(make([]E, n), [][]E{sorted[:cut], sorted[cut:], nil}, opts...)
		}, nil},
		{"Merge of many of short runs", func(opts ...sorter.Option) error {
			return sorter.Merge(make([]E, n), slices.Collect(slices.Chunk(in, 1+n/5000)), key, opts...)
		}, nil},
	}
}

// drawOffsets returns the offsets of segments of n elements, of any lengths.
func drawOffsets(r *rand.Rand, n int) []int {
	offsets := []int{0}
	for each := 1 + r.IntN(n+1); offsets[len(offsets)-1] < n; {
		offsets = append(offsets, min(n, offsets[len(offsets)-1]+1+r.IntN(each)))
	}
	return offsets
}

// rowBounds are calls by columns of row numbers.
func rowBounds(r *rand.Rand, n int) []boundCall {
	columns := func(most int) (cols []sorter.Column[int]) {
		for range 1 + r.IntN(most) {
			cols = append(cols, boundKinds[r.IntN(len(boundKinds))].column(r, drawValues(r, n)))
		}
		return cols
	}
	cols, partition := columns(3), columns(2)
	values := drawValues(r, n)
	offsets, k := drawOffsets(r, n), []int{0, 1, n / 40, n / 3, n}[r.IntN(5)]
	rows := make([]uint32, 1+r.IntN(n))
	for i := range rows {
		rows[i] = uint32(r.IntN(n))
	}
	ks := make([]int, r.IntN(20))
	for i := range ks {
		ks[i] = r.IntN(n)
	}
	qs := mapped(ks, func(k int) float64 { return float64(k) / float64(n) })
	third := func(rows any, parts any, err error) error { return err }
	return []boundCall{
		{"Rows.Order", func(opts ...sorter.Option) error { return ignored(sorter.RowsBy(n, cols...).Order(opts...)) }, nil},
		{"Rows.Order with runs", func(opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols...).Order(append(opts, sorter.MarkRuns(new(perm.Runs)), sorter.MarkRunsBy(1, new(perm.Runs)))...))
		}, nil},
		{"Rows.Sort", func(opts ...sorter.Option) error {
			return sorter.RowsBy(n, cols...).Sort(slices.Clone(rows), opts...)
		}, nil},
		{"Rows.Sort with runs", func(opts ...sorter.Option) error {
			return sorter.RowsBy(n, cols...).Sort(slices.Clone(rows), append(opts, sorter.MarkRuns(new(perm.Runs)))...)
		}, nil},
		{"Rows.Within", func(opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols...).Within(offsets, opts...))
		}, nil},
		{"Rows.Top", func(opts ...sorter.Option) error { return ignored(sorter.RowsBy(n, cols...).Top(k, opts...)) }, nil},
		{"Rows.Nth of one", func(opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols...).Nth([]int{min(k, n-1)}, opts...))
		}, nil},
		{"Rows.Nth", func(opts ...sorter.Option) error { return ignored(sorter.RowsBy(n, cols...).Nth(ks, opts...)) }, nil},
		{"Rows.Quantiles", func(opts ...sorter.Option) error { return ignored(sorter.RowsBy(n, cols...).Quantiles(qs, opts...)) }, nil},
		{"Quantiles", func(opts ...sorter.Option) error { return ignored(sorter.Quantiles(values, qs, opts...)) }, nil},
		{"Partitions.Top", func(opts ...sorter.Option) error {
			rows, parts, err := sorter.RowsBy(n, cols...).Per(partition...).Top(k, opts...)
			return third(rows, parts, err)
		}, nil},
		{"Partitions.Nth", func(opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols...).Per(partition...).Nth(ks, opts...))
		}, nil},
		{"Partitions.Quantiles", func(opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols...).Per(partition...).Quantiles(qs, opts...))
		}, nil},
		{"quantiles of values", func(opts ...sorter.Option) error {
			rows, parts, err := interpolatedPer(values, qs, partition, opts...)
			return third(rows, parts, err)
		}, nil},
	}
}

// overruns collects what calls took beyond their plans.
type overruns struct {
	sync.Mutex
	seen []string
}

func (o *overruns) add(movement string, took, planned int64) {
	if took <= planned {
		return
	}
	o.Lock()
	defer o.Unlock()
	o.seen = append(o.seen, fmt.Sprintf("%s took %d bytes and planned %d", movement, took, planned))
}

func (o *overruns) check(t *testing.T, name string) {
	t.Helper()
	o.Lock()
	defer o.Unlock()
	for _, what := range o.seen {
		t.Errorf("%s: %s", name, what)
	}
	o.seen = nil
}

// checkNeed holds a call to the bound that it names: an error names the limit of the caller, and a need
// that is enough, and so is every larger limit.
func (c *boundCall) checkNeed(t *testing.T, r *rand.Rand, name string, opts []sorter.Option) {
	t.Helper()
	limit := int64(1)
	for range 2 {
		var st sorter.Stats
		err := c.run(append(slices.Clone(opts), sorter.MemoryLimit(limit), sorter.Report(&st))...)
		if st.Scratch > limit {
			t.Errorf("%s: Stats.Scratch is %d under a limit of %d", name, st.Scratch, limit)
		}
		if err == nil {
			break
		}
		var named, n, need int64
		_, bad := fmt.Sscanf(err.Error(), "sorter: memory limit too small: %d bytes for %d elements, need %d", &named, &n, &need)
		if !errors.Is(err, sorter.ErrMemoryLimit) || bad != nil || named != limit || limit > 1 {
			t.Errorf("%s: under a limit of %d: %v", name, limit, err)
			return
		}
		var short *sorter.MemoryError
		if !errors.As(err, &short) || *short != (sorter.MemoryError{Limit: named, Need: need, Elements: int(n)}) {
			t.Errorf("%s: %v is %+v", name, err, short)
		}
		limit = need
	}
	for range 3 {
		var st sorter.Stats
		most := int64(float64(limit) * math.Exp(3*r.Float64()))
		if err := c.run(append(slices.Clone(opts), sorter.MemoryLimit(most), sorter.Report(&st))...); err != nil || st.Scratch > most {
			t.Errorf("%s: %v, Stats.Scratch is %d under a limit of %d; %d is enough", name, err, st.Scratch, most, limit)
		}
	}
}

// TestPlannedMemory draws calls of every verb.
func TestPlannedMemory(t *testing.T) {
	testkit.SkipRace(t)
	var over overruns
	defer pipeline.OnPlanned(over.add)()
	for seed := range testkit.Pick(16, 80) {
		r := dist.Rand(uint64(seed))
		n := boundSizes[r.IntN(len(boundSizes))]
		values := drawValues(r, n)
		calls := append(boundKinds[r.IntN(len(boundKinds))].verbs(r, values), rowBounds(r, n)...)
		vectors := []string{"", "avx2", "none"}[r.IntN(3)]
		undo := vecsort.Restrict(vectors)
		for range 5 {
			c := calls[r.IntN(len(calls))]
			workers := 1 + r.IntN(4)
			opts := []sorter.Option{sorter.Workers(workers)}
			name := fmt.Sprintf("seed %d, %s, n=%d, %d workers, vectors %q", seed, c.name, n, workers, vectors)
			if a := sorter.Algorithm(r.IntN(int(engine.Algorithms))); r.IntN(3) == 0 && sorter.CPU().Runs(a) {
				opts, name = append(opts, sorter.Use(a)), fmt.Sprintf("%s, %v", name, a)
			}
			if r.IntN(5) == 0 {
				opts, name = append(opts, sorter.On(&plainEngine{positions: r.IntN(2) == 0}), sorter.Use(sorter.Auto)), name+", on an engine"
			}
			var ample, free sorter.Stats
			err := cmp.Or(c.run(append(slices.Clone(opts), sorter.MemoryLimit(1<<50), sorter.Report(&ample))...), c.run(append(slices.Clone(opts), sorter.Report(&free))...))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			over.check(t, name+", under a large limit")
			if c.most != nil && n > 4096 {
				most := c.most(opts...)
				if ample.Scratch > most || free.Scratch > most {
					t.Errorf("%s: Stats.Scratch is %d, under a large limit %d; ScratchBytes says %d", name, free.Scratch, ample.Scratch, most)
				}
			}
			c.checkNeed(t, r, name, opts)
			over.check(t, name)
		}
		undo()
	}
}
