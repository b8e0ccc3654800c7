package extract

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// share draws which of n rows are null: none, all, a few, or most.
func share(r *rand.Rand, n int) []bool {
	null, of := make([]bool, n), r.IntN(5)
	for i := range null {
		null[i] = r.IntN(4) < of
	}
	if n > 0 && r.IntN(2) == 0 { // the first others come late
		for i := range null[:r.IntN(n)] {
			null[i] = true
		}
	}
	return null
}

// nullColumn returns a column of 64-bit keys of rows, with nulls by bits or by a function.
func nullColumn(r *rand.Rand, keys []uint64, null []bool) []Column {
	spec := column.SpecOfSlice(sortkey.Uint64, unsafe.Pointer(unsafe.SliceData(keys)), len(keys))
	place := column.NullPlace(1 + r.IntN(2))
	if f := column.NullFunc[int](func(row int) bool { return null[row] }); r.IntN(2) == 0 {
		spec = spec.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&f)), place)
	} else {
		spec = spec.WithBits(bitsOf(r, null), place)
	}
	if r.IntN(2) == 0 {
		spec = spec.Descending()
	}
	cols := AppendColumns(nil, []column.Spec{spec})
	ForRows(cols, len(keys))
	return cols
}

// TestNullSets finds the nulls of rows, all of them or some, and splits them from the others.
func TestNullSets(t *testing.T) {
	r := dist.Rand(31)
	for range testkit.Pick(800, 8000) {
		n := sizes[r.IntN(len(sizes))]
		null, keys := share(r, n), make([]uint64, n)
		for i := range keys {
			keys[i] = uint64(i) / 2
		}
		cols := nullColumn(r, keys, null)
		rows, row := RowNumbers(n), func(i int) int { return i }
		if r.IntN(3) == 0 {
			picked := make([]uint32, n)
			for i := range picked {
				picked[i] = uint32(r.IntN(n))
			}
			ForPicked(cols, picked)
			rows, row = rows.Pick(picked), func(i int) int { return int(picked[i]) }
		}
		if cols[0].Nulls == column.NoNulls {
			continue
		}
		if r.IntN(3) == 0 { // rows are elements
			elements := make([]int, n)
			for i := range elements {
				elements[i] = r.IntN(n)
			}
			cols[0].numbered = false
			rows, row = InputOf(cpu.PayloadOf(elements)), func(i int) int { return elements[i] }
			if keys := AppendColumns(nil, []column.Spec{cols[0].made}); keys[0].Nulls != column.NoNulls {
				cols = keys
			}
		}
		set, count := make(NullSet, NullWords(n)+1), 0
		set[len(set)-1] = 12345
		env := drawnEnv(r, t)
		cols[0].OpenNulls(env)
		for lo := 0; lo < n; lo += 128 {
			count += cols[0].FindNulls(rows, set, lo, min(lo+128, n))
		}
		nulls := 0
		for i := range n {
			if got := set[i/64]>>(i%64)&1 != 0; got != null[row(i)] {
				t.Fatalf("row %d of %d is null: %t", i, n, got)
			} else if got {
				nulls++
			}
		}
		if count != nulls || set[len(set)-1] != 12345 {
			t.Fatalf("%d of %d rows are null, counted %d", nulls, n, count)
		}
		lo := 64 * r.IntN(n/64+1)
		hi := lo + r.IntN(n-lo+1)
		if hi < n { // no bits of elements from hi on
			for i := hi; i < n; i++ {
				set[i/64] &^= 1 << (i % 64)
			}
		}
		var known, unknown []uint32
		for i := lo; i < hi; i++ {
			if null[row(i)] {
				unknown = append(unknown, uint32(i))
			} else {
				known = append(known, uint32(i))
			}
		}
		values, places := make([]uint32, len(known)), make([]uint32, len(unknown))
		if got := set.Split(values, places, lo, hi); got != len(known) || len(known) > 0 && [1]uint32(values) != [1]uint32(known) {
			t.Fatalf("%d of %d to %d are not null, want %d", got, lo, hi, len(known))
		}
		for i, x := range known {
			if values[i] != x {
				t.Fatalf("value %d of %d to %d is %d, want %d", i, lo, hi, values[i], x)
			}
		}
		for i, x := range unknown {
			if places[i] != x {
				t.Fatalf("null %d of %d to %d is %d, want %d", i, lo, hi, places[i], x)
			}
		}
	}
	for _, c := range [][2]int{{0, 0}, {1, 1}, {63, 1}, {64, 1}, {65, 2}, {127, 2}, {128, 2}, {129, 3}} {
		if got := NullWords(c[0]); got != c[1] {
			t.Errorf("%d words for %d elements", got, c[0])
		}
	}
}

// TestRises describes keys beside nulls, in ranges that are joined.
func TestRises(t *testing.T) {
	r := dist.Rand(32)
	for range testkit.Pick(1500, 15_000) {
		n := sizes[r.IntN(len(sizes))]
		null, keys, ties, fall := share(r, n), make([]uint64, n), r.IntN(3), r.IntN(3)
		for i := range keys {
			keys[i] = uint64(4*i) + 1
			if i > 0 && (ties == 1 && r.IntN(20) == 0 || ties == 2) {
				keys[i] = keys[i-1]
			}
			if null[i] && r.IntN(2) == 0 {
				keys[i] = r.Uint64()
			}
		}
		if i := r.IntN(n); fall == 0 {
			keys[i] -= min(keys[i], uint64(r.IntN(9)))
		}
		cols := nullColumn(r, keys, null)
		lead, set := cols[0].WithoutNulls(), make(NullSet, NullWords(n))
		for i, null := range null {
			if null {
				set[i/64] |= 1 << (i % 64)
			}
		}
		codes := make([]uint64, n)
		lead.Codes(codes, Batch{})
		var want, got Rise
		for i, c := range codes {
			if null[i] {
				continue
			}
			if want.Some {
				want.Falls, want.Ties = want.Falls || c < want.Last, want.Ties || c == want.Last
			} else {
				want.First, want.Some = c, true
			}
			want.Last = c
		}
		step := 64 << r.IntN(4)
		for lo := 0; lo < n; lo += step {
			got = lead.RiseWithout(RowNumbers(n), set, lo, min(lo+step, n)).After(got)
		}
		if got.Falls != want.Falls || !got.Falls && got != want {
			t.Fatalf("%d keys in steps of %d: %+v, want %+v", n, step, got, want)
		}
	}
}

// TestCodeBounds finds the bounds of the codes of rows that are not null, or of all where a function knows the nulls.
func TestCodeBounds(t *testing.T) {
	r := dist.Rand(33)
	for range testkit.Pick(600, 6000) {
		n := sizes[r.IntN(len(sizes))]
		null, keys := share(r, n), make([]uint64, n)
		for i := range keys {
			if keys[i] = 1000 + uint64(r.IntN(1000)); null[i] {
				keys[i] = r.Uint64()
			}
		}
		cols := nullColumn(r, keys, null)
		c := &cols[0]
		if c.Nulls == column.NoNulls {
			continue
		}
		lead := c.WithoutNulls()
		codes := make([]uint64, n)
		lead.Codes(codes, Batch{})
		least, most := uint64(math.MaxUint64), uint64(0)
		lo := r.IntN(n)
		hi := lo + r.IntN(n-lo+1)
		for i := lo; i < hi; i++ {
			if !null[i] || c.bits() == nil {
				least, most = min(least, codes[i]), max(most, codes[i])
			}
		}
		if a, b := c.CodeBounds(RowNumbers(n), lo, hi); a != least || b != most {
			t.Fatalf("codes of rows %d to %d are from %d to %d, want %d to %d", lo, hi, a, b, least, most)
		}
	}
}

// TestNullsAtEnd gives nulls the code of an end of the range, which keys may have, too, from some block on.
func TestNullsAtEnd(t *testing.T) {
	r := dist.Rand(35)
	for range testkit.Pick(300, 3000) {
		n := sizes[r.IntN(len(sizes))]
		l := listOf(func(r *rand.Rand) uint64 {
			return []uint64{0, math.MaxUint64, 1, math.MaxUint64 - 1, 7, 8, 9}[r.IntN(1+r.IntN(7))]
		})(r, n)
		isNull := column.NullFunc[int](func(row int) bool { return l.null[row] })
		spec := l.forms["function"].WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullPlace(1+r.IntN(2)))
		d := drawn{what: "nulls at the end", lists: []*list{l}, cols: AppendColumns(nil, []column.Spec{spec}), rows: RowNumbers(n), call: sortkey.Order{Desc: r.IntN(2) == 0}}
		for i := range n {
			d.row = append(d.row, i)
		}
		ForRows(d.cols, n)
		words, env := Words(d.cols, d.call), new(engine.Env)
		d.rows.Arena = &env.Arena
		words[0].Open(d.rows, env)
		w, ok := words[0].Full.(*nullsAtEnd)
		if !ok {
			t.Fatalf("full keys are %T", words[0].Full)
		}
		codes := make([]uint64, n)
		for lo := 0; lo < n; lo += 64 {
			Source64(d.rows, &words[0])(codes[lo:min(lo+64, n)], lo)
		}
		same := false
		for i := range n {
			is := !l.null[i] && codes[i] == w.null
			same = same || is
			if l.null[i] && codes[i] != w.null {
				t.Fatalf("a null has code %#x", codes[i])
			}
		}
		if w.PrefixIsWhole(64) == same {
			t.Fatalf("a key has the code of nulls: %t", same)
		}
		if d.checkFull(t, r, &words[0], codes, 0); t.Failed() {
			t.FailNow()
		}
		w.Forget(n)
		if !w.PrefixIsWhole(64) || w.Compare(0, 0) != 0 {
			t.Fatal("marks are not forgotten")
		}
		for lo := 0; lo < n; lo += 64 { // the same again
			Source64(d.rows, &words[0])(codes[lo:min(lo+64, n)], lo)
		}
		if w.PrefixIsWhole(64) == same {
			t.Fatalf("a key has the code of nulls after others are forgotten: %t", same)
		}
		w.Forget(n)
		for i := range n { // earlier marks are gone
			l.null[i] = true
		}
		Source64(d.rows, &words[0])(codes, 0)
		env.Arena.Release(1)
	}
}

// TestApartWords has words of parts whose rows are picked: texts that lie in memory by number are stored there.
func TestApartWords(t *testing.T) {
	texts := make([]string, 9)
	isNull := column.NullFunc[int](func(row int) bool { return row == 3 })
	spec := column.SpecOfSlice(sortkey.String, unsafe.Pointer(&texts[0]), len(texts))
	cols := AppendColumns(nil, []column.Spec{spec.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast), spec})
	ForRows(cols, len(texts))
	words := Words(cols, sortkey.Order{})
	values, nulls := ApartWords(words)
	if words[1].FullSize() != 0 || len(values) != 2 || len(nulls) != 1 || LeadingNulls(values) != column.NoNulls {
		t.Errorf("%d words apart from %d, %d bytes, nulls %d", len(values), len(nulls), words[1].FullSize(), LeadingNulls(values))
	}
	for _, l := range append(values, nulls...) {
		if l.FullSize() != unsafe.Sizeof("") {
			t.Errorf("a text that is picked takes %d bytes", l.FullSize())
		}
	}
}

// TestRiseAfter finds ties and falls between blocks of codes.
func TestRiseAfter(t *testing.T) {
	block := func(first, last uint64) Rise { return Rise{First: first, Last: last, Some: true} }
	for _, c := range []struct {
		before, after, want Rise
	}{
		{block(1, 5), block(6, 9), block(1, 9)},
		{block(1, 5), block(5, 9), Rise{First: 1, Last: 9, Some: true, Ties: true}},
		{block(1, 5), block(4, 9), Rise{First: 1, Last: 9, Some: true, Falls: true}},
		{Rise{}, block(4, 9), block(4, 9)},
		{block(4, 9), Rise{}, block(4, 9)},
	} {
		if got := c.after.After(c.before); got != c.want {
			t.Errorf("%+v after %+v: %+v", c.after, c.before, got)
		}
	}
}
