package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPictures compares the pictures of today's tables with those that are committed.
func TestPictures(t *testing.T) {
	for _, f := range figures {
		dir := t.TempDir()
		if err := f.save("../..", dir); err != nil {
			t.Error(err)
			continue
		}
		want, err := os.ReadFile(filepath.Join(dir, "speed.svg"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("../..", f.folder, "speed.svg"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s/speed.svg is not that of the table: go run ./modules", f.folder)
		}
	}
}

func TestRead(t *testing.T) {
	f := figure{head: "| rows |", labels: []int{0}, series: []series{{"a", quotient(1, 2)}, {"b", within(3)}}}
	rows, err := f.read("| row |\n\n| rows | x | y | z |\n|-|-|-|-|\n| `1` | 3,000 | 1500 (2) | 6 / 4 |\n| 2 | | 1 | 1 / 1 |\n\n| 3 | 1 | 1 | 1/1 |\n")
	if err != nil || len(rows) != 1 || rows[0].label != "1" || rows[0].ratios[0] != 2 || rows[0].ratios[1] != 1.5 {
		t.Errorf("%v, %v", rows, err)
	}
	if _, err := f.read("| row |\n"); err == nil {
		t.Error("no table, no error")
	}
}
