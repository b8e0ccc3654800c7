package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated generates the files again and compares all lines after the first, which is the
// command.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	code, stubs := filepath.Join(dir, "join_amd64.s"), filepath.Join(dir, "join_amd64.go")
	if out, err := exec.Command("go", "run", ".", "-out", code, "-stubs", stubs, "-pkg", "vecsort").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{code, stubs} {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ = bytes.Cut(got, []byte("\n"))
		_, want, _ = bytes.Cut(want, []byte("\n"))
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what is generated", filepath.Base(name))
		}
	}
}
