//go:build !amd64

package sortkey

// flipVectors handles no words: there are no vector instructions here.
func flipVectors[C Code](_, _ []C, _ C) (n int) { return 0 }
