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
	target = name
	for range most {
		dir, base := filepath.Split(target)
		if dir, err = filepath.EvalSymlinks(cmp.Or(dir, ".")); err != nil {
			return "", false, &fs.PathError{Op: "open", Path: name, Err: cause(err)}
		}
		if target = filepath.Join(dir, base); ofSystem(dir) {
			return target, true, nil
		}
		next, err := os.Readlink(target)
		switch {
		case err != nil: // it is no link
			return target, false, nil
		case !filepath.IsAbs(next):
			next = dir + string(filepath.Separator) + next
		}
		target = next
	}
	return "", false, &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
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
