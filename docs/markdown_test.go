// Package docs holds the documents to the code and to the results that they quote.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the repository.
const root = ".."

// block is a paragraph, an item of a list, a table or code.
type block struct {
	line  int    // its first, from 1
	text  string // without code
	code  bool   // indented or fenced
	table bool
}

var (
	fence = regexp.MustCompile("^\\s*```")
	item  = regexp.MustCompile(`^\s*([-*]|\d+\.) `)
)

// blocks cuts a document.
func blocks(text string) (all []block) {
	var b block
	end := func() {
		if strings.TrimSpace(b.text) != "" {
			all = append(all, b)
		}
		b = block{}
	}
	fenced, listed := false, false // within a fence, in a list, whose code is indented further
	for i, line := range strings.Split(text, "\n") {
		open := fence.MatchString(line)
		indented := strings.HasPrefix(line, "    ") && !listed
		table := strings.HasPrefix(line, "|")
		switch {
		case open && fenced:
			fenced = false
			end()
			continue
		case open:
			end()
			fenced, b = true, block{line: i + 1, code: true}
			continue
		case fenced:
		case strings.TrimSpace(line) == "":
			end()
			continue
		case strings.HasPrefix(line, "#") || item.MatchString(line) || indented != b.code || table != b.table:
			end()
			listed = item.MatchString(line) || listed && strings.HasPrefix(line, " ")
		case b.text == "":
			listed = listed && strings.HasPrefix(line, " ")
		}
		if b.text == "" && !fenced {
			b = block{line: i + 1, code: indented, table: table}
		}
		b.text += line + "\n"
	}
	end()
	return all
}

// documents calls check for every document but the results.
func documents(t *testing.T, check func(t *testing.T, path string, all []block)) {
	found := 0
	for _, path := range files(t) {
		if filepath.Ext(path) != ".md" || strings.HasPrefix(path, "bench/results/") {
			continue
		}
		found++
		t.Run(path, func(t *testing.T) { check(t, path, blocks(read(t, path))) })
	}
	if found < 7 {
		t.Errorf("only %d documents", found)
	}
}

// files returns the paths of all files of the repository, without those that
// version control does not know: hidden folders except .ci.
func files(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path, err = filepath.Rel(root, path)
		if name := entry.Name(); entry.IsDir() && strings.HasPrefix(name, ".") && path != "." && name != ".ci" {
			return fs.SkipDir
		}
		all = append(all, filepath.ToSlash(path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
