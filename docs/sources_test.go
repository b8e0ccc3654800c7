package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sources are the names in the repository's code, without its comments.
type sources struct {
	files    []string
	words    map[string]map[string]bool // by file
	anywhere map[string]bool            // in any file, and its strings, and names of files
	members  map[string]map[string]bool // declarations of packages, fields and methods of types
	selected map[string]bool            // x.Sel as code has it
	targets  map[string]bool            // of make
	programs map[string]bool            // that documents call; checkCommand knows their arguments
}

var (
	word     = regexp.MustCompile(`\w+`)
	cComment = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
	target   = regexp.MustCompile(`(?m)^([a-z0-9 -]+):`)
	comment  = regexp.MustCompile(`(?m)(^|\s)#[^\n]*`)
)

func newSources(t *testing.T) *sources {
	t.Helper()
	type set = map[string]bool
	s := &sources{files(t), map[string]set{}, set{}, map[string]set{}, set{}, set{},
		set{"go": true, "cd": true, "make": true, "filesort": true, "gpubench": true, "run": true, "run.sh": true, "gpu.test": true}}
	for _, file := range s.files {
		switch path.Ext(file) {
		case ".go":
			s.addGo(t, file)
		case ".cu", ".cuh", ".h", ".c", ".cpp":
			s.addWords(file, cComment.ReplaceAllString(read(t, file), ""))
		case ".sh":
			s.addWords(file, comment.ReplaceAllString(read(t, file), ""))
		}
		switch file {
		case "Makefile", "bench/peers/Makefile":
			for _, line := range target.FindAllStringSubmatch(read(t, file), -1) {
				for name := range strings.FieldsSeq(line[1]) {
					s.targets[name] = true
				}
			}
		case ".ci/run":
			s.addWords(file, comment.ReplaceAllString(read(t, file), ""))
		case "go.mod", "bench/go.mod":
			for w := range strings.FieldsSeq(read(t, file)) {
				s.anywhere[w] = true
			}
		}
	}
	return s
}

func (s *sources) addWords(file, text string) {
	s.words[file] = map[string]bool{}
	for _, w := range word.FindAllString(text, -1) {
		s.words[file][w], s.anywhere[w] = true, true
	}
}

func (s *sources) addGo(t *testing.T, file string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	s.words[file] = words
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			words[n.Name], s.anywhere[n.Name] = true, true
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				s.selected[x.Name+"."+n.Sel.Name] = true
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				s.anywhere[text] = true
			}
		}
		return true
	})
	if strings.HasSuffix(file, "_test.go") {
		return
	}
	for _, d := range f.Decls {
		s.addDecl(f.Name.Name, d)
	}
}

// addDecl adds the names of a declaration to its package and to types.
func (s *sources) addDecl(pkg string, d ast.Decl) {
	if f, ok := d.(*ast.FuncDecl); ok {
		owner := pkg
		if f.Recv != nil {
			owner = typeName(f.Recv.List[0].Type)
		}
		s.add(owner, f.Name.Name)
		return
	}
	for _, spec := range d.(*ast.GenDecl).Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, n := range spec.Names {
				s.add(pkg, n.Name)
			}
		case *ast.TypeSpec:
			s.add(pkg, spec.Name.Name)
			for _, name := range partsOf(spec.Type) {
				s.add(spec.Name.Name, name)
			}
		}
	}
}

// partsOf returns the names of the fields of a struct type, or of the methods of an
// interface type.
func partsOf(t ast.Expr) (names []string) {
	var fields *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return nil
	}
	for _, f := range fields.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

func (s *sources) add(owner, name string) {
	if s.members[owner] == nil {
		s.members[owner] = map[string]bool{}
	}
	s.members[owner][name] = true
}

// typeName returns the name of a receiver's type.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
