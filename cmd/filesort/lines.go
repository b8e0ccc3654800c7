package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"example.com/sorter"
)

// sortLines sorts lines or records: in memory if the input fits, through runs that may be on disk
// otherwise, or if there is a selection.
func (cmd *command) sortLines(in *chunks, stdout io.Writer, m *meter) (*report, error) {
	m.stage("read", "bytes", in.files.total())
	var lines []line
	st := &store{shape: cmd.shape}
	fits := in.files.total() <= cmd.memory/2 && !cmd.byRuns()
	var err error
	if fits {
		if lines, fits, err = cmd.load(st, in); err != nil {
			return nil, err
		}
	}
	if !fits {
		in.files.large = !cmd.byRuns() || in.files.total() > cmd.memory/2
		return cmd.sortOnDisk(st, in, stdout, m)
	}
	ctx, stop := cmd.interrupts()
	defer stop()
	r := &report{what: fmt.Sprintf("%d %s", len(lines), cmd.unit())}
	m.stage("sort", cmd.unit(), int64(len(lines)))
	if lines, err = cmd.sortInMemory(ctx, st, lines, &r.sort, m); err != nil {
		return nil, err
	}
	m.stage("write", cmd.unit(), int64(len(lines)))
	return r, cmd.writeTo(stdout, false, func(w io.Writer) error {
		return writeRows(ctx, w, len(lines), cmd.workers, lineCopier(st, lines), m)
	})
}

// unit is the word for one element of the input.
func (cmd *command) unit() string {
	if cmd.shape.record > 0 {
		return "records"
	}
	return "lines"
}

// load reads the input into st, and finds its lines when all of them are known to fit. fits is false if
// the memory does not suffice: then st has the begin of the input.
func (cmd *command) load(st *store, in *chunks) (lines []line, fits bool, err error) {
	in.most = cmd.memory
	in.size = loadChunk(cmd.memory)
	l := &loading{store: st, cmd: cmd}
	for more := true; more && l.fits(); {
		if more, err = l.next(in); err != nil {
			return nil, false, err
		}
	}
	if !l.fits() {
		return nil, false, nil
	}
	lines, err = l.find()
	return lines, err == nil, err
}

// orderOf returns the order of the lines of a store.
func (cmd *command) orderOf(st *store) sorter.Ordering[line] {
	return orderLines(cmd.order, st.text)
}

// sortInMemory puts lines in order, and returns those that are wanted.
func (cmd *command) sortInMemory(ctx context.Context, st *store, lines []line, stats *sorter.Stats, m *meter) ([]line, error) {
	opts := []sorter.Option{sorter.WithContext(ctx), sorter.Report(stats), sorter.OnProgress(m.progress), sorter.Workers(cmd.workers)}
	if !cmd.order.last { // otherwise lines that tie are the same
		opts = append(opts, sorter.Stable())
	}
	by := cmd.orderOf(st)
	in := elements[line]{by, by.Sort, by.Compare, st.first}
	if cmd.order.inLocale() > 0 {
		in.same = sameLines(cmd.order, st.text).Compare
		in.sort = func(lines []line, opts ...sorter.Option) error {
			return newLocaleLines(cmd.order, st).sort(ctx, cmd.workers, lines, opts...)
		}
	}
	return sortElements(ctx, in, lines, cmd, opts)
}

// elements are how lines or rows are sorted.
type elements[E any] struct {
	by    sorter.Ordering[E]
	sort  func(all []E, opts ...sorter.Option) error
	same  func(a, b E) int // 0 where they tie
	first func(E) byte     // the first byte of one
}

// sortElements puts lines or rows in order, and returns those that -top and -u want.
func sortElements[E any](ctx context.Context, in elements[E], all []E, cmd *command, opts []sorter.Option) ([]E, error) {
	if cmd.top > 0 && !cmd.unique {
		k := min(cmd.top, len(all))
		err := in.by.TopK(all, k, opts...)
		return all[:k], err
	}
	if err := in.sort(all, opts...); err != nil || !cmd.unique {
		return all, err
	}
	all, err := compact(ctx, in.same, all, in.first, cmd.workers)
	if cmd.top > 0 {
		all = all[:min(cmd.top, len(all))]
	}
	return all, err
}

// compact keeps the first of those that tie with each other.
func compact[E any](ctx context.Context, compare func(a, b E) int, all []E, first func(E) byte, workers int) ([]E, error) {
	const step = 1 << 16
	pieces := slices.Collect(slices.Chunk(all, step))
	before := make([]E, len(pieces)) // the last one of the piece before
	for i := range pieces[min(1, len(pieces)):] {
		before[i+1] = pieces[i][len(pieces[i])-1]
	}
	err := forEach(ctx, workers, len(pieces), func(i int) {
		last, unique := before[i], pieces[i][:0]
		sink := make([]byte, 0, 1)
		for j, l := range pieces[i] {
			if j%touched == 0 {
				sink = touch(sink, pieces[i][j:min(j+touched, len(pieces[i]))], first)
			}
			if i == 0 && j == 0 || compare(last, l) != 0 {
				unique = append(unique, l)
			}
			last = l
		}
		pieces[i] = unique
	})
	unique := all[:0]
	for _, p := range pieces {
		unique = append(unique, p...)
	}
	return unique, err
}

// lineCopier returns the lines for writeRows, each with its eol.
func lineCopier(st *store, lines []line) copier {
	end := string(st.shape.eol)
	if st.shape.record > 0 {
		end = ""
	}
	return copier{
		size: func(i int) int {
			if n := int(lines[i] & longLine); n < longLine {
				return n + len(end)
			}
			return len(st.text(lines[i])) + len(end)
		},
		append: func(dst []byte, lo, hi int) []byte {
			for group := range slices.Chunk(lines[lo:hi], touched) {
				dst = touch(dst, group, st.first)
				for _, l := range group {
					dst = append(append(dst, st.text(l)...), end...)
				}
			}
			return dst
		},
		row: func(i int) (string, string) { return st.text(lines[i]), end },
	}
}
