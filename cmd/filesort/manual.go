package main

import (
	"fmt"
	"regexp"
	"strings"
)

// The help text is the one source of the manual page and of completions.

// chapter is a part of the help text: a title, paragraphs, and entries after them.
type chapter struct {
	title string
	texts []string
	items []item
}

// item is an entry of a chapter: options or words, and their meaning. An example has none.
type item struct{ tag, text string }

// tagged is the first line of an entry.
var tagged = regexp.MustCompile(`^  (\S.*?)(?:  +(\S.*))?$`)

// chapters reads the help text after its first lines.
func chapters() []chapter {
	_, text, _ := strings.Cut(usage, "\n\n")
	all := []chapter{{}}
	fresh := true // the next line begins a paragraph
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		c := &all[len(all)-1]
		if line != "" && line[0] != ' ' && fresh && (strings.HasSuffix(line, ":") || len(c.items) > 0) {
			all = append(all, chapter{})
			c = &all[len(all)-1]
		}
		c.add(line, fresh)
		fresh = line == ""
	}
	return all
}

// add adds a line, which may begin a paragraph.
func (c *chapter) add(line string, fresh bool) {
	match := tagged.FindStringSubmatch(line)
	switch {
	case line == "":
	case line[0] != ' ' && fresh && strings.HasSuffix(line, ":"):
		c.title = strings.TrimSuffix(line, ":")
	case line[0] != ' ' && fresh:
		c.texts = append(c.texts, line)
	case line[0] != ' ':
		c.texts[len(c.texts)-1] += " " + line
	case match != nil:
		c.items = append(c.items, item{match[1], match[2]})
	default:
		text := &c.items[len(c.items)-1].text
		*text = strings.TrimSpace(*text + " " + strings.TrimSpace(line))
	}
}

// entries returns those of all chapters.
func entries() (all []item) {
	for _, c := range chapters() {
		all = append(all, c.items...)
	}
	return all
}

// optionText returns the meaning of an option by the help text, or "".
func optionText(o option) string {
	for _, it := range entries() {
		for _, word := range strings.FieldsFunc(it.tag, func(r rune) bool { return strings.ContainsRune(" ,=[", r) }) {
			if o.short != 0 && word == "-"+string(o.short) || o.long != "" && strings.TrimLeft(word, "-") == o.long && word != o.long {
				return it.text
			}
		}
	}
	return ""
}

// manual returns the help text as a manual page.
func manual() string {
	var b strings.Builder
	b.WriteString(".TH FILESORT 1\n.SH NAME\nfilesort \\- sort lines, records, CSV, TSV and JSON\n.SH SYNOPSIS\n.nf\n")
	for line := range strings.Lines(usage) {
		if line = strings.TrimPrefix(line, "usage:"); !strings.HasPrefix(line, " ") {
			break
		}
		b.WriteString(roff(strings.TrimSpace(line)) + "\n")
	}
	b.WriteString(".fi\n.SH DESCRIPTION\n")
	for _, c := range chapters() {
		if c.title != "" {
			fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(c.title)))
		}
		for _, text := range c.texts {
			b.WriteString(".PP\n" + roff(text) + "\n")
		}
		for _, it := range c.items {
			if it.text == "" {
				b.WriteString(".PP\n.EX\n" + roff(it.tag) + "\n.EE\n")
				continue
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(it.tag), roff(it.text))
		}
	}
	return b.String()
}

// roff escapes a text for a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// optionWords are the values of options that have few.
var optionWords = map[string]string{
	"format": "auto csv tsv ndjson json parquet arrow arrows", "to": "csv tsv ndjson parquet arrow arrows", "quotes": "strict lazy none", "header": "auto yes no", "compress": "auto none gzip zstd",
	"keep": "first last", "stats": "text json true false", "check": "diagnose-first quiet silent", "completion": "bash zsh fish",
	"sort": "general-numeric human-numeric month numeric random version",
}

// names returns the ways to write an option.
func (o option) names() (all []string) {
	if o.short != 0 {
		all = append(all, "-"+string(o.short))
	}
	if o.long != "" {
		all = append(all, "--"+o.long)
	}
	return all
}

// brief returns the begin of the meaning of an option, in characters that no shell reads as its own.
func (o option) brief() string {
	text, _, _ := strings.Cut(optionText(o), ";")
	text, _, _ = strings.Cut(text, ":")
	return regexp.MustCompile(`[^A-Za-z0-9 ,.=-]`).ReplaceAllString(text, "")
}

// completion returns the script that completes command lines in a shell.
func completion(shell string) string {
	set := (&commandLine{command: new(command)}).options()
	options := append(set.sorts, set.own...)
	switch shell {
	case "zsh":
		return zshCompletion(options)
	case "fish":
		return fishCompletion(options)
	}
	return bashCompletion(options)
}

func bashCompletion(options []option) string {
	var b, names strings.Builder
	b.WriteString("_filesort() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n")
	b.WriteString("\tif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n\tif [[ $cur == = ]]; then cur=; fi\n\tcase $prev in\n")
	for _, o := range options {
		fmt.Fprintf(&names, " %s", strings.Join(o.names(), " "))
		if words := optionWords[o.long]; words != "" && o.arg == needsArgument {
			fmt.Fprintf(&b, "\t-%s|--%s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", o.long, o.long, words)
		}
	}
	fmt.Fprintf(&b, "\tesac\n\tif [[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))\n\t\treturn\n\tfi\n", strings.TrimSpace(names.String()))
	b.WriteString("\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n}\ncomplete -o filenames -F _filesort filesort\n")
	return b.String()
}

func zshCompletion(options []option) string {
	var b strings.Builder
	b.WriteString("#compdef filesort\n_arguments -s \\\n")
	for _, o := range options {
		for _, name := range o.names() {
			value := ""
			words := optionWords[o.long]
			switch {
			case o.arg == noArgument || o.arg == optionalArgument && !strings.HasPrefix(name, "--"):
			case words != "":
				value = fmt.Sprintf(":value:(%s)", words)
			default:
				value = ":value:_files"
			}
			if o.arg == optionalArgument && value != "" {
				name, value = name+"=-", ":"+value
			} else if value != "" && strings.HasPrefix(name, "--") {
				name += "="
			}
			fmt.Fprintf(&b, "\t'*%s[%s]%s' \\\n", name, o.brief(), value)
		}
	}
	b.WriteString("\t'*:file:_files'\n")
	return b.String()
}

func fishCompletion(options []option) string {
	var b strings.Builder
	for _, o := range options {
		b.WriteString("complete -c filesort")
		if o.short != 0 {
			fmt.Fprintf(&b, " -s %c", o.short)
		}
		if o.long != "" {
			fmt.Fprintf(&b, " -l %s", o.long)
		}
		if o.arg == needsArgument || o.arg == digitsArgument {
			b.WriteString(" -r")
		}
		if words := optionWords[o.long]; words != "" {
			fmt.Fprintf(&b, " -f -a '%s'", words)
		}
		fmt.Fprintf(&b, " -d '%s'\n", o.brief())
	}
	return b.String()
}
