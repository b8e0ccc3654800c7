package extsort

import (
	"strconv"

	"example.com/sorter/internal/cgroup"
)

// defaultMemory returns a quarter of the memory that is free.
func defaultMemory() int64 {
	const unknown, least = 1 << 30, 4 << 20
	free, ok := cgroup.FreeMemory()
	if !ok {
		free = unknown
	}
	memory := max(free, least) / 4
	if strconv.IntSize == 32 {
		memory = min(memory, 256<<20) // of addresses, of which there are few
	}
	return memory
}
