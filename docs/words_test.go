package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// idiom is a turn of phrase that readers stumble over, and plain words for it.
type idiom struct {
	phrase *regexp.Regexp
	plain  string
}

// idioms are searched in documents and in the comments of the code.
var idioms = []idiom{
	phrase(`\bbehind\b`, "after"),
	phrase(`\btravel(s|led|ling)?\b`, "move, send"),
	phrase(`\bso many\b`, "the number given"),
	phrase(`\bbut for\b`, "except for"),
	phrase(`\b(ns|bytes?) an? (element|pair|code|worker|sort)\b`, "per"),
	phrase(`\bcodes of \d+ bits\b`, "32-bit codes"),
	phrase(`\bwhat (it|they|the) \w+`, "the name of the thing"),
	phrase(`\b(tells|looks? at|looked at)\b`, "reports, reads, samples"),
	phrase(`\b(cargo|(is|are|was|were) carried)\b`, "payload, moved"),
	phrase(`\bglanc(e|es|ed)\b`, "sample"),
}

// phrase returns an idiom whose words may stand on several lines.
func phrase(expr, plain string) idiom {
	return idiom{regexp.MustCompile(strings.ReplaceAll(expr, " ", `\s+`)), plain}
}

// quotedText is text in quotation marks, on one line.
var quotedText = regexp.MustCompile(`"[^"\n]*"`)

// plainWords fails for the idioms of a text that begins at a line of a file.
func plainWords(t *testing.T, file string, line int, text string) {
	t.Helper()
	text = quotedText.ReplaceAllString(text, "")
	for _, i := range idioms {
		for _, at := range i.phrase.FindAllStringIndex(text, -1) {
			t.Errorf("%s:%d: %q; plainer: %s", file, line+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]], i.plain)
		}
	}
}

func TestPlainWords(t *testing.T) {
	documents(t, func(t *testing.T, doc string, all []block) {
		for _, b := range all {
			if !b.code {
				plainWords(t, doc, b.line, b.text)
			}
		}
	})
}

// TestPlainComments checks the comments of all code, in Go, CUDA and C++.
func TestPlainComments(t *testing.T) {
	read := map[string]int{}
	for _, file := range files(t) {
		switch kind := filepath.Ext(file); kind {
		case ".go":
			read[kind] += plainComments(t, file)
		case ".cu", ".cuh", ".cpp", ".h":
			read[kind] += plainLineComments(t, file)
		}
	}
	for _, kind := range []string{".go", ".cu", ".cuh", ".cpp", ".h"} {
		if read[kind] == 0 {
			t.Errorf("no comment of a %s file was read", kind)
		}
	}
}

// plainComments checks the comments of a file and returns their number.
func plainComments(t *testing.T, file string) int {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, read(t, file), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range f.Comments {
		plainWords(t, file, set.Position(group.Pos()).Line, commentText(group))
	}
	return len(f.Comments)
}

// plainLineComments checks the // comments of a C++ or CUDA file and returns their number of
// lines. Code is left empty, so that a phrase may stand on two lines of a comment.
func plainLineComments(t *testing.T, file string) (lines int) {
	t.Helper()
	var text strings.Builder
	for line := range strings.Lines(read(t, file)) {
		if _, comment, ok := strings.Cut(line, "// "); ok {
			text.WriteString(comment)
			lines++
		} else {
			text.WriteByte('\n')
		}
	}
	plainWords(t, file, 1, text.String())
	return lines
}

// commentText returns the text of comments, line by line, so that a phrase may stand on
// two of them. Directives and code are left empty.
func commentText(group *ast.CommentGroup) string {
	var text strings.Builder
	for _, c := range group.List {
		line, isLine := strings.CutPrefix(c.Text, "//")
		if !isLine || strings.HasPrefix(line, " ") {
			text.WriteString(line)
		}
		text.WriteByte('\n')
	}
	return text.String()
}
