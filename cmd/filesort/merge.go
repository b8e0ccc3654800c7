package main

import (
	"context"
	"io"
)

// mergeLines merges the files, which are sorted, line by line.
func (cmd *command) mergeLines(ctx context.Context, stdin io.Reader, w io.Writer, m *meter) error {
	t := &tournament{order: &cmd.order}
	defer t.close()
	names := distinct(cmd.files, stdin)
	for _, name := range names {
		t.all = append(t.all, &cursor{in: &chunks{
			files: &files{names: []string{name}, stdin: stdin, compress: cmd.compress},
			shape: cmd.shape, size: mergeChunkOf(cmd.memory, len(names)), m: m,
		}})
	}
	if err := t.begin(); err != nil {
		return err
	}
	out := newLineWriter(w, cmd.shape)
	var last parsedLine
	var memory []byte // of its text
	for written := 0; !t.first().ended && (cmd.top == 0 || written < cmd.top); {
		line := &t.first().line
		if !cmd.unique || written == 0 || cmd.order.compare(&last, line) != 0 {
			if err := out.write(line.text); err != nil {
				return err
			}
			if cmd.unique {
				memory = cmd.order.keep(&last, line, memory)
			}
			if written++; written%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if err := t.advance(); err != nil {
			return err
		}
	}
	return out.flush()
}

const (
	mergeChunk = 256 << 10
	mostMerged = 256 // files; more are sorted, which gives the same
)

// mergeChunkOf returns the size of the chunks of one of some files that are merged.
func mergeChunkOf(memory int64, files int) int {
	return max(int(min(mergeChunk, memory/2/int64(files)))/pageSize, 2) * pageSize
}

// lineWriter writes lines, each with its eol.
type lineWriter struct {
	w     io.Writer
	buf   []byte
	shape shape
	parts *parts // that w is; nil: one file
}

func newLineWriter(w io.Writer, s shape) *lineWriter {
	return &lineWriter{w: w, buf: make([]byte, 0, writeBuffer), shape: s}
}

func (w *lineWriter) write(text string) error {
	if w.parts != nil && w.parts.full(len(text)+1-min(w.shape.record, 1)) {
		if err := w.flush(); err != nil {
			return err
		}
		if err := w.parts.next(); err != nil {
			return err
		}
	}
	if len(w.buf)+len(text) >= cap(w.buf) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, text...)
	if w.shape.record == 0 {
		w.buf = append(w.buf, w.shape.eol)
	}
	return nil
}

func (w *lineWriter) flush() error {
	_, err := w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// cursor is a sorted file and its next line.
type cursor struct {
	in     *chunks
	memory []byte // of the chunk
	rest   string // of the chunk
	line   parsedLine
	ended  bool
}

// next moves to the next line, which is valid until the next call.
func (c *cursor) next(o *lineOrder) error {
	if c.rest == "" {
		if c.memory == nil {
			c.memory = make([]byte, c.in.size)
		}
		chunk, err := c.in.next(c.memory)
		if chunk == nil || err != nil {
			c.ended = true
			return err
		}
		c.rest = stringOf(chunk)
	}
	var text string
	text, c.rest = c.in.shape.cut(c.rest)
	o.parse(&c.line, text)
	return nil
}

// tournament is a tree of files, by their next lines. Each inner node has the loser of its two sides, and
// node 0 the winner of all: a file that moves on plays against those on its way to the top. File i is the
// child i + len(all) of a node, and nodes 2n and 2n + 1 are the children of node n.
type tournament struct {
	order *lineOrder
	all   []*cursor
	nodes []int
}

func (t *tournament) begin() error {
	for _, c := range t.all {
		if err := c.next(t.order); err != nil {
			return err
		}
	}
	t.nodes = make([]int, len(t.all))
	t.nodes[0] = t.play(1)
	return nil
}

// play fills the nodes from n on downwards and returns the winner.
func (t *tournament) play(n int) int {
	if n >= len(t.all) {
		return n - len(t.all)
	}
	winner, loser := t.play(2*n), t.play(2*n+1)
	if t.less(loser, winner) {
		winner, loser = loser, winner
	}
	t.nodes[n] = loser
	return winner
}

// less reports whether file i is before file j: of lines that tie, that of the first file is.
func (t *tournament) less(i, j int) bool {
	a, b := t.all[i], t.all[j]
	if a.ended || b.ended {
		return b.ended && !a.ended
	}
	c := t.order.compare(&a.line, &b.line)
	return c < 0 || c == 0 && i < j
}

func (t *tournament) first() *cursor { return t.all[t.nodes[0]] }

// advance moves the first file to its next line.
func (t *tournament) advance() error {
	winner := t.nodes[0]
	if err := t.all[winner].next(t.order); err != nil {
		return err
	}
	for n := (winner + len(t.all)) / 2; n > 0; n /= 2 {
		if t.less(t.nodes[n], winner) {
			winner, t.nodes[n] = t.nodes[n], winner
		}
	}
	t.nodes[0] = winner
	return nil
}

func (t *tournament) close() {
	for _, c := range t.all {
		c.in.close()
	}
}
