package docs

import (
	"go/ast"
	"go/doc"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostOf are the most words of a document, tables included: those that a reader has time for.
var mostOf = map[string]int{
	"README.md":         1500,
	"ALGORITHMS.md":     3500,
	"CONTRIBUTING.md":   3000, // a quarter of an hour
	"gpu/README.md":     2500,
	"docs/functions.md": 2500,
}

// mostOfPackage is the most words of the comment of a package, and mostOfSentence of the first
// sentence of an exported name, which lists of names show.
const mostOfPackage, mostOfSentence = 500, 24

var wordlike = regexp.MustCompile(`[\pL\pN]`)

// count returns the number of words of a text: the bars of tables and the marks of lists are none.
func count(text string) (n int) {
	for w := range strings.FieldsSeq(text) {
		if wordlike.MatchString(w) {
			n++
		}
	}
	return n
}

// TestLengthOfDocuments holds documents to the bounds of their words.
func TestLengthOfDocuments(t *testing.T) {
	if n := count("| one | two |\n|---|---|\n- three 4"); n != 4 {
		t.Errorf("%d words, want 4", n)
	}
	for doc, most := range mostOf {
		if n := count(read(t, doc)); n > most {
			t.Errorf("%s: %d words, at most %d", doc, n, most)
		}
	}
}

// TestLengthOfComments holds the comments of packages, and the first sentences of exported names,
// to their bounds.
func TestLengthOfComments(t *testing.T) {
	sentences := 0
	for _, folder := range public {
		p := documentation(t, folder)
		if n := count(p.Doc); n > mostOfPackage {
			t.Errorf("package %s: the comment has %d words, at most %d", p.Name, n, mostOfPackage)
		}
		for name, text := range exported(p) {
			sentences++
			first := p.Synopsis(text)
			if n := count(first); n > mostOfSentence {
				t.Errorf("%s.%s: the first sentence has %d words, at most %d: %s", p.Name, name, n, mostOfSentence, first)
			}
		}
	}
	if sentences < 200 {
		t.Errorf("only %d exported names", sentences)
	}
}

// exported returns the comments of the exported functions, types, methods, constants and
// variables of a package, by name.
func exported(p *doc.Package) map[string]string {
	all := map[string]string{}
	values := func(groups []*doc.Value) {
		for _, g := range groups {
			for _, spec := range g.Decl.Specs {
				v := spec.(*ast.ValueSpec)
				if ast.IsExported(v.Names[0].Name) {
					all[v.Names[0].Name] = v.Doc.Text()
				}
			}
		}
	}
	values(slices.Concat(p.Consts, p.Vars))
	for _, f := range p.Funcs {
		all[f.Name] = f.Doc
	}
	for _, d := range p.Types {
		all[d.Name] = d.Doc
		values(slices.Concat(d.Consts, d.Vars))
		for _, f := range d.Funcs {
			all[f.Name] = f.Doc
		}
		for _, m := range d.Methods {
			all[d.Name+"."+m.Name] = m.Doc
		}
	}
	return all
}
