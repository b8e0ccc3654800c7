//go:build !amd64

package cpu

import "unsafe"

var placesInLoops, placesLines = false, false // see place_amd64.go

type placeLoop func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

func placeLoopOf(uintptr, uintptr) placeLoop { return nil }

func linesLoopOf(uintptr) placeLoop { return nil }

type indicesLoop func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, first uint64, dst, dstCodes unsafe.Pointer, places int) (ok bool)

func indicesLoopOf(uintptr) indicesLoop { return nil }
