package bucket

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// partitionOf is the plain twin of partition_of in partitions.cuh.
func partitionOf(word uint32, b *bounds) int {
	section := b.section[word>>(32-bits.Len(kernels.Sections-1))]
	step := word >> (16 - bits.Len(kernels.Sections-1)) & 0xffff
	return int(section>>16 + step*(section&0xffff)>>16)
}

// TestEvenPlans has more elements of few codes than there are buckets for, which
// have to be told from plans that fit.
func TestEvenPlans(t *testing.T) {
	refused := 0
	for n := 1 << 20; n <= MaxN; n += n/3 + 1 {
		for _, span := range []uint64{0, 1 << 10, 1 << 20, 1 << 30} {
			for _, fill := range []int{0, MinFill, 500, MaxFill} {
				p, err := evenPlan(false, layoutOver(n, 0, span), (&Options{Fill: fill}).mean(n, evenSlice)).fitting()
				switch {
				case err != nil && (fill > 0 && n < MaxN/4 || span == 1<<30):
					t.Errorf("%d elements of %d codes, %d a bucket: %v", n, span+1, fill, err)
				case err != nil:
					refused++
				case p.partitions > maxDigits || p.least > maxDigits || digit(p.partitions).shared == 0:
					t.Errorf("%d elements of %d codes, %d a bucket: %d partitions of %d buckets", n, span+1, fill, p.partitions, p.least)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no plan was refused")
	}
}

// TestPlaces holds the places of partitions to 32 bits, and those of elements that find their
// partition full, of which each moves the partition's cursor on by one.
func TestPlaces(t *testing.T) {
	for n := 1 << 20; n <= MaxN; n = max(n+1, min(n+n/3, MaxN)) {
		for _, fill := range []int{0, MinFill, MaxFill} {
			for _, in := range []codes.Input{{N: n}, {N: n, Wide: true}, {N: n, Keys: true}, {N: n, Keys: true, Wide: true}} {
				for i, p := range largestPlans(&Options{Fill: fill}, in) {
					if after := uint64(p.places()) + uint64(n); p.twice && after >= 1<<32 {
						t.Errorf("%+v, %d a bucket, plan %d: places up to %d", in, fill, i, after)
					}
				}
			}
		}
	}
}

// TestSections checks that every leading word lies inside the bounds of its partition,
// and that partitions have places for the elements expected by a sample.
func TestSections(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := 1 << 16; n <= 1<<28; n <<= 4 {
		for _, e := range []ends{noEnds, {1<<31 - 7, 1<<32 - 1}, {0, 1<<31 + 1<<22 - 1}, {1<<31 - 1, 1<<31 + 1<<30}} {
			var count [kernels.Segments]uint32
			sampled := 0
			for i := range count { // a hill, or a part of it
				x := float64(i)/kernels.Segments - 0.5
				low, high := e.within(i)
				count[i] = uint32(max(0, 1-16*x*x) * 1000 * (high - low))
				sampled += int(count[i])
			}
			p, err := sectionsPlan(false, layoutFor(n, false, 1<<30, 1<<31, unevenMargin), e, count[:], sampled, sectionSlice, new(bounds))
			if err != nil {
				t.Fatal(err)
			}
			if p.partitions > maxDigits || p.most > kernels.PartitionThreads || p.places() < n || p.places() > 2*n+p.partitions*2*kernels.LocalSize {
				t.Errorf("%d elements, %+v: %d partitions of up to %d buckets, %d places", n, e, p.partitions, p.most, p.places())
			}
			for i := range 1 << 16 {
				word := r.Uint32()
				if i < 2*p.partitions {
					word = p.bounds.partition[i/2].low - uint32(i%2) // about every bound
				}
				word = min(max(word, uint32(e.low)), uint32(e.high))
				partition := partitionOf(word, p.bounds)
				next := p.bounds.partition[partition+1].low
				if low := p.bounds.partition[partition].low; word < low || next-low < narrowest || next > 0 && word >= next {
					t.Fatalf("%d elements, %+v: word %#x is in partition %d of %d, from %#x to %#x", n, e, word, partition, p.partitions, low, next)
				}
			}
		}
	}
}

// TestRefine has codes with a normal distribution, as their sample says, and expects
// hardly a slice, of those that a partition is cut into, to be much fuller than its partition.
// Parts of that distribution have their ends.
func TestRefine(t *testing.T) {
	testkit.SkipRace(t)
	for lg := 22; lg <= 28; lg += testkit.Pick(3, 1) {
		for _, e := range []ends{noEnds, {0, 1 << 31}, {1<<31 + 12345, 1<<32 - 1}, {0x7d234567, 0x91234567}, {0x8e555555, 1<<32 - 1}, {0, 0x7654321f}} {
			testRefine(t, lg, e)
		}
	}
}

func testRefine(t *testing.T, lg int, e ends) {
	r := rand.New(rand.NewPCG(7, 8))
	bell := func(word float64) float64 { return math.Erfc((0.5-math.Ldexp(word, -32))*16/math.Sqrt2) / 2 }
	least, most := bell(float64(e.low)), bell(float64(e.high)+1)
	below := func(word float64) float64 { return min(max((bell(word)-least)/(most-least), 0), 1) } // part of all codes
	in := codes.Input{N: 1 << lg}
	var count [kernels.Segments]uint32
	for drawn := 0; drawn < samples(in); {
		if word := math.Ldexp(r.NormFloat64()/16+0.5, 32); word >= float64(e.low) && word < float64(e.high)+1 {
			count[int(word/partWords)]++
			drawn++
		}
	}
	if !e.smooth(count[:]) {
		t.Errorf("2^%d, %+v: not smooth", lg, e)
	}
	if e != noEnds && noEnds.smooth(count[:]) {
		t.Errorf("2^%d, %+v: smooth without ends", lg, e)
	}
	p, err := sectionsPlan(false, layoutOver(in.N, 0, 1<<32-1), e, count[:], samples(in), sectionSlice, new(bounds))
	if err != nil {
		t.Fatal(err)
	}
	crowded := 0
	for k := range p.partitions {
		low, end := float64(p.bounds.partition[k].low), float64(p.bounds.partition[k+1].low)
		if k+1 == p.partitions {
			end = 1 << 32
		}
		size := (below(end) - below(low)) * float64(in.N)
		if places := p.bounds.partition[k+1].place - p.bounds.partition[k].place; size > float64(places) {
			t.Errorf("2^%d, %+v: partition %d has %d places for %.0f elements", lg, e, k, places, size)
		}
		slices := float64(int(size/float64(p.target)) + 1)
		for s := range int(slices) {
			from := low + (end-low)*float64(s)/slices
			if size := (below(from+(end-low)/slices) - below(from)) * float64(in.N); size > 1.08*float64(p.target) {
				crowded++
			}
		}
	}
	if p.partitions > maxDigits || crowded > 4 {
		t.Errorf("2^%d, %+v: %d partitions, %d slices that are fuller than the others by 8 %%", lg, e, p.partitions, crowded)
	}
}

// TestMean holds means to the buckets that there may be.
func TestMean(t *testing.T) {
	for _, c := range []struct{ fill, n, want int }{
		{0, 1 << 29, evenSlice},
		{MinFill, 1 << 20, MinFill},
		{MinFill, 1 << 28, 512},
		{MaxFill, 1 << 28, MaxFill},
		{MinFill, MaxN, evenSlice},
	} {
		if got := (&Options{Fill: c.fill}).mean(c.n, evenSlice); got != c.want {
			t.Errorf("%d elements, %d a bucket: %d, expected %d", c.n, c.fill, got, c.want)
		}
	}
}

// TestBytes holds plans of all kinds to the bound.
func TestBytes(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	r := rand.New(rand.NewPCG(6, 7))
	for i := range 2000 {
		if testkit.Thinned(i / 2) {
			continue
		}
		by := &Sorter{}
		if i%2 == 0 {
			by.Fill = MinFill + r.IntN(MaxFill-MinFill)
		}
		wide := r.IntN(2) == 0
		in := codes.Input{Wide: wide, Keys: r.IntN(2) == 0, N: 2 + int(uint64(1)<<r.IntN(29)*uint64(1+r.IntN(1000))/1000)}
		lowest, span := r.Uint64()>>r.IntN(64)&codes.Top(wide), r.Uint64()>>r.IntN(64)&codes.Top(wide)
		highest := lowest + min(span, codes.Top(wide)-lowest)
		lay, linear := layoutFor(in.N, wide, lowest, highest, unevenMargin), layoutFor(in.N, wide, lowest, highest, evenMargin)
		tab := &table{wide: wide, low: make([]key, 1+r.IntN(kernels.Segments))}
		count := make([]uint32, len(tab.low))
		draws := min(samples(in), 1<<12) // of as many samples each: the race detector takes 100 ns for a draw
		for range draws {
			count[r.IntN(1+r.IntN(len(count)))] += uint32(samples(in) / draws)
		}
		plans := []*plan{evenPlan(wide, linear, linear.evenMean(by.mean(in.N, evenSlice), lowest, highest)), mappedPlan(lay, tab, count, samples(in), by.mean(in.N, fullSlice))}
		parts := slices.Concat(count, make([]uint32, kernels.Segments-len(count)))
		if p, err := sectionsPlan(wide, lay, lay.ends(0, codes.Top(wide)), parts, samples(in), by.mean(in.N, sectionSlice), new(bounds)); err == nil {
			plans = append(plans, p)
		}
		for _, p := range plans {
			s := &sample.Note{Low: lowest, High: highest, Differ: lowest ^ highest, Parts: [kernels.Segments]uint32(parts)}
			if p.keys = in.Keys; p.keys && (p.table != nil || crowded(in, s)) {
				continue // keys alone have no such plan
			}
			if size, bound := bodyBytes(p), by.Bytes(in, 0); codes.HeadBytes+size > bound {
				t.Fatalf("n = %d: the plan takes %d bytes, the bound is %d: %+v", in.N, codes.HeadBytes+size, bound, p)
			}
		}
	}
}

// TestCrowdedKeys checks which keys are crowded: those that leave slices uneven.
func TestCrowdedKeys(t *testing.T) {
	for _, c := range []struct {
		n       int
		codes   uint64 // number of distinct codes, all equally frequent
		step    uint64 // from one to the next
		crowded bool
	}{
		{1 << 20, 1 << 20, 1, false}, {1 << 20, 1 << 17, 1, false}, {1 << 20, 1 << 15, 1, true}, {1 << 20, 1 << 17, 1 << 12, false}, {1 << 20, 1 << 15, 1 << 12, true},
		{1 << 28, 1 << 32, 1, false}, {1 << 28, 1 << 22, 1, true}, {1 << 28, 1 << 22, 1 << 8, true},
	} {
		in := codes.Input{N: c.n, Keys: true, Wide: true}
		s := &sample.Note{High: (c.codes - 1) * c.step, Differ: (c.codes - 1) * c.step}
		lay := layoutFor(c.n, true, 0, s.High, unevenMargin)
		parts := int(float64(s.High) / float64(lay.span) * kernels.Segments)
		for i := range parts {
			s.Parts[i] = uint32(samples(in) / parts)
		}
		if got := crowded(in, s); got != c.crowded {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
