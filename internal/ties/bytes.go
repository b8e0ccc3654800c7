package ties

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
)

// MarkBytes is the size of the memory in which an engine marks the ties of an order; 0 if
// codes hold whole keys.
func MarkBytes(n int, words []extract.Word) int64 {
	if extract.Decisive(words) {
		return 0
	}
	return scratch.Size(engine.TieWords(n), 4) // taken by the caller of the engine
}

// Bytes bounds the memory, in bytes, of breaking ties of n elements in runs that one
// worker sorts each: the codes of the runs, and the workspaces of the workers.
func Bytes(workers int, element uintptr, words []extract.Word, n int) int64 {
	var a scratch.Area
	sizeBreaker(&a, workers, element, words, n)
	return a.Bytes()
}

// WorkBytes is the memory, in bytes, of the workspaces that [New] makes. Bytes has them where ties are broken.
func WorkBytes(workers int) int64 { return int64(max(1, workers)) * workerBytes }

func sizeBreaker(a *scratch.Area, workers int, element uintptr, words []extract.Word, n int) {
	if extract.Decisive(words) {
		return
	}
	spaces := workers
	if n > largeTie {
		spaces *= 2 // one more per worker, for sources, which have no worker number
	}
	a.Times(spaces, func() {
		a.Hold(workerBytes)
		if len(words) > 1 {
			extract.SizeReader(a, element)
		}
	})
	a.Shares(n, workers, largeTie, 8) // codes of runs, see RefineTie
}

// PairsBytes bounds the memory, in bytes, of sorting n ties out of place.
func PairsBytes(workers int, words []extract.Word, n int) int64 {
	if extract.Decisive(words) {
		return 0
	}
	return bucket.PairsBytes(n, workers)
}

// LargeTieBytes bounds the memory, in bytes, of ordering a run of n ties in place by all
// workers: its codes, and a copy of its order. It is 0 for runs that one worker sorts.
func LargeTieBytes(words []extract.Word, n int) int64 {
	if extract.Decisive(words) || n <= largeTie {
		return 0
	}
	var a scratch.Area
	sizeBefore(&a, n)
	a.Hold(cpu.InPlaceBytes(n, 8))
	return a.Bytes()
}

// largeBytes bounds the memory, in bytes, of ordering a run of n ties out of place, and
// the runs in it.
func largeBytes(workers int, element uintptr, words []extract.Word, n int) int64 {
	var a scratch.Area
	sizeBefore(&a, n)
	a.Hold(cpu.OrderBytes(n, workers, 8))
	sizeBreaker(&a, workers, element, words, n)
	a.Hold(PairsBytes(workers, words, n))
	return a.Bytes()
}
