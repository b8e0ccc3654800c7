package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPicture compares the picture of the table with the one that is committed.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	if err := drawSizes("..", dir); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "sizes.svg"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../extsort/sizes.svg")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("extsort/sizes.svg is not that of the table, %v: go run ./sizes -draw", err)
	}
}

// TestMeasure measures small inputs, and reads its table.
func TestMeasure(t *testing.T) {
	s := settings{memory: 1 << 20, rounds: 1, workers: 2, dir: t.TempDir(), held: 5, multiples: []float64{0.05, 5, 10}}
	rows, err := s.measure()
	if err != nil {
		t.Fatal(err)
	}
	if first, last := rows[0].stats, rows[len(rows)-1].stats; first.Runs != 0 || last.Runs < 10 {
		t.Errorf("%d and %d runs", first.Runs, last.Runs)
	}
	var b strings.Builder
	s.write(&b, rows)
	chart, err := chartOf(b.String())
	if err != nil || len(chart.Curves[0].Points) != 3 || len(chart.Curves[1].Points) != 2 {
		t.Errorf("%+v, %v, of\n%s", chart.Curves, err, b.String())
	}
	if _, err := chartOf("# extsort"); err == nil {
		t.Error("no table, no error")
	}
}
