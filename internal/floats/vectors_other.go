//go:build !amd64

package floats

// encodeVectors and decodeVectors handle nothing: what the compiler makes of
// Encode and Decode is all there is.
func encodeVectors[B Bits](dst, src []B, c *Code[B]) int { return 0 }

func decodeVectors[B Bits](dst, codes []B, c *Code[B]) int { return 0 }
