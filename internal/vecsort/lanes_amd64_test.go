package vecsort

import "testing"

// eachPath runs f for every set of instructions of this processor, and without vectors.
func eachPath(t *testing.T, f func(t *testing.T)) {
	before := lanes
	defer func() { lanes = before }()
	for _, bound := range []string{"", "avx2", "none"} {
		lanes = lanesOf(bound)
		t.Run("vectors="+bound, f)
	}
}
