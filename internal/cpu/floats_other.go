//go:build !amd64

package cpu

import "example.com/sorter/internal/stream"

// Floats become codes before they are counted and moved: there are no vector instructions here.

const fusesFloats = false

func (b *buckets[C]) tallyFloats([]uint32, []C) int { return 0 }

func (b *buckets[C]) moveFloats(*stream.Slots, []C, []C) int { return 0 }
