package main

import (
	"fmt"
	"io"
)

// chunks cuts files into chunks of whole lines.
type chunks struct {
	files  *files
	shape  shape
	size   int // bytes of a chunk, unless a line is longer
	m      *meter
	in     *input // being read; nil: the next one is to be opened
	rest   []byte // the begin of a line, at the end of the chunk before
	unread []byte // a chunk that was given back
}

// next returns the next chunk, or nil after the last. It begins with buf, if that has memory.
// A chunk does not reach into another file. The last line of a file may lack its eol.
func (c *chunks) next(buf []byte) ([]byte, error) {
	if chunk := c.unread; chunk != nil {
		c.unread = nil
		return chunk, nil
	}
	for {
		if c.in == nil {
			in, err := c.files.open()
			if in == nil || err != nil {
				return nil, err
			}
			c.in = in
		}
		chunk, err := c.read(buf)
		if len(chunk) > 0 || err != nil {
			return chunk, err
		}
	}
}

// read returns a chunk of the open file, or nothing at its end.
func (c *chunks) read(buf []byte) ([]byte, error) {
	want := c.size
	if c.in.size > 0 { // one more than the file has, so that its end is seen
		want = max(min(want, int(min(c.in.size, int64(want)))+1), len(c.rest)+1)
	}
	if cap(buf) < want {
		buf = make([]byte, 0, want)
	}
	buf = append(buf[:0], c.rest...)
	c.rest = nil
	for {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := c.in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		c.m.add(n)
		switch {
		case err == io.EOF:
			return buf, c.end(buf)
		case err != nil:
			return nil, c.in.failed(err)
		case len(buf) < cap(buf):
			continue
		}
		if whole := c.shape.whole(buf); whole > 0 {
			c.rest = buf[whole:]
			return buf[:whole], nil
		}
	}
}

// end closes a file whose last chunk is buf.
func (c *chunks) end(buf []byte) error {
	in := c.in
	c.in = nil
	if err := in.Close(); err != nil {
		return in.failed(err)
	}
	if c.shape.record > 0 && len(buf)%c.shape.record != 0 {
		return fmt.Errorf("%s: the last record has %d of %d bytes", in.name, len(buf)%c.shape.record, c.shape.record)
	}
	return nil
}

// close ends the input early.
func (c *chunks) close() {
	if c.in != nil {
		c.in.Close()
	}
}
