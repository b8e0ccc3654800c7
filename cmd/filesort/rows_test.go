package main

import (
	"strings"
	"testing"
)

// Cuts of a well-formed file are starts of rows, so that no part is read
// twice, and about as far apart as asked for.
func TestCutRows(t *testing.T) {
	row := "1,\"two\nlines, \"\"quoted\"\"\",\"\"\r\n"
	text := strings.Repeat(row, 1000)
	for size := 1; size < 4*len(row); size++ {
		cuts := cutRows(text, len(row), size, true)
		if cuts[0] != len(row) || cuts[len(cuts)-1] != len(text) {
			t.Fatalf("size %d: cuts from %d to %d", size, cuts[0], cuts[len(cuts)-1])
		}
		for i, cut := range cuts {
			if cut%len(row) != 0 || i > 0 && cut <= cuts[i-1] {
				t.Fatalf("size %d: cut %d is at %d of a row", size, i, cut%len(row))
			}
		}
		if size > len(row) && len(cuts) < len(text)/size/2 {
			t.Fatalf("size %d: only %d cuts", size, len(cuts))
		}
	}
}

// One quote that stays open must not make the scan read the rest of the file
// once per part.
func TestOpenQuoteTakesLinearTime(t *testing.T) {
	text := "a,b\n\"" + strings.Repeat("1,2\n", 1<<20)
	d := &delimited{comma: ","}
	d.use([]int{0, -1})
	if _, _, err := scanAll(d, 1, text, 64); err == nil {
		t.Error("no error")
	}
}
