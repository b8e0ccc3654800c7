//go:build !amd64

package loops

var fillsInLoops = false // see fill_amd64.go

// FillOf returns no loop: there is none here.
func FillOf(uintptr) Fill { return nil }

// FillIndicesOf returns no loop: there is none here.
func FillIndicesOf(uintptr) FillIndices { return nil }
