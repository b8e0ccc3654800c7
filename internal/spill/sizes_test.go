package spill

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/sorter/internal/testkit"
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
		{Adaptive, 64 * mb, 8, false, false, Packing{Adaptive, false, 1, 256 << 10, 128 << 10, 0}, 2*(256<<10) + 2*Align + 131072 + 21845 + 64 + 80<<10, 200_000},
		{Adaptive, 128*mb - 1, 8, false, false, Packing{Adaptive, false, 1, 508 << 10, 128 << 10, 0}, 2*(508<<10) + 2*Align + 131072 + 21845 + 64 + 80<<10, 200_000},
		{Adaptive, 128 * mb, 8, false, false, Packing{Adaptive, true, 2, 512 << 10, 128 << 10, 0}, 2*(512<<10) + 2*Align + 2*(131072+21845+64+80<<10+1<<20), 200_000 + 256<<10},
		{Adaptive, 1 << 40, 3, false, false, Packing{Adaptive, true, 3, 1 << 20, 128 << 10, 0}, 2<<20 + 2*Align + 3*(131072+21845+64+80<<10+1<<20), 200_000 + 256<<10},
		{Adaptive, 1 << 40, 8, false, false, Packing{Adaptive, true, 4, 1 << 20, 128 << 10, 0}, 2<<20 + 2*Align + 4*(131072+21845+64+80<<10+1<<20), 200_000 + 256<<10},
		{Adaptive, mb, 8, true, false, Packing{Adaptive, false, 1, 8 << 10, 8 << 10, 0}, 2*(8<<10) + 2*Align + 8192 + 1365 + 64 + 80<<10, 108_192},
		{Never, mb, 8, false, true, Packing{Never, true, 1, 8 << 10, 8 << 10, 0}, 2*(8<<10) + 2*Align + 8192 + 1365 + 64 + 80<<10 + 1<<20, 108_192 + 256<<10},
		{AlwaysS2, 3<<20 + 256*Align - 1, 1, false, false, Packing{AlwaysS2, false, 1, 12 << 10, 12 << 10, 0}, 2*(12<<10) + 2*Align + 12288 + 2048 + 64 + 80<<10, 112_288},
		{AlwaysZstd, 8 * mb, 2, false, false, Packing{AlwaysZstd, true, 1, 32 << 10, 32 << 10, 0}, 2*(32<<10) + 2*Align + 32768 + 5461 + 64 + 80<<10 + 1<<20, 132_768 + 256<<10},
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
	s := NewStore(newMemory(), []string{"."}, 0, Packing{AlwaysS2, false, 1, 2 * Align, 2 * Align, 0}, "")
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

// TestCost expects no prediction before all of it is known.
func TestCost(t *testing.T) {
	for unknown := range 5 {
		var k pace
		var disk rate
		for i, r := range []*rate{&disk, &k.sort, &k.took[S2], &k.whole} {
			if i != unknown {
				*r = rate{bytes: 2, nanos: float64(i + 1)}
			}
		}
		k.plain[S2], k.stored[S2] = 100, 90
		if got, ok := k.cost(&disk, S2); ok != (unknown > 2) || ok && got != 2.5 {
			t.Errorf("%d: %v, %v", unknown, got, ok)
		}
		if got, ok := k.cost(&disk, Raw); ok != (unknown != 3) || ok && got != 2 {
			t.Errorf("%d: %v, %v", unknown, got, ok)
		}
	}
}

// TestBest expects no compression before the sort has waited.
func TestBest(t *testing.T) {
	for _, on := range []bool{false, true} {
		k, disk := pace{on: on}, rate{bytes: 1, nanos: 10}
		k.sort, k.whole, k.took[S2] = rate{bytes: 1, nanos: 1}, rate{bytes: 1, nanos: 10}, rate{bytes: 1, nanos: 1}
		k.plain[S2], k.stored[S2] = 100, 50
		if got := k.best(&disk, true); (got == S2) != on {
			t.Errorf("%v: %d", on, got)
		}
	}
}

// TestTrim expects memory that is longer by at most a sixteenth.
func TestTrim(t *testing.T) {
	for _, c := range []struct {
		n, most int
		same    bool
	}{{0, 100, true}, {1, 1, true}, {1, 2, false}, {15, 16, false}, {16, 17, true}, {16, 18, false}, {160, 170, true}, {160, 171, false}, {1000, 1062, true}, {1000, 1063, false}} {
		p := make([]int64, c.n, c.most)
		q := Trim(p)
		if len(q) != c.n || cap(q) > c.most || c.n > 0 && (&q[0] == &p[0]) != c.same {
			t.Errorf("%+v: %d of %d", c, len(q), cap(q))
		}
	}
}

// TestDividedBuffers expects from which size on half of a buffer is written while the other is filled.
func TestDividedBuffers(t *testing.T) {
	for _, c := range []struct{ pages, half, other int }{{1, 1, 0}, {7, 7, 0}, {8, 4, 4}, {9, 4, 4}, {11, 5, 5}} {
		w, err := NewStore(newMemory(), []string{"."}, 0, Packing{}, "").NewWriter(1, 1, 1, Aligned(make([]byte, (c.pages+1)*Align))[:c.pages*Align])
		if err != nil || len(w.buf) != c.half*Align || len(w.other) != c.other*Align {
			t.Errorf("%d pages: %d and %d bytes: %v", c.pages, len(w.buf), len(w.other), err)
		}
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
			k := newPacker(Packing{Adaptive, true, 1, 1 << 20, 64 << 10, 0})
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

// TestPackNotes expects that a batch notes the time of its fastest block for all of its bytes, on all goroutines.
func TestPackNotes(t *testing.T) {
	k := newPacker(Packing{AlwaysS2, false, 3, 64 << 10, 64 << 10, 0})
	k.method = S2
	k.collect(packable(50_000, 0.8, rand.New(rand.NewPCG(63, 64))))
	k.ends = []int{20_000, 21_000, 49_000, 50_000}
	_, blocks := k.pack(&Run{number: 1, block: 28_000})
	least, begin := math.Inf(1), 0
	for i, end := range []int{20_000, 21_000, 49_000, 50_000} {
		least, begin = min(least, float64(max(blocks[i].took, 1))/float64(end-begin)), end
	}
	if got, ok := k.took[S2].perByte(); !ok || math.Abs(got-least/3) > least/100+1e-4 {
		t.Errorf("%v ns per byte, want %v", got, least/3)
	}
	if len(k.plain) != 0 || len(k.ends) != 0 || k.pace.plain[S2] != 50_000 || k.pace.stored[S2] <= 0 {
		t.Errorf("%d bytes and %d blocks are left of %v", len(k.plain), len(k.ends), k.pace.plain[S2])
	}
}

// TestSegments expects that methods are chosen once in each segment, of whole blocks, and that bytes which are not
// compressed are written without a copy.
func TestSegments(t *testing.T) {
	const pages = 2 * segment / Align
	text := Aligned(make([]byte, (pages+3)*Align))[:(pages+1)*Align]
	copy(text, packable(len(text), 0, rand.New(rand.NewPCG(65, 66))))
	for _, block := range []int{0, 1000, 3000} {
		for _, n := range []int{segment / 3000 * 3000, segment, segment + 1, 2 * (segment / 3000 * 3000), 2*(segment/3000*3000) + 1, len(text)} {
			m := newMemory()
			s := NewStore(m, []string{"."}, 0, Packing{Adaptive, false, 1, 64 << 10, 64 << 10, 0}, "")
			w, err := s.NewWriter(int64(n), block, 1, Aligned(make([]byte, 3*Align)))
			if err != nil {
				t.Fatal(err)
			}
			of := block
			if block > 0 {
				err = w.Append(text[:n])
			} else {
				of = 64 << 10
				for p := text[:n]; len(p) > 0 && err == nil; p = p[min(len(p), of):] {
					err = w.AppendBlock(p[:min(len(p), of)])
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := w.pack.trials, (n-1)/(segment/of*of)+1; got != want {
				t.Errorf("%d bytes in blocks of %d: %d segments, want %d", n, block, got, want)
			}
			if _, err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if block > 0 && len(m.writes) > n/segment+4 {
				t.Errorf("%d bytes in blocks of %d: %d writes, the first of %d", n, block, len(m.writes), m.writes[0])
			}
		}
	}
}

// TestBatches expects that blocks wait until a batch is full.
func TestBatches(t *testing.T) {
	for _, block := range []int{0, 1024} {
		s := NewStore(newMemory(), []string{"."}, 0, Packing{AlwaysS2, false, 1, 2 * Align, 2 * Align, 0}, "")
		w, err := s.NewWriter(99*1024+1, block, 1, Aligned(make([]byte, 3*Align)))
		if err != nil {
			t.Fatal(err)
		}
		whole, failed := s.NewWriter(100*1024, block, 1, Aligned(make([]byte, 3*Align)))
		if failed != nil || block > 0 && (cap(w.run.sums) != 100 || cap(whole.run.sums) != 100) {
			t.Errorf("memory for %d and %d blocks of 100: %v", cap(w.run.sums), cap(whole.run.sums), failed)
		}
		for i, want := range []int{1, 2, 3, 4, 5, 6, 7, 8, 1, 2} {
			if block > 0 {
				err = w.Append(make([]byte, 1024))
			} else {
				err = w.AppendBlock(make([]byte, 1024))
			}
			if got := len(w.pack.plain); err != nil || got != 1024*want || cap(w.pack.plain) != 2*Align {
				t.Errorf("%d: %d bytes wait in %d, want %d: %v", i, got, cap(w.pack.plain), 1024*want, err)
			}
		}
	}
}

// TestWaited passes the bytes and times of a run on, if anything may be compressed.
func TestWaited(t *testing.T) {
	for _, p := range []Packing{{}, {Adaptive, false, 1, 2 * Align, 2 * Align, 0}} {
		s := NewStore(newMemory(), []string{"."}, 0, p, "")
		run, err := zeros(s, 1000, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := run.volume.rate.perByte(); !ok || run.volume.rate.bytes != Align {
			t.Errorf("%v bytes were written", run.volume.rate.bytes)
		}
		if s.Waited(run, 500, 1000); p.Active() {
			if whole, ok := s.packer.whole.perByte(); !ok || whole != 1 || !s.packer.on {
				t.Errorf("%v ns per byte", whole)
			}
		}
	}
}

// TestMethodsOfSegments has the method change to S2 and back within what is appended at once.
func TestMethodsOfSegments(t *testing.T) {
	for i, block := range []int{0, 1000, 4096, 60_000} {
		for _, buffer := range []int{2, 40} {
			if testkit.ThinnedByRace(i) {
				continue
			}
			of := max(block, 1000)
			each := segment / of * of // bytes of a segment
			if block == 0 {
				each = (segment + of - 1) / of * of
			}
			m, p := newMemory(), Packing{Adaptive, false, 2, 64 << 10, 64 << 10, 0}
			s := NewStore(m, []string{"."}, 0, p, "")
			// A byte takes 1 s to write, and a sort without compression 0.6 s.
			const second = 1e9
			s.volumes[0].rate = rate{bytes: 1 << 60, nanos: second * (1 << 60)}
			s.packer.on, s.packer.sort, s.packer.whole = true, rate{bytes: 1}, rate{bytes: 1, nanos: 0.6 * second}
			w := written{text: Aligned(make([]byte, 3*each+2*Align))[:2*each+12_345]}
			copy(w.text, packable(len(w.text), 0, rand.New(rand.NewPCG(67, 68))))
			// The sample of the second segment shows that bytes compress, which the rest of it does not confirm.
			clear(w.text[each:][:max(of, sampleBytes)])
			out, err := s.NewWriter(int64(len(w.text)), block, 1, Aligned(make([]byte, (buffer+1)*Align)))
			if err != nil {
				t.Fatal(err)
			}
			for end := 0; end < len(w.text); {
				begin := end
				end = min(end+of, len(w.text))
				if w.ends = append(w.ends, end); block == 0 && err == nil {
					err = out.AppendBlock(w.text[begin:end])
				}
			}
			if block > 0 {
				err = out.Append(w.text)
			}
			if err != nil {
				t.Fatal(err)
			}
			if out.pack.trials != 3 || out.pack.method != Raw {
				t.Errorf("blocks of %d: %d segments, method %d", block, out.pack.trials, out.pack.method)
			}
			if w.Run, err = out.Close(); err != nil {
				t.Fatal(err)
			}
			w.check(t, m, p)
			first, last := slices.Index(w.methods, S2), 0
			for i, m := range w.methods {
				if m == S2 {
					last = i + 1
				}
			}
			if first != each/of || last < first+max(of, sampleBytes)/of || last > first+max(of, sampleBytes)/of+1 {
				t.Errorf("blocks of %d: %d to %d are compressed, want from %d on", block, first, last, each/of)
			}
			w.read(t, NewReader(make([]byte, ReaderBytes(w.Block())), p), 0, w.Blocks())
		}
	}
}

// TestReserve expects memory for blocks that fit the rest of the buffer.
func TestReserve(t *testing.T) {
	s := NewStore(newMemory(), []string{"."}, 0, Packing{}, "")
	w, err := s.NewWriter(100_000, 0, 1, Aligned(make([]byte, 2*Align))[:Align])
	if err != nil {
		t.Fatal(err)
	}
	for _, held := range []int{0, 96, 1000} {
		if w.Reserve(Align-held+1) != nil {
			t.Errorf("more than the buffer has after %d bytes", held)
		}
		p := w.Reserve(Align - held)
		if p == nil || len(p) != 0 || cap(p) != Align-held {
			t.Fatalf("%d bytes after %d", cap(p), held)
		}
		if err := w.AppendBlock(append(p, make([]byte, map[int]int{0: 96, 96: 904, 1000: Align - 1000}[held])...)); err != nil {
			t.Fatal(err)
		}
	}
	if w.held != 0 || w.taken != Align {
		t.Errorf("%d bytes are held of %d", w.held, w.taken)
	}
	s = NewStore(newMemory(), []string{"."}, 0, Packing{AlwaysS2, false, 1, 2 * Align, 2 * Align, 0}, "")
	if w, err := s.NewWriter(100, 0, 1, Aligned(make([]byte, 3*Align))); err != nil || w.Reserve(10) != nil {
		t.Errorf("memory for a block that may be compressed: %v", err)
	}
}

// TestSampleTime expects the time of a sample to be divided among goroutines.
func TestSampleTime(t *testing.T) {
	p := packable(sampleBytes, 0.5, rand.New(rand.NewPCG(69, 70)))
	for _, crew := range []int{1, 1000} {
		k := newPacker(Packing{Adaptive, false, crew, 64 << 10, 64 << 10, 0})
		start := time.Now()
		k.sample(S2, 1024, p)
		elapsed := float64(time.Since(start))
		if took := k.took[S2].nanos; took > elapsed/float64(crew) || crew == 1 && took < 100 { // 320 GB/s
			t.Errorf("%d goroutines: %v ns of %v", crew, took, elapsed)
		}
	}
}
