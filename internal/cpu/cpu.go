// Package cpu orders unsigned codes on the CPU. Every sort is stable.
//
// The engine makes no random access outside the cache. It extracts each code once and surveys
// the codes on the way. Sorted, reversed, equal and nearly sorted inputs end after that
// survey. For others it cuts the range of codes into buckets of nearly equal count by an exact
// histogram, partitions codes and payload into the buckets, and sorts each bucket in the
// cache.
//
// There is no quadratic case. A bucket that the histogram could not split spans one cell of
// it, so every round takes at least [evenCellBits] bits off the range.
//
// The scheme follows the bucket sort of Chen et al., "An efficient sorting algorithm with
// CUDA" (2009). Buckets have equal counts instead of equal widths. Networks over columns of
// short lists, see package vecsort, or radix passes replace the bitonic network.
//
// Package papers has the CPU algorithms of other papers.
package cpu

import "example.com/sorter/internal/engine"

// Code is the unsigned form of a key.
type Code = engine.Code

// Source extracts the codes of elements [lo, lo+len(dst)) into dst; len(dst) <=
// [engine.Block].
type Source[C Code] func(dst []C, lo int)
