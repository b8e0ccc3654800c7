// Package sorter sorts slices of structs by a key, in parallel on the CPU and,
// where package gpu is imported, on NVIDIA GPUs.
//
//	err := sorter.Sort(trades, func(t Trade) float32 { return t.Price })
//
// The key function is called exactly once per element, of a single one at most once, and in sorts
// of more than 2^32-1 elements twice; those of a second column and later ones may be called again
// where a device fails in the middle of a sort. Its results become codes, unsigned integers whose natural order is the
// order of the keys, and an engine sorts the codes. The slice is written last: it is
// unchanged after an error, a cancelled context or a panic of the key function.
//
//	keys → codes → permutation → payload
//
// One key of a slice:
//
//   - [Sort], [SortKeys] and [SortPairs] sort it.
//   - [Order] and [OrderKeys] return its permutation, see package perm.
//   - [TopK], [TopKeys] and [Quantiles] select.
//   - [Merge], [IsSorted], [Search] and [Groups] work on sorted slices.
//
// Several keys, of a slice or of data that is stored by column:
//
//   - A [Column] is one key, with a direction and a place for nulls and NaNs: [Asc], [Desc], and
//     [AscOf] and [Keys] for keys in memory.
//   - An [Ordering] is the order of elements by several columns. [By] and [ByFields] make it.
//   - [Rows] are row numbers in the order of columns, and [Partitions] the same for each group of
//     rows. [RowsBy] and [Rows.Per] make them.
//
// An [Option] sets a property of one call: direction, stability, engine, limits, memory for the
// result, statistics.
//
// The planner chooses the algorithm, unless [Use] does. ALGORITHMS.md in the module's
// root describes each [Algorithm] with a picture, its cost, and where it wins, and has a
// table of the time and the scratch memory of every call.
//
// All functions may be called concurrently on different slices. Nothing prints,
// and no engine is opened before a sort needs it. SORTER_BACKEND=cpu in the
// environment switches every GPU off.
package sorter
