package spill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"example.com/sorter/internal/testkit"
)

// packable returns n bytes, of which a share compresses.
func packable(n int, share float64, r *rand.Rand) []byte {
	p := make([]byte, 0, n+1024)
	for len(p) < n {
		if r.Float64() < share {
			p = append(p, bytes.Repeat([]byte{byte(r.IntN(4))}, 1+r.IntN(1000))...)
			continue
		}
		for range 1 + r.IntN(100) {
			p = binary.LittleEndian.AppendUint64(p, r.Uint64())
		}
	}
	return p[:n]
}

// writeRun writes a run of p, in blocks of one size or of any, in pieces.
func writeRun(s *Store, p []byte, block int, number uint64, buf []byte, r *rand.Rand) (*Run, error) {
	w, err := s.NewWriter(int64(len(p)), block, number, buf)
	for err == nil && len(p) > 0 {
		n := 1 + r.IntN(min(len(p), 50_000))
		if r.IntN(10) == 0 {
			n = min(len(p), 200_000)
		}
		if block > 0 {
			err = w.Append(p[:n])
		} else {
			err = w.AppendBlock(p[:n])
		}
		p = p[n:]
	}
	if err != nil {
		return nil, err
	}
	return w.Close()
}

// TestRuns writes runs in blocks of one size and of any, and reads ranges of them.
func TestRuns(t *testing.T) {
	for i, mode := range []Compression{Adaptive, Never, AlwaysS2, AlwaysZstd} {
		for j, block := range []int{0, 100, 1000, 4096, 100_000, 200_000} {
			if testkit.ThinnedTo(3, i+j) {
				continue
			}
			t.Run(fmt.Sprintf("%d/%d", mode, block), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(mode), uint64(block)))
				m := &memory{space: map[int64]int64{}}
				packing := PackingOf(mode, 256<<20, 2, false, false)
				s := NewStore(m, []string{"."}, 0, packing, "")
				buf := Aligned(make([]byte, 3*Align))
				for i, share := range []float64{0.5, 0, 1, 0.9} {
					n := []int{700_000, 300_000, 5_000_000, 1}[i]
					p := packable(n, share, r)
					run, err := writeRun(s, p, block, uint64(i), buf, r)
					if err != nil {
						t.Fatal(err)
					}
					if mode == AlwaysS2 && n > 1 && (run.stored < run.size) != (share > 0 && block < mostPacked) && block != 100 {
						t.Errorf("%d of %d bytes", run.stored, run.size)
					}
					if int64(len(m.space))*Align != s.used {
						t.Errorf("%d bytes of space, counted %d", len(m.space)*Align, s.used)
					}
					d := NewReader(make([]byte, ReaderBytes(run.Block())), packing)
					for range 5 {
						from := r.IntN(run.Blocks())
						to := from + 1 + r.IntN(run.Blocks()-from)
						next := from
						err := d.Read(run, from, to, func(from, to int, got []byte) error {
							if from != next || !bytes.Equal(got, p[run.Offset(from):run.Offset(to)]) {
								t.Fatalf("blocks %d to %d are not what was written", from, to)
							}
							next = to
							return nil
						})
						if err != nil || next != to {
							t.Fatal(next, to, err)
						}
					}
					run.Free(run.Blocks())
				}
				if len(m.space) > 0 || s.used != 0 {
					t.Errorf("%d pages are left", len(m.space))
				}
			})
		}
	}
}

// TestDamagedBlocksAreNotDecompressed flips bits of a compressed run.
func TestDamagedBlocksAreNotDecompressed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, mode := range []Compression{AlwaysS2, AlwaysZstd} {
		m := &memory{space: map[int64]int64{}}
		packing := PackingOf(mode, 256<<20, 2, false, false)
		s := NewStore(m, []string{"."}, 0, packing, "")
		run, err := writeRun(s, packable(100_000, 0.8, r), 4096, 7, Aligned(make([]byte, 3*Align)), r)
		if err != nil {
			t.Fatal(err)
		}
		d := NewReader(make([]byte, ReaderBytes(run.Block())), packing)
		all := func() error { return d.Read(run, 0, run.Blocks(), func(int, int, []byte) error { return nil }) }
		for at := int64(0); at < run.stored; at += 7 {
			bit := byte(1) << r.IntN(8)
			m.data[at] ^= bit
			if failed := all(); !errors.Is(failed, errSum) || d.plain != nil || d.decode.zstd != nil {
				t.Fatalf("byte %d: %v", at, failed)
			}
			m.data[at] ^= bit
		}
		if err := all(); err != nil || d.plain == nil {
			t.Fatal(err)
		}
	}
}

// TestDecoderOfAnyBytes decompresses bytes that no encoder wrote: the result has the length that
// was asked for, or there is an error, and nothing past it is written.
func TestDecoderOfAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var e encoder
	var d decoder
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 3000 {
		m := []Method{S2, Zstd}[r.IntN(2)]
		src, _ := e.block(packable(1+r.IntN(5000), 0.8, r), m)
		src = slices.Clone(src)
		for range r.IntN(4) {
			src[r.IntN(len(src))] ^= 1 << r.IntN(8)
		}
		dst := bytes.Repeat([]byte{0xAA}, 6000)
		n := r.IntN(5000)
		if err := d.block(dst[:n:n], src[:r.IntN(len(src)+1)], m); err == nil && n == 0 {
			continue
		}
		if slices.ContainsFunc(dst[n:], func(b byte) bool { return b != 0xAA }) {
			t.Fatalf("method %d wrote past its %d bytes", m, n)
		}
	}
	runtime.ReadMemStats(&after)
	if all := after.TotalAlloc - before.TotalAlloc; all > 3000*64<<10 {
		t.Errorf("%d bytes", all)
	}
}

// TestCoderMemory compares the memory of encoders and decoders with the counted memory.
func TestCoderMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	held := func() int {
		var m runtime.MemStats
		for range 3 { // pools are empty after two
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	plain, packed := make([]byte, mostPacked), make([][]byte, 40)
	for i := range packed {
		packed[i] = make([]byte, mostPacked)
	}
	before := held()
	e := new(encoder)
	for i := range packed {
		copy(plain, packable(mostPacked, float64(i)/40, r))
		if i%2 == 0 { // texts have most sequences
			for j := range plain {
				plain[j] = "abcdefgh"[r.IntN(2+i/8)]
			}
		}
		p, m := e.block(plain, Zstd)
		packed[i] = packed[i][:copy(packed[i], p)]
		if m == Raw {
			packed[i] = nil
		}
	}
	n := held() - before
	t.Logf("an encoder takes %d bytes", n)
	if n > zstdEncoderBytes+scratchBytes(mostPacked) {
		t.Errorf("counted %d", zstdEncoderBytes+scratchBytes(mostPacked))
	}
	runtime.KeepAlive(e)
	e = nil
	before = held()
	d := new(decoder)
	for _, p := range packed {
		if err := d.block(plain, p, Zstd); p != nil && err != nil {
			t.Fatal(err)
		}
	}
	n = held() - before
	t.Logf("a decoder takes %d bytes", n)
	if n > zstdDecoderBytes {
		t.Errorf("counted %d", zstdDecoderBytes)
	}
	runtime.KeepAlive(d)
	runtime.KeepAlive(packed)
}

// TestPace predicts the method for disks and data of known speed.
func TestPace(t *testing.T) {
	const mb = 1e6
	takes := func(rate int) time.Duration { return time.Second / time.Duration(rate) } // of a megabyte
	for _, c := range []struct {
		disk, s2, zstd int // MB/s
		half, third    int // bytes of 100 that remain
		want           Method
	}{
		{2500, 1500, 500, 53, 42, Raw},
		{1100, 1500, 500, 53, 42, Raw},
		{250, 1500, 500, 53, 42, S2},
		{250, 1500, 500, 100, 100, Raw},
		{60, 1500, 500, 53, 42, Zstd},
		{60, 1500, 500, 53, 52, S2},
		{60, 40, 20, 53, 42, Raw},
	} {
		var k pace
		var disk rate
		if k.best(&disk, true) != Raw {
			t.Error("compression before anything is known")
		}
		disk.add(mb, takes(c.disk))
		k.ran(mb, max(0, takes(c.disk)-takes(1000)), max(takes(1000), takes(c.disk))) // sorts 1000 MB/s
		if k.best(&disk, true) != Raw {
			t.Error("a method that was never tried")
		}
		k.note(S2, mb, mb/100*c.half, takes(c.s2))
		k.note(Zstd, mb, mb/100*c.third, takes(c.zstd))
		if got := k.best(&disk, true); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
		if got := k.best(&disk, false); got == Zstd {
			t.Errorf("%+v: zstd", c)
		}
	}
}

// TestStreaks has runs that the sort waits for, and expects that some are not compressed, to see.
func TestStreaks(t *testing.T) {
	var k pace
	slow, raw := true, []int{}
	for run := range 130 {
		if !k.on {
			raw = append(raw, run)
		}
		waited := time.Duration(0)
		if slow && !k.on {
			waited = 4 * time.Millisecond
		}
		slow = run < 60
		k.ran(1e6, waited, 5*time.Millisecond)
	}
	want := []int{0, 17, 50}
	for run := 115; run < 130; run++ {
		want = append(want, run)
	}
	if !slices.Equal(raw, want) {
		t.Errorf("runs %v are not compressed, want %v", raw, want)
	}
}
