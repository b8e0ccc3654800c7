// Package sorter sorts slices of structs by a key, in parallel on the CPU and,
// where package gpu is imported, on NVIDIA GPUs.
//
//	err := sorter.Sort(trades, func(t Trade) float32 { return t.Price })
//
// The key function is called exactly once per element, in sorts of more than 2^32-1
// elements twice. Its results become codes, unsigned integers whose natural order is the
// order of the keys, and an engine sorts the codes. The slice is written last: it is
// unchanged after an error, a cancelled context or a panic of the key function.
//
//	keys → codes → permutation → payload
//
// [Sort], [SortKeys] and [SortPairs] sort a slice. [Order], [OrderKeys] and [OrderN]
// return a permutation, see package perm. [TopK] and [TopKeys] select. [Merge],
// [MergeN], [IsSorted], [Search] and [Groups] work on sorted slices. [By] makes an [Ordering] from
// several columns, each with a direction and a place for nulls and NaNs.
//
// The planner chooses the algorithm, unless [Use] does. ALGORITHMS.md in the module's
// root describes each [Algorithm] with a picture, its cost, and where it wins, and has a
// table of the time and the scratch memory of every call.
//
// All functions may be called concurrently on different slices. Nothing prints,
// and no engine is opened before a sort needs it. SORTER_BACKEND=cpu in the
// environment switches every GPU off.
package sorter
