package column

import (
	"testing"

	"example.com/sorter/internal/sortkey"
)

// TestEveryKind fails for a kind without a getter.
func TestEveryKind(t *testing.T) {
	getters, rows := fieldGetters(), rowComparisons()
	for k := sortkey.Kind(0); int(k) < sortkey.Kinds; k++ {
		if Own(k) == nil || !k.IsArray() && (rows[k] == nil || getters[k] == nil) {
			t.Errorf("kind %d has no getter of elements, or none of fields", k)
		}
	}
}
