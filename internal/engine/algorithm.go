package engine

import "fmt"

// Algorithm is an algorithm to sort by. The root package documents the names.
type Algorithm uint8

const (
	Auto Algorithm = iota

	// Movements of elements; the engine chooses the order of codes.
	BucketRadix
	IndexGather

	// Algorithms that order codes; payload is gathered through the index.
	BucketBitonic
	Bitonic
	Hybrid
	QuickMerge
	CPUBucket
	Radix
	MergeSort
	SampleSort

	Algorithms // the number of algorithms
)

var algorithmNames = [Algorithms]string{
	"Auto", "BucketRadix", "IndexGather",
	"BucketBitonic", "Bitonic", "Hybrid", "QuickMerge", "CPUBucket", "Radix", "MergeSort", "SampleSort",
}

// String returns the algorithm's name.
func (a Algorithm) String() string {
	if a < Algorithms {
		return algorithmNames[a]
	}
	return fmt.Sprintf("Algorithm(%d)", uint8(a))
}

// OrdersCodes reports whether a is an algorithm that orders codes, not a movement.
func OrdersCodes(a Algorithm) bool { return a >= BucketBitonic && a < Algorithms }
