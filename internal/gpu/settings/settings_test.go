package settings

import (
	"math"
	"testing"

	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/samplesort"
	"example.com/sorter/kernels"
)

// TestRanges has settings out of range, and in range.
func TestRanges(t *testing.T) {
	for i, opt := range []Option{
		Spread(-1), Spread(bucket.Quantiles + 1),
		NearlySorted(-1), NearlySorted(math.NaN()), Samples(samplesort.MinSamples - 1), Samples(kernels.MaxSamples + 1), LeastTied(0),
	} {
		if err := opt(new(Settings)); err == nil {
			t.Errorf("setting %d: no error", i)
		}
	}
	if got := Spread(bucket.Quantiles + 1)(new(Settings)).Error(); got != "sorter: gpu: no Spreading(5)" {
		t.Errorf("error %q", got)
	}
	var s Settings
	for _, opt := range []Option{Spread(bucket.Sections), NearlySorted(10), Samples(64), LeastTied(3)} {
		if err := opt(&s); err != nil {
			t.Error(err)
		}
	}
	b := s.Algorithms.Bucket
	if b.Spread != bucket.Sections || *b.Nearly != 10 || s.Algorithms.Samples != 64 || s.LeastTied != 3 {
		t.Errorf("%+v", s)
	}
}
