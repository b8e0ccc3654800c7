package sortkey

import (
	"testing"
	"unsafe"
)

// TestEveryKind fails for a kind that a table or an encoder leaves out.
func TestEveryKind(t *testing.T) {
	for k := Kind(0); k < Kinds; k++ {
		of := ofKinds[k]
		texts := k >= String
		if of.size == 0 || of.size > 255 || k.Size() != of.size {
			t.Errorf("kind %d: %d bytes", k, of.size)
		}
		if (of.bits == 0) != k.Wide() || CodeBits[k] != int(of.bits) || (of.words == 0) != texts {
			t.Errorf("kind %d: %+v, but Wide is %v", k, of, k.Wide())
		}
		if texts {
			continue
		}
		var keys [2][3]uint64 // two zeros and, of each byte's lowest bit, a key that differs
		for i := range keys[1] {
			keys[1][i] = 0x0101010101010101
		}
		if k == Time {
			keys[1] = [3]uint64{1} // one nanosecond later
		}
		a, b := unsafe.Pointer(&keys[0]), unsafe.Pointer(&keys[1])
		differ := false
		for j := range k.Words() {
			var codes [2]uint64
			EncodeWordAt(k, codes[:1], a, j, Order{})
			EncodeWordAt(k, codes[1:], b, j, Order{})
			differ = differ || codes[0] != codes[1]
		}
		if !differ {
			t.Errorf("kind %d: the words of two keys are the same", k)
		}
	}
}
