package bucket

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// octaveElement is the plain twin of OctaveLayout of octaves.cuh.
func octaveElement(wide bool, l *layout, code uint64, position int) uint64 {
	above := code - l.low
	octave := max(bits.Len64(above), 1) - 1
	lower := 64 - bits.Len(uint(octaveSections(wide)-1))
	codeBits := max(octave, 1)
	e := uint64(octave)<<lower | above<<(64-codeBits)>>(64-lower)&(math.MaxUint64<<l.indexBits)
	return e | uint64(position)<<16/l.positionScale()<<max(lower-l.indexBits-codeBits, 0)
}

// byMagnitude returns codes below 1<<bits, about as many in each octave.
func byMagnitude(r *rand.Rand, n, bits int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(math.Exp2(r.Float64()*float64(bits))) - 1
	}
	return list
}

// sampled returns a note with the counts of a sample of m codes.
func sampled(r *rand.Rand, wide bool, list []uint64, m int) (*sample.Note, layout) {
	s := &sample.Note{Low: math.MaxUint64}
	for range kernels.RangeSamples {
		c := list[r.IntN(len(list))]
		s.Low, s.High = min(s.Low, c), max(s.High, c)
	}
	l := layoutFor(len(list), wide, s.Low, s.High, unevenMargin)
	for range m {
		i := r.IntN(len(list))
		if list[i]-l.low > l.span {
			continue
		}
		part := ((list[i]-l.low)<<l.up | uint64(i)<<l.at&l.keep) >> 54
		s.Parts[part]++
		if part < kernels.OctaveParts {
			s.Octaves[octaveElement(wide, &l, list[i], i)>>54]++
		}
	}
	return s, l
}

// TestOctaves cuts codes spread by magnitude into partitions and slices, as the device does. It
// expects each word inside its partition, partitions that hold their elements, and hardly a slice
// that is too full.
func TestOctaves(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for _, c := range []struct {
		wide bool
		bits int // of the codes
	}{{false, 32}, {false, 24}, {true, 40}, {true, 64}} {
		const n = 1<<20 - 1<<18 - 1<<16
		list := byMagnitude(r, n, c.bits)
		in := codes.Input{N: n, Wide: c.wide}
		s, l := sampled(r, c.wide, list, samples(in))
		o := countOctaves(c.wide, &l, s)
		if !o.whole || !o.smooth {
			t.Fatalf("%+v: %v, %v", c, o.whole, o.smooth)
		}
		p, err := octavesPlan(c.wide, l, o.parts[:], samples(in), sectionSlice, new(bounds))
		if err != nil {
			t.Fatal(err)
		}
		for octave := range fewCodes + 1 {
			if partitions := int(p.bounds.section[octave] & 0xffff); partitions > 1 && partitions%codesOf(octave) != 0 {
				t.Errorf("%+v: %d partitions for the %d codes of octave %d", c, partitions, codesOf(octave), octave)
			}
		}
		partitions := make([][]uint32, p.partitions)
		for i, code := range list {
			word := uint32(octaveElement(c.wide, &l, code, i) >> 32)
			section := p.bounds.section[word>>(32-p.sectionBits())]
			k := section>>16 + word>>(16-p.sectionBits())&0xffff*(section&0xffff)>>16
			if word < p.bounds.partition[k].low || int(k)+1 < p.partitions && word >= p.bounds.partition[k+1].low {
				t.Fatalf("%+v: word %#x is in partition %d, from %#x", c, word, k, p.bounds.partition[k].low)
			}
			partitions[k] = append(partitions[k], word)
		}
		full := 0
		for k, words := range partitions {
			low, size := p.bounds.partition[k].low, p.bounds.partition[k+1].place-p.bounds.partition[k].place
			if len(words) > int(size) {
				t.Errorf("%+v: %d elements in partition %d of %d", c, len(words), k, size)
			}
			width := uint64(p.bounds.partition[k+1].low - low)
			if k+1 == p.partitions {
				width = 1<<32 - uint64(low)
			}
			count := make([]int, min(p.most, len(words)/p.target+1)+1)
			for _, w := range words {
				count[uint64(w-low)*(uint64(len(count)-1)<<32/width)>>32]++
			}
			for _, c := range count {
				if c > kernels.LocalSize {
					full++
				}
			}
		}
		if full > p.buckets/100 {
			t.Errorf("%+v: %d slices of %d are too full", c, full, p.buckets)
		}
	}
}

// TestOctaveElements holds the twin to the order of code and position, and finds the position
// again.
func TestOctaveElements(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	for range 100_000 {
		n := 2 + r.IntN(1<<(1+r.IntN(29)))
		wide := r.IntN(2) == 0
		l := layoutOver(n, 0, codes.Top(wide))
		p := &plan{layout: l, octaves: true, sections: octaveSections(wide)}
		for _, position := range []uint64{uint64(r.IntN(n)), uint64(n - 1)} {
			scale := l.positionScale()
			if q := position << 16 / scale; (q*scale+1<<16-1)>>16 != position || q>>l.indexBits > 0 {
				t.Fatalf("%d codes: position %d is not found again", n, position)
			}
		}
		code := r.Uint64() >> r.IntN(64) & codes.Top(wide)
		next := code + min(r.Uint64()>>r.IntN(64), codes.Top(wide)-code)
		a, b := octaveElement(wide, &l, code, r.IntN(n)), octaveElement(wide, &l, next, r.IntN(n))
		if code < next && a > b && (a^b)>>p.nearAt() != 0 {
			t.Fatalf("wide %v, %d codes: %#x and %#x have %#x and %#x", wide, n, code, next, a, b)
		}
	}
}

// TestCountOctaves holds the counts by octaves to those of the twin's elements.
func TestCountOctaves(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 46))
	for _, c := range []struct {
		wide  bool
		bits  int
		whole bool
	}{{false, 32, true}, {false, 16, true}, {false, 8, false}, {true, 64, true}, {true, 33, true}, {true, 15, true}, {true, 13, false}} {
		list := byMagnitude(r, 1<<15, c.bits)
		s, l := sampled(r, c.wide, list, 0)
		var want [kernels.Segments]uint32
		for i, code := range list {
			if code-l.low > l.span {
				continue
			}
			part, e := ((code-l.low)<<l.up|uint64(i)<<l.at&l.keep)>>54, octaveElement(c.wide, &l, code, i)>>54
			s.Parts[part]++
			if part < kernels.OctaveParts {
				s.Octaves[e]++
			}
			want[e]++
		}
		o := countOctaves(c.wide, &l, s)
		if o.whole != c.whole || o.whole && o.parts != want {
			t.Errorf("%+v: whole %v, or wrong counts", c, o.whole)
		}
	}
}

// TestSmoothOctaves has codes that are not spread by octaves.
func TestSmoothOctaves(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 48))
	for name, draw := range map[string]func() uint64{
		"clusters":     func() uint64 { return r.Uint64N(8)<<28 + r.Uint64N(1<<20) },
		"one frequent": func() uint64 { return (r.Uint64N(1<<32)>>r.IntN(32))*r.Uint64N(2) + 1e6 },
	} {
		list := make([]uint64, 1<<16)
		for i := range list {
			list[i] = draw()
		}
		s, l := sampled(r, false, list, 1<<16)
		if o := countOctaves(false, &l, s); o.smooth {
			t.Errorf("%s: smooth", name)
		}
	}
}
