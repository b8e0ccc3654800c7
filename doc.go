// Package sorter sorts slices of structs by a key, in parallel on the CPU and,
// where package gpu is imported, on NVIDIA GPUs.
//
//	err := sorter.Sort(trades, func(t Trade) float32 { return t.Price })
//
// The key function is called exactly once per element. Its results become
// unsigned integers whose natural order is the order asked for, an engine
// orders those, and the elements move at the end, so that an error, a cancelled
// context or a panicking key function leaves the slice as it was.
//
//	keys → codes → permutation → payload
//
// [Sort], [SortKeys] and [SortPairs] sort in place; [Order], [OrderKeys] and
// [OrderN] return a permutation, see package perm; [TopK] selects; [Merge],
// [IsSorted], [Search] and [Groups] work on sorted slices. [By] makes an
// [Ordering] from several columns, each with a direction and a place for nulls
// and NaNs.
//
// Which algorithm sorts is the planner's choice, or that of [Use]; ALGORITHMS.md
// in the module's root has each [Algorithm] with a picture, its cost, and where it
// wins.
//
// All functions may be called concurrently on different slices. Nothing prints,
// and no engine is opened before a sort needs it. SORTER_BACKEND=cpu in the
// environment switches every GPU off.
package sorter
