package cpu

import (
	"unsafe"

	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/vecsort"
)

// The memory of the workspaces, laid out before any of it is taken.

// layOutLocals lays out the workspaces in which workers order n elements together: each
// element is ordered by one worker, with fewer than maxLocal others, and delivered by one,
// with fewer than delivered others.
func layOutLocals(a *scratch.Area, n, workers, delivered int, code uintptr) {
	layOutLocalsOf(a, n, workers, maxLocal, delivered, code)
}

// layOutLocalsOf is layOutLocals for at most the given number of elements at a time.
func layOutLocalsOf(a *scratch.Area, n, workers, most, delivered int, code uintptr) {
	words := func() { // and spare ones
		layOutMatrices(a, n, workers, most)
		a.Shares(n, workers, most, 8)
	}
	words()
	layOutTables(a, min(workers, n))
	layOutPlaces(a, n, workers, delivered)
	a.Times(nesting(n, code)-1, func() { // of long runs, or of codes apart from a crowd
		a.Shares(n, workers, most, code)
		words()
		layOutPlaces(a, n, workers, most)
	})
}

// layOutPlaces lays out the places of at most the given number of elements at a time.
func layOutPlaces(a *scratch.Area, n, workers, most int) {
	more := vecsort.Slack * max(1, min(workers, n))
	a.Shares(n+more, workers, most+vecsort.Slack, 4)
}

// layOutPicked lays out the codes in order with which workers deliver n elements, see
// pick.
func layOutPicked(a *scratch.Area, n, workers int, code uintptr) { a.Shares(n, workers, n, code) }

// nesting bounds how many workspaces sort long runs of equal leading bits, one inside the
// other: each sorts by bits that those inside it do not, if half as many codes at least
// are in them, and if fewer, all of these take less memory than one.
func nesting(n int, code uintptr) int {
	passes, digit := leading(max(n/2, shortSort+1), 32)
	return (8*int(code)-1)/(passes*digit) + 1
}

// layOutTables lays out the counters of the workspaces, and returns the memory of each.
func layOutTables(a *scratch.Area, workers int) scratch.Memory {
	return a.MemoryEach(max(1, workers), 1, unsafe.Sizeof(digitCounts{}))
}

// layOutCodeLocals is layOutLocals of workspaces that sort codes alone.
func layOutCodeLocals(a *scratch.Area, n, workers int, code uintptr) {
	if code == 8 {
		layOutPlaces(a, n, workers, maxLocal)
	}
	layOutMatrices(a, n, workers, maxLocal)
	more := vecsort.Slack * max(1, min(workers, n))
	a.Shares(n+more, workers, maxLocal+vecsort.Slack, code)
	layOutTables(a, min(workers, n))
}
