package arrowsort_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/google/uuid"              // imported by arrow-go's test
	_ "github.com/stretchr/testify/assert"  // imported by arrow-go's test
	_ "github.com/stretchr/testify/require" // imported by arrow-go's test
)

const (
	arrowModule  = "github.com/apache/arrow-go/v18"
	arrowCompute = arrowModule + "/arrow/compute"
)

// TestArrowGo runs arrow-go's own tests of sorting, unmodified except that the import of package
// compute is this package. The file comes from the module cache and imports an internal package
// of arrow-go, so it is tested in a temporary module whose path allows that.
func TestArrowGo(t *testing.T) {
	const name = "vector_sort_test.go"
	arrowGo := goCommand(t, ".", "list", "-m", "-f", "{{.Dir}}", arrowModule)
	source := read(t, filepath.Join(arrowGo, "arrow", "compute", name))
	const before, after = `"` + arrowCompute + `"`, `compute "example.com/sorter/arrowsort"`
	if n := strings.Count(source, before); n != 1 {
		t.Fatalf("%s imports package compute %d times", name, n)
	}
	folder := t.TempDir()
	write(t, filepath.Join(folder, name), strings.Replace(source, before, after, 1))
	write(t, filepath.Join(folder, "go.sum"), read(t, "go.sum"))
	write(t, filepath.Join(folder, "go.mod"), moduleFile(t))

	out := goCommand(t, folder, "test", "-vet=off", "-v", ".")
	const all = 73 // tests and subtests of v18.8.0, without one that it always skips
	if n := strings.Count(out, "--- PASS"); n != all {
		t.Errorf("%d tests passed, not %d:\n%s", n, all, out)
	}
}

// moduleFile returns the go.mod of a module that requires this one, with the same versions.
func moduleFile(t *testing.T) string {
	t.Helper()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	const self = "example.com/sorter/arrowsort"
	file := strings.Replace(read(t, "go.mod"), "module "+self, "module "+arrowCompute+"/arrowsort", 1)
	file = strings.Replace(file, "=> ../", "=> "+filepath.Dir(here), 1)
	return file + "\nrequire " + self + " v0.0.0\n\nreplace " + self + " => " + here + "\n"
}

// goCommand returns the output of the go command in a folder. The test is skipped where there
// is none.
func goCommand(t *testing.T, folder string, args ...string) string {
	t.Helper()
	command, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to run arrow-go's tests:", err)
	}
	cmd := exec.Command(command, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
