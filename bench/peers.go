//go:build peers

package main

import (
	"github.com/shawnsmithdev/zermelo/v2"
	"github.com/shawnsmithdev/zermelo/v2/floats"
	"github.com/twotwotwo/sorts"
	"github.com/twotwotwo/sorts/sortutil"
)

// Peers that not every module proxy serves.

const withPeers = true

func uint32Peers(d *data[uint32]) []contender {
	radix := zermelo.NewSorter[uint32]()
	return []contender{
		other(zermeloName, func(run int) { radix.Sort(d.run(run)) }),
		other(sortsName, func(run int) { sortutil.Uint32Slice(d.run(run)).Sort() }),
	}
}

func uint64Peers(d *data[uint64]) []contender {
	radix := zermelo.NewSorter[uint64]()
	return []contender{
		other(zermeloName, func(run int) { radix.Sort(d.run(run)) }),
		other(sortsName, func(run int) { sortutil.Uint64Slice(d.run(run)).Sort() }),
	}
}

func float32Peers(d *data[float32]) []contender {
	radix := floats.NewFloatSorter[float32]()
	return []contender{
		other(zermeloName, func(run int) { radix.Sort(d.run(run)) }),
		other(sortsName, func(run int) { sortutil.Float32Slice(d.run(run)).Sort() }),
	}
}

func float64Peers(d *data[float64]) []contender {
	radix := floats.NewFloatSorter[float64]()
	return []contender{
		other(zermeloName, func(run int) { radix.Sort(d.run(run)) }),
		other(sortsName, func(run int) { sortutil.Float64Slice(d.run(run)).Sort() }),
	}
}

func stringPeers(d *data[string]) []contender {
	return []contender{
		other(sortsName, func(run int) { sortutil.StringSlice(d.run(run)).Sort() }),
	}
}

func rec24Peers(d *data[rec24]) []contender {
	return append(rec24StablePeers(d),
		other(sortsName, func(run int) { sorts.ByUint64(rec24s(d.run(run))) }))
}

// rec24StablePeers are those whose order is stable, being the order of words
// that are all different.
func rec24StablePeers(d *data[rec24]) []contender {
	return []contender{
		other(composedName, composed(d, packRec24, zermelo.NewSorter[uint64]().Sort)),
	}
}

func topPeers(d *data[rec24]) []contender { return rec24Peers(d) }

func vec4Peers(d *data[vec4]) []contender {
	return []contender{
		other(composedName, composed(d, packVec4, zermelo.NewSorter[uint64]().Sort)),
		other(sortsName, func(run int) { sorts.ByUint64(vec4s(d.run(run))) }),
	}
}

func argsortPeers(a *argsort) []contender {
	return []contender{
		other(composedName, a.composed(zermelo.NewSorter[uint64]().Sort)),
		other(sortsName, a.indexed(func(keys []float32, index []uint32) {
			sorts.ByUint64(&keyIndex{keys, index})
		})),
	}
}

func rec64Peers(d *data[rec64]) []contender {
	return []contender{
		other(composedSorts, composedPairs(d)),
		other(sortsName, func(run int) { sorts.ByInt64(rec64s(d.run(run))) }),
	}
}

func entryPeers(d *data[entry]) []contender {
	return []contender{
		other(sortsName, func(run int) { sorts.ByString(entries(d.run(run))) }),
	}
}
