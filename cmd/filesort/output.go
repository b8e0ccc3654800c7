package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"example.com/sorter/internal/durable"
)

// write writes the head and the rows. A last row of the input that has no line
// end gets one: another row may follow it now.
func (t *table) write(ctx context.Context, w io.Writer, workers int, m *meter) error {
	m.stage("write", "rows", int64(len(t.rows)))
	if _, err := io.WriteString(w, t.head); err != nil {
		return err
	}
	return writeRows(ctx, w, len(t.rows), workers, copier{
		size: func(i int) int { return int(t.rows[i].size) },
		row:  func(i int) (text, end string) { return t.row(t.rows[i]) },
		append: func(dst []byte, lo, hi int) []byte {
			for group := range slices.Chunk(t.rows[lo:hi], touched) {
				dst = touch(dst, group, t.first)
				for _, r := range group {
					text, end := t.row(r)
					dst = append(append(dst, text...), end...)
				}
			}
			return dst
		},
	}, m)
}

// row returns the text of a row, and the line end that it lacks.
func (t *table) row(r row) (text, end string) {
	text = t.text[r.off : r.off+int(r.size)]
	return text, missingEnd(text, t.eol)
}

// first returns the first byte of a row.
func (t *table) first(r row) byte { return t.text[r.off] }

// destination is the file that an output goes to, where all links lead.
type destination struct {
	name   string
	old    fs.FileInfo // nil if there is no such file yet
	direct bool        // it is written to as it is: a pipe, a device, a descriptor or a file of the system
}

// destinationOf returns the destination of a name.
func destinationOf(name string) (d destination, err error) {
	if d.name, d.direct, err = follow(name); err != nil {
		return d, err
	}
	d.old, err = os.Stat(d.name)
	if errors.Is(err, fs.ErrNotExist) {
		d.old, err = nil, nil
	}
	if d.old != nil && !d.old.Mode().IsRegular() && !d.old.IsDir() {
		d.direct = true
	}
	return d, err
}

// writeFile gives write the file called name, or stdout for "" and "-".
//
// A file appears under its name complete or not at all, also if the power is lost: write gets a temporary
// file beside it, which then takes its place, its permissions and, where that is allowed, its
// owner. A link is followed; pipes, devices and descriptors are written to directly. A file that memory does
// not hold is written past the page cache, in buffers of past bytes; past is 0 for others.
func writeFile(name string, stdout io.Writer, past int, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(stdout)
	}
	d, err := destinationOf(name)
	switch {
	case err != nil:
		return err
	case d.direct:
		return d.writeDirectly(write)
	}
	f, err := d.create()
	if err != nil {
		return err
	}
	defer f.Discard() // after an error, which is the one to report
	out := sinkOf(f.File, past)
	err = write(out)
	if err = cmp.Or(err, out.end()); err != nil {
		return err
	}
	return f.Publish()
}

// create creates a file in the place of the old one, whose permissions it gets.
func (d destination) create() (*durable.File, error) {
	mode := fs.FileMode(0o666)
	if d.old != nil {
		mode = d.old.Mode().Perm()
	}
	f, err := durable.Create(d.name, durable.TemporaryFor(d.name), mode)
	if err != nil || d.old == nil {
		return f, err
	}
	keepOwner(f.File, d.old)
	if err := f.Chmod(mode); err != nil { // the umask took bits
		return nil, errors.Join(err, f.Discard())
	}
	return f, nil
}

// checkOutput returns the error that writeFile would have from the begin, so that it comes before
// the input is read: a file that may not be written, or a folder.
func checkOutput(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	d, err := destinationOf(name)
	if err != nil || d.old != nil && d.old.Mode()&(fs.ModeNamedPipe|fs.ModeDevice) != 0 { // a pipe would wait for its reader
		return err
	}
	if d.old != nil {
		f, err := os.OpenFile(d.name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.Close()
	}
	if d.direct {
		return nil
	}
	temporary := durable.TemporaryFor(d.name)
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(temporary))
}

// overInput reports whether the output is written over an input: a descriptor of its file.
func (cmd *command) overInput(stdin io.Reader, stdout io.Writer) bool {
	var out fs.FileInfo
	if cmd.output == "" || cmd.output == "-" {
		out = statOf(stdout)
	} else if d, err := destinationOf(cmd.output); err == nil && d.direct {
		out = d.old
	}
	return out != nil && out.Mode().IsRegular() && slices.ContainsFunc(cmd.files, func(name string) bool {
		info := statInput(name, stdin)
		return info != nil && os.SameFile(info, out)
	})
}

// statOf returns the state of standard input or output, nil if that is no file.
func statOf(stream any) fs.FileInfo {
	f, ok := stream.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, _ := f.Stat()
	return info
}

// sink writes a file. It is ended once, also after an error.
type sink interface {
	io.Writer
	end() error
}

// writeDirectly writes to the file as it is, in place of its content.
func (d destination) writeDirectly(write func(io.Writer) error) error {
	f, err := os.OpenFile(d.name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writeTo gives write the output, which appears when write succeeds.
func (cmd *command) writeTo(stdout io.Writer, large bool, write func(io.Writer) error) error {
	past := 0
	if large {
		past = pastBuffer(cmd.memory)
	}
	if format := cmd.outputFormat(); cmd.by != nil && isColumnar(format) {
		return writeFile(cmd.output, stdout, past, cmd.tabulating(format, write))
	}
	return writeFile(cmd.output, stdout, past, compressing(cmd.compress, cmd.output, cmd.framing(write)))
}

// framing returns write with the frame of an output.
func (cmd *command) framing(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		rows, end, err := cmd.frame(w)
		if err != nil {
			return err
		}
		return cmp.Or(write(rows), end())
	}
}

// frame writes the lines that were set aside. It returns a writer of the rows after them, which end with NUL or stand in an array
// if those of the input do, and a function that writes what follows the last.
func (cmd *command) frame(w io.Writer) (rows io.Writer, end func() error, err error) {
	if cmd.nulRows {
		w = &nulWriter{w: w}
	}
	if _, err = io.WriteString(w, cmd.aside.top()); err != nil || !cmd.array.is {
		return w, func() error { return nil }, err
	}
	a := &arrayWriter{w: w, a: &cmd.array}
	return a, a.end, nil
}
