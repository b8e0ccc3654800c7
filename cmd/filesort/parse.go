package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// parse finds the rows of src and the values of the columns to sort by.
func (cmd *command) parse(ctx context.Context, src *source, m *meter) (*table, error) {
	f, start, err := cmd.open(src)
	if err != nil {
		return nil, err
	}
	s := cmd.scanner(f, cmd.by)
	m.stage("parse", "bytes", int64(len(src.text)-start))
	parts, err := s.scan(ctx, src.text, start, m)
	if err != nil {
		return nil, err
	}
	t := newTable(src.text, start, s, parts)
	m.stage("convert", "rows", int64(len(t.rows)*len(cmd.by)))
	for i, spec := range cmd.by {
		job := conversion{ctx, t, i, spec, gather(parts, i), m}
		if job.c.found == 0 && len(t.rows) > 0 {
			return nil, fmt.Errorf("%s has no column %s; its columns are: %s", src.name, spec.name, list(t.members()))
		}
		if spec.kind == auto {
			job.s.kind = job.c.kind()
			job.c.settle(src.place)
			cmd.doubt(&job.c.tally, job.s)
		}
		if err := job.addColumn(); err != nil {
			return nil, err
		}
		if cmd.unique && !cmd.byValue && spec.kind == auto && job.s.kind != text {
			if err := job.addText(); err != nil {
				return nil, err
			}
		}
		t.found = append(t.found, described(job.s, job.c.nulls))
	}
	return t, nil
}

// doubt keeps a message about a column whose kind was found.
func (cmd *command) doubt(t *tally, s spec) {
	if d := t.doubt(s); d != "" {
		cmd.notes = append(cmd.notes, d)
	}
}

// addText makes rows differ for -u where only a kind that was found makes their values tie.
func (job conversion) addText() error {
	job.s.desc = false
	by, err := convert(job, parseText)
	job.t.texts = append(job.t.texts, by)
	return err
}

// formatOf returns csv, tsv, ndjson or json.
func (cmd *command) formatOf(src *source) string {
	switch {
	case cmd.format == "auto" && cmd.delimiter != "":
		return "csv"
	case cmd.format == "auto":
		return src.format()
	}
	return cmd.format
}

// quotesHide reports whether quotes may hide line ends in a file.
func (cmd *command) quotesHide(name, first string) bool {
	format := cmd.formatOf(&source{name: name, text: first})
	return cmd.by != nil && (format == "csv" && cmd.quotes != "none" || format == "tsv" && cmd.quotes == "strict")
}

// open chooses the format and returns it with the place where rows start.
func (cmd *command) open(src *source) (f format, start int, err error) {
	d := &delimited{comma: ",", quote: strict, nul: cmd.nulRows}
	cmd.opened = cmd.formatOf(src)
	cmd.checkSuffix()
	switch cmd.opened {
	case "ndjson", "json":
		if cmd.nulRows {
			return nil, 0, fmt.Errorf("%s is %s, and -z is for CSV, TSV and lines", src.name, cmd.opened)
		}
		j := newNDJSON(cmd.by)
		j.array = src.elements
		return j, src.bom, nil
	case "tsv":
		d.comma, d.quote = "\t", none
	}
	if cmd.delimiter != "" {
		d.comma = cmd.delimiter
	}
	if cmd.quotes != "" {
		d.quote = quotings[cmd.quotes]
	}
	start, err = cmd.openDelimited(src, d)
	return d, start, err
}

// checkSuffix notes that the output has the name of another format than the input's, which it keeps.
func (cmd *command) checkSuffix() {
	named := extensionOf(cmd.output)
	if named == "" || named == cmd.opened || cmd.delimiter != "" {
		return
	}
	note := fmt.Sprintf("%s holds %s, the format of the input: texts come out as they went in", cmd.output, cmd.opened)
	if !slices.Contains(cmd.notes, note) {
		cmd.notes = append(cmd.notes, note)
	}
}

// members returns the paths that the first rows of an NDJSON file have, for an
// error that says what there is.
func (t *table) members() []string {
	const enough = 100
	seen := map[string]bool{}
	for _, r := range t.rows[:min(enough, len(t.rows))] {
		var object map[string]any
		if err := json.Unmarshal([]byte(t.text[r.off:r.off+int(r.size)]), &object); err == nil {
			addPaths(seen, "", object)
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func addPaths(seen map[string]bool, prefix string, object map[string]any) {
	for name, value := range object {
		if strings.ContainsAny(name, `.,:"`) {
			if prefix != "" {
				continue // -by has no way to name it
			}
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		if inner, ok := value.(map[string]any); ok && len(inner) > 0 {
			addPaths(seen, prefix+name+".", inner)
		} else {
			seen[prefix+name] = true
		}
	}
}
