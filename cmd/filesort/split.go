package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"example.com/sorter/internal/durable"
)

// splitting says where the output goes on in another file. One of its members is not zero.
type splitting struct {
	bytes int64 // of a file, before it is compressed, unless a row is longer
	rows  int   // of a file
	keys  int   // a file has the rows that tie in the first keys
}

func (s *splitting) any() bool { return *s != splitting{} }

// set takes a size with its unit, rows=N, key or key=N.
func (s *splitting) set(value string) error {
	word, number, given := strings.Cut(value, "=")
	switch {
	case value == "key":
		s.keys = 1
	case word == "key" && given:
		return count(&s.keys, "keys")(number)
	case word == "rows" && given:
		return count(&s.rows, "rows")(number)
	default:
		n, ok := parseMemory(value)
		if !ok || strings.HasSuffix(value, "%") || n == 0 || isDigit(value[len(value)-1]) {
			return errors.New("must be a size with its unit such as 256M or 1000b, rows=N, key or key=N")
		}
		s.bytes = n
	}
	return nil
}

// verbs are those of a name of parts: their number.
var verbs = regexp.MustCompile(`%(%|0?\d{0,2}d)`)

// check returns an error if parts cannot have the name that -o gives them, or there are no keys.
func (s *splitting) check(cl *commandLine) error {
	if !s.any() {
		return nil
	}
	numbers := 0
	for _, verb := range verbs.FindAllString(cl.output, -1) {
		if verb != "%%" {
			numbers++
		}
	}
	keys := "-k"
	if cl.shape.record > 0 {
		keys = "-key"
	}
	given := max(len(cl.keys), 1) // the whole line is one, too
	if cl.by != nil {
		keys, given = "-by", len(cl.by)
	}
	switch {
	case numbers != 1 || strings.Contains(verbs.ReplaceAllString(cl.output, ""), "%"):
		return inOption("-o", cl.output, errors.New("with -split it has the number of a part once, as %d or %05d, and %% for a percent sign"))
	case s.keys > given:
		return fmt.Errorf("-split key=%d: %s names only %d", s.keys, keys, given)
	}
	return nil
}

// name returns the name of a part, counted from 0.
func (s *splitting) name(pattern string, part int) string { return fmt.Sprintf(pattern, part) }

// writeLines gives write the output, or its parts, each of which begins with head and is large.
func (cmd *command) writeLines(stdout io.Writer, head string, s shape, write func(out *lineWriter) error) error {
	if !cmd.split.any() {
		return cmd.writeTo(stdout, true, func(w io.Writer) error {
			if _, err := io.WriteString(w, head); err != nil {
				return err
			}
			return write(newLineWriter(w, s))
		})
	}
	p := &parts{command: cmd, head: head}
	defer p.discard()
	if err := p.next(); err != nil {
		return err
	}
	out := newLineWriter(p, s)
	out.parts = p
	if err := write(out); err != nil {
		return err
	}
	return p.publish()
}

// parts are the files of an output that is split. They appear under their names when all of them are complete.
type parts struct {
	*command
	head string
	all  []*durable.File

	sink   sink           // of the last part; nil: it is complete
	closer io.WriteCloser // compresses; may be nil
	w      io.Writer      // takes rows
	end    func() error   // of the frame

	bytes int64 // of the part
	rows  int
	due   bool // the next row begins a part
}

// full reports whether a row of some bytes begins another part, and counts it.
func (p *parts) full(size int) bool {
	s := &p.split
	full := p.rows > 0 && (p.due || s.rows > 0 && p.rows == s.rows || s.bytes > 0 && p.bytes+int64(size) > s.bytes)
	if full {
		p.rows, p.bytes = 0, int64(len(p.head))
	}
	p.due = false
	p.rows++
	p.bytes += int64(size)
	return full
}

func (p *parts) Write(b []byte) (int, error) { return p.w.Write(b) }

// next completes the part, and begins another.
func (p *parts) next() error {
	if err := p.complete(); err != nil {
		return err
	}
	if len(p.all) == 0 {
		p.bytes = int64(len(p.head))
	}
	d, err := destinationOf(p.split.name(p.output, len(p.all)))
	if err == nil && d.direct {
		err = fmt.Errorf("%s: -split writes files, and this is none", d.name)
	}
	if err != nil {
		return err
	}
	f, err := d.create()
	if err != nil {
		return err
	}
	p.all = append(p.all, f)
	p.sink = sinkOf(f.File, pastBuffer(p.memory))
	p.w = p.sink
	if p.closer, err = compressor(p.w, p.compress, d.name); err != nil {
		return err
	}
	if p.closer != nil {
		p.w = p.closer
	}
	if p.w, p.end, err = p.frame(p.w); err == nil {
		_, err = io.WriteString(p.w, p.head)
	}
	return err
}

// complete ends the part, if one is begun.
func (p *parts) complete() (err error) {
	if p.sink == nil {
		return nil
	}
	err = p.end()
	if p.closer != nil {
		err = errors.Join(err, p.closer.Close())
	}
	err = errors.Join(err, p.sink.end())
	p.sink, p.closer = nil, nil
	if err != nil {
		return err
	}
	return p.all[len(p.all)-1].Complete()
}

// publish gives the parts their names, in order. A part that an earlier output left after the last is an error before that.
func (p *parts) publish() error {
	if err := p.complete(); err != nil {
		return err
	}
	more := p.split.name(p.output, len(p.all))
	if _, err := os.Lstat(more); err == nil {
		return fmt.Errorf("%s is there, and the output has %s only: remove it first, or readers take it for one more", more, plural(len(p.all), "part"))
	}
	for _, f := range p.all {
		if err := f.Publish(); err != nil {
			return err
		}
	}
	return nil
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

// discard removes the parts that have no name yet.
func (p *parts) discard() {
	if p.sink != nil {
		if p.closer != nil {
			p.closer.Close() // ends its goroutines
		}
		p.sink.end()
	}
	for _, f := range p.all {
		f.Discard()
	}
}

// splitKey finds where rows in order differ in the keys that parts are split by.
type splitKey struct {
	of    func(dst []byte, e string) []byte // the key of an element
	last  []byte                            // key
	next  []byte
	begun bool
}

// note has a part begin with the element that is written next, if its key is another.
func (k *splitKey) note(out *lineWriter, e string) {
	if out.parts == nil || out.parts.split.keys == 0 {
		return
	}
	k.next = k.of(k.next[:0], e)
	out.parts.due = k.begun && string(k.next) != string(k.last)
	k.last, k.next, k.begun = k.next, k.last, true
}

// splitKey returns the keys of lines by which parts are split. Without keys, the line is one.
func (f *diskForm) splitKey(cmd *command) *splitKey {
	o := cmd.order
	o.keys = o.keys[:min(cmd.split.keys, o.given)]
	return &splitKey{of: func(dst []byte, e string) []byte {
		if len(o.keys) == 0 {
			return append(dst, f.line(e)...)
		}
		return o.appendKeys(dst, f.line(e))
	}}
}
