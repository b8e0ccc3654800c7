package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// facts returns the facts of a package that has a source.
func facts(t *testing.T, source string) []string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\n"+source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check(root+"/p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return factsOf([]*types.Package{p})
}

// TestBroken has changes that break programs, and others.
func TestBroken(t *testing.T) {
	for _, c := range []struct{ name, old, now, want string }{
		{"a function that is gone", "func F() {}; func G() {}", "func G() {}", "pkg p, func F()"},
		{"another type of a parameter", "func F(n int) {}", "func F(n int64) {}", "pkg p, func F(int)"},
		{"another result", "func F() (n int, err error) { return }", "func F() error { return nil }", "pkg p, func F() (int, error)"},
		{"a parameter more", "func F(a ...int) {}", "func F(b bool, a ...int) {}", "pkg p, func F(...int)"},
		{"another name of a parameter", "func F(n int) {}", "func F(count int) {}", ""},
		{"a function more", "", "func F() {}", ""},
		{"another constraint", "func F[K any](k K) {}", "func F[K comparable](k K) {}", "pkg p, func F[$0 any]($0)"},
		{"another name of a type parameter", "func F[K any](k K, f func(K) []K) {}", "func F[E any](k E, f func(E) []E) {}", ""},
		{"another value", "const C = 1", "const C = 2", "pkg p, const C untyped int = 1"},
		{"another type of a variable", "var V error", "var V int", "pkg p, var V error"},
		{"a field that is gone", "type T struct { A, B int }", "type T struct { A int }", "pkg p, type T struct, B int"},
		{"a field of an embedded struct that is gone", "type t struct { A int }; type T struct { t }", "type t struct { a int }; type T struct { t }", "pkg p, type T struct, A int"},
		{"a field more", "type T struct { A int }", "type T struct { A, B int; c int }", ""},
		{"no comparison any more", "type T struct { a int }", "type T struct { a []int }", "pkg p, type T struct, comparable"},
		{"a method that is gone", "type T int; func (T) M() {}", "type T int", "pkg p, method (T) M()"},
		{"a method of pointers alone", "type T int; func (T) M() {}", "type T int; func (*T) M() {}", "pkg p, method (T) M()"},
		{"a method of an embedded type that is gone", "type t int; func (*t) M() {}; type T struct { *t }", "type t int; type T struct { *t }", "pkg p, method (T) M()"},
		{"a method more to implement", "type I interface { M() }", "type I interface { M(); N() }", "pkg p, type I interface, no methods but M"},
		{"a method more that nobody else implements", "type I interface { M(); own() }", "type I interface { M(); N(); own() }", ""},
		{"a type of a constraint that is gone", "type o interface { ~int | ~uint }; type K interface { o | string }", "type o interface { ~int }; type K interface { o | string }", "pkg p, type K interface, ~uint"},
		{"a type of a constraint more", "type K interface { ~int }", "type K interface { ~int | string }", ""},
		{"a type that is another one", "type T int", "type T string", "pkg p, type T int"},
		{"a type that nobody else sees", "type t int; func F() {}", "func F() {}", ""},
	} {
		gone := broken(facts(t, c.old), facts(t, c.now), nil, nil)
		if got := strings.Join(gone, "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestAccepted has a fact that went and that the changelog lists.
func TestAccepted(t *testing.T) {
	const changelog = "# Changelog\n\n## [Unreleased]\n\n### Removed\n\n    pkg p, func F()\n\n## [0.1.0]\n\n    pkg p, func G()\n"
	old := facts(t, "func F() {}; func G() {}")
	if got := broken(old, nil, unreleased(changelog), nil); !slices.Equal(got, []string{"pkg p, func G()"}) {
		t.Errorf("%q", got)
	}
	if got := broken(old, nil, nil, []string{"", "p"}); len(got) > 0 {
		t.Errorf("of a module that is left out: %q", got)
	}
}

// TestHidden has types of internal packages: the place of one is no fact, and its alias is its name.
func TestHidden(t *testing.T) {
	inner := types.NewPackage(root+"/internal/q", "q")
	p := types.NewPackage(root+"/p", "p")
	field := types.NewField(token.NoPos, inner, "Field", types.Typ[types.Int], false)
	define := func(name string) types.Type {
		o := types.NewTypeName(token.NoPos, inner, name, nil)
		inner.Scope().Insert(o)
		return types.NewNamed(o, types.NewStruct([]*types.Var{field}, nil), nil)
	}
	named, unnamed := define("Named"), define("Unnamed")
	alias := types.NewTypeName(token.NoPos, p, "Alias", nil)
	types.NewAlias(alias, named)
	p.Scope().Insert(alias)
	p.Scope().Insert(types.NewVar(token.NoPos, p, "A", named))
	p.Scope().Insert(types.NewVar(token.NoPos, p, "B", unnamed))
	want := []string{
		"pkg p, type Alias struct", "pkg p, type Alias struct, Field int", "pkg p, type Alias struct, comparable",
		"pkg p, var A Alias", "pkg p, var B internal.Unnamed",
	}
	if got := factsOf([]*types.Package{p}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestModules compares the modules with the folders that have one.
func TestModules(t *testing.T) {
	var found []string
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Base(path) == "go.mod" {
			found = append(found, filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), filepath.FromSlash("../../"))))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	found = slices.DeleteFunc(found, func(m string) bool {
		top, _, _ := strings.Cut(m, "/")
		return m == "beam/engines" || slices.Contains([]string{"bench", "cmd", "examples", "internal", "mutants", "release"}, top) // without packages for programs
	})
	if i := slices.Index(found, "../.."); i >= 0 {
		found[i] = "."
	}
	slices.Sort(found)
	if !slices.Equal(found, modules) {
		t.Errorf("%q, and the folders are %q", modules, found)
	}
}

// TestFile holds the committed facts to their form: in order, once each.
func TestFile(t *testing.T) {
	data, err := os.ReadFile("../surface.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) < 400 || !slices.IsSorted(lines) || len(slices.Compact(slices.Clone(lines))) != len(lines) {
		t.Errorf("%d facts, in order %v", len(lines), slices.IsSorted(lines))
	}
}
