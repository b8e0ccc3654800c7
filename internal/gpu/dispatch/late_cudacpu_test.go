//go:build cudacpu && linux && amd64

package dispatch

import (
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// TestSortLate sorts by plans of each kind on a device that does its work late:
// until then its writes are not in the host's memory, and the memory that it reads must not
// change.
func TestSortLate(t *testing.T) {
	defer cudacpu.SetMode(cudacpu.Eager)
	s := workspace(t, bucket.Options{})
	r := rand.New(rand.NewPCG(17, 18))
	for _, mode := range []cudacpu.Mode{cudacpu.Mixed, cudacpu.Lazy} {
		cudacpu.SetMode(mode)
		for i, name := range []string{"uniform", "gauss", "log", "sorted"} {
			cudacpu.Seed(uint64(i))
			if i > 0 && testkit.ThreadSanitizer() {
				continue
			}
			testSort(t, s, []engine.Algorithm{engine.BucketBitonic}, gputest.CodesOf[name](r, 9000))
		}
	}
}
