//go:build !amd64

package loops

// partCrowdVectors handles no codes: there are no vector instructions here.
func partCrowdVectors[C Code]([]uint32, []uint32, []C, []C, C) (crowded, n int) { return 0, 0 }
