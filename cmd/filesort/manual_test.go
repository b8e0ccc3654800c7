package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func allOptions() []option {
	set := (&commandLine{command: &command{given: map[string]bool{}}}).options()
	return slices.Concat(set.sorts, set.own)
}

// The help has each option, and no others; each of the words that complete a value is one.
func TestHelpHasAllOptions(t *testing.T) {
	all := allOptions()
	for _, o := range all {
		if optionText(o) == "" {
			t.Errorf("the help has no %v", o.names())
		}
		for _, word := range strings.Fields(optionWords[o.long]) {
			if err := o.set(word); err != nil && !strings.Contains(err.Error(), "it was") && !strings.Contains(err.Error(), "incompatible") {
				t.Errorf("--%s %s: %v", o.long, word, err)
			}
		}
	}
	for _, it := range entries() {
		for _, name := range regexp.MustCompile(`(?:^|[ ,])--?([A-Za-z][\w-]*)`).FindAllStringSubmatch(it.tag, -1) {
			known := func(o option) bool { return o.long == name[1] || o.short != 0 && string(o.short) == name[1] }
			if strings.HasPrefix(it.tag, "-") && !slices.ContainsFunc(all, known) {
				t.Errorf("the help has %q, which is no option", name[0])
			}
		}
	}
	for name := range optionWords {
		if named(all, name) == nil {
			t.Errorf("words of an option %s that is none", name)
		}
	}
}

// The manual page has all words of the help, in their order, and no line that roff reads as a request of its own.
func TestManual(t *testing.T) {
	page, stderr, code := filesort("", "--man")
	if code != 0 || stderr != "" {
		t.Fatal(stderr)
	}
	var text strings.Builder
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, ".B "), strings.HasPrefix(line, ".SH "):
			text.WriteString(line[3:])
		case strings.HasPrefix(line, "."), strings.HasPrefix(line, "'"):
			if !regexp.MustCompile(`^\.(TH FILESORT 1|TP|PP|nf|fi|EX|EE)\n$`).MatchString(line) {
				t.Errorf("%q", line)
			}
		default:
			text.WriteString(line)
		}
	}
	got := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\&`, "").Replace(text.String())
	words := strings.Fields(strings.ToUpper(strings.NewReplacer(":\n", "\n", "usage:", "").Replace(usage)))
	at := strings.Fields(strings.ToUpper(strings.ReplaceAll(got, ":\n", "\n")))
	for _, word := range words {
		i := slices.Index(at, word)
		if i < 0 {
			t.Fatalf("no %q in the page, or not in its order", word)
		}
		at = at[i+1:]
	}
	if path, err := exec.LookPath("man"); err == nil {
		c := exec.Command(path, "--warnings", "-l", "-")
		c.Stdin = strings.NewReader(page)
		if out, err := c.CombinedOutput(); err != nil || strings.Contains(string(out), "warning") {
			t.Errorf("man: %v %.500s", err, out)
		}
	}
}

// Each script has each option, and bash completes by its own.
func TestCompletions(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, _, code := filesort("", "--completion", shell)
		for _, o := range allOptions() {
			for _, name := range o.names() {
				if shell == "fish" {
					name = strings.NewReplacer("--", "-l ").Replace(name)
					if !strings.HasPrefix(name, "-l") {
						name = "-s " + name[1:]
					}
				}
				if !regexp.MustCompile(`[ *"]`+regexp.QuoteMeta(name)+`[ ="\[]`).MatchString(script) || code != 0 {
					t.Errorf("%s: no %s", shell, name)
				}
			}
		}
		if path, err := exec.LookPath(shell); err == nil {
			if out, err := exec.Command(path, "-n", "-c", script).CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s", shell, err, out)
			}
		}
	}
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	script, _, _ := filesort("", "--completion=bash")
	for line, want := range map[string]string{
		"filesort -format n":    "ndjson",
		"filesort --format = j": "json",
		"filesort --sp":         "--split",
		"filesort manual.g":     "manual.go",
	} {
		words := strings.Fields(line)
		c := exec.Command(path, "-c", script+"COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _filesort; echo ${COMPREPLY[*]}", "x")
		c.Args = append(c.Args, words...)
		if out, err := c.CombinedOutput(); strings.TrimSpace(string(out)) != want || err != nil {
			t.Errorf("%s: %q, want %q, %v", line, out, want, err)
		}
	}
}
