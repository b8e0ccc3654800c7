package engine

import "fmt"

// Algorithm names one way to sort. The root package documents the names.
type Algorithm uint8

const (
	Auto Algorithm = iota

	// How elements move: the engine orders the codes as it thinks best.
	BucketRadix
	IndexGather

	// How an engine orders codes: the payload follows through the index.
	BucketBitonic
	Bitonic
	Hybrid
	QuickMerge
	CPUBucket
	Radix
	MergeSort
	SampleSort

	Algorithms // their number
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

// OrdersCodes reports whether a says how codes are ordered.
func (a Algorithm) OrdersCodes() bool { return a >= BucketBitonic && a < Algorithms }
