package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readme returns the blocks of the README.
func readme(t *testing.T) []block { return blocks(read(t, "README.md")) }

// TestProgramOfReadme runs the whole program of the README and compares its output with the
// comment of its last statement.
func TestProgramOfReadme(t *testing.T) {
	i := slices.IndexFunc(readme(t), func(b block) bool { return b.code && strings.HasPrefix(b.text, "package main") })
	if i < 0 {
		t.Fatal("no program")
	}
	program := readme(t)[i].text
	_, want, _ := strings.Cut(program[strings.LastIndex(program, "fmt.Println"):], "// ")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", "run", file)
	run.Dir = root
	got, err := run.CombinedOutput()
	if want, _, _ := strings.Cut(want, "\n"); err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("it prints %q (%v), want %q", got, err, want)
	}
}

// TestCommandsOfReadme holds the README to the two commands that it offers first.
func TestCommandsOfReadme(t *testing.T) {
	want := "    go run ./examples/quickstart\n    go test ./...\n"
	if !slices.ContainsFunc(readme(t), func(b block) bool { return b.code && b.text == want }) {
		t.Errorf("no block of code is\n%s", want)
	}
}

// mostTasks is the most rows of the README's table of tasks; docs/functions.md has all.
const mostTasks = 15

func TestReadmeHasFewTasks(t *testing.T) {
	i := slices.IndexFunc(readme(t), func(b block) bool { return b.table && strings.HasPrefix(b.text, "| I want to |") })
	if i < 0 {
		t.Fatal("no table of tasks")
	}
	if rows := strings.Count(readme(t)[i].text, "\n") - 2; rows > mostTasks {
		t.Errorf("%d tasks, at most %d", rows, mostTasks)
	}
}

// mostWords is the most words of a sentence in the README.
const mostWords = 35

var (
	sentenceEnd = regexp.MustCompile(`[.!?:]\)?(?:\s+|$)`)
	linked      = regexp.MustCompile(`!?\[([^]]*)\]\([^)]*\)`)
)

// sentences returns those of a block. A cell of a table is one, and code and links
// count as the words that a reader sees, a span of code as one.
func sentences(b block) (all []string) {
	text := spans.ReplaceAllString(linked.ReplaceAllString(b.text, "$1"), "code")
	parts := []string{text}
	if b.table {
		parts = strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == '\n' })
	}
	for _, part := range parts {
		all = append(all, sentenceEnd.Split(part, -1)...)
	}
	return all
}

func TestReadmeSentencesAreShort(t *testing.T) {
	for _, b := range readme(t) {
		if b.code {
			continue
		}
		for _, s := range sentences(b) {
			if n := len(strings.Fields(s)); n > mostWords {
				t.Errorf("line %d: %d words, at most %d: %s", b.line, n, mostWords, s)
			}
		}
	}
	long := block{text: strings.Repeat("word `a b` ", mostWords/2+1) + ". Short."}
	if s := sentences(long); len(strings.Fields(s[0])) <= mostWords || strings.TrimSpace(s[1]) != "Short" {
		t.Errorf("a long sentence goes unnoticed: %q", s)
	}
}
