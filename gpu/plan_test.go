package gpu

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"example.com/sorter/kernels"
)

// roomOf is the plain twin of room_of in rooms.cuh.
func roomOf(word uint32, b *bounds) int {
	section := b.section[word>>(32-bits.Len(kernels.Sections-1))]
	step := word >> (16 - bits.Len(kernels.Sections-1)) & 0xffff
	return int(section>>16 + step*(section&0xffff)>>16)
}

// TestEvenPlans has more elements of few codes than there are buckets for, which
// have to be told from plans that fit.
func TestEvenPlans(t *testing.T) {
	refused := 0
	for n := 1 << 20; n <= maxN; n += n/3 + 1 {
		for _, span := range []uint64{0, 1 << 10, 1 << 20, 1 << 30} {
			for _, fill := range []int{0, leastFill, 500, mostFill} {
				p, err := evenPlan(false, layoutOver(n, 0, span), (&parts{fill: fill}).mean(n, evenSlice)).fitting()
				switch {
				case err != nil && (fill > 0 && n < maxN/4 || span == 1<<30):
					t.Errorf("%d elements of %d codes, %d a bucket: %v", n, span+1, fill, err)
				case err != nil:
					refused++
				case p.rooms > maxDigits || p.least > maxDigits || digit(p.rooms).shared == 0:
					t.Errorf("%d elements of %d codes, %d a bucket: %d rooms of %d buckets", n, span+1, fill, p.rooms, p.least)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no plan was refused")
	}
}

// TestPlaces holds the places of rooms to 32 bits, and those of elements that find their
// room full, of which each moves the room's cursor on by one.
func TestPlaces(t *testing.T) {
	for n := 1 << 20; n <= maxN; n = max(n+1, min(n+n/3, maxN)) {
		for _, fill := range []int{0, leastFill, mostFill} {
			for _, in := range []input{{n: n}, {n: n, wide: true}, {n: n, keys: true}, {n: n, keys: true, wide: true}} {
				for i, p := range largestPlans(&parts{fill: fill}, in) {
					if behind := uint64(p.places()) + uint64(n); p.twice && behind >= 1<<32 {
						t.Errorf("%+v, %d a bucket, plan %d: places up to %d", in, fill, i, behind)
					}
				}
			}
		}
	}
}

// TestSections checks that every leading word lies inside the bounds of its room,
// and that rooms have place for what a sample lets expect.
func TestSections(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := 1 << 16; n <= 1<<28; n <<= 4 {
		var count [kernels.Segments]uint32
		sampled := 0
		for i := range count { // a hill
			x := float64(i)/kernels.Segments - 0.5
			count[i] = uint32(max(0, 1-16*x*x) * 1000)
			sampled += int(count[i])
		}
		p, err := sectionsPlan(false, layoutFor(n, false, 1<<30, 1<<31, unevenMargin), count[:], sampled, sectionSlice, new(bounds))
		if err != nil {
			t.Fatal(err)
		}
		if p.rooms > maxDigits || p.most > kernels.RoomThreads || p.places() < n || p.places() > 2*n+p.rooms*2*kernels.LocalSize {
			t.Errorf("%d elements: %d rooms of up to %d buckets, %d places", n, p.rooms, p.most, p.places())
		}
		for i := range 1 << 16 {
			word := r.Uint32()
			if i < 2*p.rooms {
				word = p.bounds.room[i/2].low - uint32(i%2) // about every bound
			}
			room := roomOf(word, p.bounds)
			if low := p.bounds.room[room].low; word < low || room+1 < p.rooms && word >= p.bounds.room[room+1].low {
				t.Fatalf("%d elements: word %#x is in room %d of %d, from %#x", n, word, room, p.rooms, low)
			}
		}
	}
}

// TestRefine has codes with a normal distribution, as their sample says, and expects
// hardly a slice, of those that a room is cut into, to be much fuller than its room.
func TestRefine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	below := func(word float64) float64 { return math.Erfc((0.5-math.Ldexp(word, -32))*16/math.Sqrt2) / 2 } // part of all codes
	for lg := 22; lg <= 28; lg++ {
		in := input{n: 1 << lg}
		var count [kernels.Segments]uint32
		for range in.samples() {
			if word := (r.NormFloat64()/16 + 0.5) * kernels.Segments; word >= 0 && word < kernels.Segments {
				count[int(word)]++
			}
		}
		p, err := sectionsPlan(false, layoutOver(in.n, 0, 1<<32-1), count[:], in.samples(), sectionSlice, new(bounds))
		if err != nil {
			t.Fatal(err)
		}
		crowded := 0
		for k := range p.rooms {
			low, end := float64(p.bounds.room[k].low), float64(p.bounds.room[k+1].low)
			if k+1 == p.rooms {
				end = 1 << 32
			}
			slices := float64(int((below(end)-below(low))*float64(in.n)/float64(p.target)) + 1)
			for s := range int(slices) {
				from := low + (end-low)*float64(s)/slices
				if size := (below(from+(end-low)/slices) - below(from)) * float64(in.n); size > 1.08*float64(p.target) {
					crowded++
				}
			}
		}
		if p.rooms > maxDigits || crowded > 4 {
			t.Errorf("2^%d: %d rooms, %d slices that are fuller than the others by 8 %%", lg, p.rooms, crowded)
		}
	}
}
