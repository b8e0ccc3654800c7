package docs

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"
)

// TestFunctionsNamesEverything looks in docs/functions.md for every exported name of the library's
// packages: for functions and types with their package, for methods alone.
func TestFunctionsNamesEverything(t *testing.T) {
	named := map[string]bool{}
	ofPackage := regexp.MustCompile(`\b[a-z]+\.[A-Z]\w*`)
	for _, b := range blocks(read(t, "docs/functions.md")) {
		for _, span := range spans.FindAllString(b.text, -1) {
			for _, name := range slices.Concat(ofPackage.FindAllString(span, -1), word.FindAllString(span, -1)) {
				named[name] = true
			}
		}
	}
	elsewhere := map[string]bool{
		"String": true, "Error": true, "Unwrap": true, // called by fmt and errors
		"Observe": true, "Worth": true, // called by the planner
	}
	found := 0
	for _, folder := range []string{".", "perm", "rank", "extsort", "gpu", "gpu/cu"} {
		p := documentation(t, folder)
		functions := p.Funcs
		var names, methods []string
		for _, d := range p.Types {
			names = append(names, d.Name)
			functions = slices.Concat(functions, d.Funcs)
			for _, m := range d.Methods {
				methods = append(methods, m.Name)
			}
		}
		for _, f := range functions {
			names = append(names, f.Name)
		}
		for i := range names {
			names[i] = p.Name + "." + names[i]
		}
		for _, name := range slices.Concat(names, methods) {
			found++
			if last := word.FindAllString(name, -1); !named[name] && !elsewhere[name] && ast.IsExported(last[len(last)-1]) {
				t.Errorf("docs/functions.md does not name %s of package %s", name, p.Name)
			}
		}
	}
	if found < 150 {
		t.Errorf("only %d names", found)
	}
}
