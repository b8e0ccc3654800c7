package beamsort

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Format is how a shard holds its elements. Its zero value is the default of [Sort].
type Format struct{ name string }

// Formats that need no registration, because they write the encodings of the codec.
var (
	// Records are encodings without anything between them, for the [Fixed] codec: element i of
	// a shard is at byte i times the size.
	Records = Format{"records"}
	// LengthPrefixed are encodings with their length before each, as a varint.
	LengthPrefixed = Format{"length-prefixed"}
	// Lines are encodings with a newline after each: CSV or NDJSON, where elements are lines
	// without their ends, or the codec encodes them so. See [Header].
	Lines = Format{"lines"}
)

// Writer writes the elements of one shard in a format.
type Writer[T any] interface {
	// Write writes elements, which are valid until it returns.
	Write(elements []T) error
	// Close ends the shard. It does not close the file.
	Close() error
}

// RegisterFormat names a format of elements. open begins a shard in a file. What [Register]
// demands of calls and names holds here as well.
func RegisterFormat[T any](name string, open func(file io.Writer) (Writer[T], error)) Format {
	if open == nil {
		panic(fmt.Sprintf("beamsort: RegisterFormat(%q): open is nil", name))
	}
	return enterFormat(name, open)
}

func enterFormat[T any](name string, open func(file io.Writer) (Writer[T], error)) Format {
	f := Format{name}
	if f == Records || f == LengthPrefixed || f == Lines {
		panic(fmt.Sprintf("beamsort: RegisterFormat(%q): this is a format of the package", name))
	}
	enter(name, "RegisterFormat", 2)
	registry.Lock()
	defer registry.Unlock()
	if registry.formats == nil {
		registry.formats = map[string]any{}
	}
	registry.formats[name] = open
	return f
}

// RegisterLines names a format of lines that appendLine makes of elements, without their ends.
// header, if it is not empty, is the first line of each shard. What [Register] demands of calls
// and names holds here as well.
func RegisterLines[T any](name, header string, appendLine func(dst []byte, e T) ([]byte, error)) Format {
	if appendLine == nil {
		panic(fmt.Sprintf("beamsort: RegisterLines(%q): appendLine is nil", name))
	}
	return enterFormat(name, func(file io.Writer) (Writer[T], error) {
		return &lineWriter[T]{to: file, appendLine: appendLine}, writeHeader(file, header)
	})
}

// writeHeader writes the first line of a shard, if there is one.
func writeHeader(file io.Writer, line string) error {
	if line == "" {
		return nil
	}
	_, err := io.WriteString(file, line+"\n")
	return err
}

// lineWriter writes lines to a file that joins small writes, see writeTo.
type lineWriter[T any] struct {
	to         io.Writer
	line       []byte
	appendLine func(dst []byte, e T) ([]byte, error)
}

func (w *lineWriter[T]) Write(elements []T) (err error) {
	for _, e := range elements {
		if w.line, err = w.appendLine(w.line[:0], e); err != nil {
			return err
		}
		w.line = append(w.line, '\n')
		if _, err = w.to.Write(w.line); err != nil {
			return err
		}
	}
	return nil
}

func (w *lineWriter[T]) Close() error { return nil }

// opener begins a shard, and adds its elements to sum.
type opener[T any] func(file io.Writer, sum *totals) (Writer[T], error)

func (o *Ordering[T]) defaultFormat() Format {
	if o.layout != nil {
		return Records
	}
	return LengthPrefixed
}

// format returns the opener of the format of c.
func (o *Ordering[T]) format(c config) (opener[T], error) {
	f := Format{c.Format}
	if c.Header != "" && f != Lines {
		return nil, fmt.Errorf("beamsort: format %q has no header", c.Format)
	}
	switch f {
	case Records:
		if o.layout == nil {
			return nil, fmt.Errorf("beamsort: format %q takes the Fixed codec, which order %q does not have", c.Format, o.name)
		}
		return func(file io.Writer, sum *totals) (Writer[T], error) {
			return &fixedWriter[T]{layout: o.layout, to: file, sum: sum}, nil
		}, nil
	case LengthPrefixed, Lines:
		return func(file io.Writer, sum *totals) (Writer[T], error) {
			return &codedWriter[T]{order: o, lines: f == Lines, to: file, sum: sum}, writeHeader(file, c.Header)
		}, nil
	}
	registry.Lock()
	defer registry.Unlock()
	found, ok := registry.formats[c.Format]
	if !ok {
		return nil, fmt.Errorf("beamsort: format %q is not registered on this worker; register it in a variable at package level", c.Format)
	}
	open, ok := found.(func(io.Writer) (Writer[T], error))
	if !ok {
		return nil, fmt.Errorf("beamsort: format %q is not of the elements of order %q, %v", c.Format, o.name, o.element())
	}
	return func(file io.Writer, sum *totals) (Writer[T], error) {
		w, err := open(file)
		if err == nil && w == nil {
			err = fmt.Errorf("beamsort: format %q has no Writer", c.Format)
		}
		return &summedWriter[T]{Writer: w, order: o, sum: sum}, err
	}, nil
}

// fixedWriter writes elements as they are in memory.
type fixedWriter[T any] struct {
	layout *layout
	to     io.Writer
	sum    *totals
}

func (w *fixedWriter[T]) Write(elements []T) error {
	encoded := memory(elements, w.layout.size)
	w.layout.clear(encoded)
	w.sum.addFixed(encoded, w.layout.size)
	_, err := w.to.Write(encoded)
	return err
}

func (w *fixedWriter[T]) Close() error { return nil }

// codedWriter writes encodings, with their lengths or as lines.
type codedWriter[T any] struct {
	order  *Ordering[T]
	lines  bool
	to     io.Writer
	sum    *totals
	buffer []byte
	length [binary.MaxVarintLen64]byte
}

func (w *codedWriter[T]) Write(elements []T) (err error) {
	for _, e := range elements {
		if w.buffer, err = w.order.encode(w.buffer[:0], e); err != nil {
			return err
		}
		w.sum.add(w.buffer)
		if w.lines {
			w.buffer = append(w.buffer, '\n')
		} else if _, err = w.to.Write(binary.AppendUvarint(w.length[:0], uint64(len(w.buffer)))); err != nil {
			return err
		}
		if _, err = w.to.Write(w.buffer); err != nil {
			return err
		}
	}
	return nil
}

func (w *codedWriter[T]) Close() error { return nil }

// summedWriter adds the encodings of elements that another Writer writes.
type summedWriter[T any] struct {
	Writer[T]
	order  *Ordering[T]
	sum    *totals
	buffer []byte
}

func (w *summedWriter[T]) Write(elements []T) (err error) {
	for _, e := range elements {
		if w.buffer, err = w.order.encode(w.buffer[:0], e); err != nil {
			return err
		}
		w.sum.add(w.buffer)
	}
	return w.Writer.Write(elements)
}
