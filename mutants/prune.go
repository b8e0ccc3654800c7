package main

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// prune has the binary of a package hold some of its tests alone, with the declarations that these use: the tests of all types of
// keys take minutes to compile.
func (b *builder) prune(folder, tests string) error {
	all, err := list(b.root, "-export", "-deps", "-test", "./"+folder)
	if err != nil {
		return err
	}
	exports := map[string]string{}
	for _, p := range all {
		if !strings.Contains(p.ImportPath, " ") {
			exports[p.ImportPath] = p.Export
		}
	}
	var names []string
	dir := filepath.Join(b.root, folder)
	for _, p := range all {
		if strings.HasSuffix(p.ImportPath, folder+"]") || strings.Contains(p.ImportPath, folder+" [") {
			names = append(names, p.GoFiles...)
		}
	}
	set := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(set, filepath.Join(dir, filepath.Base(name)), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	if _, err := config.Check("pruned", set, files, info); err != nil {
		return err
	}
	needed := reach(files, info, regexp.MustCompile(tests))
	for i, f := range files {
		if !strings.HasSuffix(names[i], "_test.go") {
			continue
		}
		if err := b.write(filepath.Join(dir, filepath.Base(names[i])), pruned(set, f, info, needed)); err != nil {
			return err
		}
	}
	return nil
}

// specs calls f for each declaration of a file, with the names that it declares. Methods go with their types.
func specs(file *ast.File, info *types.Info, f func(node ast.Node, objects []types.Object)) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				t := d.Recv.List[0].Type
				for {
					if s, ok := t.(*ast.StarExpr); ok {
						t = s.X
					} else if x, ok := t.(*ast.IndexExpr); ok {
						t = x.X
					} else if x, ok := t.(*ast.IndexListExpr); ok {
						t = x.X
					} else {
						break
					}
				}
				f(d, []types.Object{info.Uses[t.(*ast.Ident)]})
				continue
			}
			f(d, []types.Object{info.Defs[d.Name]})
		case *ast.GenDecl:
			var group []types.Object
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					f(s, []types.Object{info.Defs[s.Name]})
				case *ast.ValueSpec:
					var own []types.Object
					for _, n := range s.Names {
						own = append(own, info.Defs[n])
					}
					if group = append(group, own...); d.Tok != token.CONST {
						f(s, own)
					}
				}
			}
			if d.Tok == token.CONST { // iota: all or none
				f(d, group)
			}
		}
	}
}

// reach returns the declarations that some tests need.
func reach(files []*ast.File, info *types.Info, tests *regexp.Regexp) map[ast.Node]bool {
	nodes, needed := map[types.Object][]ast.Node{}, map[ast.Node]bool{}
	var todo []ast.Node
	for _, file := range files {
		specs(file, info, func(n ast.Node, objects []types.Object) {
			fn, ok := n.(*ast.FuncDecl)
			if ok && fn.Recv == nil && (tests.MatchString(fn.Name.Name) && strings.HasPrefix(fn.Name.Name, "Test") || fn.Name.Name == "TestMain" || fn.Name.Name == "init") {
				todo = append(todo, n)
			}
			if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == "_" {
				todo = append(todo, n)
			}
			for _, o := range objects {
				nodes[o] = append(nodes[o], n)
			}
		})
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; needed[n] {
			continue
		}
		needed[n] = true
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				o := info.Uses[id]
				if v, ok := o.(*types.Func); ok {
					o = v.Origin()
				}
				todo = append(todo, nodes[o]...)
				if o := info.Defs[id]; o != nil {
					todo = append(todo, nodes[o]...)
				}
			}
			return true
		})
	}
	return needed
}

// pruned returns a file with needed declarations alone.
func pruned(set *token.FileSet, f *ast.File, info *types.Info, needed map[ast.Node]bool) string {
	var decls []ast.Decl
	used := map[string]bool{}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok != token.IMPORT && g.Tok != token.CONST {
			var kept []ast.Spec
			for _, s := range g.Specs {
				if needed[s] {
					kept = append(kept, s)
				}
			}
			if g.Specs = kept; len(kept) > 0 {
				decls = append(decls, g)
			}
		} else if needed[d] {
			decls = append(decls, d)
		}
	}
	for _, d := range decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if p, ok := info.Uses[id].(*types.PkgName); ok {
					used[p.Imported().Path()] = true
				}
			}
			return true
		})
	}
	var out bytes.Buffer
	for _, c := range f.Comments { // build constraints
		if c.Pos() < f.Package && strings.HasPrefix(c.List[0].Text, "//go:build") {
			out.WriteString(c.List[0].Text + "\n\n")
		}
	}
	out.WriteString("package " + f.Name.Name + "\n")
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		if name := ""; used[path] || i.Name != nil && i.Name.Name == "_" {
			if i.Name != nil {
				name = i.Name.Name
			}
			out.WriteString("import " + name + " " + i.Path.Value + "\n")
		}
	}
	for _, d := range decls {
		out.WriteString("\n")
		_ = printer.Fprint(&out, set, d) // to memory
		out.WriteString("\n")
	}
	return out.String()
}
