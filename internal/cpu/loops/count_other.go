//go:build !amd64

package loops

// countVectors handles no words: there are no vector instructions here.
func countVectors[C Code]([]C, *[4]C, *[4]int) (n int) { return 0 }
