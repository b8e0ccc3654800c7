package bucket

import (
	"unsafe"

	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/vecsort"
)

// The memory of the workspaces, laid out before any of it is taken.

// SizeWorkers sizes the workspaces in which workers order n elements together: each
// element is ordered by one worker, with fewer than MaxLen others, and delivered by one,
// with fewer than delivered others.
func SizeWorkers(a *scratch.Area, n, workers, delivered int, code uintptr) {
	SizeWorkersOf(a, n, workers, MaxLen, delivered, code)
}

// SizeWorkersOf is SizeWorkers for at most the given number of elements at a time.
func SizeWorkersOf(a *scratch.Area, n, workers, most, delivered int, code uintptr) {
	words := func() { // and spare ones
		sizeMatrices(a, n, workers, most)
		a.Shares(n, workers, most, 8)
	}
	words()
	sizeTables(a, min(workers, n))
	sizePlaces(a, n, workers, delivered)
	a.Times(nesting(n, code)-1, func() { // of long runs, or of codes apart from a crowd
		a.Shares(n, workers, most, code)
		words()
		sizePlaces(a, n, workers, most)
	})
}

// sizePlaces sizes the places of at most the given number of elements at a time.
func sizePlaces(a *scratch.Area, n, workers, most int) {
	more := vecsort.Slack * max(1, min(workers, n))
	a.Shares(n+more, workers, most+vecsort.Slack, 4)
}

// SizePicked sizes the codes in order with which workers deliver n elements, see
// Pick.
func SizePicked(a *scratch.Area, n, workers int, code uintptr) { a.Shares(n, workers, n, code) }

// nesting bounds how many workspaces sort long runs of equal leading bits, one inside the
// other: each sorts by bits that those inside it do not, if half as many codes at least
// are in them, and if fewer, all of these take less memory than one.
func nesting(n int, code uintptr) int {
	passes, digit := leading(max(n/2, ShortSort+1), 32)
	return (8*int(code)-1)/(passes*digit) + 1
}

// sizeTables sizes the counters of the workspaces, and returns the memory of each.
func sizeTables(a *scratch.Area, workers int) scratch.Memory {
	return a.MemoryEach(max(1, workers), 1, unsafe.Sizeof(digitCounts{}))
}

// SizeSorts is SizeWorkers of workspaces that sort codes alone.
func SizeSorts(a *scratch.Area, n, workers int, code uintptr) {
	if code == 8 {
		sizePlaces(a, n, workers, MaxLen)
	}
	sizeMatrices(a, n, workers, MaxLen)
	more := vecsort.Slack * max(1, min(workers, n))
	a.Shares(n+more, workers, MaxLen+vecsort.Slack, code)
	sizeTables(a, min(workers, n))
}

// matrixWords bounds the length of words for a matrix of n codes.
func matrixWords(n int) int { return max(n, (vecsort.Memory(n)+1)/2) }

// sizeMatrices sizes words of workers that sort n codes, at most the given number at a time.
func sizeMatrices(a *scratch.Area, n, workers, most int) {
	workers = max(1, min(workers, n))
	a.Shares(vecsort.MemoryOfAll(n, workers)/2+workers, workers, matrixWords(min(most, n)), 8)
}
