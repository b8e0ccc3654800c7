package selection

import (
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Each of these functions bounds the scratch memory of a selection by codes of code bytes each, whatever the keys. The
// memory in which whole keys are compared comes on top, see package ties.

// FirstBytes bounds [First]: candidates and blocks of the workers, all candidates together, and their order.
func FirstBytes(n, k, workers int, code uintptr) int64 {
	held, _ := selectors(n, workers)
	count := int64(held)
	found := int(min(count*int64(k), int64(n)))
	block := scratch.Size(engine.Block, code) + scratch.Size(engine.Block, 8) + scratch.Size(engine.Block, 4) + scratch.AlignedSize(engine.Block/64, 8)
	bytes := count*(scratch.Size(candidateLimit(n, k), unsafe.Sizeof(candidate{}))+block) + scratch.Size(found, unsafe.Sizeof(candidate{}))
	return bytes + 2*scratch.Size(k, 4) + max(cpu.OrderBytes(k, workers, 4), cpu.OrderBytes(k, workers, 8))
}

// RanksBytes bounds [Ranks]: the codes of all rows and the counters of workers, and the candidates, which it
// takes only where it does not return the codes.
func RanksBytes(n, ranks, workers int, code uintptr) (codes, candidates int64) {
	counts := int64(max(1, workers)) * (scratch.Size(1<<findBits, 8) + scratch.Size(min(ranks, mostParts)<<secondBits, 8))
	return scratch.Size(n, code) + counts, scratch.Size(mostFound(n), unsafe.Sizeof(candidate{})) + 2*scratch.Size(engine.Block, 8)
}
