package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// follow returns the name of the file that a name leads to through links. There may be no such file yet.
// descriptor reports that the name, or one that it leads to, stands for a file that is open or for one of the system: its
// folder is /dev, /dev/fd, or one in /proc or /sys. It is not followed further, as a link there does not say
// where an unlinked file or a pipe is.
func follow(name string) (target string, descriptor bool, err error) {
	const most = 40 // links, as for Linux
	for range most {
		dir, base := filepath.Split(name)
		if dir, err = filepath.EvalSymlinks(cmp.Or(dir, ".")); err != nil {
			return name, false, &fs.PathError{Op: "open", Path: name, Err: cause(err)}
		}
		if name = filepath.Join(dir, base); ofSystem(dir) {
			return name, true, nil
		}
		next, err := os.Readlink(name)
		switch {
		case err != nil: // it is no link
			return name, false, nil
		case !filepath.IsAbs(next):
			next = dir + string(filepath.Separator) + next
		}
		name = next
	}
	return name, false, &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
}

// ofSystem reports whether the files of a folder stand for others, or for the system.
func ofSystem(dir string) bool {
	dir, err := filepath.Abs(dir)
	top, _, _ := strings.Cut(strings.TrimPrefix(dir, "/"), "/")
	return err == nil && (slices.Contains([]string{"/dev", "/dev/fd"}, dir) || slices.Contains([]string{"proc", "sys"}, top))
}

// cause returns an error without the name of a file.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
