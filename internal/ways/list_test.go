package ways_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/sorter/internal/ways"
)

const own = "example.com/sorter/internal/ways"

// TestAskedInLists holds the library to its lists: only files that are named ways.go ask for a way, and each way is in one.
func TestAskedInLists(t *testing.T) {
	constants := namesOfWays(t)
	asked := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		for name, at := range usesOf(t, path) {
			switch list := filepath.Base(path) == "ways.go"; {
			case list:
				asked[name] = true
			case name == "On" || name == "Take" || slices.Contains(constants, name):
				t.Errorf("%s: ways.%s, which belongs in a list, the file ways.go", at, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range constants {
		if !asked[name] {
			t.Errorf("no list has ways.%s", name)
		}
	}
}

// namesOfWays returns the names of all ways in the source.
func namesOfWays(t *testing.T) (names []string) {
	t.Helper()
	file := parsed(t, "ways.go")
	for _, d := range file.Decls {
		block, ok := d.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST || !block.Lparen.IsValid() {
			continue
		}
		for _, spec := range block.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				names = append(names, name.Name)
			}
		}
	}
	if names = slices.DeleteFunc(names, func(name string) bool { return name == "Ways" }); len(names) != ways.Ways {
		t.Fatalf("ways in the source: %v, want %d", names, ways.Ways)
	}
	return names
}

var files = token.NewFileSet()

func parsed(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// usesOf returns the names of package ways that a file uses, and where.
func usesOf(t *testing.T, path string) map[string]token.Position {
	t.Helper()
	uses := map[string]token.Position{}
	imports, err := parser.ParseFile(files, path, nil, parser.ImportsOnly)
	if err != nil {
		return uses // no Go source, such as a template
	}
	for _, in := range imports.Imports {
		if from, _ := strconv.Unquote(in.Path.Value); from != own {
			continue
		}
		name := "ways"
		if in.Name != nil {
			name = in.Name.Name
		}
		ast.Inspect(parsed(t, path), func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == name {
					uses[s.Sel.Name] = files.Position(s.Pos())
				}
			}
			return true
		})
	}
	return uses
}

type task struct{ done []ways.Way }

// TestFirst does ways in order, up to the first that is done: those that fit, are on, and do not fail.
func TestFirst(t *testing.T) {
	type shortcut = ways.Shortcut[*task, int, *task]
	way := func(is ways.Way, fits, done bool, err error) shortcut {
		return shortcut{Is: is, Fits: func(*task) bool { return fits }, Do: func(t *task) (bool, error) {
			t.done = append(t.done, is)
			return done, err
		}}
	}
	prepares := way(ways.FewValues, true, true, nil)
	prepares.Prepares = true
	for _, c := range []struct {
		list  []shortcut
		off   ways.Set
		done  bool
		err   error
		tried []ways.Way
		took  ways.Set
	}{
		{nil, 0, false, nil, nil, 0},
		{[]shortcut{way(ways.Dealt, false, true, nil), way(ways.Crowd, true, true, nil), way(ways.Constant, true, true, nil)}, 0, true, nil, []ways.Way{ways.Crowd}, ways.Of(ways.Crowd)},
		{[]shortcut{way(ways.Dealt, true, false, nil), way(ways.Crowd, true, true, nil)}, 0, true, nil, []ways.Way{ways.Dealt, ways.Crowd}, ways.Of(ways.Crowd)},
		{[]shortcut{way(ways.Dealt, true, true, nil), way(ways.Crowd, true, true, nil)}, ways.Of(ways.Dealt), true, nil, []ways.Way{ways.Crowd}, ways.Of(ways.Crowd)},
		{[]shortcut{prepares, way(ways.Crowd, true, false, nil)}, 0, false, nil, []ways.Way{ways.FewValues, ways.Crowd}, ways.Of(ways.FewValues)},
		{[]shortcut{way(ways.Dealt, true, true, fs.ErrClosed), way(ways.Crowd, true, true, nil)}, 0, false, fs.ErrClosed, []ways.Way{ways.Dealt}, 0},
	} {
		all := &task{}
		restore := ways.SwitchOff(c.off)
		took := ways.Watch(func() {
			if done, err := ways.First(all, all, c.list); done != c.done || err != c.err {
				t.Errorf("ways tried %v: %t, %v; want %t, %v", all.done, done, err, c.done, c.err)
			}
		})
		if restore(); !slices.Equal(all.done, c.tried) || took != c.took {
			t.Errorf("tried %v, took %v; want %v, %v", all.done, took, c.tried, c.took)
		}
	}
}

// TestTake does a way that fits and is on.
func TestTake(t *testing.T) {
	for _, fits := range []bool{true, false} {
		for _, off := range []bool{true, false} {
			for _, done := range []bool{true, false} {
				if off {
					defer ways.SwitchOff(ways.Of(ways.Crowd))()
				} else {
					defer ways.SwitchOff(0)()
				}
				asked, got := false, false
				took := ways.Watch(func() {
					got = ways.Take(ways.Crowd, fits, func() bool { asked = true; return done })
				})
				if asked != (fits && !off) || got != (asked && done) || took.Has(ways.Crowd) != got {
					t.Errorf("fits %t, off %t, done %t: asked %t, done %t, took %v", fits, off, done, asked, got, took)
				}
			}
		}
	}
}
