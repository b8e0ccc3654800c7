package docs

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withoutExample are the exported functions and methods that no example has to show, with the reason.
// A name without a package is that of a method of any type.
var withoutExample = map[string]string{
	"Error":              "errors print it",
	"String":             "fmt calls it",
	"Unwrap":             "errors.Is and errors.As call it",
	"gpu.Engine.Observe": "the planner calls it",
	"gpu.Engine.Order":   "the planner calls it",
	"gpu.Engine.Worth":   "the planner calls it",
}

// TestEveryExportHasAnExample finds exported functions and methods that no example of their package
// shows in use. An example shows its body, and declarations of its file as go doc has them: those that
// it depends on, or all if it is the file's only one.
func TestEveryExportHasAnExample(t *testing.T) {
	c := newChecker(t)
	found := map[string]bool{}
	all := 0
	for _, folder := range public {
		p := documentation(t, folder)
		called := c.calledByExamples(folder)
		all += len(called)
		for _, name := range slices.Sorted(maps.Keys(called)) {
			method, qualified := name[strings.LastIndex(name, ".")+1:], p.Name+"."+name
			switch {
			case called[name]:
			case withoutExample[method] != "" || withoutExample[qualified] != "":
				found[method], found[qualified] = true, true
			default:
				t.Errorf("no example of package %s shows %s in use", p.Name, name)
			}
		}
	}
	for name := range withoutExample {
		if !found[name] {
			t.Errorf("%s is not without an example", name)
		}
	}
	if all < 250 {
		t.Errorf("only %d functions and methods", all)
	}
}

// TestExamplesShow is about methods of one name, helpers that examples call, and those of others.
func TestExamplesShow(t *testing.T) {
	c := newChecker(t)
	called := c.called("p", map[string]string{
		"p.go": `package p
			import "slices"
			type A[E any] struct{ s []E }
			func Of[E any](s ...E) *A[E] { return &A[E]{slices.Clone(s)} }
			func (a *A[E]) Len() int { return len(a.s) }
			func (a A[E]) Cap() int { return cap(a.s) }
			type B struct{}
			func (B) Len() int { return 0 }
			func Unused() {}
			func Needed() {}
			func (B) hidden() {}
			type c struct{}
			func (c) Hidden() {}`,
		"p_test.go": `package p_test
			import ("fmt"; "example.com/sorter/p")
			func Example() { fmt.Println(p.Of(1).Len()) }
			func ExampleA_Cap() { f := p.A[int].Cap; f(p.A[int]{}); helper() }
			func helper() { p.Needed() }
			func other() { p.Unused(); p.B{}.Len() }`,
	})
	want := map[string]bool{"A.Len": true, "A.Cap": true, "B.Len": false, "Of": true, "Needed": true, "Unused": false}
	if !maps.Equal(called, want) {
		t.Errorf("called are %v, want %v", called, want)
	}
}

// checker has the types of this module's packages and of all that these import, from their source and
// without the bodies of functions. Of what else a nested module imports it knows no more than the name.
type checker struct {
	t     *testing.T
	set   *token.FileSet
	known map[string]listed // by path
	types map[string]*types.Package
}

// listed is a package as the go command lists it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
}

func newChecker(t *testing.T) *checker {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap",
		".", "./perm", "./rank", "./extsort", "./gpu", "./tracing")
	list.Dir = root
	list.Env = append(list.Environ(), "CGO_ENABLED=0") // packages of Go alone
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{t, token.NewFileSet(), map[string]listed{}, map[string]*types.Package{"unsafe": types.Unsafe}}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return c
		} else if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(l.ImportPath, " ") && !strings.HasSuffix(l.ImportPath, ".test") { // not of a test
			c.known[l.ImportPath] = l
		}
	}
}

// calledByExamples returns the exported functions and methods of the package of a folder, and whether
// an example of the folder shows each in use.
func (c *checker) calledByExamples(folder string) map[string]bool {
	linux := build.Default
	linux.GOOS, linux.GOARCH, linux.CgoEnabled = "linux", "amd64", true
	text := map[string]string{}
	for _, file := range files(c.t) {
		if path.Dir(file) != folder || path.Ext(file) != ".go" {
			continue
		}
		if match, err := linux.MatchFile(filepath.Join(root, folder), path.Base(file)); err != nil {
			c.t.Fatal(err)
		} else if match {
			text[file] = read(c.t, file)
		}
	}
	return c.called(folder, text)
}

// called returns the same of the files of one folder, by their names.
func (c *checker) called(folder string, files map[string]string) map[string]bool {
	var own, inner, outer []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(c.set, name, files[name], 0)
		switch {
		case err != nil:
			c.t.Fatal(err)
		case !strings.HasSuffix(name, "_test.go"):
			own = append(own, f)
		case strings.HasSuffix(f.Name.Name, "_test"):
			outer = append(outer, f)
		default:
			inner = append(inner, f)
		}
	}
	at := path.Join("example.com/sorter", folder)
	c.types[at] = c.check(at, own, nil, true)
	called := map[string]bool{}
	for _, f := range functionsOf(c.types[at]) {
		called[nameOf(f)] = false
	}
	// A test of the package's own name makes the package anew.
	for _, tests := range [][]*ast.File{slices.Concat(own, inner), outer} {
		uses := map[*ast.Ident]types.Object{}
		c.check(at+"_test", tests, uses, false)
		for _, f := range tests {
			for name := range usedByExamples(f, uses) {
				if _, ours := called[name]; ours {
					called[name] = true
				}
			}
		}
	}
	return called
}

// functionsOf returns the exported functions of a package and methods of its exported types.
func functionsOf(p *types.Package) (all []*types.Func) {
	for _, name := range p.Scope().Names() {
		switch o := p.Scope().Lookup(name).(type) {
		case *types.Func:
			all = append(all, o)
		case *types.TypeName:
			if named, ok := o.Type().(*types.Named); ok && o.Exported() && !o.IsAlias() {
				all = slices.AppendSeq(all, named.Methods())
			}
		}
	}
	return slices.DeleteFunc(all, func(f *types.Func) bool { return !f.Exported() })
}

// nameOf returns a function's name, that of a method after its type.
func nameOf(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Name()
	}
	of := recv.Type()
	if p, ok := of.(*types.Pointer); ok {
		of = p.Elem()
	}
	if named, ok := of.(*types.Named); ok {
		return named.Obj().Name() + "." + f.Name()
	}
	return f.Name()
}

// usedByExamples returns the functions that examples of a file show in use, those of the package that
// the file tests alone.
func usedByExamples(f *ast.File, uses map[*ast.Ident]types.Object) map[string]bool {
	names := map[string]bool{}
	for _, example := range doc.Examples(f) {
		shown := example.Code
		if example.Play != nil {
			shown = example.Play
		}
		ast.Inspect(shown, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if used, ok := uses[id].(*types.Func); ok && used.Pkg() != nil && used.Pkg().Name() == strings.TrimSuffix(f.Name.Name, "_test") {
					names[nameOf(used)] = true
				}
			}
			return true
		})
	}
	return names
}

// check returns the types of a package. Errors do not matter: they are of packages that are not known.
func (c *checker) check(at string, files []*ast.File, uses map[*ast.Ident]types.Object, headsOnly bool) *types.Package {
	config := types.Config{
		Importer:         importer{c, c.known[at].ImportMap},
		IgnoreFuncBodies: headsOnly,
		FakeImportC:      true,
		Error:            func(error) {},
	}
	p, _ := config.Check(at, c.set, files, &types.Info{Uses: uses})
	return p
}

// importer has the packages that one package imports.
type importer struct {
	*checker
	vendored map[string]string
}

func (i importer) Import(at string) (*types.Package, error) {
	if vendored := i.vendored[at]; vendored != "" {
		at = vendored
	}
	if p := i.types[at]; p != nil {
		return p, nil
	}
	l, known := i.known[at]
	if !known {
		p := types.NewPackage(at, path.Base(at))
		p.MarkComplete()
		return p, nil
	}
	var files []*ast.File
	for _, file := range l.GoFiles {
		f, err := parser.ParseFile(i.set, filepath.Join(l.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	i.types[at] = i.check(at, files, nil, true)
	return i.types[at], nil
}
