package extract

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/testkit"
)

// TestBytes compares the bounds of memory with what is taken, where all that may be stored is.
func TestBytes(t *testing.T) {
	r := dist.Rand(51)
	for i, make := range lists {
		for _, n := range []int{1, 100, 5000} {
			l := make(r, n)
			for name, spec := range l.forms {
				isNull := column.NullFunc[int](func(row int) bool { return l.null[row] })
				if r.IntN(2) == 0 {
					spec = spec.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)
				}
				other := column.SpecOf(sortkey.Uint64, column.Func[int, uint64](func(row int) uint64 { return math.MaxUint64 }))
				specs := []column.Spec{spec, other, column.SpecOf(sortkey.Int16, column.Func[int, int16](func(row int) int16 { return 1 })), spec, other.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)}
				cols := AppendColumns(nil, specs[r.IntN(len(specs)):])
				ForRows(cols, n)
				words, env := Words(cols, sortkey.Order{}), new(engine.Env)
				k := NewKeys(env, RowNumbers(n), words)
				lazy := false
				for word := range words {
					l := &words[word]
					full := env.Arena.Used()
					if l.Open(k.Input, env); l.wide != nil && (l.wide.kind == sortkey.Addr || l.FullSize() == 1) { // if a key needs it
						lazy = true
					} else if want := FullBytes(n, words[word:word+1]); env.Arena.Used()-full > want || env.Arena.Used()-full <= want-int64(max(1, l.FullSize())) {
						t.Errorf("kind %d by %s: word %d of %d keeps keys of %d rows in %d bytes, not %d", i, name, word, len(words), n, env.Arena.Used()-full, want)
					}
					k.Open(word, word > 0)
				}
				if used, want := env.Arena.Used(), EarlyBytes(n, words)+FullBytes(n, words); used > want || used < want-24*int64(len(words)) && !lazy {
					t.Errorf("kind %d by %s: %d bytes for %d rows, not %d", i, name, used, n, want)
				}
				for word := range words {
					rowsOf(&words[word], n)
				}
				if used, want := env.Arena.Used(), EarlyBytes(n, words)+FullBytes(n, words); used > want {
					t.Errorf("kind %d by %s: %d bytes for %d rows, not %d", i, name, used, n, want)
				}
				env.Arena.Release(1)
			}
		}
	}
}

// rowsOf reads the codes of n rows, as ints in blocks.
func rowsOf(l *Word, n int) {
	numbers, codes := make([]int, Piece), make([]uint64, Piece)
	for lo := 0; lo < n; lo += Piece {
		some := min(Piece, n-lo)
		for i := range some {
			numbers[i] = lo + i
		}
		l.Codes(codes[:some], Batch{Block: stream.RawOf(numbers[:some]), Lo: lo})
	}
}

// TestSampledCodes has codes sampled before they are read in blocks: no key function is called twice.
func TestSampledCodes(t *testing.T) {
	for _, n := range []int{2*engine.Block - 1, 2 * engine.Block, 20_000, 300_001} {
		keys, asked := make([]uint32, n), make([]int, n)
		for i := range keys {
			keys[i] = uint32(i) * 0x9E3779B9
		}
		for _, narrow := range []bool{true, false} {
			clear(asked)
			cols := []Column{ColumnOf[uint32](column.Func[int, uint32](func(row int) uint32 { asked[row]++; return keys[row] }))}
			if !narrow {
				cols = append(cols, ColumnOf[int64](column.Func[int, int64](func(row int) int64 { return -int64(row) })))
			}
			words, env := Words(cols, sortkey.Order{}), new(engine.Env)
			rows := RowNumbers(n)
			rows.Arena = &env.Arena
			if got := SampleRows(env, rows, words); got != engine.Mixed {
				t.Errorf("%d rows are %v", n, got)
			}
			for lo := 0; lo < n; lo += engine.Block {
				hi := min(lo+engine.Block, n)
				codes, narrowCodes := make([]uint64, hi-lo), make([]uint32, hi-lo)
				if Source64(rows, &words[0])(codes[:0], lo); narrow {
					Source32(rows, &words[0])(narrowCodes, lo)
				} else {
					Source64(rows, &words[0])(codes, lo)
				}
				for i := range codes {
					if narrow && narrowCodes[i] != keys[lo+i] || !narrow && codes[i] != uint64(keys[lo+i]) {
						t.Fatalf("%d rows: code of row %d", n, lo+i)
					}
				}
			}
			for i, calls := range asked {
				if calls != 1 {
					t.Fatalf("%d rows: %d calls for row %d", n, calls, i)
				}
			}
			env.Arena.Release(1)
		}
	}
}

// TestKnown finds the codes of a sample in a block.
func TestKnown(t *testing.T) {
	const s = presorted.SampleLen
	g := sample{at: []int{0, 1000 - s, 1100, 3000 - s/2}}
	for i := range 4 * s {
		g.codes = append(g.codes, uint64(i))
	}
	for _, c := range [][5]int{{0, 1000, 0, 0, s}, {1000, 2000, 2 * s, 100, 100 + s}, {2000, 3000, 3 * s, 1000 - s/2, 1000}, {3000, 4000, 3*s + s/2, 0, s / 2}, {4000, 5000, 0, 1000, 1000}, {s / 2, s, s / 2, 0, s / 2}} {
		codes, i, j := g.known(c[0], c[1])
		if i != c[3] || j != c[4] || len(codes) != j-i || len(codes) > 0 && codes[0] != uint64(c[2]) {
			t.Errorf("%d to %d: %d codes at %d to %d, want %v", c[0], c[1], len(codes), i, j, c)
		}
	}
	for _, c := range []struct {
		Level
		want bool
	}{{Level{}, true}, {Level{Tail: true}, false}, {Level{Word: 1}, false}} {
		if c.First() != c.want {
			t.Errorf("%+v: first %t", c.Level, !c.want)
		}
	}
}

// TestBlocks reads elements, which are copied aside meanwhile, and numbers of those that are picked.
func TestBlocks(t *testing.T) {
	s, aside := []int32{5, 6, 7, 8, 9, 10, 11, 12}, make([]int32, 8)
	rows := InputOf(cpu.PayloadOf(s))
	rows.Aside = cpu.PayloadOf(aside)
	rows.Block(&Word{}, 0, 3, func(b Batch) {
		if !slices.Equal(stream.SliceOf[int32](b.Block), s[:3]) || aside[0] != 0 {
			t.Error("elements 0 to 3")
		}
	})
	rows.Block(&Word{}, 3, 8, func(b Batch) {})
	if !slices.Equal(aside, s) {
		t.Errorf("aside are %v", aside)
	}
	some := InputOf(cpu.PayloadOf(s)).Pick([]uint32{6, 1, 1, 2})
	var env engine.Env
	defer env.Arena.Release(1)
	some.Arena = &env.Arena
	some.Block(&Word{}, 1, 4, func(b Batch) {
		if got := stream.SliceOf[int32](b.Block); !slices.Equal(got, []int32{6, 6, 7}) {
			t.Errorf("picked are %v", got)
		}
	})
	places := []uint32{3, 0}
	some.Translate(places, places)
	if !slices.Equal(places, []uint32{2, 6}) {
		t.Errorf("places are %v", places)
	}
	all, dst := InputOf(cpu.PayloadOf(s)), make([]uint32, 2)
	all.Translate(dst, places)
	if !slices.Equal(dst, places) {
		t.Errorf("places are %v", dst)
	}
}

// counting is a context that counts how often it is asked, and ends at some time.
type counting struct {
	context.Context
	asked *atomic.Int64
	end   *atomic.Bool
}

func (c counting) Done() <-chan struct{} { return make(chan struct{}) }

func (c counting) Err() error {
	if c.asked.Add(1); c.end.Load() {
		return context.Canceled
	}
	return nil
}

// TestTurns counts the calls of a function after the context ended, and the checks of the context.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		n, at, most int // elements; the context ends during call at, of which most follow
		slow        time.Duration
	}{
		{1, 0, 0, 0}, {turn, 3, 0, 0}, {turn + 1, 0, 0, 0}, {100, 0, 0, 0}, {100, 40, turn, 0}, {256, 99, turn, 0}, {30, 20, 0, 2 * quick}, {17, 12, 0, 2 * quick},
	} {
		for _, null := range []bool{false, true} {
			for _, apart := range []bool{false, true} {
				calls := 0
				ctx := counting{context.Background(), new(atomic.Int64), new(atomic.Bool)}
				f := func(row int) uint64 {
					if time.Sleep(c.slow); calls == c.at {
						ctx.end.Store(true)
					}
					calls++
					return uint64(row)
				}
				spec := column.SpecOf(sortkey.Uint64, column.Func[int, uint64](f))
				if isNull := column.NullFunc[int](func(row int) bool { return f(row) > 1<<60 }); null {
					spec = column.SpecOf(sortkey.Uint64, column.Func[int, uint64](func(row int) uint64 { return uint64(row) }))
					spec = spec.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)
				}
				cols := AppendColumns(nil, []column.Spec{spec})
				loop := parallel.Loop{Ctx: ctx}
				cols[0].Paces = newPaces(&loop)
				cols[0].Paces.Restart(c.n)
				numbers, at, codes := make([]int, c.n), make([]uint32, c.n), make([]uint64, c.n)
				for i := range numbers {
					numbers[i], at[i] = i, uint32(c.n-1-i)
				}
				b := Batch{Block: stream.RawOf(numbers)}
				if apart {
					b = Elements(b.Block, at)
				}
				for lo := 0; lo < c.n; lo += 64 {
					hi := min(lo+64, c.n)
					if null {
						cols[0].NullsOf(b.part(lo, hi), hi-lo)
					} else {
						cols[0].Codes(codes[lo:hi], b.part(lo, hi))
					}
				}
				if calls < c.at+1 || calls > c.at+1+c.most {
					t.Errorf("%d elements, null function %t, apart %t: %d calls, the context ended in call %d", c.n, null, apart, calls, c.at)
				}
			}
		}
	}
}

// TestRestart forgets at the next call that functions were quick, and knows calls of few elements.
func TestRestart(t *testing.T) {
	Paces{}.Restart(5)
	p := Paces{new(Pace), new(Pace)}
	for _, c := range []struct {
		n   int
		few bool
	}{{turn, true}, {turn + 1, false}, {1, true}} {
		p.Key.quick.Store(true)
		if p.Restart(c.n); p.Key.quick.Load() || p.Key.few != c.few || p.Null.few != c.few {
			t.Errorf("%d elements: quick %t, few %t, %t", c.n, p.Key.quick.Load(), p.Key.few, p.Null.few)
		}
	}
}

// TestWordsEnd ends the context while codes of words are made: few key functions are called after.
func TestWordsEnd(t *testing.T) {
	const n, at = 100, 40
	for kind, made := range map[string]func(f func(row int)) column.Spec{
		"int16": func(f func(row int)) column.Spec {
			return column.SpecOf(sortkey.Int16, column.Func[int, int16](func(row int) int16 { f(row); return 1 }))
		},
		"text": func(f func(row int)) column.Spec {
			return column.SpecOf(sortkey.String, column.Func[int, string](func(row int) string { f(row); return "" }))
		},
		"time": func(f func(row int)) column.Spec {
			return column.SpecOf(sortkey.Time, column.Func[int, time.Time](func(row int) (t time.Time) { f(row); return t }))
		},
		"addr": func(f func(row int)) column.Spec {
			return column.SpecOf(sortkey.Addr, column.Func[int, netip.Addr](func(row int) (a netip.Addr) { f(row); return a }))
		},
		"4 null": func(f func(row int)) column.Spec {
			isNull := column.NullFunc[int](func(row int) bool { f(row); return true })
			return column.SpecOf(sortkey.Uint64, column.Func[int, uint64](nil)).WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsFirst)
		},
	} {
		for _, finished := range []bool{false, true} {
			ctx, calls := counting{context.Background(), new(atomic.Int64), new(atomic.Bool)}, 0
			spec := made(func(int) {
				if calls++; calls == at {
					ctx.end.Store(true)
				}
			})
			words, env := Words(AppendColumns(nil, []column.Spec{spec}), sortkey.Order{}), new(engine.Env)
			env.Loop.Ctx = ctx
			rows := RowNumbers(n)
			rows.Arena = &env.Arena
			if words[0].Open(rows, env); finished {
				env.Loop.Finish()
			}
			if words[0].Bits <= 32 {
				Source32(rows, &words[0])(make([]uint32, n), 0)
			} else {
				Source64(rows, &words[0])(make([]uint64, n), 0)
			}
			if !finished && calls > at+turn || finished && calls != n {
				t.Errorf("%s: %d calls, the context ended after %d, finished %t", kind, calls, at, finished)
			}
			env.Arena.Release(1)
		}
	}
}

// TestChecks counts checks of the context of quick calls: most are made in turns.
func TestChecks(t *testing.T) {
	testkit.SkipInstrumented(t)
	same, sameKnown := 0, 0
	for range 50 { // a machine may be busy
		ctx := counting{context.Background(), new(atomic.Int64), new(atomic.Bool)}
		col := ColumnOf[uint64](column.Func[int, uint64](func(row int) uint64 { return uint64(row) }))
		loop := parallel.Loop{Ctx: ctx}
		col.Paces = newPaces(&loop)
		col.Paces.Restart(Piece)
		numbers, codes := make([]int, Piece), make([]uint64, Piece)
		col.Codes(codes, Batch{Block: stream.RawOf(numbers)})
		first := ctx.asked.Load()
		if first == 4+(Piece-15+turn-1)/turn { // 1 + 2 + 4 + 8 calls, and turns of 16
			same++
		}
		if col.Codes(codes, Batch{Block: stream.RawOf(numbers)}); ctx.asked.Load()-first == Piece/turn {
			sameKnown++
		}
	}
	if same < 10 || sameKnown < 10 {
		t.Errorf("checks are in turns %d and %d of 50 times", same, sameKnown)
	}
	for _, ctx := range []context.Context{nil, context.Background()} {
		if p := newPaces(&parallel.Loop{Ctx: ctx}); p.Key != nil || p.Null != nil {
			t.Error("calls that nothing can end are checked")
		}
	}
}

// TestPacking packs columns into words of at most 64 bits, in their sequence.
func TestPacking(t *testing.T) {
	r := dist.Rand(53)
	kinds := []sortkey.Kind{sortkey.Bool, sortkey.Int8, sortkey.Int16, sortkey.Int32, sortkey.Int64, sortkey.Float64, sortkey.String, sortkey.Time, sortkey.Addr, sortkey.Bytes2 + 1}
	isNull := column.NullFunc[int](func(int) bool { return false })
	for range testkit.Pick(3000, 30_000) {
		var specs []column.Spec
		for range 1 + r.IntN(6) {
			s := column.SpecOf(kinds[r.IntN(len(kinds))], column.Func[int, int64](nil))
			if r.IntN(3) == 0 {
				s = s.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)
			}
			specs = append(specs, s)
		}
		cols := AppendColumns(nil, specs)
		ends := func(i int) bool { return i == 1 }
		if r.IntN(2) == 0 {
			ends = nil
		}
		words, next, free := WordsEnding(cols, sortkey.Order{}, ends), 0, 0
		for i, l := range words {
			bits := 0
			for k := range l.narrow {
				if l.narrow[k].kind != cols[next].kind {
					t.Fatalf("column %d is in another word", next)
				}
				bits += cols[next].Bits()
				next++
			}
			if l.wide != nil {
				if l.wide.kind != cols[next].kind || l.PrefixBits != 64-bits || len(l.narrow) > 0 && (l.PrefixBits < minPrefix || !l.wide.kind.Wide()) {
					t.Fatalf("a prefix of %d bits after %d", l.PrefixBits, bits)
				}
				bits, next = 64, next+1
			} else if l.PrefixBits != 0 {
				t.Fatalf("%d bits of no prefix", l.PrefixBits)
			}
			if l.Bits != bits || bits > 64 || bits == 0 {
				t.Fatalf("a word of %d bits has %d", bits, l.Bits)
			}
			if i > 0 && !(ends != nil && next-l.Columns() == 2) { // the first column did not fit before
				first := l.narrow
				if len(first) > 0 && first[0].Bits() <= free {
					t.Fatalf("%d bits were free for a column of %d", free, first[0].Bits())
				}
				if len(first) == 0 && l.wide.kind.Wide() && free >= minPrefix {
					t.Fatalf("%d bits were free for a prefix", free)
				}
			}
			free = 64 - bits
		}
		if next != len(cols) {
			t.Fatalf("%d of %d columns are in words", next, len(cols))
		}
		if got := len(Columns(words)); got != len(cols) {
			t.Fatalf("%d columns of words", got)
		}
		if OwnTexts(words) || words[0].FindsTies() {
			t.Fatal("texts of a function")
		}
	}
}

// TestSampleRows samples keys whose first codes are alike: their order, or their few values, is that of further keys in memory.
func TestSampleRows(t *testing.T) {
	const n = 300_000
	ints := func(f func(i int) int64) column.Spec {
		keys := make([]int64, n)
		for i := range keys {
			keys[i] = f(i)
		}
		return column.SpecOfSlice(sortkey.KindOf[int64](), unsafe.Pointer(&keys[0]), n)
	}
	texts := func(f func(i int) int) column.Spec {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("https://www.example.org/%07d", f(i))
		}
		return column.SpecOfSlice(sortkey.KindOf[string](), unsafe.Pointer(&keys[0]), n)
	}
	one := func(int) int64 { return 1 << 40 }
	up, mixed := func(i int) int64 { return int64(i) << 40 }, func(i int) int64 { return int64(uint64(i)*0x9E3779B97F4A7C15) >> 1 }
	asked := 0
	called := column.SpecOf(sortkey.KindOf[int64](), column.Func[int, int64](func(row int) int64 { asked++; return mixed(row) }))
	for _, c := range []struct {
		name string
		cols []column.Spec
		want engine.Sample
	}{
		{"one value", []column.Spec{ints(one)}, engine.Ordered},
		{"no order", []column.Spec{ints(mixed)}, engine.Mixed},
		{"one value, then no order", []column.Spec{ints(one), ints(mixed)}, engine.Few},
		{"one value, then an order", []column.Spec{ints(one), ints(up)}, engine.Ordered},
		{"one value twice, then no order", []column.Spec{ints(one), ints(one), ints(mixed)}, engine.Few},
		{"one value, then a function", []column.Spec{ints(one), called}, engine.Ordered},
		{"an order, then none", []column.Spec{ints(up), ints(mixed)}, engine.Ordered},
		{"texts after one beginning", []column.Spec{texts(func(i int) int { return i * 7919 % n })}, engine.Few},
		{"texts after one beginning, in order", []column.Spec{texts(func(i int) int { return i })}, engine.Ordered},
		{"one text", []column.Spec{texts(func(int) int { return 5 })}, engine.Ordered},
		{"one value, then texts", []column.Spec{ints(one), texts(func(i int) int { return i * 7919 % n })}, engine.Few},
	} {
		cols, env := AppendColumns(nil, c.cols), new(engine.Env)
		ForRows(cols, n)
		words := Words(cols, sortkey.Order{})
		rows := RowNumbers(n)
		rows.Arena = &env.Arena
		if got := SampleRows(env, rows, words); got != c.want || asked > 0 {
			t.Errorf("%s: %v, want %v; %d calls", c.name, got, c.want, asked)
		}
	}
}
