package pipeline

import (
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/ties"
)

// The scratch memory of a call is bounded before any is taken: each of these functions
// bounds that of one way to sort, whatever the keys, block by block as package scratch
// rounds them.

// need bounds the memory, in bytes, of sorting elements of the given sizes by an
// algorithm; Auto stands for an order without a payload.
func need(r *run, a engine.Algorithm, words []extract.Word, sizes ...uintptr) int64 {
	n, workers, code := r.n, r.Loop.Workers, extract.CodeSize(words)
	bytes := extract.FullBytes(n, words) + ties.Bytes(r.Loop.Workers, r.element, words, n) + ties.EarlyBytes(r.Loop.Workers, words, n) + ties.LargeRunBytes(words, n)
	switch {
	case a != engine.BucketRadix:
		bytes += orderBytes(r, words)
	case extract.Decisive(words):
		return bytes + cpu.MoveBytes(n, workers, sizes[0], code)
	default:
		return bytes + cpu.MoveRefinedBytes(n, workers, sizes[0], code, words[0].FullSize())
	}
	if a == engine.IndexGather {
		bytes += gatherBytes(n, sizes...)
	}
	return bytes
}

// orderBytes bounds the memory, in bytes, of an order of codes by the CPU engine.
func orderBytes(r *run, words []extract.Word) int64 {
	n, workers, code := r.n, r.Loop.Workers, extract.CodeSize(words)
	bytes := cpu.OrderBytes(n, workers, code)
	if r.Algorithm.OrdersCodes() && cpu.Host.Runs(r.Algorithm) {
		bytes = max(bytes, papers.Bytes(r.Algorithm, n, workers, code)+ties.MarkBytes(n, words))
	}
	if r.numbered && !extract.AllGiven(words) {
		bytes += int64(workers) * scratch.Size(engine.Block, unsafe.Sizeof(n)) // numbers of rows
	}
	return bytes
}

// gatherBytes bounds the memory, in bytes, of an index of n elements and of copies of
// them, of the given sizes.
func gatherBytes(n int, sizes ...uintptr) int64 {
	bytes := scratch.Size(n, 4)
	for _, size := range sizes {
		bytes += scratch.Size(n, size)
	}
	return bytes
}

// needOn is need of a sort that an engine begins and the CPU may have to
// finish, with codes kept for it since key functions are called once.
func needOn(r *run, a engine.Algorithm, words []extract.Word, sizes ...uintptr) int64 {
	bytes := need(r, a, words, sizes...) + ties.MarkBytes(r.n, words)
	if !words[0].Given {
		bytes += scratch.Size(r.n, extract.CodeSize(words))
	}
	return bytes
}

// needAlone is need of a sort that only a device does, without a fall-back.
func needAlone(r *run, a engine.Algorithm, words []extract.Word, sizes ...uintptr) int64 {
	bytes := extract.FullBytes(r.n, words) + ties.MarkBytes(r.n, words) + ties.Bytes(r.Loop.Workers, r.element, words, r.n) + ties.EarlyBytes(r.Loop.Workers, words, r.n) + ties.LargeRunBytes(words, r.n)
	if a != engine.Auto {
		bytes += gatherBytes(r.n, sizes...)
	}
	return bytes
}

// enough reports whether the memory limit allows a sort by a that is not in place. It
// returns an error where it does not and the caller insists on a device.
func enough(r *run, a engine.Algorithm, words []extract.Word, sizes ...uintptr) (bool, error) {
	if !r.insists() {
		return r.Fits(need(r, a, words, sizes...)), nil
	}
	err := r.require(needAlone(r, a, words, sizes...))
	return err == nil, err
}

func sum(sizes []uintptr) (total uintptr) {
	for _, size := range sizes {
		total += size
	}
	return total
}
