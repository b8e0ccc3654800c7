//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// given is an input of a process: its text, and one of streamKinds.
type given struct{ kind, text string }

// Kinds of inputs.
var streamKinds = []string{"file", "fifo", "descriptor", "-", "/dev/stdin", "/proc/self/fd/0", "link", "unlinked"}

// process is a command line with inputs that it opens itself.
type process struct {
	t       *testing.T
	command *exec.Cmd
	cancel  func()
	inputs  int
	fifos   []string
}

// newProcess returns a process in an empty folder.
func newProcess(t *testing.T, program string, env ...string) *process {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	c := exec.CommandContext(ctx, program)
	c.Dir, c.WaitDelay = t.TempDir(), time.Second
	c.Env = append(append(os.Environ(), "LC_ALL=C"), env...)
	return &process{t: t, command: c, cancel: cancel}
}

// newFilesort returns a process of the command. The race detector does not have it wait for a second at its end.
func newFilesort(t *testing.T) *process {
	return newProcess(t, os.Args[0], runMain+"=1", "GORACE=atexit_sleep_ms=0")
}

// add makes an input and returns its name.
func (p *process) add(in given) (name string) {
	name = fmt.Sprintf("in%d", p.inputs)
	p.inputs++
	path := filepath.Join(p.command.Dir, name)
	switch in.kind {
	case "file":
		expect(p.t, os.WriteFile(path, []byte(in.text), 0o600))
	case "fifo":
		expect(p.t, syscall.Mkfifo(path, 0o600))
		p.fifos = append(p.fifos, path)
		go func() { // until the process reads it, or run does
			if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
				f.WriteString(in.text)
				f.Close()
			}
		}()
	case "descriptor":
		r, w, err := os.Pipe()
		expect(p.t, err)
		go func() {
			w.WriteString(in.text)
			w.Close()
		}()
		p.command.ExtraFiles = append(p.command.ExtraFiles, r)
		return fmt.Sprintf("/dev/fd/%d", 2+len(p.command.ExtraFiles))
	case "unlinked":
		expect(p.t, os.WriteFile(path, []byte(in.text), 0o600))
		f, err := os.Open(path)
		expect(p.t, err)
		expect(p.t, os.Remove(path))
		p.command.ExtraFiles = append(p.command.ExtraFiles, f)
		return fmt.Sprintf("/proc/self/fd/%d", 2+len(p.command.ExtraFiles))
	case "link":
		p.command.Stdin = strings.NewReader(in.text)
		expect(p.t, os.Symlink("/dev/stdin", path))
	default:
		p.command.Stdin = strings.NewReader(in.text)
		return in.kind
	}
	return name
}

// result is what a process leaves: its output, its exit status and the files of its folder.
type result struct {
	stdout string
	code   int
	files  string
}

// run runs the process.
func (p *process) run(args ...string) (r result, stderr string) {
	p.t.Helper()
	var out strings.Builder
	r, stderr = p.runTo(&out, args...)
	r.stdout = out.String()
	return r, stderr
}

// runTo runs the process with an output of its own.
func (p *process) runTo(stdout io.Writer, args ...string) (r result, stderr string) {
	p.t.Helper()
	defer p.cancel()
	var errs strings.Builder
	p.command.Args, p.command.Stdout, p.command.Stderr = append(p.command.Args[:1], args...), stdout, &errs
	err := p.command.Run()
	if p.command.ProcessState == nil || p.command.ProcessState.ExitCode() < 0 {
		p.t.Fatalf("%q: %v %s", args, err, errs.String())
	}
	for _, f := range p.command.ExtraFiles {
		f.Close()
	}
	for _, path := range p.fifos { // its writer may wait for a reader
		if f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			f.Close()
		}
		os.Remove(path)
	}
	return result{code: p.command.ProcessState.ExitCode(), files: p.listing()}, errs.String()
}

// listing returns the files of the folder with their contents.
func (p *process) listing() string {
	var b strings.Builder
	entries, err := os.ReadDir(p.command.Dir)
	expect(p.t, err)
	for _, e := range entries {
		path := filepath.Join(p.command.Dir, e.Name())
		link, _ := os.Readlink(path)
		text := []byte(nil)
		if e.Type().IsRegular() { // a link may lead to a pipe
			text, _ = os.ReadFile(path)
		}
		fmt.Fprintf(&b, "%s %s %v %q\n", e.Name(), link, e.Type(), text)
	}
	return b.String()
}

// modes are sorts of the rows of csvText, or of those of ndjsonText, which several inputs have.
var modes = []struct {
	args   string
	single bool // one input only
}{
	{"-t, -k2,2n", false}, {"-u", false}, {"-m", false}, {"-c", true}, {"-C -r", true}, {"-record 4", false},
	{"-by a", false}, {"-by a -format csv -top 3", false}, {"-by a -u", false}, {"-by a:int", false}, {"-by b:desc,a", false},
	{"-by a -format ndjson", false}, {"-by a:int -format ndjson", false},
	{"-by a -u -keep last -count", false}, {"-shuffle -seed 3 -format csv", false}, {"-skip 1 -n", false}, {"-by a -format json", false},
}

func textFor(args string, i int) string {
	if strings.HasSuffix(args, " json") {
		return []string{"[{\"a\":2},\n{\"a\":10}]\n", "[ ]", "[{\"a\":3},{\"a\":2}]"}[i]
	}
	if strings.Contains(args, "ndjson") {
		return []string{"{\"a\":2}\n{\"a\":10}\n", "{\"a\":1}\n", "{\"a\":3}\n{\"a\":2}\n"}[i]
	}
	return []string{"a,b\n2,x\n9,v\n", "a,b\n1,y\n", "a,b\n3,z\n2,y\n"}[i]
}

// Whatever the inputs are, their rows come out as those of regular files do.
func TestStreamsLikeFiles(t *testing.T) {
	for _, mode := range modes {
		for _, kind := range streamKinds {
			inputs := [][]string{{kind}, {"file", kind}, {"fifo", kind, "descriptor"}}
			if mode.single {
				inputs = inputs[:1]
			}
			for _, kinds := range inputs {
				p, args, files := newFilesort(t), strings.Fields(mode.args), strings.Fields(mode.args)
				for i, kind := range kinds {
					text := textFor(mode.args, i)
					args, files = append(args, p.add(given{kind, text})), append(files, fileOf(t, "x", text))
				}
				want, _, code := filesort("", files...)
				got, stderr := p.run(args...)
				if got.stdout != want || got.code != code {
					t.Errorf("%q of %q: exit %d, %q, want %d, %q %s", mode.args, kinds, got.code, got.stdout, code, want, stderr)
				}
			}
		}
	}
}

// A merge that reads a pipe under two names has its lines once, whole.
func TestMergeOfOneStream(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, "%08d\n", i)
	}
	for _, names := range [][]string{{"-", "-"}, {"-", "/dev/stdin"}, {"/dev/stdin", "/proc/self/fd/0"}} {
		p := newFilesort(t)
		p.add(given{"-", b.String()})
		r, stderr := p.run(append([]string{"-m"}, names...)...)
		if r.stdout != b.String() || r.code != 0 {
			t.Errorf("%q: exit %d, %d bytes of %d %s", names, r.code, len(r.stdout), b.Len(), stderr)
		}
	}
	if got, _, _ := filesort(b.String(), "-m", "-", "-"); got != b.String() {
		t.Errorf("%d bytes of %d", len(got), b.Len())
	}
}
