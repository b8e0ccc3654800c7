//go:build !amd64

package floats

// encodeVectors and decodeVectors handle no floats: there are no vector instructions here.
func encodeVectors[B Bits](dst, src []B, c *Code[B]) int { return 0 }

func decodeVectors[B Bits](dst, codes []B, c *Code[B]) int { return 0 }
