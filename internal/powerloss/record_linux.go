package powerloss

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// patience is how long a process may run.
const patience = 2 * time.Minute

// Record runs a command, whose standard output Cut hands to look, and returns its changes to the files below dir,
// which has files and folders only. A command that fails is no error. The error is
// [errors.ErrUnsupported] where the system traces no processes, and where the command makes changes in a way that is
// not known here, such as a mapping that is written to.
func Record(dir string, c *exec.Cmd) (*Log, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	begin, err := rootOf(dir)
	if err != nil {
		return nil, err
	}
	output, err := os.CreateTemp("", "powerloss-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(output.Name())
	defer output.Close()
	t := &tracer{
		dir: dir, live: begin.clone(), descriptors: map[int]*descriptor{}, calls: map[int]*call{},
		log: &Log{dir: dir, begin: begin},
	}
	if err := t.run(c, output); err != nil {
		return nil, err
	}
	if t.log.failed && c.Stderr != nil {
		text, _ := os.ReadFile(output.Name())
		_, _ = c.Stderr.Write(text)
	}
	return t.log, nil
}

// tracer follows the threads of a process.
type tracer struct {
	dir         string
	pid         int
	memory      *os.File
	live        *state // as the process sees it
	descriptors map[int]*descriptor
	calls       map[int]*call // of threads
	log         *Log
}

// descriptor is an open file or folder below dir.
type descriptor struct {
	file   inode
	path   string
	pos    int64
	append bool
}

// call is one that has not ended.
type call struct {
	number uint64
	args   [6]uint64
	begun  int
}

// info is struct ptrace_syscall_info.
type info struct {
	op     uint8
	_      [3]uint8
	_      uint32
	_      [2]uint64
	number uint64 // or the result
	args   [6]uint64
	_      [2]uint64
}

const (
	ptraceSyscallInfo = 0x420e
	exitKill          = 1 << 20
	entered, left     = 1, 2
)

// run runs the command until all of its threads have ended. A tracer is a thread.
func (t *tracer) run(c *exec.Cmd, output *os.File) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	run := *c
	run.Stdout, run.Stderr = null, output
	run.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := run.Start(); err != nil {
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
			err = fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
		}
		return err
	}
	t.pid = run.Process.Pid
	end := time.AfterFunc(patience, func() { _ = unix.Kill(-t.pid, unix.SIGKILL) })
	defer end.Stop()
	defer run.Process.Release()
	err = t.follow()
	if err != nil {
		_ = unix.Kill(-t.pid, unix.SIGKILL)
		for {
			if _, failed := unix.Wait4(-t.pid, nil, unix.WALL, nil); failed != nil && failed != unix.EINTR {
				break
			}
		}
	}
	return err
}

// follow lets the process run from call to call.
func (t *tracer) follow() error {
	var status unix.WaitStatus
	if _, err := unix.Wait4(t.pid, &status, unix.WALL, nil); err != nil {
		return err
	}
	if err := unix.PtraceSetOptions(t.pid, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACESYSGOOD|exitKill); err != nil {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	var err error
	if t.memory, err = os.Open(fmt.Sprintf("/proc/%d/mem", t.pid)); err != nil {
		return err
	}
	defer t.memory.Close()
	if err := unix.PtraceSyscall(t.pid, 0); err != nil {
		return err
	}
	for {
		thread, err := unix.Wait4(-t.pid, &status, unix.WALL, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return err
		case status.Exited() || status.Signaled():
			delete(t.calls, thread)
			if thread == t.pid {
				t.log.failed = !status.Exited() || status.ExitStatus() != 0
				return nil
			}
			continue
		}
		signal := 0
		switch s := status.StopSignal(); s {
		case unix.SIGTRAP | 0x80:
			if err := t.stopped(thread); err != nil {
				return err
			}
		case unix.SIGTRAP, unix.SIGSTOP: // a new thread
		default:
			signal = int(s)
		}
		if err := unix.PtraceSyscall(thread, signal); err != nil && err != unix.ESRCH {
			return err
		}
	}
}

// stopped is at the begin of a call or at its end.
func (t *tracer) stopped(thread int) error {
	var in info
	if _, _, err := unix.Syscall6(unix.SYS_PTRACE, ptraceSyscallInfo, uintptr(thread), unsafe.Sizeof(in), uintptr(unsafe.Pointer(&in)), 0, 0); err == unix.ESRCH {
		return nil
	} else if err != 0 {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	switch in.op {
	case entered:
		c := &call{in.number, in.args, len(t.log.ops)}
		t.calls[thread] = c
		if c.number == unix.SYS_CLOSE { // another thread may get the number before this call ends
			delete(t.descriptors, int(int32(c.args[0])))
		}
	case left:
		c := t.calls[thread]
		delete(t.calls, thread)
		if result := int64(in.number); c != nil && result >= 0 {
			return t.ended(c, result)
		}
	}
	return nil
}

// add is a change of the process, which it sees at once.
func (t *tracer) add(c *call, o op) {
	o.begun = c.begun
	t.live.see(o)
	t.log.ops = append(t.log.ops, o)
}

// ended is a call that has a result.
func (t *tracer) ended(c *call, result int64) error {
	f := t.descriptors[c.descriptor(0)]
	switch c.number {
	case unix.SYS_OPENAT:
		return t.opened(c, int(result))
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		return t.wrote(c, f, result)
	case unix.SYS_SENDFILE:
		return t.copied(c, f, f.position(), result)
	case unix.SYS_COPY_FILE_RANGE:
		f := t.descriptors[c.descriptor(2)]
		if c.args[3] != 0 {
			return t.unknown(f, "copy_file_range to an offset")
		}
		return t.copied(c, f, f.position(), result)
	case unix.SYS_LINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_SYMLINKAT:
		return t.named(c)
	}
	if f == nil {
		if c.number == unix.SYS_MMAP && c.args[2]&unix.PROT_WRITE != 0 && c.args[3]&unix.MAP_SHARED != 0 {
			return t.unknown(t.descriptors[c.descriptor(4)], "a mapping")
		}
		return nil
	}
	switch c.number {
	case unix.SYS_READ:
		f.pos += result
	case unix.SYS_LSEEK:
		f.pos = result
	case unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_FCNTL:
		if command := c.args[1]; c.number != unix.SYS_FCNTL || command == unix.F_DUPFD || command == unix.F_DUPFD_CLOEXEC {
			t.descriptors[int(result)] = f
		}
	case unix.SYS_FTRUNCATE:
		t.add(c, op{kind: resize, file: f.file, off: int64(c.args[1]), path: f.path})
	case unix.SYS_FALLOCATE:
		return t.allocated(c, f)
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		kind := syncFile
		if t.live.nodes[f.file].folder {
			kind = syncDir
		}
		t.add(c, op{kind: kind, file: f.file, path: f.path})
	case unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_PWRITEV2, unix.SYS_SPLICE:
		return t.unknown(f, "a write of several parts")
	}
	return nil
}

// unknown is the error of a change that is not followed, of a file below dir.
func (t *tracer) unknown(f *descriptor, what string) error {
	if f == nil {
		return nil
	}
	return fmt.Errorf("%w: %s of %s", errors.ErrUnsupported, what, f.path)
}

// descriptor returns an argument that is one.
func (c *call) descriptor(arg int) int { return int(int32(c.args[arg])) }

func (f *descriptor) position() int64 {
	if f == nil {
		return 0
	}
	return f.pos
}

// wrote is a write of n bytes.
func (t *tracer) wrote(c *call, f *descriptor, n int64) error {
	if f == nil && (c.number != unix.SYS_WRITE || c.descriptor(0) != 1) {
		return nil
	}
	data := make([]byte, n)
	if _, err := t.memory.ReadAt(data, int64(c.args[1])); err != nil {
		return err
	}
	if f == nil {
		t.add(c, op{kind: say, data: data})
		return nil
	}
	at := int64(c.args[3])
	if c.number == unix.SYS_WRITE {
		if f.append {
			size, err := t.size(c.descriptor(0))
			if err != nil {
				return err
			}
			f.pos = size - n
		}
		at = f.pos
		f.pos += n
	}
	if n > 0 {
		t.add(c, op{kind: write, file: f.file, off: at, data: data, path: f.path})
	}
	return nil
}

// size returns the size of an open file.
func (t *tracer) size(descriptor int) (int64, error) {
	st, err := os.Stat(t.open(descriptor))
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

// open returns a name of an open file.
func (t *tracer) open(descriptor int) string { return fmt.Sprintf("/proc/%d/fd/%d", t.pid, descriptor) }

// copied is a write of n bytes that the kernel had from another file.
func (t *tracer) copied(c *call, f *descriptor, at, n int64) error {
	if f == nil || n == 0 {
		return nil
	}
	to := c.descriptor(0)
	if c.number == unix.SYS_COPY_FILE_RANGE {
		to = c.descriptor(2)
	}
	file, err := os.Open(t.open(to))
	if err != nil {
		return err
	}
	defer file.Close()
	data := make([]byte, n)
	if _, err := file.ReadAt(data, at); err != nil {
		return err
	}
	f.pos = at + n
	t.add(c, op{kind: write, file: f.file, off: at, data: data, path: f.path})
	return nil
}

// allocated is a call of fallocate.
func (t *tracer) allocated(c *call, f *descriptor) error {
	off, n := int64(c.args[2]), int64(c.args[3])
	switch c.args[1] {
	case 0:
		t.add(c, op{kind: reserve, file: f.file, off: off + n, path: f.path})
	case unix.FALLOC_FL_KEEP_SIZE:
	case unix.FALLOC_FL_KEEP_SIZE | unix.FALLOC_FL_PUNCH_HOLE:
		t.add(c, op{kind: punch, file: f.file, off: off, n: n, path: f.path})
	default:
		return t.unknown(f, "fallocate")
	}
	return nil
}

// text returns the string at an address.
func (t *tracer) text(address uint64) (string, error) {
	var all []byte
	for {
		part := make([]byte, 256-address%256) // never past a page
		n, err := t.memory.ReadAt(part, int64(address))
		if i := bytes.IndexByte(part[:n], 0); i >= 0 {
			return string(append(all, part[:i]...)), nil
		}
		if err != nil {
			return "", err
		}
		all, address = append(all, part...), address+uint64(n)
	}
}

// path returns the whole name of a file, whose folder and name are arguments from one on.
func (t *tracer) path(c *call, arg int) (string, error) {
	name, err := t.text(c.args[arg+1])
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(name) {
		folder := fmt.Sprintf("/proc/%d/cwd", t.pid)
		if d := c.descriptor(arg); d != unix.AT_FDCWD {
			folder = t.open(d)
		}
		if folder, err = os.Readlink(folder); err != nil {
			return "", err
		}
		name = filepath.Join(folder, name)
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil && !strings.HasPrefix(name, "/proc/") {
		name = filepath.Join(folder, filepath.Base(name))
	}
	return filepath.Clean(name), nil
}

// below returns a path relative to dir, if it is there.
func (t *tracer) below(path string) (string, bool) {
	rel, err := filepath.Rel(t.dir, path)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// sameAs returns the open file that a name of the system stands for.
func (t *tracer) sameAs(path string) (*descriptor, bool) {
	var n int
	for _, form := range []string{"/proc/self/fd/%d", fmt.Sprintf("/proc/%d/fd/%%d", t.pid)} {
		if _, err := fmt.Sscanf(path, form, &n); err == nil {
			return t.descriptors[n], true
		}
	}
	return nil, false
}

// opened is a call that opened a file.
func (t *tracer) opened(c *call, number int) error {
	path, err := t.path(c, 0)
	if err != nil {
		return err
	}
	delete(t.descriptors, number)
	flags := int(c.args[2])
	if other, ok := t.sameAs(path); ok {
		if other != nil {
			t.descriptors[number] = &descriptor{file: other.file, path: other.path}
		}
		return nil
	}
	rel, ok := t.below(path)
	if !ok {
		return nil
	}
	f := &descriptor{path: rel, append: flags&unix.O_APPEND != 0}
	t.descriptors[number] = f
	if flags&unix.O_ACCMODE != unix.O_RDONLY && flags&(unix.O_SYNC|unix.O_DSYNC) != 0 {
		return t.unknown(f, "synchronous writes")
	}
	switch i, found := t.live.find(rel); {
	case flags&unix.O_TMPFILE == unix.O_TMPFILE:
		f.file, f.path = t.new(false), filepath.Join(rel, "anonymous")
	case found:
		f.file = i
		if flags&unix.O_TRUNC != 0 {
			t.add(c, op{kind: resize, file: i, path: rel})
		}
	case flags&unix.O_CREAT != 0:
		f.file = t.new(false)
		return t.link(c, f.file, rel)
	default:
		return fmt.Errorf("%w: %s is of another process", errors.ErrUnsupported, rel)
	}
	return nil
}

// new adds a file or a folder.
func (t *tracer) new(folder bool) inode {
	i := t.live.add(folder)
	t.log.begin.add(folder) // as one without a name
	return i
}

// link gives a file a name.
func (t *tracer) link(c *call, file inode, rel string) error {
	dir, ok := t.live.find(filepath.Dir(rel))
	if !ok {
		return fmt.Errorf("powerloss: no folder of %s", rel)
	}
	t.add(c, op{kind: link, file: file, dir: dir, name: filepath.Base(rel), path: rel})
	return nil
}

// named is a call that changed a name.
func (t *tracer) named(c *call) error {
	arg := 0
	if c.number == unix.SYS_SYMLINKAT {
		arg = 1
	}
	path, err := t.path(c, arg)
	if err != nil {
		return err
	}
	rel, inside := t.below(path)
	switch c.number {
	case unix.SYS_UNLINKAT:
		if inside {
			dir, _ := t.live.find(filepath.Dir(rel))
			file, _ := t.live.find(rel)
			t.add(c, op{kind: unlink, file: file, dir: dir, name: filepath.Base(rel), path: rel})
		}
		return nil
	case unix.SYS_MKDIRAT:
		if inside {
			return t.link(c, t.new(true), rel)
		}
		return nil
	case unix.SYS_SYMLINKAT:
		if inside {
			return t.unknown(&descriptor{path: rel}, "a symbolic link")
		}
		return nil
	}
	return t.moved(c, path, rel, inside)
}

// moved is a rename or a link of a file.
func (t *tracer) moved(c *call, path, rel string, inside bool) error {
	second, err := t.path(c, 2)
	if err != nil {
		return err
	}
	to, there := t.below(second)
	from, open := t.sameAs(path)
	switch {
	case c.number == unix.SYS_LINKAT && open && from != nil && there:
		return t.link(c, from.file, to)
	case !inside && !there:
		return nil
	case !inside || !there || c.number == unix.SYS_RENAMEAT2 && c.args[4]&unix.RENAME_EXCHANGE != 0:
		return fmt.Errorf("%w: %s becomes %s", errors.ErrUnsupported, path, second)
	}
	file, ok := t.live.find(rel)
	if !ok {
		return fmt.Errorf("powerloss: %s is not known", rel)
	}
	if c.number == unix.SYS_LINKAT {
		return t.link(c, file, to)
	}
	dir, _ := t.live.find(filepath.Dir(rel))
	target, ok := t.live.find(filepath.Dir(to))
	if !ok {
		return fmt.Errorf("powerloss: no folder of %s", to)
	}
	t.add(c, op{kind: rename, file: file, dir: dir, name: filepath.Base(rel), target: target, to: filepath.Base(to), path: rel + " to " + to})
	return nil
}
