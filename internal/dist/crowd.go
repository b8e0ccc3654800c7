package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Crowd is values that lie close to an end of their range.
type Crowd struct {
	End      CrowdEnd
	Kind     CrowdKind
	Width    int  // values lie less than 1<<Width from the end
	Extremes bool // one in eight is the lowest value, and one the highest
}

// CrowdEnd is where the values lie.
type CrowdEnd int

const (
	AtLowest CrowdEnd = iota
	AtHighest
	AtBothEnds
	CrowdEnds // how many there are
)

// CrowdKind is how many values there are, and how far apart.
type CrowdKind int

const (
	TwoValues   CrowdKind = iota // the end and one other
	FewValues                    // up to five
	PowersOfTwo                  // from the end
	Dense                        // any
	CrowdKinds                   // how many there are
)

// RandomCrowd draws a crowd of values of the given bits.
func RandomCrowd(bits int, r *rand.Rand) Crowd {
	return Crowd{CrowdEnd(r.IntN(int(CrowdEnds))), CrowdKind(r.IntN(int(CrowdKinds))), 1 + r.IntN(bits), r.IntN(4) == 0}
}

// String names c.
func (c Crowd) String() string {
	name := fmt.Sprintf("%s at %s, %d bits", [...]string{"two values", "few values", "powers of two", "dense"}[c.Kind],
		[...]string{"the lowest", "the highest", "both ends"}[c.End], c.Width)
	if c.Extremes {
		name += ", and the extremes"
	}
	return name
}

// Draw draws n values of the given bits, which are at least c.Width.
func (c Crowd) Draw(n, bits int, r *rand.Rand) []uint64 {
	top, distance := uint64(math.MaxUint64)>>(64-bits), c.distances(r)
	return draw(n, func(int) uint64 {
		switch {
		case c.Extremes && r.IntN(8) == 0:
			return 0
		case c.Extremes && r.IntN(8) == 0:
			return top
		case c.End == AtHighest || c.End == AtBothEnds && r.IntN(2) == 0:
			return top - distance()
		}
		return distance()
	})
}

// distances draws distances from an end.
func (c Crowd) distances(r *rand.Rand) func() uint64 {
	any := func() uint64 { return r.Uint64() >> (64 - c.Width) }
	few := []uint64{any(), any(), any(), any(), 0}
	switch c.Kind {
	case TwoValues:
		few = few[3:]
	case PowersOfTwo:
		return func() uint64 { return 1 << r.IntN(c.Width) }
	case Dense:
		return any
	}
	return func() uint64 { return few[r.IntN(len(few))] }
}
