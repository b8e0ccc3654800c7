package testkit

import "testing"

// TestIsStable spoils an order in each way.
func TestIsStable(t *testing.T) {
	codes := []uint64{5, 3, 5, 1}
	for _, c := range []struct {
		order []uint32
		want  bool
	}{
		{[]uint32{3, 1, 0, 2}, true}, {[]uint32{3, 1, 2, 0}, false}, {[]uint32{1, 3, 0, 2}, false},
		{[]uint32{3, 1, 0}, false}, {[]uint32{3, 1, 0, 0}, false}, {[]uint32{3, 3, 0, 2}, false},
	} {
		if got := IsStable(c.order, codes); got != c.want {
			t.Errorf("%d: %v", c.order, got)
		}
	}
}
