//go:build !amd64

package cpu

// summaryVectors and fallVectors handle no words: there are no vector instructions here.

func summaryVectors[C Code]([]C, C) (summary[C], int) { return summary[C]{}, 0 }

func fallVectors[C Code]([]uint64, []C, C) int { return 0 }
