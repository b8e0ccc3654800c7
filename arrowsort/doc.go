// Package arrowsort sorts Apache Arrow data with package sorter: the functions of arrow-go's package
// compute for sorting, under the same names and with the same signatures and types. In a file that
// uses package compute for sorting only, another import is all that changes:
//
//	import compute "example.com/sorter/arrowsort"
//
//	order, err := compute.SortIndicesTable(ctx, table, []compute.SortKey{
//		{ColumnIndex: 0},
//		{ColumnIndex: 1, Order: compute.SortOrderDescending},
//	})
//
// What arrow-go v18.8.0 lacks: [Rank] with the tie rules of Arrow C++, [SelectK] (ORDER BY … LIMIT k
// as row numbers), [Distinct] and [Unique] of tables, [MergeTables], and [Fields] for keys inside of
// structs.
//
// # Types
//
// Keys may have every type that arrow-go sorts: integers, floats, decimals, dates, times, timestamps,
// durations, intervals, bools, strings, byte strings and extensions of these; and dictionaries, string
// and binary views, run-end encoded columns, and null. Columns that are no keys may have any type of
// which arrow-go can take rows. Dictionaries are ordered by their values, which are sorted once.
//
// # Order
//
// It is that of Arrow C++: stable; nulls where the key has them, in ascending and in descending
// order; NaNs, equal to each other, between the values and the nulls; −0 equal to 0; text bytewise.
//
//	nulls at the end    values, NaNs, nulls
//	nulls at the start  nulls, NaNs, values
//
// arrow-go v18.8.0 differs from Arrow C++ where there are NaNs in several chunks or under several
// keys, in ascending order with nulls at the start and in descending order with nulls at the end. It
// sorts [3 1 NaN] [2 NaN], ascending with nulls at the start, as [NaN 1 3 NaN 2]; this package as
// [NaN NaN 1 2 3]. A chunked array of no chunks is an error there, and no rows here.
//
// # Workers, cancellation and other options
//
// Signatures have no place for options, so that these functions fit wherever arrow-go's do. All comes
// with the context, as in arrow-go: the allocator of results (compute.WithAllocator), the number of
// goroutines (NumParallel of compute.ExecCtx, at most GOMAXPROCS), and options of package sorter
// ([WithOptions]). A call whose context is cancelled returns the context's error within 50 ms, except
// while it waits for arrow-go to take rows of lists, maps and unions, or merges the rows of runs, and
// unless only the widening of row numbers is left.
//
// Calls may run concurrently, also on the same data. Up to 2^32-1 rows can be sorted; more are
// sorter.ErrTooLong.
//
// # Beyond memory
//
// [SortReader] sorts the rows of a reader within [MemoryLimit], and [MergeReaders] merges readers that are
// sorted. Memory is filled with batches, of which only row numbers are sorted. Their rows are then written
// by column, as a run of blocks. Runs are merged by windows: the rows of all runs up to a bound are sorted
// together, as SortTable would, and gathered by column. No row is an object of its own.
package arrowsort
