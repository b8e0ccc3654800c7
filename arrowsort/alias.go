package arrowsort

import "github.com/apache/arrow-go/v18/arrow/compute"

// The types, constants and constructors that a file needs to call the functions of this
// package, under the names that they have in arrow-go's package compute: they are the same
// types. In a file that uses package compute for sorting only, changing the import is enough.
type (
	// Datum is [compute.Datum]: an array, a chunked array, a record batch or a table.
	Datum = compute.Datum
	// ArrayDatum is [compute.ArrayDatum].
	ArrayDatum = compute.ArrayDatum
	// ChunkedDatum is [compute.ChunkedDatum].
	ChunkedDatum = compute.ChunkedDatum
	// RecordDatum is [compute.RecordDatum].
	RecordDatum = compute.RecordDatum
	// TableDatum is [compute.TableDatum].
	TableDatum = compute.TableDatum
	// SortKey is [compute.SortKey]: a column, its direction, and the place of its nulls.
	SortKey = compute.SortKey
	// SortOptions is [compute.SortOptions]: the keys of a sort, the most significant first.
	SortOptions = compute.SortOptions
)

// Values of the fields Order and NullPlacement of a [SortKey].
const (
	SortOrderAscending  = compute.SortOrderAscending
	SortOrderDescending = compute.SortOrderDescending
	SortNullsAtEnd      = compute.SortNullsAtEnd
	SortNullsAtStart    = compute.SortNullsAtStart
)

// DefaultSortKey returns an ascending key with nulls at the end, of column 0.
func DefaultSortKey() SortKey { return compute.DefaultSortKey() }

// NewDatum returns a datum that owns a reference to value.
func NewDatum(value any) Datum { return compute.NewDatum(value) }

// NewDatumWithoutOwning returns a datum that owns no reference to value, and whose Release need
// not be called.
func NewDatumWithoutOwning(value any) Datum { return compute.NewDatumWithoutOwning(value) }
