// Package parquetsort writes parquet files in order. [SortFile] sorts files into files, and [Writer] sorts rows: it has
// the methods and takes the options of [parquet.SortingWriter], so that changing the constructor is enough.
//
//	w := parquetsort.NewWriter[Trade](file, 1_000_000,
//		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("id"))))
//
// A Writer sorts Go values by package sorter, whose keys are the fields of the sorting columns, and
// merges runs in rounds of many rows.
//
// # Order
//
// The order is that of the values in the file, as the Parquet format defines it: integers by
// the sign of the column's type, decimals as signed numbers, in bytes of any length as well, other
// bytes as unsigned ones, times as stored in the unit of their column, −0 equal to +0. Lists compare by
// their first element that differs. A list that another begins with comes first, and nulls are where
// the sorting column has them, in either direction.
// Zeros of optional fields are nulls. NaNs come before other floats, after them if descending, and are equal.
//
// The format does not define an order of INTERVAL, GEOMETRY and GEOGRAPHY, which are sorted bytewise, and
// of INT96, which is sorted as a signed number: timestamps by time. The file states the sorting columns
// before the first of these, as sorting_columns of its row groups.
//
// Package parquet v0.32.0 compares decimals in bytes as unsigned ones. So its [parquet.MergeRowGroups] mixes up
// files that are sorted by negative ones, and the statistics of pages that it writes are of that order.
//
// Rows that tie come out as they were written. parquet.SortingWriter
// promises no order. [parquet.DropDuplicatedRows] keeps the first that was written. Without
// sorting columns all rows tie.
//
// # Memory
//
// Write copies rows. Once there are as many as the limit, they are sorted and written as a run
// to a buffer from the pool of [parquet.SortingBuffers], in memory by default, encoded in a
// format of this package, with checksums, and compressed by [parquet.Compression]. Close
// merges the runs. A merge holds as many rows of all runs as the limit allows, and the same number
// of merged ones. Of more than about a hundred runs, each hundred is merged to a longer one first.
// Where all rows are within the limit, no buffer is used.
//
// # Two paths
//
// Rows are sorted as Go values if T is a struct and the schema is that of T, with fields that are
// bools, numbers, strings, byte slices and arrays, times with timestamps, structs, pointers to
// these and slices of these. Others take the second path, which takes rows apart into columns,
// orders these by package sorter and hands them to the column writers of package parquet: maps,
// interfaces, JSON, other schemas, sorting columns in lists, optional floats that are sorting
// columns and no pointers, optional structs that are no pointers, and all rows once
// [Writer.WriteRows] was called. README.md has the speed of both.
//
// # Errors
//
// After an error rows are lost: all further calls return it, until [Writer.Reset]. Buffers go back
// to their pool at once. Write after Close is an error that wraps [io.ErrClosedPipe].
package parquetsort
