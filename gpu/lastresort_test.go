//go:build linux && (amd64 || arm64)

package gpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// TestLastResort sorts codes that defeat every plan of the bucket sort.
func TestLastResort(t *testing.T) {
	testkit.SkipThreadSanitizer(t) // each of the two sorts has tests of its own
	e := open(t, Verify())
	wide := gputest.Unseen(14_000, (*rand.Rand).Uint64, func(int) uint64 { return 0x8000_0001_0000_0000 }) // more others than a bucket holds
	var st sorter.Stats
	got, err := sorter.OrderKeys(wide, sorter.On(e), sorter.Use(sorter.BucketBitonic), sorter.Report(&st))
	if err != nil || !slices.Equal(got, gputest.Stable(wide)) || st.Algorithm != "Radix" || st.Rounds != 8 {
		t.Errorf("64 bits: error %v, %+v, or wrong order", err, st)
	}
	narrow := gputest.Fill32(wide)
	got, err = sorter.OrderKeys(narrow, sorter.On(e), sorter.Use(sorter.BucketBitonic), sorter.Report(&st))
	if err != nil || !slices.Equal(got, gputest.Stable(narrow)) || st.Algorithm != "Radix" || st.Rounds != 4 {
		t.Errorf("32 bits: error %v, %+v, or wrong order", err, st)
	}
}
