//go:build !amd64

package cpu

import "unsafe"

var fillsInLoops = false // see fill_amd64.go

const allFilled, outOfBuffers = -1, -2

type fillLoop func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64) (left int, k uint32)

func fillLoopOf(uintptr) fillLoop { return nil }

type fillIndicesLoop func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64, indices unsafe.Pointer, first uint64) (left int, k uint32)

func fillIndicesLoopOf(uintptr) fillIndicesLoop { return nil }
