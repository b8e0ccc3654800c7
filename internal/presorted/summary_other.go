//go:build !amd64

package presorted

import "example.com/sorter/internal/engine"

// summaryVectors and fallVectors handle no words: there are no vector instructions here.

func summaryVectors[C engine.Code]([]C, C) (Summary[C], int) { return Summary[C]{}, 0 }

func fallVectors[C engine.Code]([]uint64, []C, C) int { return 0 }
