package docs

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// public are the packages that programs import, by folder.
var public = []string{".", "extsort", "gpu", "gpu/cu", "perm", "rank", "tracing", "arrowsort", "beam", "collation", "parquetsort"}

// documentation returns what go doc shows of a package.
func documentation(t *testing.T, folder string) *doc.Package {
	t.Helper()
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, file := range files(t) {
		if path.Dir(file) != folder || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, file, read(t, file), parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(fset, parsed, "example.com/sorter/"+folder)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// typeOf returns the documentation of a type.
func typeOf(t *testing.T, p *doc.Package, name string) *doc.Type {
	t.Helper()
	i := slices.IndexFunc(p.Types, func(d *doc.Type) bool { return d.Name == name })
	if i < 0 {
		t.Fatalf("no type %s in package %s", name, p.Name)
	}
	return p.Types[i]
}

// parts returns the fields of a type, the methods of an interface included, its own
// methods and its constants, as far as they are exported.
func parts(d *doc.Type) (all []string) {
	for _, spec := range d.Decl.Specs {
		all = append(all, partsOf(spec.(*ast.TypeSpec).Type)...)
	}
	for _, m := range d.Methods {
		all = append(all, m.Name)
	}
	for _, c := range d.Consts {
		all = append(all, c.Names...)
	}
	return slices.DeleteFunc(all, func(name string) bool { return !ast.IsExported(name) })
}

// TestGoDocShowsParts holds go doc to the fields, methods and constants that programs
// use, which an alias of an internal type hides.
func TestGoDocShowsParts(t *testing.T) {
	for _, want := range []struct{ folder, name, parts string }{
		{".", "Algorithm", "Auto BucketRadix IndexGather BucketBitonic Bitonic QuickMerge Hybrid CPUBucket Radix MergeSort SampleSort"},
		{".", "Backend", "Name Runs"},
		{".", "DeviceError", "Device Op Code Err Error Unwrap"},
		{".", "Progress", "Stage Done Total"},
		{".", "Stage", "Name Time"},
		{".", "Stats", "Engine Device Algorithm Shape Elements CodeBits Workers Rounds Ties Scratch Stages Total Fallback Vectors Calibration String"},
		{"gpu", "Info", "Ordinal Name UUID Memory Major Minor SMs SharedPerBlock L2 Clock MemoryClock MemoryBus Driver"},
		{"gpu", "Engine", "Name Runs Close Calibration OrderDevice SortDevice OrderWithinDevice SortWithinDevice TopDevice NthDevice QuantilesDevice TopWithinDevice NthWithinDevice QuantilesWithinDevice OrderColumnsDevice GatherColumnsDevice GatherDevice SortParts OrderParts"},
		{"gpu", "Column", "Type Values Offsets Bytes Validity First Dictionary Entries Desc NullsFirst NaNs"},
		{"gpu", "Part", "Codes N Result Results After"},
		{"perm", "Runs", "All At Begins Count Len Next Offsets Rows"},
	} {
		shown := parts(typeOf(t, documentation(t, want.folder), want.name))
		for part := range strings.FieldsSeq(want.parts) {
			if !slices.Contains(shown, part) {
				t.Errorf("go doc of %s.%s does not show %s", want.folder, want.name, part)
			}
		}
	}
}

// aliases are exported aliases of internal types without fields, whose comments say
// which methods and values they have.
var aliases = map[string]string{
	"sorter.Algorithm": "String",
}

// TestNoHiddenTypes finds exported aliases of types of other packages, of which go doc
// shows a name only.
func TestNoHiddenTypes(t *testing.T) {
	found := 0
	for _, folder := range public {
		p := documentation(t, folder)
		for _, d := range p.Types {
			for _, spec := range d.Decl.Specs {
				of, foreign := spec.(*ast.TypeSpec).Type.(*ast.SelectorExpr)
				if !foreign || of.X.(*ast.Ident).Name == "compute" { // arrow-go's, whose documentation shows all
					continue
				}
				found++
				if said := aliases[p.Name+"."+d.Name]; said == "" || !strings.Contains(d.Doc, said) {
					t.Errorf("%s.%s is an alias that hides its type; its comment must have %q", p.Name, d.Name, said)
				}
			}
		}
	}
	if found != len(aliases) {
		t.Errorf("%d aliases, want %d", found, len(aliases))
	}
}

// TestEveryExportIsDocumented finds exported names without a comment of their own.
func TestEveryExportIsDocumented(t *testing.T) {
	for _, folder := range public {
		p := documentation(t, folder)
		check := func(name, text string) {
			if ast.IsExported(name) && !strings.HasPrefix(text, name+" ") && !strings.HasPrefix(text, name+":") {
				t.Errorf("package %s: the comment of %s does not begin with its name", p.Name, name)
			}
		}
		for _, f := range p.Funcs {
			check(f.Name, f.Doc)
		}
		for _, d := range p.Types {
			check(d.Name, d.Doc)
			for _, f := range slices.Concat(d.Funcs, d.Methods) {
				check(f.Name, f.Doc)
			}
		}
	}
}

// deadLink is a link of a comment to a name that its package does not have, which go doc shows in
// brackets.
var deadLink = regexp.MustCompile(`(?:^|[\s(])\[\*?[A-Z]\w*(\.[A-Z]\w*)?\]`)

// TestDocLinks finds links to names that are gone.
func TestDocLinks(t *testing.T) {
	for _, folder := range public {
		p := documentation(t, folder)
		check := func(name, text string) {
			if dead := deadLink.FindString(string(p.Text(text))); dead != "" {
				t.Errorf("package %s: %s: %s is not there", p.Name, name, dead)
			}
		}
		check("package", p.Doc)
		for name, text := range exported(p) {
			check(name, text)
		}
	}
	p := documentation(t, ".")
	if text := string(p.Text("See [Sort], [Ordering.Sort] and [NoSuchName].")); deadLink.FindString(text) != " [NoSuchName]" {
		t.Errorf("a dead link goes unnoticed: %q", text)
	}
}
