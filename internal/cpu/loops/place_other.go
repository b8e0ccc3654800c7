//go:build !amd64

package loops

var placesInLoops, placesLines = false, false // see place_amd64.go

// PlaceOf returns no loop: there is none here.
func PlaceOf(uintptr, uintptr) Place { return nil }

// PlaceLinesOf returns no loop: there is none here.
func PlaceLinesOf(uintptr) Place { return nil }

// PlaceIndicesOf returns no loop: there is none here.
func PlaceIndicesOf(uintptr) PlaceIndices { return nil }
