// Package gpu sorts on NVIDIA GPUs. Importing it for effect registers the first
// device for automatic choice:
//
//	import _ "example.com/sorter/gpu"
//
// Nothing is loaded until the first sort that is worth a device. No toolkit and no cgo is
// needed, and a program runs with or without a GPU. [Open] returns an engine for
// [sorter.On].
//
// # How it works
//
// Keys become codes on the host, straight into pinned memory, and are uploaded while later
// ones are still being extracted. On the device an element is one 64-bit word, the
// normalised code above its input position. One or two splits by slices of the value
// range, chosen from a sample, bring the elements into buckets of up to 1024. A warp sorts
// each bucket by a bitonic network over packed 32-bit words. The order is downloaded in
// pieces that are handed on as they arrive. Small elements may be uploaded with their
// codes; then they are downloaded in place of the order. kernels/bucket.cuh describes the
// phases.
//
// Keys in memory that is pinned ([Pin], [Alloc]) are sent as they are. The device makes their
// codes, and writes results to pinned memory itself.
//
// Lists that do not fit one pass are sorted in chunks that are merged, see
// [Memory]. Several devices can share a sort, see [Device].
//
// Elements are all different, since each holds its position. So the order is stable and
// the same every time, although no split is stable. Keys that equal their codes
// are sorted without positions, in elements of 4 or 8 bytes.
package gpu

import "example.com/sorter/internal/engine"

func init() { engine.Register(&Engine{}) }
