//go:build !amd64

package cpu

// surveyVectors handles no words: there are no vector instructions here.
func surveyVectors[C Code]([]C, C) (survey[C], int) { return survey[C]{}, 0 }
