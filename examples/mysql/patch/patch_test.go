package patch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const text = "package p\n\nfunc a() {\n\tsort()\n}\n\nfunc b() {\n\tsort()\n\treturn\n}\n"

func TestEdit(t *testing.T) {
	e := edit{File: "p.go", After: "func b(", From: "sort()", Through: "return", With: "\tours()"}
	got, err := e.apply(text)
	want := "package p\n\nfunc a() {\n\tsort()\n}\n\nfunc b() {\n\tours()\n}\n"
	if err != nil || got != want {
		t.Errorf("%q, error %v", got, err)
	}
	e.With = ""
	if got, err := e.apply(text); err != nil || strings.Count(got, "sort()") != 1 {
		t.Errorf("%q, error %v", got, err)
	}
}

// TestMissingLine names the file and the line.
func TestMissingLine(t *testing.T) {
	for _, e := range []edit{
		{File: "p.go", After: "func c(", From: "sort()", Through: "return"},
		{File: "p.go", After: "func b(", From: "sorts()", Through: "return"},
		{File: "p.go", After: "func b(", From: "sort()", Through: "panic"},
	} {
		_, err := e.apply(text)
		if err == nil || !strings.Contains(err.Error(), "p.go: no line with") {
			t.Errorf("%+v: error %v", e, err)
		}
	}
}

func TestApply(t *testing.T) {
	origin, target := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(origin, "p.go"), []byte(text), 0o444); err != nil {
		t.Fatal(err)
	}
	edits := []edit{
		{File: "p.go", After: "func b(", From: "sort()", Through: "return", With: "\tours()"},
		{File: "p.go", After: "func a(", From: "sort()", Through: "sort()", With: "\tours()"},
	}
	for range 2 { // the second finds its own result
		if err := apply(target, origin, edits); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(target, "p.go"))
	if err != nil || strings.Count(string(got), "ours()") != 2 {
		t.Errorf("%q, error %v", got, err)
	}
	if apply(target, origin, []edit{{File: "gone.go"}}) == nil {
		t.Error("a file that is missing is no error")
	}
}

// TestMake patches the engine of the module cache.
func TestMake(t *testing.T) {
	e, err := Make()
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(e.ModFile)
	if err != nil || !strings.Contains(string(mod), "replace "+engine) {
		t.Errorf("%s, error %v", mod, err)
	}
}
