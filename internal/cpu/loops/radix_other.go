//go:build !amd64

package loops

func scatterLoop[C Code](_, _ []C, _ *[1 << MaxDigitBits]uint32, _ C, _, _ int) bool { return false }

func digitsLoop[C Code](_ []C, _, _ *[1 << MaxDigitBits]uint32, _ C, _, _ int) bool { return false }

func buildLoop[C Code](_ []uint64, _ []C, _, _ *[1 << MaxDigitBits]uint32, _ C, _, _, _ int) bool {
	return false
}
