package main

import (
	"context"
	"io"
	"strings"

	"example.com/sorter"
)

// runColumns is run for columns.
func (cmd *command) runColumns(stdin io.Reader, stdout io.Writer, m *meter) (*report, error) {
	format, stdin, err := cmd.inputFormat(stdin)
	if err == nil {
		err = cmd.checkFormats(format, cmd.outputFormat())
	}
	if err != nil {
		return nil, err
	}
	switch {
	case format != "" && cmd.check != "":
		return nil, cmd.checkTables(format, stdin, m)
	case format != "":
		return cmd.sortTables(format, stdin, stdout, m)
	case cmd.check != "":
		return nil, cmd.checkColumns(stdin, m)
	}
	return cmd.sortColumns(stdin, stdout, m)
}

// sortColumns sorts by columns: in memory if the input is one file that fits, through runs on
// disk otherwise.
func (cmd *command) sortColumns(stdin io.Reader, stdout io.Writer, m *meter) (*report, error) {
	files := cmd.inputs(stdin)
	if len(cmd.files) > 1 || files.total() > cmd.memory/textShare || cmd.byRuns() && files.total() > 0 {
		return cmd.sortColumnsOnDisk(stdin, nil, stdout, m)
	}
	in, err := files.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	src, more, err := cmd.readSource(in, cmd.memory/textShare, m)
	switch {
	case err != nil:
		return nil, err
	case !more && !cmd.byRuns() && cmd.rowsFit(src):
		return cmd.sortSource(src, stdout, m)
	case !more && in.again(cmd.files[0]):
		return cmd.sortColumnsOnDisk(stdin, nil, stdout, m)
	case !more:
		in = &input{Reader: strings.NewReader(src.text), name: in.name, text: src.text, lines: in.lines, elements: in.elements}
	}
	return cmd.sortColumnsOnDisk(stdin, in, stdout, m)
}

// sortSource sorts a file in memory in three steps: parse, sort, write. Nothing is written
// before everything is sorted.
func (cmd *command) sortSource(src *source, stdout io.Writer, m *meter) (*report, error) {
	ctx, stop := cmd.interrupts()
	defer stop()
	t, err := cmd.parse(ctx, src, m)
	if err != nil {
		return nil, src.explain(err)
	}
	r := &report{what: t.describe()}
	if err := cmd.sortRows(ctx, t, &r.sort, m); err != nil {
		return nil, err
	}
	return r, cmd.writeTo(stdout, false, func(w io.Writer) error { return t.write(ctx, w, cmd.workers, m) })
}

// sortRows puts the rows in order, or the first ones if only those are wanted.
func (cmd *command) sortRows(ctx context.Context, t *table, stats *sorter.Stats, m *meter) error {
	opts := []sorter.Option{sorter.WithContext(ctx), sorter.Report(stats), sorter.OnProgress(m.progress), sorter.Workers(cmd.workers)}
	if cmd.stable || cmd.unique {
		opts = append(opts, sorter.Stable())
	}
	m.stage("sort", "rows", int64(len(t.rows)))
	by := sorter.By(t.columns...)
	var err error
	if len(t.texts) > 0 {
		t.rows, err = t.unique(ctx, by, cmd, opts)
	} else {
		t.rows, err = sortElements(ctx, elements[row]{by, by.Sort, by.Compare, t.first}, t.rows, cmd, opts)
	}
	return err
}
