//go:build linux && (amd64 || arm64)

package dispatch

import (
	"slices"
	"testing"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// TestUsersCodes sorts codes as programs have them, by each way of spreading.
func TestUsersCodes(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	for way := bucket.BySample; way <= bucket.Quantiles; way++ {
		sizes := []int{1 << 14}
		switch {
		case !testkit.Long():
			sizes = []int{1 << 12}
		case way == bucket.BySample:
			sizes = append(sizes, 1<<18+77)
		}
		s := workspace(t, bucket.Options{Spread: way})
		for i, d := range slices.Concat(dist.Shapes, dist.Users, dist.HeldBack) {
			if !d.Has(64) || !testkit.Long() && i%5 != int(way) {
				continue
			}
			for _, n := range sizes {
				t.Run(way.String()+" "+d.Name, func(t *testing.T) {
					wide, narrow := make([]uint64, n), make([]uint32, n)
					dist.Fill(wide, d, 1)
					gputest.CheckWay(t, s.w, s.bucketWay, wide)
					if d.Has(32) {
						dist.Fill(narrow, d, 1)
						gputest.CheckWay(t, s.w, s.bucketWay, narrow)
					}
				})
			}
		}
	}
}
