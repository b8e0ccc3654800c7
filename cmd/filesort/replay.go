package main

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// replay reads inputs twice. What cannot be opened again is copied to a file while it is read first: pipes, devices,
// descriptors, and files whose content is made while they are read. All others have to be the same in both readings.
type replay struct {
	files  *files
	dirs   []string // the first is for the copies
	inputs []*replayed
	next   int      // of inputs, to be read again
	copies *os.File // nil before there is one
	size   int64    // of it
}

// replayed is an input that has been read once.
type replayed struct {
	name, shown string
	info        fs.FileInfo // when it was opened; nil: it is copied, or in memory
	text        string      // in memory
	lines       *lineNumbers
	elements    bool
	from, to    int64 // its place among the copies
}

// first opens the next input, or returns nil after the last.
func (r *replay) first() (*input, error) {
	if len(r.files.names) == 0 {
		return nil, nil
	}
	name := r.files.names[0]
	in, err := r.files.open()
	if err != nil {
		return nil, err
	}
	p := &replayed{name: name, shown: in.name, lines: in.lines, elements: in.elements, from: r.size, to: r.size}
	r.inputs = append(r.inputs, p)
	switch {
	case in.text != "":
		p.text = in.text
	case in.again(name):
		p.info = in.info
	default:
		err = r.copy(in, p)
	}
	return in, err
}

// again reports whether name opens an input again.
func (in *input) again(name string) bool {
	if in.source == nil {
		return false
	}
	_, descriptor, err := follow(name)
	return err == nil && !descriptor
}

// copy has all that is read of an input copied, until the next one is opened.
func (r *replay) copy(in *input, p *replayed) (err error) {
	if r.copies == nil {
		if r.copies, err = tempFile(r.dirs); err != nil {
			return err
		}
	}
	in.Reader = io.TeeReader(in.Reader, writer(func(b []byte) (int, error) {
		n, err := r.copies.Write(b)
		r.size += int64(n)
		p.to = r.size
		return n, err
	}))
	return nil
}

// writer is a function that writes.
type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// second opens the next input again.
func (r *replay) second() (*input, error) {
	if r.next == len(r.inputs) {
		return nil, nil
	}
	p := r.inputs[r.next]
	r.next++
	switch {
	case p.text != "":
		return &input{Reader: strings.NewReader(p.text), name: p.shown, lines: p.lines, elements: p.elements}, nil
	case p.info == nil:
		return &input{Reader: io.NewSectionReader(r.copies, p.from, p.to-p.from), name: p.shown, lines: p.lines, elements: p.elements}, nil
	}
	in, err := r.files.openAs(p.name, true)
	if err != nil {
		return nil, err
	}
	in.closers = append(in.closers, func() error { return p.changed(in) })
	if err := p.changed(in); err != nil {
		in.Close()
		return nil, in.failed(err)
	}
	return in, nil
}

// changed returns an error if an input is not the same as when it was read first.
func (p *replayed) changed(in *input) error {
	if in.source == nil {
		return errChanged
	}
	info, err := in.source.Stat()
	if err == nil && !(os.SameFile(info, p.info) && info.Size() == p.info.Size() && info.ModTime().Equal(p.info.ModTime())) {
		return errChanged
	}
	return err
}

var errChanged = errors.New("it has changed since its columns were read for their types")

// close removes the copies.
func (r *replay) close() error {
	if r.copies == nil {
		return nil
	}
	return cmp.Or(r.copies.Close(), os.Remove(r.copies.Name()))
}
