//go:build !amd64

package loops

// upToVectors handles no codes: there are no vector instructions here.
func upToVectors[C Code]([]uint64, []C, C) (n int) { return 0 }
