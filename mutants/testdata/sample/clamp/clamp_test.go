package clamp

import "testing"

func TestClamp(t *testing.T) {
	for _, c := range [][4]int{{5, 1, 9, 5}, {0, 1, 9, 1}, {10, 1, 9, 9}, {1, 1, 1, 1}} {
		if got, err := clamp(c[0], c[1], c[2]); got != c[3] || err != nil {
			t.Errorf("clamp%v: %d, %v", c, got, err)
		}
	}
	if _, err := clamp(uint32(0), 2, 1); err == nil {
		t.Error("no error")
	}
}

func TestHalf(t *testing.T) {
	if got := half(8, new(int)); got != 4 {
		t.Error(got)
	}
}
