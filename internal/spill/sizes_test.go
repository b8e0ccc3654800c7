package spill

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestSizes expects the sizes of buffers, at their bounds.
func TestSizes(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct{ got, want int64 }{
		{int64(BufferBytes(1)), Align},
		{int64(BufferBytes(Align)), Align},
		{int64(BufferBytes(Align + 1)), 2 * Align},
		{int64(BufferBytes(1 << 40)), mb},
		{CodedBufferBytes(1), mb},
		{CodedBufferBytes(64 * mb), mb},
		{CodedBufferBytes(128 * mb), 2 * mb},
		{CodedBufferBytes(1 << 40), 8 * mb},
		{int64(ReaderBytes(1)), 64 + 4*Align},
		{int64(ReaderBytes(1 << 14)), 1<<20 + 4*Align},
		{int64(ReaderBytes(1 << 16)), MostRead + 4*Align},
		{int64(ReaderBytes(1 << 24)), 1<<24 + 4*Align},
		{int64(BytesFor(&Run{block: 10, size: 7})), 64*7 + 4*Align},
		{int64(BytesFor(&Run{block: 10, size: 70})), 64*10 + 4*Align},
		{int64(scratchBytes(600)), 764},
	} {
		if c.got != c.want {
			t.Errorf("%d, want %d", c.got, c.want)
		}
	}
	for from := range 3 * Align {
		p := make([]byte, 5*Align)[from:]
		q := Aligned(p)
		if !aligned(q) || len(q)%Align != 0 || len(q) > len(p) || len(q) <= len(p)-2*Align || &q[0] != &p[len(p)-len(p[len(p)-cap(q):])] {
			t.Fatalf("%d bytes of %d", len(q), len(p))
		}
	}
	if q := Aligned(make([]byte, Align)[1:10]); len(q) != 0 {
		t.Error(len(q))
	}
}

// TestPackings expects how memory is divided for compression, at the bounds.
func TestPackings(t *testing.T) {
	const mb = 1 << 20
	for i, c := range []struct {
		mode     Compression
		limit    int64
		workers  int
		s2, zstd bool
		want     Packing
		writer   int64
		reader   int64 // with a buffer of 100,000 bytes
	}{
		{Never, 1 << 40, 8, false, false, Packing{mode: Never}, 0, 100_000},
		{Adaptive, 64*mb - 1, 8, false, false, Packing{mode: Adaptive}, 0, 100_000},
		{Adaptive, 64 * mb, 8, false, false, Packing{Adaptive, false, 1, 256 << 10, 128 << 10}, 2*(256<<10) + 2*Align + 131072 + 21845 + 64 + 80<<10, 200_000},
		{Adaptive, 128*mb - 1, 8, false, false, Packing{Adaptive, false, 1, 508 << 10, 128 << 10}, 2*(508<<10) + 2*Align + 131072 + 21845 + 64 + 80<<10, 200_000},
		{Adaptive, 128 * mb, 8, false, false, Packing{Adaptive, true, 2, 512 << 10, 128 << 10}, 2*(512<<10) + 2*Align + 2*(131072+21845+64+80<<10+1<<20), 200_000 + 256<<10},
		{Adaptive, 1 << 40, 3, false, false, Packing{Adaptive, true, 3, 1 << 20, 128 << 10}, 2<<20 + 2*Align + 3*(131072+21845+64+80<<10+1<<20), 200_000 + 256<<10},
		{Adaptive, 1 << 40, 8, false, false, Packing{Adaptive, true, 4, 1 << 20, 128 << 10}, 2<<20 + 2*Align + 4*(131072+21845+64+80<<10+1<<20), 200_000 + 256<<10},
		{Adaptive, mb, 8, true, false, Packing{Adaptive, false, 1, 8 << 10, 8 << 10}, 2*(8<<10) + 2*Align + 8192 + 1365 + 64 + 80<<10, 108_192},
		{Never, mb, 8, false, true, Packing{Never, true, 1, 8 << 10, 8 << 10}, 2*(8<<10) + 2*Align + 8192 + 1365 + 64 + 80<<10 + 1<<20, 108_192 + 256<<10},
		{AlwaysS2, 3<<20 + 256*Align - 1, 1, false, false, Packing{AlwaysS2, false, 1, 12 << 10, 12 << 10}, 2*(12<<10) + 2*Align + 12288 + 2048 + 64 + 80<<10, 112_288},
		{AlwaysZstd, 8 * mb, 2, false, false, Packing{AlwaysZstd, true, 1, 32 << 10, 32 << 10}, 2*(32<<10) + 2*Align + 32768 + 5461 + 64 + 80<<10 + 1<<20, 132_768 + 256<<10},
	} {
		p := PackingOf(c.mode, c.limit, c.workers, c.s2, c.zstd)
		if p != c.want || p.Active() != (c.want.batch > 0) || p.Most() != c.want.block || p.WriterBytes() != c.writer || p.ReaderBytes(100_000) != c.reader {
			t.Errorf("%d: %+v, %d and %d bytes, want %+v, %d and %d", i, p, p.WriterBytes(), p.ReaderBytes(100_000), c.want, c.writer, c.reader)
		}
	}
}

// TestIndexBytes expects the bytes of an index for blocks that are compressed or not, as most are.
func TestIndexBytes(t *testing.T) {
	for _, c := range []struct {
		raw, s2, zstd int64
		want          int64
	}{{0, 0, 0, 8}, {4, 1, 1, 8}, {3, 1, 1, 17}, {3, 2, 0, 17}, {3, 0, 2, 17}, {4, 2, 0, 8}, {4, 0, 2, 8}, {0, 1, 0, 17}} {
		s := NewStore(newMemory(), nil, 0, Packing{}, "")
		s.totals.Blocks = [methods]int64{c.raw, c.s2, c.zstd}
		if got := s.IndexBytes(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	s := NewStore(newMemory(), []string{"."}, 0, Packing{AlwaysS2, false, 1, 2 * Align, 2 * Align}, "")
	run, err := zeros(s, 100_000, 1000)
	if err != nil {
		t.Fatal(err)
	}
	all := int64(cap(run.sums)+cap(run.ends)+cap(run.places))*8 + int64(cap(run.methods))
	if head := run.Memory() - all; all < 100*17 || all > 130*17 || head < 100 || head > 300 {
		t.Errorf("%d bytes of %d", run.Memory(), all)
	}
}

// TestWorthwhile expects the least saving of a block.
func TestWorthwhile(t *testing.T) {
	for _, c := range []struct {
		stored, plain int
		want          bool
	}{{700, 800, true}, {701, 800, false}, {7, 7, true}, {8, 8, false}, {7, 8, true}} {
		if worthwhile(c.stored, c.plain) != c.want {
			t.Errorf("%+v", c)
		}
	}
	for _, n := range []int{1, leastPacked - 1, leastPacked, mostPacked, mostPacked + 1} {
		for m := Raw; m < methods; m++ {
			want := m
			if n < leastPacked || n > mostPacked {
				want = Raw
			}
			var e encoder
			p := make([]byte, n)
			got, method := e.block(p, m)
			if method != want || (method == Raw) != (&got[0] == &p[0] && len(got) == n) {
				t.Errorf("%d bytes by method %d: %d", n, m, method)
			}
			if (e.buf != nil) != (want != Raw) {
				t.Errorf("%d bytes by method %d: memory for %d", n, m, len(e.buf))
			}
			if again, _ := e.block(p, m); method != Raw && &again[0] != &got[0] {
				t.Errorf("%d bytes by method %d: memory twice", n, m)
			}
		}
	}
	var e encoder
	for range 3 {
		if p, m := e.block(packable(5000, 0, rand.New(rand.NewPCG(61, 62))), S2); m != Raw || len(p) != 5000 {
			t.Error("bytes that do not compress are compressed")
		}
	}
}

// TestDecoderRefuses expects errors for lengths and methods that are wrong.
func TestDecoderRefuses(t *testing.T) {
	var e encoder
	for m := Raw; m <= methods; m++ {
		p := make([]byte, 1000)
		for i := range p {
			p[i] = byte(i / 100)
		}
		packed, _ := e.block(p, min(m, Zstd))
		for _, n := range []int{0, 999, 1000, 1001} {
			var d decoder
			dst := make([]byte, n)
			if err := d.block(dst, packed, m); (err == nil) != (n == 1000 && m < methods) {
				t.Errorf("%d bytes by method %d: %v", n, m, err)
			} else if err == nil && string(dst) != string(p) {
				t.Errorf("%d bytes by method %d are others", n, m)
			}
		}
	}
}

// TestRate expects nanoseconds per byte, to which old bytes add half.
func TestRate(t *testing.T) {
	var r rate
	if _, ok := r.perByte(); ok {
		t.Error("known before anything")
	}
	for _, c := range []struct {
		bytes int
		took  time.Duration
		want  float64
	}{
		{1 << 20, 2 << 20, 2},
		{1 << 20, 4 << 20, 3},
		{14 << 20, 42 << 20, 3}, // 16 MiB
		{1 << 20, 20 << 20, 4},  // 17 MiB, of which half count
		{17 << 19, 0, 2},
	} {
		r.add(c.bytes, c.took)
		if got, ok := r.perByte(); !ok || math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%+v: %v", c, got)
		}
	}
	var f fastest
	f.add(10, 50)
	f.add(10, 30)
	f.add(10, 40)
	if f.of(100) != 300 {
		t.Error(f.of(100))
	}
	f.add(10, 0) // as 1 ns
	if f.of(100) != 10 {
		t.Error(f.of(100))
	}
}

// TestNote expects stored and plain bytes of each method, of which old ones count half.
func TestNote(t *testing.T) {
	var k pace
	for i, c := range []struct {
		m             Method
		plain, stored int
		want          [2]float64 // of the method
	}{
		{S2, 16 << 20, 8 << 20, [2]float64{16 << 20, 8 << 20}},
		{S2, 4, 2, [2]float64{16<<20 + 4, 8<<20 + 2}},
		{S2, 10, 3, [2]float64{8<<20 + 12, 4<<20 + 4}},
		{Zstd, 10, 3, [2]float64{10, 3}},
	} {
		k.note(c.m, c.plain, c.stored, time.Duration(c.plain))
		if got := [2]float64{k.plain[c.m], k.stored[c.m]}; got != c.want {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
		if took, ok := k.took[c.m].perByte(); !ok || took != 1 {
			t.Errorf("%d: %v ns", i, took)
		}
	}
	if k.plain[Raw] != 0 {
		t.Error("nothing was stored as it is")
	}
}

// TestTrials expects which segments are tried, and how.
func TestTrials(t *testing.T) {
	for zstd, want := range map[bool]string{
		false: "111111" + "000100010001000100010001",
		true:  "121112" + "0001000100010002000100010001" + "0002",
	} {
		var k pace
		got := ""
		for range want {
			got += string('0' + rune(k.trial(zstd)))
		}
		if got != want {
			t.Errorf("zstd %v: %s, want %s", zstd, got, want)
		}
	}
}

// TestRan expects which runs are compressed after waits of some share of their time.
func TestRan(t *testing.T) {
	var k pace
	for i, c := range []struct {
		waited, since time.Duration
		on            bool
		streak        int
	}{{24, 100, false, 0}, {25, 100, true, 16}} {
		k.ran(100, c.waited, c.since)
		if k.on != c.on || k.streak != c.streak {
			t.Errorf("%d: %v, %d", i, k.on, k.streak)
		}
	}
	if sort, _ := k.sort.perByte(); sort != 151.0/200 {
		t.Error(sort)
	}
	if whole, _ := k.whole.perByte(); whole != 1 {
		t.Error(whole)
	}
	for range 16 { // compressed, of which no time is noted
		if !k.on {
			t.Error("the streak ended early")
		}
		k.ran(100, 0, 1)
	}
	if whole, _ := k.whole.perByte(); k.on || whole != 1 {
		t.Error("the streak has no end")
	}
	k.ran(100, 50, 100)
	if !k.on || k.streak != 32 || k.runs != 1 {
		t.Error(k.streak, k.runs)
	}
	for range 32 {
		k.ran(100, 0, 1)
	}
	if k.ran(100, 0, 100); k.on || k.streak != 0 {
		t.Error("a run that nothing waited for")
	}
}

// TestSample expects which front of a segment is compressed to see.
func TestSample(t *testing.T) {
	for _, c := range []struct {
		block, n int
		want     float64 // bytes
	}{{100, 1 << 20, 32 << 10 / 100 * 100}, {100, 150, 150}, {40_000, 1 << 20, 40_000}, {32 << 10, 1 << 20, 32 << 10}, {20_000, 1 << 20, 20_000}, {100_000, 1 << 20, 0}} {
		for m := Raw; m < methods; m++ {
			k := newPacker(Packing{Adaptive, true, 1, 1 << 20, 64 << 10})
			k.sample(m, c.block, make([]byte, c.n))
			want := c.want
			if m == Raw {
				want = 0
			}
			// Blocks of zeros leave little, unless they are too short.
			if k.pace.plain[m] != want || (k.pace.stored[m] < want/4) != (want > 0 && c.block >= leastPacked) || want > 0 && k.pace.stored[m] <= 0 {
				t.Errorf("%+v by %d: %v bytes, %v stored", c, m, k.pace.plain[m], k.pace.stored[m])
			}
			if took, ok := k.took[m].perByte(); ok != (want > 0) || ok && took <= 0 {
				t.Errorf("%+v by %d: %v ns", c, m, took)
			}
		}
	}
}
