//go:build !amd64

package loops

// The loops of processors that have none in assembly: functions handle nothing, so that those in Go do.

var fillsInLoops, placesInLoops, placesLines = false, false, false // see fill_amd64.go, place_amd64.go

// FillOf returns no loop: there is none here.
func FillOf(uintptr) Fill { return nil }

// FillIndicesOf returns no loop: there is none here.
func FillIndicesOf(uintptr) FillIndices { return nil }

// PlaceOf returns no loop: there is none here.
func PlaceOf(uintptr, uintptr) Place { return nil }

// PlaceLinesOf returns no loop: there is none here.
func PlaceLinesOf(uintptr) Place { return nil }

// PlaceIndicesOf returns no loop: there is none here.
func PlaceIndicesOf(uintptr) PlaceIndices { return nil }

func scatterLoop[C Code](_, _ []C, _ *[1 << MaxDigitBits]uint32, _ C, _, _ int) bool { return false }

func digitsLoop[C Code](_ []C, _, _ *[1 << MaxDigitBits]uint32, _ C, _, _ int) bool { return false }

func buildLoop[C Code](_ []uint64, _ []C, _, _ *[1 << MaxDigitBits]uint32, _ C, _, _, _ int) bool {
	return false
}

func countVectors[C Code]([]C, *[4]C, *[4]int) (n int) { return 0 }

func partCrowdVectors[C Code]([]uint32, []uint32, []C, []C, C) (crowded, n int) { return 0, 0 }

func upToVectors[C Code]([]uint64, []C, C) (n int) { return 0 }

func zeroVectors([]uint32, []uint64, uint32) (k, done int) { return 0, 0 }
