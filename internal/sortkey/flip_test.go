package sortkey

import "testing"

// TestFlipAll flips around the sizes of vectors and turns, into other memory and in place.
func TestFlipAll(t *testing.T) {
	testFlipAll[uint32](t)
	testFlipAll[uint64](t)
}

func testFlipAll[C Code](t *testing.T) {
	for n := range 140 {
		for _, flip := range []C{0, 1, ^C(0), (^C(0))>>1 + 1} {
			src, dst := make([]C, n+1)[1:], make([]C, n+1)
			for i := range src {
				src[i] = C(i) * 0x9e3779b9
			}
			flipAll(dst, src, flip)
			flipAll(src, src, flip)
			for i := range src {
				if want := C(i)*0x9e3779b9 ^ flip; dst[i] != want || src[i] != want {
					t.Fatalf("word %d of %d flipped by %#x: %#x and %#x, want %#x", i, n, flip, dst[i], src[i], want)
				}
			}
			if dst[n] != 0 {
				t.Fatalf("%d words: the one after them was written", n)
			}
		}
	}
}
