// Package kernels has the CUDA sources of the GPU engine and the modules built from them, one
// per file.
//
//   - order.cu: kernels of every sort, except those below.
//   - bucket.cu, bucket_u32.cu, bucket_u64.cu: the bucket-bitonic sort; bucket.cuh
//     describes its phases. keys.cu: the same for keys alone. octaves.cu: those of its
//     phases that differ for codes spread by magnitude. strided.cu: its first phase for
//     nearly sorted lists. numbered.cu: those for parts of a longer list.
//   - radix.cu: the radix sort, see radix.cuh. radix_small.cu: the same for devices with
//     little shared memory, and for short lists.
//   - merge.cu: the merge sort and merges of sorted runs; see merge.cuh.
//   - bitonic.cu: the full bitonic network; see bitonic.cuh.
//   - route.cu: the partition of a list among several devices; see route.cuh.
//   - gather.cu: elements gathered through an order; see gather.cuh.
//   - encode.cu: keys to codes and back, for memory that is copied to the device as it is.
//   - values.cu: the sort of codes of few distinct values; see values.cuh.
//   - segments.cu: each segment of a list sorted by itself; see segments.cuh.
//   - segmentradix.cu: large ones of 32-bit codes; see segmentradix.cuh.
//   - selection.cu: the elements of some ranks; see selection.cuh.
//   - columns.cu: rows in the order of several columns, with those of segments.cu; see columns.cuh.
//   - gathercolumns.cu: columns moved through an order.
//   - samplesort.cu: deterministic sample sort; see samplesort.cuh.
//
// The modules are fatbins with machine code for compute capabilities 8.0, which 8.6 and 8.9 run too, and 9.0, and PTX for
// all others from 7.5 on. generate.sh ("make kernels") builds them with nvcc 11.8, whose PTX drivers from release 520 on
// load.
package kernels

import _ "embed"

// Modules that a driver loads.
var (
	//go:embed order.fatbin
	Order []byte // both widths
	//go:embed bucket.fatbin
	Bucket []byte // phases that read no codes
	//go:embed bucket_u32.fatbin
	BucketU32 []byte // phases over 32-bit codes
	//go:embed bucket_u64.fatbin
	BucketU64 []byte // phases over 64-bit codes
	//go:embed keys.fatbin
	Keys []byte // phases for keys alone, of both widths
	//go:embed octaves.fatbin
	Octaves []byte // for codes spread by magnitude, both widths
	//go:embed strided.fatbin
	Strided []byte // for nearly sorted lists, both widths
	//go:embed numbered.fatbin
	Numbered []byte // for orders of 64-bit codes that have numbers
	//go:embed radix.fatbin
	Radix []byte // both widths
	//go:embed radix_small.fatbin
	RadixSmall []byte // both widths
	//go:embed merge.fatbin
	Merge []byte // runs and merges of them
	//go:embed bitonic.fatbin
	Bitonic []byte
	//go:embed samplesort.fatbin
	SampleSort []byte // used with Bitonic
	//go:embed route.fatbin
	Route []byte // both widths
	//go:embed gather.fatbin
	Gather []byte
	//go:embed encode.fatbin
	Encode []byte // both widths
	//go:embed values.fatbin
	Values []byte // both widths
	//go:embed segments.fatbin
	SegmentSort []byte // both widths
	//go:embed segmentradix.fatbin
	SegmentRadix []byte
	//go:embed selection.fatbin
	Selection []byte // both widths
	//go:embed topsegments.fatbin
	TopSegments []byte // both widths
	//go:embed columns.fatbin
	Columns []byte
	//go:embed gathercolumns.fatbin
	GatherColumns []byte
)
