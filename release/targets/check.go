package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/asmdecl"
	"golang.org/x/tools/go/analysis/passes/atomicalign"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/ast/inspector"
)

// analyzers are those whose findings depend on the target.
var analyzers = []*analysis.Analyzer{asmdecl.Analyzer, atomicalign.Analyzer, shift.Analyzer}

// listed is a package as go list has it.
type listed struct {
	ImportPath, Name, Dir string
	GoFiles, SFiles       []string
	ImportMap             map[string]string
	DepOnly               bool
	Module                *struct{ GoVersion string }
	Error                 *struct{ Err string }
}

// checker checks the packages of a module for a target.
type checker struct {
	target string
	fset   *token.FileSet
	done   map[string]*types.Package // by their paths in go list
	seen   map[string]bool           // folders and files whose functions are checked
	found  []string
}

// check type-checks the packages of the module of a folder, and returns their number and the faults. Of other packages it
// checks the declarations alone.
func check(dir, target string) (int, []string, error) {
	system, processor, _ := strings.Cut(target, "/")
	cmd := exec.Command("go", "list", "-e", "-deps", "-test", "-json=ImportPath,Name,Dir,GoFiles,SFiles,ImportMap,DepOnly,Module,Error", "./...")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	out, err := cmd.Output()
	if err != nil {
		return 0, nil, err
	}
	c := &checker{target: target, fset: token.NewFileSet(), done: map[string]*types.Package{"unsafe": types.Unsafe}, seen: map[string]bool{}}
	checked := 0
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return 0, nil, err
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		if p.Error != nil && !strings.Contains(p.Error.Err, "build constraints exclude all Go files") {
			c.found = append(c.found, p.ImportPath+": "+p.Error.Err)
		}
		files := p.Dir + " " + strings.Join(p.GoFiles, " ")
		whole := !p.DepOnly && !c.seen[files]
		c.seen[files] = true
		if whole {
			checked++
		}
		if err := c.pkg(&p, whole); err != nil {
			return 0, nil, err
		}
	}
	if checked == 0 {
		return 0, nil, errors.New("no packages")
	}
	slices.Sort(c.found)
	return checked, slices.Compact(c.found), nil
}

// pkg type-checks a package, with its functions or without.
func (c *checker) pkg(p *listed, whole bool) error {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	config := types.Config{
		IgnoreFuncBodies: !whole,
		Importer: importer(func(path string) (*types.Package, error) {
			if to := p.ImportMap[path]; to != "" {
				path = to
			}
			if c.done[path] == nil {
				return nil, fmt.Errorf("%s is not listed", path)
			}
			return c.done[path], nil
		}),
		Sizes: types.SizesFor("gc", c.target[strings.Index(c.target, "/")+1:]),
		Error: func(err error) {
			if whole {
				c.found = append(c.found, err.Error())
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if !whole {
		info = nil
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	before := len(c.found)
	c.done[p.ImportPath], _ = config.Check(path, c.fset, files, info)
	if !whole || len(c.found) > before {
		return nil
	}
	c.bodies(p, files)
	return c.analyze(p, files, c.done[p.ImportPath], info, config.Sizes)
}

// bodies finds functions without a body in packages without assembly, which could have it. The type checker lets these pass.
func (c *checker) bodies(p *listed, files []*ast.File) {
	if len(p.SFiles) > 0 {
		return
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil && !linked(d) {
				c.found = append(c.found, fmt.Sprintf("%s: %s has no body", c.fset.Position(d.Pos()), d.Name.Name))
			}
		}
	}
}

// linked reports whether the body of a function is that of another one.
func linked(d *ast.FuncDecl) bool {
	return d.Doc != nil && slices.ContainsFunc(d.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:linkname ") })
}

// analyze runs the analyzers.
func (c *checker) analyze(p *listed, files []*ast.File, pkg *types.Package, info *types.Info, sizes types.Sizes) error {
	others := slices.Clone(p.SFiles)
	for i := range others {
		others[i] = filepath.Join(p.Dir, others[i])
	}
	for _, a := range analyzers {
		pass := &analysis.Pass{
			Analyzer: a, Fset: c.fset, Files: files, OtherFiles: others, Pkg: pkg, TypesInfo: info, TypesSizes: sizes,
			ResultOf: map[*analysis.Analyzer]any{inspect.Analyzer: inspector.New(files)},
			ReadFile: os.ReadFile,
			Report: func(d analysis.Diagnostic) {
				c.found = append(c.found, fmt.Sprintf("%s: %s", c.fset.Position(d.Pos), d.Message))
			},
		}
		if _, err := a.Run(pass); err != nil {
			return fmt.Errorf("%s: %s: %w", p.ImportPath, a.Name, err)
		}
	}
	return nil
}

// importer is a function that finds a package.
type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
