package conformance_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// BenchmarkElementSize compares the two ways to move elements, by size. moveBytes was
// chosen by it.
func BenchmarkElementSize(b *testing.B) {
	benchSize[[2]uint64](b)
	benchSize[[4]uint64](b)
	benchSize[[8]uint64](b)
	benchSize[[12]uint64](b)
	benchSize[[16]uint64](b)
	benchSize[[24]uint64](b)
	benchSize[[32]uint64](b)
	benchSize[[64]uint64](b)
	benchSize[[128]uint64](b)
}

type element interface {
	[2]uint64 | [4]uint64 | [8]uint64 | [12]uint64 | [16]uint64 | [24]uint64 | [32]uint64 | [64]uint64 | [128]uint64
}

func benchSize[E element](b *testing.B) {
	var e E
	n := testkit.Pick(2, 128) << 20 / (8 * len(e)) // 128 MiB of any size: none fits a cache
	in := make([]E, n)
	for i := range in {
		in[i] = withKey(e, rand.Uint64())
	}
	s := make([]E, n)
	for _, a := range []sorter.Algorithm{sorter.BucketRadix, sorter.IndexGather} {
		b.Run(fmt.Sprintf("bytes=%d/%v", len(e)*8, a), func(b *testing.B) {
			b.SetBytes(int64(n * len(e) * 8))
			for b.Loop() {
				b.StopTimer()
				copy(s, in)
				b.StartTimer()
				if err := sorter.Sort(s, func(e E) uint64 { return e[0] }, sorter.Use(a)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
	}
}

func withKey[E element](e E, key uint64) E {
	e[0] = key
	return e
}
