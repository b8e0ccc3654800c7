package ranked

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// columnAt returns a column of 64-bit keys by row number.
func columnAt(keys []int64) column.Spec {
	return column.SpecOfSlice(sortkey.Int64, unsafe.Pointer(unsafe.SliceData(keys)), len(keys))
}

// TestPartitionsOfRows takes the first rows of partitions, by numbers and by texts, of few rows each or of many.
func TestPartitionsOfRows(t *testing.T) {
	r := dist.Rand(73)
	for i := range testkit.Pick(40, 166) {
		n, k := leastPartitioned-1+r.IntN(2)*r.IntN(9000), 1+r.IntN(4)
		values := 1 + r.IntN([]int{3, 100, n / 3, n}[r.IntN(4)])
		of, texts, keys := make([]int64, n), make([]string, n), make([]int64, n)
		for i := range of {
			of[i], keys[i] = int64(r.IntN(values)), int64(r.IntN(n/2))
			texts[i] = string([]byte{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', byte(of[i]), byte(of[i] >> 8)})
		}
		if r.IntN(3) == 0 { // the first rows of a partition come first
			for i := range keys {
				keys[i] = int64(i)
			}
		}
		lead := columnAt(of)
		byText := r.IntN(2) == 0
		if byText {
			lead = column.SpecOfSlice(sortkey.String, unsafe.Pointer(unsafe.SliceData(texts)), n)
		}
		want := make(perm.Perm, n)
		for i := range want {
			want[i] = uint32(i)
		}
		testkit.SortStable(want, func(a, b uint32) int {
			c := cmp.Compare(of[a], of[b])
			if byText {
				c = cmp.Compare(texts[a], texts[b])
			}
			return cmp.Or(c, cmp.Compare(keys[a], keys[b]))
		})
		first, ends := perm.Perm{}, []int{0}
		for lo := 0; lo < n; {
			hi := lo
			for hi < n && of[want[hi]] == of[want[lo]] {
				hi++
			}
			first = append(first, want[lo:min(hi, lo+k)]...)
			ends, lo = append(ends, len(first)), hi
		}
		ranks := perm.Perm{}
		for lo, hi := 0, 0; lo < n; lo = hi {
			for hi < n && of[want[hi]] == of[want[lo]] {
				hi++
			}
			ranks = append(ranks, want[lo], want[lo+(hi-lo)/2], math.MaxUint32)
			if hi-lo > 3 {
				ranks[len(ranks)-1] = want[lo+3]
			}
		}
		nth, err := NthOfPartitions(cols([]column.Spec{lead}), cols([]column.Spec{columnAt(keys)}), n, 3, func(size, j int) int { return []int{0, size / 2, 3}[j] }, &call.Options{Workers: 1})
		if err != nil || !slices.Equal(nth, ranks) || cap(nth) > len(nth)+3 {
			t.Fatalf("case %d: rows of ranks of %d partitions: %d, want %d, %v", i, len(ends)-1, len(nth), len(ranks), err)
		}
		rows, parts, err := FirstOfPartitions(cols([]column.Spec{lead}), cols([]column.Spec{columnAt(keys)}), n, k, &call.Options{Workers: int32(1 + r.IntN(3))})
		if err != nil || !slices.Equal(rows, first) || !slices.Equal(parts.Offsets(), ends) {
			t.Fatalf("case %d: the first %d of %d partitions of %d rows, by texts %t: %d rows, want %d, %v", i, k, len(ends)-1, n, byText, len(rows), len(first), err)
		}
	}
}

// TestFirstOfEqual takes the first of elements that no column orders.
func TestFirstOfEqual(t *testing.T) {
	s := []int64{3, 1, 2}
	if err := topRows(nil, cpu.PayloadOf(s), 2, call.Options{}, FrontOf(s)); err != nil || !slices.Equal(s, []int64{3, 1, 2}) {
		t.Errorf("the first of equal elements are %v, %v", s, err)
	}
}

// TestPartitionWays takes the first rows of partitions by each way, by keys in memory and of functions: the report names the order by
// partition, the result holds no memory of other rows, and function calls are those of one pass each.
func TestPartitionWays(t *testing.T) {
	const n = leastPartitioned
	type specs = []func(s []row) column.Spec
	s := plannedRows(n)
	few, wide, text := byRow(fewOf), byRow(wideOf), byRow(textOf)
	sameFew, sameText := func(a, b row) bool { return a.few == b.few }, func(a, b row) bool { return a.text == b.text }
	var calls int
	fewOfRow := func(s []row) column.Spec {
		return column.SpecOf(sortkey.Int64, column.Func[int, int64](func(i int) int64 { calls++; return s[i].few }))
	}
	for _, c := range []struct {
		name      string
		off       ways.Set
		partition specs
		by        specs
		k         int
		want      ways.Set
		algorithm string
		calls     int
		most      int // rows that the result may have memory for
		same      func(a, b row) bool
	}{
		{"few partitions", 0, specs{few}, specs{wide}, 2, ways.Of(ways.PartitionTable), "Small", 0, 97 * 2 * 5, sameFew},
		{"few partitions by a function", 0, specs{fewOfRow}, specs{wide}, 2, ways.Of(ways.PartitionTable), "Small", n + n/4, 97 * 2 * 5, sameFew},
		{"few partitions without a table", ways.Of(ways.PartitionTable), specs{few}, specs{wide}, 2, ways.Of(ways.PartitionRuns), "IndexGather", 0, 97 * 2 * 5, sameFew},
		{"few partitions, ordered", ways.Of(ways.PartitionTable, ways.PartitionRuns), specs{few}, specs{wide}, 2, 0, "IndexGather", 0, n / 2, sameFew},
		{"partitions by text", 0, specs{text}, specs{wide}, 1, ways.Of(ways.PartitionRuns), "Segments", 0, n, sameText},
		{"no column within", 0, specs{few}, nil, 1, 0, "IndexGather", 0, n / 2, sameFew},
	} {
		var st report
		calls = 0
		restore := ways.SwitchOff(c.off)
		var first []uint32
		var parts perm.Runs
		var err error
		taken := ways.Watch(func() {
			first, parts, err = FirstOfPartitions(rowColumns(s, c.partition), rowColumns(s, c.by), n, c.k, &call.Options{Workers: 1, Report: &st})
		})
		restore()
		if err != nil || taken&ways.Of(ways.PartitionTable, ways.PartitionRuns) != c.want || st.Algorithm != c.algorithm || st.CodeBits == 0 || calls > c.calls || cap(first) > c.most {
			t.Errorf("%s: ways %v, %s by %d bits, %d calls, memory for %d rows, %v", c.name, taken, st.Algorithm, st.CodeBits, calls, cap(first), err)
		}
		order, err := pipeline.OrderRows(rowColumns(s, append(slices.Clone(c.partition), c.by...)), n, &call.Options{Workers: 1})
		var want []uint32
		ends := []int{0}
		for lo, hi := 0, 0; lo < n; lo = hi {
			for hi < n && c.same(s[order[lo]], s[order[hi]]) {
				hi++
			}
			want = append(want, order[lo:min(hi, lo+c.k)]...)
			ends = append(ends, len(want))
		}
		if err != nil || !slices.Equal(first, want) || !slices.Equal(parts.Offsets(), ends) {
			t.Errorf("%s: %d rows of %d partitions, want %d of %d, %v", c.name, len(first), parts.Len(), len(want), len(ends)-1, err)
		}
	}
}

// TestPartitionEnds ends a call that orders rows by partition at some of its questions: it reports that, or has the rows.
func TestPartitionEnds(t *testing.T) {
	const n = leastPartitioned
	s := plannedRows(n)
	first := func(left int64) (rows []uint32, parts perm.Runs, asked int64, err error) {
		ctx := &testkit.Ending{Context: context.Background()}
		ctx.Left.Store(left)
		rows, parts, err = FirstOfPartitions(cols([]column.Spec{sliceOf(s, textOf)}), cols([]column.Spec{sliceOf(s, wideOf)}), n, 1, &call.Options{Workers: 1, Ctx: ctx})
		return rows, parts, left - ctx.Left.Load(), err
	}
	want, _, questions, err := first(1 << 40)
	if err != nil {
		t.Fatal(err)
	}
	for left := range questions {
		if left > 3 && left < questions-9 && left%(questions/20+1) != 0 {
			continue
		}
		rows, parts, _, err := first(left)
		if err == nil && !slices.Equal(rows, want) || err != nil && (err != context.Canceled || rows != nil || parts.Len() > 0) {
			t.Errorf("after %d of %d questions: %d rows of %d partitions, %v", left, questions, len(rows), parts.Len(), err)
		}
	}
}
