package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// files are the inputs, one after the other.
type files struct {
	names    []string // "-" is standard input
	stdin    io.Reader
	compress string                            // auto, none, gzip or zstd
	large    bool                              // memory does not hold them
	opened   *input                            // the first of names, if it is open already
	wrap     func(in *input, again bool) error // makes of an input the lines that are sorted; nil: it has no others
}

// input is a file that is being read, decompressed.
type input struct {
	io.Reader
	name   string      // for errors
	source *os.File    // regular, and stored by its file system; nil for others
	info   fs.FileInfo // of source when it was opened
	file   *os.File    // source, if it is read as it is
	size   int64       // of file when it was opened, in bytes; 0: unknown
	text   string      // all that Reader has, if memory holds it

	lines    *lineNumbers // of a file from which lines are set aside
	elements bool         // lines are the elements of an array
	closers  []func() error
}

// open returns the next file, or nil after the last.
func (f *files) open() (*input, error) {
	if len(f.names) == 0 {
		return nil, nil
	}
	name, in := f.names[0], f.opened
	f.names, f.opened = f.names[1:], nil
	if in != nil {
		return in, nil
	}
	return f.openAs(name, false)
}

// openAs opens a file, perhaps again.
func (f *files) openAs(name string, again bool) (*input, error) {
	in, err := openInput(name, f.stdin, f.compress, f.large)
	if err != nil || f.wrap == nil {
		return in, err
	}
	if err := f.wrap(in, again); err != nil {
		in.Close()
		return nil, in.failed(err)
	}
	return in, nil
}

// inputs returns the files of a command that are read from the first on.
func (cmd *command) inputs(stdin io.Reader) *files {
	f := &files{names: cmd.files, stdin: stdin, compress: cmd.compress}
	format := cmd.format
	if format == "auto" && cmd.delimiter != "" {
		format = "csv"
	}
	cmd.aside.reset()
	cmd.array = jsonArray{}
	cmd.aside.most = cmd.memory / asideShare
	f.wrap = func(in *input, again bool) error {
		if cmd.nulRows {
			in.Reader, in.file, in.size = &nulReader{in: in.Reader}, nil, 0
		}
		if cmd.aside.any() {
			cmd.aside.of(in, again)
		}
		if cmd.by == nil {
			return nil
		}
		return cmd.array.of(in, format)
	}
	return f
}

// openInput opens one file. One that is large is read past the page cache, if it is a regular one.
func openInput(name string, stdin io.Reader, compress string, large bool) (*input, error) {
	in := &input{Reader: stdin, name: nameOf(name)}
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		in.Reader = f
		in.closers = append(in.closers, f.Close)
		if info, err := f.Stat(); err == nil && stored(info) {
			in.source, in.info, in.file, in.size = f, info, f, info.Size()
			if large {
				in.readPastCache()
			}
		}
	}
	if err := in.decompress(compress); err != nil {
		in.Close()
		return nil, in.failed(err)
	}
	return in, nil
}

// stored reports whether a file is regular and has blocks on a disk. Others have content that is made while it is
// read, as in /proc and /sys: their size means nothing, and a second reading may differ.
func stored(info fs.FileInfo) bool { return info.Mode().IsRegular() && blocks(info) > 0 }

// nameOf returns the name of a file for errors.
func nameOf(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}

// failed says which file an error is about.
func (in *input) failed(err error) error { return fmt.Errorf("reading %s: %w", in.name, err) }

// Close closes the sources of the input.
func (in *input) Close() error {
	var first error
	for len(in.closers) > 0 {
		last := len(in.closers) - 1
		if err := in.closers[last](); first == nil {
			first = err
		}
		in.closers = in.closers[:last]
	}
	return first
}

// distinct returns the names without those of a pipe that comes before, under any name. A merge reads all files at
// the same time, and would tear lines that a pipe gives to two of them.
func distinct(names []string, stdin io.Reader) (kept []string) {
	var pipes []fs.FileInfo
	for i, name := range names {
		info := statInput(name, stdin)
		switch {
		case name == "-" && slices.Contains(names[:i], name):
			continue
		case info == nil || info.Mode().IsRegular():
		case slices.ContainsFunc(pipes, func(p fs.FileInfo) bool { return os.SameFile(p, info) }):
			continue
		default:
			pipes = append(pipes, info)
		}
		kept = append(kept, name)
	}
	return kept
}

// statInput returns the state of a file, nil if it has none. That of standard input is stdin's, if that is a file.
func statInput(name string, stdin io.Reader) fs.FileInfo {
	if name == "-" {
		return statOf(stdin)
	}
	info, _ := os.Stat(name)
	return info
}

// total returns the bytes of all regular files together, as they are on disk.
func (f *files) total() int64 {
	sum := int64(0)
	for _, name := range f.names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
	}
	return sum
}

// filesFrom returns the names in a file, each ended by NUL. As for sort, none of them is standard input,
// which may have the names.
func filesFrom(name string) ([]string, error) {
	if name == "-" {
		name = "/dev/stdin"
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	for i, n := range names {
		switch n {
		case "":
			return nil, fmt.Errorf("%s: name %d is empty", name, i+1)
		case "-":
			return nil, fmt.Errorf("%s: name %d is -, which --files0-from does not allow", name, i+1)
		}
	}
	return names, nil
}
