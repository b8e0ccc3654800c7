package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
)

const testPath = "example.org/someone/sorted"

// testVersion is another one in each run: the module cache may hold that of a run that was cut off.
var testVersion = fmt.Sprintf("v0.7.%d", time.Now().Unix())

// consumers are the packages that a new module gets, each alone. It runs the program of their READMEs, or their
// examples where these have none.
var consumers = []string{".", "arrowsort", "beam", "collation", "gpu", "gpu/cu", "parquetsort"}

// The most that a program which imports gpu drags in: lines of its go.sum, and modules that go list -m all prints, its
// own included.
const mostSums, mostModules = 14, 15

// mainOfBeam makes the examples of beam run in a program of tests.
const mainOfBeam = `package beamsort_test

import (
	"os"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

func TestMain(m *testing.M) {
	beam.Init()
	os.Exit(m.Run())
}
`

// mostRootBytes is the most bytes of the root module as proxies serve it. Three quarters are kernels, in machine
// code for four kinds of devices.
const mostRootBytes = 8_200_000

// TestPublish writes a release and a proxy of it, and gets each module from there as a user does.
func TestPublish(t *testing.T) {
	dir := t.TempDir()
	tree, proxy := filepath.Join(dir, "tree"), filepath.Join(dir, "proxy")
	r, err := write(clone(t), testPath, testVersion, tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.proxy(proxy); err != nil {
		t.Fatal(err)
	}
	checkTree(t, r)
	var tags []string
	for _, m := range r.published() {
		tags = append(tags, strings.TrimSuffix(m.tag(testVersion), testVersion))
	}
	if want := []string{"", "arrowsort/", "beam/", "collation/", "gpu/cu/", "parquetsort/", "cmd/filesort/"}; !slices.Equal(tags, want) {
		t.Errorf("tags of %q, want %q", tags, want)
	}
	env := consumerEnv(t, proxy)
	if !hasCUDA(t) {
		env = append(env, "CGO_ENABLED=0") // gpu/cu without the binding
	}
	for _, c := range consumers {
		t.Run(c, func(t *testing.T) {
			consumer := filepath.Join(dir, "consumer", c)
			in := func(name string, args ...string) string { return run(t, consumer, env, name, args...) }
			if err := os.MkdirAll(consumer, 0o755); err != nil {
				t.Fatal(err)
			}
			in("go", "mod", "init", "example.net/consumer")
			in("go", "get", path.Join(testPath, c)+"@"+testVersion)
			if program := programFor(t, tree, c); program != nil {
				writeFile(t, filepath.Join(consumer, "main.go"), program)
				in("go", "run", ".")
				if c == "gpu" {
					in("go", "mod", "tidy")
					checkDragged(t, consumer, in("go", "list", "-m", "all"))
				}
				return
			}
			examples, err := os.ReadFile(filepath.Join(tree, c, "example_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(consumer, "example_test.go"), examples)
			if c == "beam" {
				writeFile(t, filepath.Join(consumer, "main_test.go"), []byte(mainOfBeam))
			}
			if out := in("go", "test", "-v", "-run", "^Example", "."); !strings.Contains(out, "--- PASS: Example") {
				t.Errorf("no example ran: %s", out)
			}
		})
	}
	t.Run("cmd/filesort", func(t *testing.T) {
		env := append(slices.Clone(env), "GOBIN="+dir)
		run(t, dir, env, "go", "install", testPath+"/cmd/filesort@"+testVersion)
		writeFile(t, filepath.Join(dir, "in"), []byte("b\na\n"))
		if got := run(t, dir, env, filepath.Join(dir, "filesort"), "in"); got != "a\nb\n" {
			t.Errorf("it writes %q", got)
		}
	})
}

// clone returns a clone of the repository, with the changes that are not committed: a test sees the tree as it is.
func clone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repository")
	for name := range strings.SplitSeq(strings.TrimSuffix(run(t, "..", nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("..", name))
		if os.IsNotExist(err) { // deleted
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), data)
	}
	run(t, dir, nil, "git", "init", "-q")
	run(t, dir, nil, "git", "add", "-A", "-f")
	run(t, dir, nil, "git", "-c", "user.name=a", "-c", "user.email=a@example.net", "commit", "-qm", "all")
	return dir
}

// checkTree holds go.mod files to what a user's build takes, and the root module to its size.
func checkTree(t *testing.T, r *release) {
	t.Helper()
	for _, m := range r.modules {
		data, err := os.ReadFile(filepath.Join(r.dir, m.dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := modfile.Parse("go.mod", data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(file.Replace) > 0 || !r.has(file.Module.Mod.Path) {
			t.Errorf("%s: module %s with %d replacements", m.dir, file.Module.Mod.Path, len(file.Replace))
		}
		for _, need := range file.Require {
			if r.has(need.Mod.Path) && need.Mod.Version != testVersion {
				t.Errorf("%s requires %v", m.dir, need.Mod)
			}
		}
	}
	for name, changes := range documents {
		text, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []string{"placeholder", "-replace", "released", "Unreleased", "%p", "%v", "%n", "%d"} {
			if strings.Contains(string(text), wrong) {
				t.Errorf("%s of the release has the word %q", name, wrong)
			}
		}
		if len(changes) == 0 || !strings.Contains(string(text), strings.TrimPrefix(testVersion, "v")) {
			t.Errorf("%s of the release does not have the version", name)
		}
	}
	root := r.modules[0]
	if root.dir != "." || len(root.zip) == 0 || len(root.zip) > mostRootBytes {
		t.Errorf("the first module is %s, %d bytes", root.dir, len(root.zip))
	}
	t.Logf("the root module has %d bytes", len(root.zip))
}

// consumerEnv is the environment of a user whose first proxy is the file proxy. What was built with the same flags is not
// built again; the packages of the release, which have another path, are, without inlining: that takes a fifth less time.
func consumerEnv(t *testing.T, proxy string) []string {
	others := strings.TrimSpace(run(t, ".", nil, "go", "env", "GOPROXY"))
	cache := strings.TrimSpace(run(t, ".", nil, "go", "env", "GOMODCACHE"))
	t.Cleanup(func() { // what came from the proxy is of this test
		if got := filepath.Join(cache, filepath.Dir(filepath.FromSlash(testPath))); exists(got) { // its files are read-only
			run(t, ".", nil, "chmod", "-R", "u+w", got)
		}
		for _, dir := range []string{filepath.Join(cache, "example.org"), filepath.Join(cache, "cache", "download", "example.org")} {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		}
	})
	return append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy)+","+others, "GONOSUMDB=example.org", "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod '-gcflags="+testPath+"/...=-dwarf=false -l'")
}

// hasCUDA reports whether gorgonia.org/cu compiles here.
func hasCUDA(t *testing.T) bool {
	t.Helper()
	cmd := exec.Command("gcc", "-E", "-P", "-")
	cmd.Stdin = strings.NewReader("#include <cuda.h>\nCUDA_VERSION")
	out, err := cmd.Output()
	words := strings.Fields(string(out))
	if err != nil || len(words) == 0 {
		return false
	}
	version := words[len(words)-1]
	return len(version) == 5 && (version[:2] == "11" || version[:2] == "12")
}

// programFor returns the program that tries a package, nil for those that only have examples.
func programFor(t *testing.T, tree, c string) []byte {
	t.Helper()
	switch c {
	case ".", "gpu/cu":
		return programOf(t, filepath.Join(tree, c, "README.md"))
	case "gpu":
		program := string(programOf(t, filepath.Join(tree, "README.md")))
		return []byte(strings.Replace(program, "import (", "import (\n\t_ \""+testPath+"/gpu\"\n", 1))
	}
	return nil
}

// checkDragged counts what a program that imports gpu requires.
func checkDragged(t *testing.T, consumer, modules string) {
	t.Helper()
	sums, err := os.ReadFile(filepath.Join(consumer, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	lines, count := strings.Count(string(sums), "\n"), strings.Count(modules, "\n")
	if lines > mostSums || count > mostModules {
		t.Errorf("%d lines of go.sum, at most %d; %d modules, at most %d:\n%s", lines, mostSums, count, mostModules, modules)
	}
	t.Logf("%d lines of go.sum, %d modules", lines, count)
}

// programOf returns the first program of a README.
func programOf(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, program, ok := strings.Cut(string(data), "```go\npackage main")
	program, _, ended := strings.Cut(program, "```")
	if !ok || !ended {
		t.Fatalf("no program in %s", name)
	}
	return []byte("package main" + program)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, problems.String())
	}
	return string(out)
}

// TestRefusals has trees and versions that cannot be published.
func TestRefusals(t *testing.T) {
	repo := clone(t)
	free := filepath.Join(t.TempDir(), "tree")
	for _, c := range []struct{ name, path, version, tree, want string }{
		{"a path", "no path", testVersion, free, "malformed module path"},
		{"no version", testPath, "0.1.0", free, "is no version"},
		{"a short version", testPath, "v0.1", free, "is no version"},
		{"a later major version", testPath, "v2.0.0", free, "would have to end in /v2"},
		{"a tree that exists", testPath, testVersion, repo, "exists"},
	} {
		if _, err := write(repo, c.path, c.version, c.tree); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
	writeFile(t, filepath.Join(repo, "README.md"), []byte("changed"))
	run(t, repo, nil, "git", "-c", "user.name=a", "-c", "user.email=a@example.net", "commit", "-qam", "changed")
	if _, err := write(repo, testPath, testVersion, filepath.Join(t.TempDir(), "tree")); err == nil || !strings.Contains(err.Error(), "README.md: it has 0 times the passage") {
		t.Errorf("a README without the passages that change: error %v", err)
	}
	writeFile(t, filepath.Join(repo, "README.md"), []byte("changed again"))
	if _, err := write(repo, testPath, testVersion, free); err == nil || !strings.Contains(err.Error(), "not committed") {
		t.Errorf("a change that is not committed: error %v", err)
	}
	if _, err := os.Stat(free); err == nil {
		t.Error("a refused release left a tree")
	}
}
