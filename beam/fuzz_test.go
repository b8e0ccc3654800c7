package beamsort

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzMessages reads bytes of anybody as those that steps exchange, and as manifests: as blocks of elements of one size
// and of strings, as plans, and as the file that ReadManifest takes. What cannot be read is an error. What can be read
// comes out again as it was.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("\x03abc\x00\x01x"))
	f.Add([]byte(`{"Order":"texts","Format":"lines","Count":3,"Bytes":6,"Sum":7,"Shards":[{"Part":0,"Parts":1,"Path":"x"}]}`))
	f.Add(append([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3, 'a', 'b', 'c', 1, 2}, make([]byte, 16)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		strings := blockView[string]{order: texts}
		if strings.read(data) == nil {
			var again []byte
			for i := range strings.len() {
				e, err := strings.element(i)
				if err != nil {
					t.Fatal(err)
				}
				if len(again) != strings.start[i] || string(strings.encoded(i)) != e {
					t.Fatalf("element %d is %q", i, e)
				}
				again = append(again, strings.bytes(i, i+1)...)
			}
			if string(again) != string(data) {
				t.Fatalf("%q has the elements %q", data, again)
			}
		}
		rows := blockView[row]{order: byU8}
		if err := rows.read(data); (err == nil) != (len(data)%byU8.layout.size == 0) {
			t.Fatalf("%d bytes of rows: %v", len(data), err)
		}
		total, parts, err := planTotals(data)
		for _, failed := range []error{errOf(readPlan(texts, data)), errOf(readPlan(byU8, data))} {
			if err != nil && failed == nil {
				t.Fatalf("a plan without totals: %v, %v", total, parts)
			}
		}
		prefix := filepath.Join(t.TempDir(), "part")
		if err := os.WriteFile(manifestName(prefix), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := ReadManifest(ctx, prefix); (m == nil) == (err == nil) {
			t.Fatalf("%v, %v", m, err)
		}
	})
}

func errOf[T any](_ T, err error) error { return err }
