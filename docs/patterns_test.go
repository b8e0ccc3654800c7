package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	pattern = regexp.MustCompile(`-(?:test\.)?(?:run|skip|bench|fuzz)[ =](?:'([^']+)'|([^\s'"]+))`)
	chosen  = regexp.MustCompile(`^(?:Test|Benchmark|Fuzz|Example)`)
)

// TestPatterns holds scripts and documents to patterns of tests, benchmarks and fuzz
// targets each of whose alternatives matches some.
func TestPatterns(t *testing.T) {
	names := testNames(t)
	found := 0
	for _, file := range files(t) {
		if strings.HasPrefix(file, "bench/results/") || !regexp.MustCompile(`\.(md|sh)$|^Makefile$|^\.ci/run$`).MatchString(file) {
			continue
		}
		for _, m := range pattern.FindAllStringSubmatch(read(t, file), -1) {
			expr, _, _ := strings.Cut(strings.Trim(m[1]+m[2], "`"), "/")
			if slices.Contains([]string{"-", ".", "^$"}, expr) || strings.Contains(strings.TrimSuffix(expr, "$"), "$") && !strings.Contains(expr, "|") {
				continue // none, all, or a variable of the shell
			}
			found++
			for alternative := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(expr, "^("), ")$"), "|") {
				r, err := regexp.Compile(alternative)
				if err != nil || !slices.ContainsFunc(names, r.MatchString) {
					t.Errorf("%s: %s matches nothing (%v)", file, alternative, err)
				}
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d patterns", found)
	}
}

// testNames returns the names of all tests, benchmarks, fuzz targets and examples.
func testNames(t *testing.T) (names []string) {
	t.Helper()
	for _, file := range files(t) {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && chosen.MatchString(d.Name.Name) {
				names = append(names, d.Name.Name)
			}
		}
	}
	return names
}
