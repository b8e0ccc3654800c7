package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// syncing is a file whose bytes go to the disk while more are written, so that the sync at the
// end has little left to do.
type syncing struct {
	*os.File
	at, begun int64
}

const syncStep = 8 << 20

func (f *syncing) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	f.at += int64(n)
	if f.at-f.begun >= syncStep {
		const write = 2 // SYNC_FILE_RANGE_WRITE, which waits for nothing
		_ = syscall.SyncFileRange(int(f.Fd()), f.begun, f.at-f.begun, write)
		f.begun = f.at
	}
	return n, err
}

func (f *syncing) end() error { return nil }

// keepOwner gives f the owner of the file that it replaces. Only root may do that, except for a
// group of one's own.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

// sinkOf returns what writes an empty file. If past is not 0 it is written past the page cache, in
// buffers of that size, if its file system allows that.
func sinkOf(f *os.File, past int) sink {
	if past > 0 {
		if d := newDirect(f, past); d != nil {
			return d
		}
	}
	return &syncing{File: f}
}

// direct is a file that is written past the page cache, by a goroutine of its own. The cache
// would copy each byte, on fresh pages, and push out those of other files.
type direct struct {
	cached, past *os.File
	buf          []byte      // that is filled
	full, empty  chan []byte // on their way to the goroutine and back
	ended        chan struct{}
	at           int64                 // of the goroutine, in the file
	failed       atomic.Pointer[error] // its error
}

// newDirect returns a writer of an empty file in buffers of whole pages, or nil if it has to go
// through the cache.
func newDirect(f *os.File, buffer int) *direct {
	past, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_WRONLY|syscall.O_DIRECT, 0)
	if err != nil {
		return nil
	}
	d := &direct{cached: f, past: past, full: make(chan []byte, pastBuffers), empty: make(chan []byte, pastBuffers), ended: make(chan struct{})}
	for _, buf := range pastBuffersOf(pastBuffers, buffer) {
		d.empty <- buf[:0]
	}
	go func() {
		defer close(d.ended)
		for buf := range d.full {
			if d.failed.Load() == nil {
				if err := d.put(buf); err != nil {
					d.failed.Store(&err)
				}
			}
			d.empty <- buf[:0]
		}
	}()
	return d
}

// put writes a buffer. The end of the file, and all of it where other lengths or places are
// asked for, goes through the cache.
func (d *direct) put(buf []byte) error {
	if len(buf)%pageSize == 0 {
		n, err := d.past.WriteAt(buf, d.at)
		if d.at += int64(n); err == nil || !errors.Is(err, syscall.EINVAL) {
			return withName(err, d.cached)
		}
		buf = buf[n:]
	}
	n, err := d.cached.WriteAt(buf, d.at)
	d.at += int64(n)
	return err
}

// withName gives an error the name of a file.
func withName(err error, f *os.File) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return &os.PathError{Op: p.Op, Path: f.Name(), Err: p.Err}
	}
	return err
}

func (d *direct) Write(b []byte) (n int, err error) {
	for n < len(b) {
		if d.buf == nil {
			d.buf = <-d.empty
		}
		if err := d.failed.Load(); err != nil {
			return n, *err
		}
		k := copy(d.buf[len(d.buf):cap(d.buf)], b[n:])
		n += k
		if d.buf = d.buf[:len(d.buf)+k]; len(d.buf) == cap(d.buf) {
			d.full <- d.buf
			d.buf = nil
		}
	}
	return n, nil
}

// end writes the rest, and ends the goroutine.
func (d *direct) end() error {
	whole := len(d.buf) / pageSize * pageSize
	rest := d.buf[whole:]
	if whole > 0 {
		d.full <- d.buf[:whole]
	}
	close(d.full)
	<-d.ended
	err := d.past.Close()
	switch failed := d.failed.Load(); {
	case failed != nil:
		return *failed
	case len(rest) > 0:
		return errors.Join(d.put(rest), err)
	}
	return err
}
