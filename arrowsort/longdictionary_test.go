package arrowsort_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	compute "example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestLongDictionaries sorts few rows by dictionaries of more values, of types too of which arrow-go takes no rows.
func TestLongDictionaries(t *testing.T) {
	for _, test := range []struct {
		typ    arrow.DataType
		values string
	}{
		{arrow.BinaryTypes.String, `["c", "a", "b", "e", "d"]`},
		{arrow.BinaryTypes.StringView, `["c", "a", "b", "e", "d"]`},
		{arrow.PrimitiveTypes.Int64, `[3, 1, 2, 5, 4]`},
		{&arrow.Decimal32Type{Precision: 9, Scale: 2}, `["3.5", "1", "2", "5", "4"]`},
		{&arrow.Decimal64Type{Precision: 18, Scale: 2}, `["3.5", "1", "2", "5", "4"]`},
		{&arrow.Decimal128Type{Precision: 20, Scale: 2}, `["3.5", "1", "2", "5", "4"]`},
	} {
		values, _, err := array.FromJSON(memory.DefaultAllocator, test.typ, strings.NewReader(test.values))
		if err != nil {
			t.Fatalf("%v: %v", test.typ, err)
		}
		indices, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int16, strings.NewReader("[0, null, 2, 1]"))
		if err != nil {
			t.Fatal(err)
		}
		rows := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: test.typ}, indices, values)
		for desc, want := range []string{"[3 2 0 1]", "[0 2 3 1]"} {
			key := compute.SortKey{}
			if desc == 1 {
				key.Order = compute.SortOrderDescending
			}
			got, err := compute.SortIndicesArray(context.Background(), rows, key)
			if err != nil {
				t.Errorf("%v: %v", test.typ, err)
				continue
			}
			if s := fmt.Sprint(got.(*array.Uint64).Uint64Values()); s != want {
				t.Errorf("%v: %s, want %s", test.typ, s, want)
			}
		}
	}
}
