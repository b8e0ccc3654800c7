package extract

import (
	"testing"

	"example.com/sorter/internal/sortkey"
)

// TestEveryKind fails for a kind without a getter.
func TestEveryKind(t *testing.T) {
	for k := sortkey.Kind(0); int(k) < sortkey.Kinds; k++ {
		if of := fieldKinds[k]; Own(k) == nil || !k.IsArray() && (of.rows == nil || of.slices == nil || of.getter == nil) {
			t.Errorf("kind %d has no getter of elements, or none of fields", k)
		}
	}
}
