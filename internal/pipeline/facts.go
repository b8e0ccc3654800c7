package pipeline

import (
	"fmt"
	"math"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
)

// movement is how elements reach their places. How codes are ordered is another question,
// which an [engine.Algorithm] answers.
type movement uint8

const (
	withCodes      movement = iota // they move with their codes, through buckets
	throughIndex                   // they are gathered through the finished index
	toIndex                        // they stay: the index is the result
	InPlace                        // they follow the cycles of an index that is made in place
	asCodes                        // they are keys that are decoded from the sorted codes
	Selected                       // the first k are exchanged with the elements in front
	merged                         // sorted runs are merged
	aside                          // sorted runs are copied, sorted as one slice, and copied again
	chunked                        // chunks of a copy are sorted and merged
	parted                         // runs are cut into parts, which are merged one by one
	withinSegments                 // they are gathered through the orders of segments
	counted                        // keys of few bits are counted
	withElements                   // they move with each step of a sort by a comparison
	nullsApart                     // they stay, or are gathered, as the orders of two parts say

	movements // their number
)

// String returns the name in Stats, where no algorithm that orders codes has one.
func (m movement) String() string { return movementNames[m] }

var movementNames = [movements]string{
	withCodes:      "BucketRadix",
	throughIndex:   "IndexGather",
	toIndex:        "IndexGather",
	InPlace:        "InPlace",
	asCodes:        "BucketRadix",
	Selected:       "Select",
	merged:         "RangeMerge",
	aside:          "Concatenate",
	chunked:        "Chunks",
	parted:         "RangeMerge",
	withinSegments: "Segments",
	counted:        "Counting",
	withElements:   byComparison,
	nullsApart:     "IndexGather",
}

// inCalls reports whether the work is that of calls within the call, which plan for the memory that is left.
func (m movement) inCalls() bool { return m == aside || m == chunked || m == parted }

// indexed is the movement of elements whose codes are ordered with positions only.
func (m movement) indexed() movement {
	if m == withCodes {
		return throughIndex
	}
	return m
}

// verb is the kind of a call.
type verb uint8

const (
	toSort        verb = iota // elements
	toPair                    // keys and values
	toOrder                   // a permutation
	ToSelect                  // the first k elements
	ToFind                    // one element, by its position in the order
	toMerge                   // sorted runs
	toDecode                  // keys that codes hold entirely
	toSortWithin              // the elements of each segment
	ToOrderWithin             // a permutation of the rows of each segment
	ToFilter                  // the rows that may be among the first k of their partition
	toIndexRows               // a permutation, by the CPU in its own way: it is planned, and has ways

	verbs // their number
)

// Facts describe a call before an element is read.
type Facts struct {
	Verb      verb
	n, K      int              // elements, and how many of them are selected
	most      int              // elements that are sorted or merged as one, 0: any number
	runs      int              // to be merged
	Segments  cpu.Segments     // to be sorted
	workers   int              // goroutines at most
	limit     int64            // bytes of scratch memory, 0: any number
	held      int64            // of them, those that the call holds already
	algorithm engine.Algorithm // asked for, or Auto
	backend   engine.Backend   // asked for, or nil
	devices   []engine.Backend // to choose from, where no backend is asked for: all run the algorithm
	Words     []extract.Word   // of the keys; those of keys to decode are one
	Sizes     []uintptr        // of an element; of a key and a value
	decodable bool             // the codes of the keys lose nothing
	Numbered  bool             // elements are row numbers
	Picked    bool             // they are some of an input, read one by one
	part      bool             // they are the nulls, or the others, of an order that parts these
	marked    bool             // runs are asked for
	apply     int64            // bytes that it takes to move elements along cycles
	reported  bool             // statistics are asked for
	free      bool             // see [call.Options.Free]
	asked     int              // ways of the family that were asked whether they fit

	// Facts that take a sample are asked for only where they decide. They are nil where they do not hold.
	Sampled func() engine.Sample // samples the first word; called only where a device seems worth it
	fields  func() bool          // a sample is in order, or nearly, by fields of the elements
	narrow  func() bool          // keys of a sample leave many bits of their types
	spare   func() bool          // columns may have codes that no key has
	lead    func() bool          // rows are in order by the first column and not by the others; this takes a pass after the sample
}

// insists reports whether the caller asked for a device, or for an algorithm that only
// devices have.
func (f *Facts) insists() bool {
	return f.backend != nil && f.backend != cpu.Host || !cpu.Host.Runs(f.algorithm)
}

// ownWay reports whether the CPU in its own way is not ruled out.
func (f *Facts) ownWay() bool { return !f.insists() && f.codesAlgorithm() == engine.Auto }

// codesAlgorithm is the algorithm asked for where it says how codes are ordered, or Auto.
func (f *Facts) codesAlgorithm() engine.Algorithm {
	if engine.OrdersCodes(f.algorithm) {
		return f.algorithm
	}
	return engine.Auto
}

// fits reports whether the memory limit allows the given number of bytes.
func (f *Facts) fits(bytes int64) bool { return engine.Fits(f.limit, f.held+bytes) }

// require returns an error unless bytes fit: under a memory limit ErrMemoryLimit with the
// bytes needed, otherwise ErrTooLong.
func (f *Facts) require(bytes int64) error { return required(f.n, f.limit, f.held+bytes) }

// required is require for n elements.
func required(n int, limit, bytes int64) error {
	switch {
	case engine.Fits(limit, bytes):
		return nil
	case limit > 0 && bytes < scratch.TooLarge:
		return engine.NewMemoryError(limit, bytes, n)
	case limit > 0:
		return engine.NewMemoryError(limit, math.MaxInt64, n)
	}
	return TooLong(n)
}

const (
	// MaxPositions is the largest number of elements that 32-bit positions number.
	MaxPositions = min(1<<32-1, maxLen)

	// maxLen is the largest number of elements of a call: an int that counts elements may pass
	// the last of them by the elements that a worker takes at a time.
	maxLen = math.MaxInt - 1<<20
)

func TooLong(n int) error { return fmt.Errorf("%w: %d elements", engine.ErrTooLong, n) }

// byComparison is the algorithm that Stats name.
const byComparison = "Comparison"
