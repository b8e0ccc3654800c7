package parquetsort_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// helper is what sorting_test.go uses of other tests of package parquet.
const helper = `package parquet_test

import (
	"reflect"
	"testing"
)

func assertRowsEqual[T any](t *testing.T, rows1, rows2 []T) {
	t.Helper()
	if !reflect.DeepEqual(rows1, rows2) {
		t.Error("rows mismatch")
	}
}
`

// TestSuite runs sorting_test.go of parquet-go, in which only the constructor's name is another.
// The source comes from the module cache, and is compiled beside this package by an overlay.
func TestSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a test binary")
	}
	module := run(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/parquet-go/parquet-go")
	source, err := os.ReadFile(filepath.Join(module, "sorting_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	constructor := []byte("parquet.NewSortingWriter[")
	uses := bytes.Count(source, constructor)
	source = bytes.ReplaceAll(source, constructor, []byte("parquetsort.NewWriter["))
	source = bytes.Replace(source, []byte("import ("), []byte("import (\n\t\"example.com/sorter/parquetsort\"\n"), 1)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	overlay := map[string]string{}
	for name, text := range map[string][]byte{"sorting_test.go": source, "helper_test.go": []byte(helper)} {
		file := filepath.Join(temp, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(here, "suite", name)] = file
	}
	config, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(temp, "overlay.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(temp, "suite.test")
	run(t, ".", "go", "test", "-c", "-vet=off", "-overlay", filepath.Join(temp, "overlay.json"), "-o", binary, "./suite")
	out := run(t, module, binary, "-test.v") // which reads testdata
	passed := bytes.Count([]byte(out), []byte("--- PASS"))
	t.Logf("%d uses of the constructor, %d tests passed", uses, passed)
	if uses == 0 || passed < 11 {
		t.Error("the suite is not the one of v0.32.0:\n" + out)
	}
}

// run runs a command in a directory and returns its output, without the newline at the end.
func run(t *testing.T, dir string, command ...string) string {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strconv.Quote(command[0]), err, out)
	}
	return string(bytes.TrimSuffix(out, []byte("\n")))
}
