package pipeline

import (
	"runtime"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/small"
)

// ScratchBytes bounds the scratch memory, in bytes, that the CPU takes to sort s by the columns
// of an ordering.
func ScratchBytes(by *small.Ordering, s cpu.Payload, n int, o *call.Options) int64 {
	words := extract.Words(by.Columns(), o.Order())
	if len(words) == 0 || n == 0 {
		return 0
	}
	f := facts{verb: toSort, n: n, workers: workersFor(o, n), words: words, sizes: []uintptr{s.Size()}, algorithm: o.Algorithm}
	return f.hostBytes(f.movement())
}

// workersFor returns how many workers take part in a call on n elements. More would have
// nothing to do, and count in the memory that a limit has to allow.
func workersFor(o *call.Options, n int) int {
	workers := int(o.Workers)
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, n/cpu.LeastTurn+1)
}
