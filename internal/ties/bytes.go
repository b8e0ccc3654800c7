package ties

import (
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
)

// MarkBytes is the memory in which an engine marks the ties of an order, if there
// is anything to break them.
func MarkBytes(n int, words []extract.Word) int64 {
	if extract.Decisive(words) {
		return 0
	}
	return scratch.Size(engine.TieWords(n), 4)
}

// Bytes bounds the memory, in bytes, of breaking ties of n elements in runs that one
// worker sorts each: the codes of the runs, and the workspaces of the workers.
func Bytes(workers int, element uintptr, words []extract.Word, n int) int64 {
	if extract.Decisive(words) {
		return 0
	}
	each := int64(unsafe.Sizeof(Worker{}))
	if len(words) > 1 {
		each += scratch.Size(extract.Piece, element) // copies of elements
	}
	spaces := int64(workers)
	if n > largeTie {
		spaces *= 2 // as many that do not know their worker
	}
	return spaces*each + scratch.Shares(n, workers, largeTie, 8)
}

// EarlyBytes bounds the memory, in bytes, of the workspaces that find ties during extraction,
// and of sorting runs of n ties not in place.
func EarlyBytes(workers int, words []extract.Word, n int) int64 {
	if extract.Decisive(words) {
		return 0
	}
	each := int64(unsafe.Sizeof(Worker{})) + scratch.Size(engine.Block, 4)
	return int64(workers)*each + cpu.PairsBytes(n, workers)
}

// LargeRunBytes bounds the memory, in bytes, of ordering a run of n ties in place, if all
// workers do: its codes, and the order as it was.
func LargeRunBytes(words []extract.Word, n int) int64 {
	if extract.Decisive(words) || n <= largeTie {
		return 0
	}
	return cpu.InPlaceBytes(n, 8) + scratch.Size(n, 4)
}

// largeBytes bounds the memory, in bytes, of ordering a run of n ties not in place, and
// the runs in it.
func largeBytes(workers int, element uintptr, words []extract.Word, n int) int64 {
	return scratch.Size(n, 4) + cpu.OrderBytes(n, workers, 8) + Bytes(workers, element, words, n) + EarlyBytes(workers, words, n)
}
