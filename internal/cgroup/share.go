package cgroup

import "strconv"

// Share returns the memory of a sort that is told no limit: a quarter of what is free.
func Share() int64 {
	const unknown, least = 1 << 30, 4 << 20
	free, ok := FreeMemory()
	if !ok {
		free = unknown
	}
	memory := max(free, least) / 4
	if strconv.IntSize == 32 {
		memory = min(memory, 256<<20) // of addresses, of which there are few
	}
	return memory
}
