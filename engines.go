package sorter

import (
	"fmt"
	"math"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// CPU returns the CPU engine, which is always there.
func CPU() Backend { return cpu.Engine{} }

// Backends returns the engines of this process: the CPU first, then every
// registered device in the order of registration. It opens no device. With
// SORTER_BACKEND=cpu in the environment it returns the CPU alone.
func Backends() []Backend {
	all := []Backend{CPU()}
	for _, b := range engine.Registered() {
		all = append(all, b)
	}
	return all
}

// Backend is an engine that sorts: [CPU], or one of package gpu. Its methods may be
// called concurrently. Only this module implements it.
type Backend interface {
	// Name identifies the engine in [Stats] and in errors, for example "cpu" or
	// "cuda:0".
	Name() string

	// Runs reports whether [Use] may name a together with [On] this engine. Every
	// engine runs [Auto] and [IndexGather]. It opens no device.
	Runs(a Algorithm) bool

	// The library's side of an engine, which is not for other callers.
	engine.Backend
}

// Algorithm names one way to sort, for [Use] and in [Stats]. ALGORITHMS.md compares
// them. Method String returns the name of the constant, for example "BucketRadix".
type Algorithm = engine.Algorithm

const (
	// Auto leaves the choice to the planner.
	Auto Algorithm = engine.Auto

	// BucketRadix partitions elements and codes together into buckets that fit
	// the cache, sorts each bucket's codes and gathers inside it. CPU.
	BucketRadix Algorithm = engine.BucketRadix

	// IndexGather orders (code, index) pairs and then moves the payload once,
	// through the finished index. It is the choice for large elements and for keys
	// wider than 64 bits. So does every algorithm below.
	IndexGather Algorithm = engine.IndexGather

	// BucketBitonic cuts the range of the codes into slices of nearly equal
	// count and sorts each by a bitonic network. GPU. Chen et al., "An efficient
	// sorting algorithm with CUDA" (2009).
	BucketBitonic Algorithm = engine.BucketBitonic

	// Bitonic runs Batcher's bitonic network over any number of codes. It makes
	// O(n log² n) comparisons, always the same ones. On the CPU it works in place,
	// on a pair of code and position per element, of 8 or 16 bytes; the algorithms
	// below take two pairs there. "Sorting numbers in parallel on GPU", and Żurek et
	// al., "The comparison of parallel sorting algorithms implemented on different
	// hardware platforms" (2013), section 4.
	Bitonic Algorithm = engine.Bitonic

	// QuickMerge has every worker sort an equal part by quicksort and all
	// workers merge the parts: Żurek et al. (2013), section 5. CPU.
	QuickMerge Algorithm = engine.QuickMerge

	// Hybrid has a device sort tiles, which the CPU merges while later tiles are
	// sorted: Żurek et al. (2013), section 6. GPU and CPU.
	Hybrid Algorithm = engine.Hybrid

	// CPUBucket cuts the range of the codes into equal intervals and sorts each
	// by quicksort: Żurek et al. (2013), section 5. CPU.
	CPUBucket Algorithm = engine.CPUBucket

	// Radix orders codes by one stable partition for each digit in which they
	// differ, the lowest first. Its time hardly depends on how the codes are
	// spread. GPU: Adinets and Merrill, "Onesweep: A Faster Least Significant
	// Digit Radix Sort for GPUs" (2022). CPU: Hwu, Kirk and El Hajj, "Programming
	// Massively Parallel Processors" (2022), sections 13.2 to 13.6.
	Radix Algorithm = engine.Radix

	// MergeSort sorts tiles and merges them in pairs, each merge cut into equal
	// parts by merge path. Its time does not depend on how the codes are spread.
	// Hwu, Kirk and El Hajj (2022), section 13.7.
	MergeSort Algorithm = engine.MergeSort

	// SampleSort bounds buckets by equidistant samples of sorted tiles. No bucket
	// is more than twice as large as the mean, whatever the input. Dehne and
	// Zaboli, "Deterministic sample sort for GPUs" (2012).
	SampleSort Algorithm = engine.SampleSort
)

// Reserve makes scratch memory ready, so that the first large calls of a process are as fast as later ones. Without it
// they touch fresh memory, which can cost more than the sort. It is the inverse of [Trim], for services that start.
//
// [Ordering.ScratchBytes] has the bytes of one call; calls at the same time need as much each. It takes the memory from the
// system and writes to each page, on all processors: about 0.3 s per GiB. The memory is kept, also if no call needs
// it, until Trim, or until Reserve is called with more bytes, or with 0. It is memory of the process that the garbage
// collector counts. A call that needs more than is left takes other memory beside it.
//
// It serves the scratch memory of numbers, codes, indices, and elements without pointers, in pieces of 1 MiB or more.
// Copies of elements with pointers are of memory of their type, which no call makes ready but one. Sorts of extsort take
// memory of their own. It may be called at any time. It panics if bytes is negative or cannot be addressed.
func Reserve(bytes int64) {
	if bytes < 0 || bytes > math.MaxInt/2 || bytes >= scratch.TooLarge {
		panic(fmt.Sprintf("sorter: Reserve of %d bytes", bytes))
	}
	scratch.Reserve(bytes)
}

// Trim gives the scratch memory that no call holds back to the system at once, and that of registered
// devices to the driver.
// Without it memory of large buffers is given back once no call has needed it for 60 to
// 90 seconds, and small ones are kept until the garbage collector empties their pools.
// The next large sort touches fresh memory again, which can cost more than the sort.
// Trim ends what [Reserve] keeps, runs a garbage collection, may be called at any time, and takes nothing from
// calls that run.
func Trim() {
	scratch.Trim()
	engine.Trim()
}
