package docs

import (
	"go/ast"
	"go/parser"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	spans  = regexp.MustCompile("`([^`\n]+)`")
	placed = regexp.MustCompile("`(\\w+)`\\s+in\\s+\\[[^]]*\\]\\(([^)#]+)\\)")
	link   = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
)

var step = regexp.MustCompile(`^[a-z]+$`)

// TestNames looks up what documents write as code: names, files, flags and commands
// exist, and a name that is said to be in a file is there.
func TestNames(t *testing.T) {
	src := newSources(t)
	documents(t, func(t *testing.T, doc string, all []block) {
		for _, b := range all {
			if b.code {
				for line := range strings.Lines(b.text) {
					src.checkCommand(t, doc, b.line, strings.TrimSpace(line))
				}
				continue
			}
			for _, span := range spans.FindAllStringSubmatch(b.text, -1) {
				src.checkCommand(t, doc, b.line, span[1])
				if !src.known(doc, span[1]) {
					t.Errorf("line %d: `%s` is not in the repository", b.line, span[1])
				}
			}
			for _, in := range placed.FindAllStringSubmatch(b.text, -1) {
				if file := path.Join(path.Dir(doc), in[2]); !src.words[file][in[1]] {
					t.Errorf("line %d: %s is not in %s", b.line, in[1], file)
				}
			}
		}
	})
}

// TestLinks follows links to files, and to headings in them.
func TestLinks(t *testing.T) {
	documents(t, func(t *testing.T, doc string, all []block) {
		for _, b := range all {
			for _, to := range link.FindAllStringSubmatch(b.text, -1) {
				if b.code || strings.Contains(to[1], "://") {
					continue
				}
				target := doc
				if to[1] != "" {
					target = path.Join(path.Dir(doc), to[1])
				}
				if _, err := os.Stat(filepath.Join(root, target)); err != nil {
					t.Errorf("line %d: %v", b.line, err)
				} else if to[2] != "" && !hasHeading(read(t, target), to[2]) {
					t.Errorf("line %d: %s has no heading #%s", b.line, target, to[2])
				}
			}
		}
	})
}

var noAnchor = regexp.MustCompile(`[^\w\- ]`)

func hasHeading(text, anchor string) bool {
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line {
			title = noAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			if strings.ReplaceAll(title, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}

// foreign are names of other programs and libraries, and of data in examples.
var foreign = map[string]bool{
	"benchstat": true, "go:embed": true, "cuCtxCreate": true, "cuMemAdvise": true,
	"cu.Device": true, "cu.DevicePtr": true, "cu.Stream": true, // of gorgonia.org/cu
	"Sorter":              true, // zermelo's
	"vector_sort_test.go": true, // arrow-go's
	"sorting_test.go":     true, // parquet-go's
	"Section":             true, "amount:float": true, "file:line:column: what is wrong": true,
}

// sourceFile matches names of files that nothing but the repository has.
var sourceFile = regexp.MustCompile(`^[\w./<>*-]+\.(go|cuh?|cpp|h|sh)$`)

// known reports whether a name that a document writes as code exists.
func (s *sources) known(doc, span string) bool {
	switch {
	case foreign[span], strings.HasPrefix(span, ".build/"), s.isFile(doc, span):
		return true
	case sourceFile.MatchString(span):
		return false
	case s.anywhere[span]:
		return true
	case strings.HasPrefix(span, "-"): // a flag, maybe with a value
		name, _, _ := strings.Cut(strings.TrimLeft(span, "-"), " ")
		return s.anywhere[name]
	}
	words := strings.Fields(span)
	if len(words) > 1 && s.programs[path.Base(words[0])] {
		return true
	}
	if name, value, found := strings.Cut(span, "="); found && s.anywhere[name] && s.anywhere[value] { // a variable
		return true
	}
	expr, err := parser.ParseExpr(strings.TrimPrefix(strings.ReplaceAll(span, "…", "..."), "."))
	return err == nil && s.knowsExpr(expr) || words[0] == "type"
}

var placeholder = regexp.MustCompile(`<\w+>`)

// isFile reports whether span is a file, or a pattern of some, in the folder of a
// document or below the root, or without a folder anywhere.
func (s *sources) isFile(doc, span string) bool {
	pattern := placeholder.ReplaceAllString(span, "*")
	for _, folder := range []string{path.Dir(doc), "."} {
		if found, _ := filepath.Glob(filepath.Join(root, folder, pattern)); len(found) > 0 {
			return true
		}
	}
	return pattern != span && slices.ContainsFunc(s.files, func(file string) bool {
		match, _ := path.Match(pattern, path.Base(file))
		return match
	})
}

// knowsExpr reports whether the functions, types, fields and methods exist that an
// expression names; its other names may be examples.
func (s *sources) knowsExpr(expr ast.Expr) bool {
	switch e := expr.(type) {
	case *ast.Ident:
		return s.anywhere[e.Name]
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if members := s.members[x.Name]; members != nil {
				return members[e.Sel.Name]
			}
			return s.selected[x.Name+"."+e.Sel.Name]
		}
		return s.knowsExpr(e.X) && s.anywhere[e.Sel.Name]
	}
	found := true
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found && s.knowsExpr(n.Fun)
		case *ast.CompositeLit:
			found = found && (n.Type == nil || s.knowsType(n.Type))
		case *ast.SelectorExpr:
			found = found && s.knowsExpr(n)
			return false
		}
		return true
	})
	return found
}

func (s *sources) knowsType(expr ast.Expr) bool {
	known := true
	ast.Inspect(expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			known = known && s.anywhere[id.Name]
		}
		return true
	})
	return known
}

// checkCommand checks the names in a command line: steps, targets of make, packages,
// and the flags of the repository's own programs.
func (s *sources) checkCommand(t *testing.T, doc string, line int, command string) {
	command, _, _ = strings.Cut(command, " #")
	if before, after, found := strings.Cut(command, " && "); found && strings.HasPrefix(before, "cd ") {
		doc, command = path.Join(path.Dir(doc), before[3:], "README.md"), after
	}
	words := strings.Fields(command)
	if len(words) < 2 {
		return
	}
	for _, word := range words[1:] {
		bad := ""
		switch {
		case strings.HasSuffix(words[0], ".ci/run") && step.MatchString(word) && !s.words[".ci/run"]["step_"+word]:
			bad = "no step"
		case strings.HasSuffix(words[0], "run.sh") && step.MatchString(word) && !s.words["bench/gpu/run.sh"][word]:
			bad = "no step"
		case words[0] == "make" && !strings.Contains(word, "=") && !s.targets[word]:
			bad = "no target"
		case words[0] == "go" && words[1] != "work" && strings.HasPrefix(word, "./") && !s.isFile(doc, strings.TrimSuffix(word, "/...")):
			bad = "no package"
		}
		if bad != "" {
			t.Errorf("line %d: %s: %s %s", line, command, bad, word)
		}
	}
}

// TestFilesOfNames refuses names of files that lie elsewhere, which a reader would search in vain.
func TestFilesOfNames(t *testing.T) {
	src := newSources(t)
	for _, test := range []struct {
		doc, span string
		known     bool
	}{
		{"CONTRIBUTING.md", "sorter.go", true},
		{"CONTRIBUTING.md", "internal/pipeline/request.go", true},
		{"CONTRIBUTING.md", "request.go", false}, // of another folder
		{"CONTRIBUTING.md", "internal/pipeline/sorter.go", false},
		{"bench/README.md", "cases.go", true}, // beside the document
		{"gpu/README.md", "cases.go", false},
	} {
		if got := src.known(test.doc, test.span); got != test.known {
			t.Errorf("%s: `%s` is known: %v", test.doc, test.span, got)
		}
	}
}

// TestLayout finds folders of code, and files of the public package, without a row in the table
// of CONTRIBUTING.md. A row is for the folders below it, too.
func TestLayout(t *testing.T) {
	named := map[string]bool{}
	for _, b := range blocks(read(t, "CONTRIBUTING.md")) {
		if !b.table || !strings.HasPrefix(b.text, "| where |") {
			continue
		}
		for _, row := range strings.Split(b.text, "\n")[2:] {
			where, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
			for _, span := range spans.FindAllStringSubmatch(where, -1) {
				named[strings.TrimSuffix(span[1], "/")] = true
			}
		}
	}
	for _, file := range files(t) {
		if path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		found := named[file]
		for folder := path.Dir(file); folder != "." && !found; folder = path.Dir(folder) {
			found = named[folder]
		}
		if !found {
			t.Errorf("the table has no row of %s", file)
		}
	}
}
