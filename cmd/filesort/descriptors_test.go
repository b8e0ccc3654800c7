//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// outputOf runs a process whose standard output is a file that had other content, and returns the file's content
// as the one who opened it reads it.
func outputOf(t *testing.T, unlinked bool, args ...string) (content, stderr string, code int) {
	p := newFilesort(t)
	path := filepath.Join(p.command.Dir, "stdout")
	expect(t, os.WriteFile(path, []byte(strings.Repeat("old\n", 10)), 0o600))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	expect(t, err)
	defer f.Close()
	if unlinked {
		expect(t, os.Remove(path))
	}
	expect(t, os.Symlink("/proc/self/fd/1", filepath.Join(p.command.Dir, "link")))
	expect(t, os.Symlink("link", filepath.Join(p.command.Dir, "other")))
	expect(t, os.WriteFile(filepath.Join(p.command.Dir, "in"), []byte(unsorted), 0o600))
	r, stderr := p.runTo(f, append(args, "in")...)
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
	expect(t, err)
	if link, _ := os.Readlink(filepath.Join(p.command.Dir, "link")); link != "/proc/self/fd/1" {
		t.Errorf("%q: the link leads to %q", args, link)
	}
	return string(text), stderr, r.code
}

// An output that is a descriptor is written to as it is, in place of its content. /dev/stdout is not named here, as a
// defect would replace that of the machine.
func TestOutputToDescriptor(t *testing.T) {
	for _, unlinked := range []bool{false, true} {
		for _, name := range []string{"/proc/self/fd/1", "/dev/fd/1", "/proc/thread-self/fd/1", "link", "other", "./link"} {
			for _, args := range []string{"", "-m -s -r", "-by a -format csv", "-S 8M"} {
				want := map[bool]string{true: inOrder, false: "1\n2\na\n"}[strings.HasPrefix(args, "-by")]
				if strings.HasPrefix(args, "-m") {
					want = unsorted
				}
				got, stderr, code := outputOf(t, unlinked, append(strings.Fields(args), "-o", name)...)
				if got != want || code != 0 {
					t.Errorf("%s -o %s, unlinked %v: exit %d, %q, want %q %s", args, name, unlinked, code, got, want, stderr)
				}
			}
		}
	}
	_, stderr, code := outputOf(t, false, "-o", "/dev/fd/77")
	if code != exitError || !strings.Contains(stderr, "no such file") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// The names that are descriptors, and those that are not.
func TestFollow(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	expect(t, err)
	t.Chdir(dir)
	expect(t, os.Mkdir("folder", 0o700))
	expect(t, os.WriteFile("file", nil, 0o600))
	for link, to := range map[string]string{
		"a": "file", "b": "folder/../file", "c": "folder/new", "d": "c", "up": "folder/..", "e": "up/file", "loop": "loop",
		"lost": "no/where", "fd": "/dev/fd", "out": "fd/1", "stdout": "/dev/stdout",
	} {
		expect(t, os.Symlink(to, link))
	}
	for name, want := range map[string]string{
		"file": dir + "/file", "a": dir + "/file", "b": dir + "/file", "c": dir + "/folder/new", "d": dir + "/folder/new",
		"e": dir + "/file", "folder/../up/a": dir + "/file", "new": dir + "/new", "./new": dir + "/new",
		"loop": "error: open loop: too many levels of symbolic links", "lost": "error: open lost: no such file or directory",
		"no/file": "error: open no/file: no such file or directory", "out": "descriptor", "stdout": "descriptor",
		"/dev/stdout": "descriptor", "/dev/null": "descriptor", "/proc/self/fd/0": "descriptor", "/dev/../dev/stdin": "descriptor",
		"/proc/version": "descriptor", "/sys/kernel/x": "descriptor",
	} {
		got, descriptor, err := follow(name)
		switch {
		case err != nil:
			got = "error: " + strings.ReplaceAll(err.Error(), dir+"/", "")
		case descriptor:
			got = "descriptor"
		case !filepath.IsAbs(got):
			got = filepath.Join(dir, got)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// An output through links without a target creates that, and the links stay.
func TestOutputThroughDanglingLink(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	expect(t, os.Mkdir("folder", 0o700))
	expect(t, os.Symlink("folder/new", "link"))
	expect(t, os.Symlink("link", "other"))
	for _, name := range []string{"link", "other"} {
		if _, stderr, code := filesort(unsorted, "-by", "a", "-o", name, "-"); code != 0 {
			t.Error(stderr)
		}
		expectFile(t, "folder/new", inOrder, 0)
		expect(t, os.Remove("folder/new"))
	}
	for link, want := range map[string]string{"link": "folder/new", "other": "link"} {
		if got, err := os.Readlink(link); got != want {
			t.Errorf("%s leads to %q, %v", link, got, err)
		}
	}
	for _, name := range []string{"new/", "folder/", "folder/.", "no/new"} {
		if _, stderr, code := filesort(unsorted, "-o", name); code != exitError {
			t.Errorf("-o %s: exit %d %s", name, code, stderr)
		}
	}
}

// A merge does not read a file over which it writes.
func TestMergeOverInput(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, "%07d\n", i)
	}
	path, other := fileOf(t, "x", b.String()), fileOf(t, "y", "0000000\n9\n")
	want := "0000000\n" + b.String() + "9\n"
	for _, args := range [][]string{{"-o", "/proc/self/fd/1", path, other}, {"-o", "/proc/self/fd/1", other, "-"}} {
		expect(t, os.WriteFile(path, []byte(b.String()), 0o600))
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		expect(t, err)
		p := newFilesort(t)
		p.command.Stdin, err = os.Open(path)
		expect(t, err)
		r, stderr := p.runTo(f, append([]string{"-m"}, args...)...)
		if got, _ := os.ReadFile(path); string(got) != want || r.code != 0 {
			t.Errorf("%q: exit %d, %d bytes, want %d %s", args, r.code, len(got), len(want), stderr)
		}
		f.Close()
	}
}

// An output that is a pipe of two names gets all lines, as does one that is a socket, or there is an error.
func TestOutputToStream(t *testing.T) {
	for _, name := range []string{"/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"} {
		p := newFilesort(t)
		in := p.add(given{"file", unsorted})
		if r, stderr := p.run("-o", name, in); r.stdout != "1\n2\na\n" || r.code != 0 {
			t.Errorf("%s: exit %d, %q %s", name, r.code, r.stdout, stderr)
		}
	}
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	expect(t, err)
	f := os.NewFile(uintptr(ends[0]), "socket")
	defer f.Close()
	defer syscall.Close(ends[1])
	p := newFilesort(t)
	if r, stderr := p.runTo(f, "-o", "/proc/self/fd/1", p.add(given{"file", unsorted})); r.code != exitError || stderr == "" {
		t.Errorf("a socket: exit %d %s", r.code, stderr)
	}
}
