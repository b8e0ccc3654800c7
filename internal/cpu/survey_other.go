//go:build !amd64

package cpu

// summaryVectors handles no words: there are no vector instructions here.
func summaryVectors[C Code]([]C, C) (summary[C], int) { return summary[C]{}, 0 }
