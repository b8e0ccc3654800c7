package spill

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// descriptors returns the number of open files.
func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// TestFile expects that a file without a name is written, read, reserved and punched as the disk does it, and that
// nothing of it is left.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	before := descriptors(t)
	f, err := System{}.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(contents(t, dir)) != 0 {
		t.Errorf("names %v", contents(t, dir))
	}
	var st unix.Stat_t
	blocks := func() int64 {
		if err := unix.Fstat(int(f.(*file).cached.Fd()), &st); err != nil {
			t.Fatal(err)
		}
		return st.Blocks * 512
	}
	if err := f.Reserve(0, 64*Align); err != nil || blocks() < 64*Align || st.Size != 64*Align {
		t.Errorf("%d bytes reserved, of %d: %v", blocks(), st.Size, err)
	}
	p, q := Aligned(make([]byte, 9*Align))[:8*Align], Aligned(make([]byte, 9*Align))[:8*Align]
	for i := range p {
		p[i] = byte(i%251) + 1
	}
	for _, skip := range []int{0, 1} { // the second is not aligned
		if n, err := f.WriteAt(p[skip:], int64(skip)+Align); err != nil || n != len(p)-skip {
			t.Errorf("%d bytes written: %v", n, err)
		}
		clear(q)
		if n, err := f.ReadAt(q[skip:], int64(skip)+Align); err != nil || n != len(p)-skip || !bytes.Equal(p[skip:], q[skip:]) {
			t.Errorf("%d bytes read: %v", n, err)
		}
	}
	if err := f.Reserve(0, 1<<62); err == nil {
		t.Error("more is reserved than any disk has")
	}
	if err := f.Punch(0, 0); !errors.Is(err, unix.EINVAL) {
		t.Errorf("a hole of nothing: %v", err)
	}
	held := blocks()
	if err := f.Punch(Align, 4*Align); err != nil || blocks() > held-4*Align {
		t.Errorf("%d bytes are left of %d: %v", blocks(), held, err)
	}
	if _, err := f.ReadAt(q, Align); err != nil || !bytes.Equal(q[:4*Align], make([]byte, 4*Align)) || !bytes.Equal(q[4*Align:], p[4*Align:]) {
		t.Errorf("after a hole: %v", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil || descriptors(t) != before {
		t.Errorf("%d files are open, %d before: %v", descriptors(t), before, err)
	}
	for op, err := range map[string]error{"sync": f.Sync(), "close": f.Close(), "reserve": f.Reserve(0, Align), "punch": f.Punch(0, Align)} {
		if err == nil {
			t.Errorf("%s of a closed file has no error", op)
		}
	}
	if _, err := f.WriteAt(p, 0); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if _, err := f.ReadAt(p, 0); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	for _, name := range []string{"none", "file"} {
		if name == "file" {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if f, err := (System{}).Create(filepath.Join(dir, name)); err == nil || f != nil || name == "none" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("in %s: %v", name, err)
		}
	}
	if descriptors(t) != before {
		t.Errorf("%d files are open, %d before", descriptors(t), before)
	}
	removed, err := createRemoved(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := removed.Close(); err != nil || len(contents(t, dir)) != 1 {
		t.Errorf("%v: %v", contents(t, dir), err)
	}
	if _, err := createRemoved(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestSupported drops only the errors of operations that a file system does not have.
func TestSupported(t *testing.T) {
	for err, want := range map[error]error{nil: nil, unix.EOPNOTSUPP: nil, unix.ENOSYS: nil, unix.ENOSPC: unix.ENOSPC, unix.EINVAL: unix.EINVAL} {
		if got := supported(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	calls := 0
	if err := control(f, func(fd int) error {
		if calls++; calls < 3 {
			return unix.EINTR
		}
		return unix.EIO
	}); !errors.Is(err, unix.EIO) || calls != 3 {
		t.Errorf("%d calls: %v", calls, err)
	}
	if (System{}).Room(dir) <= 0 || (System{}).Room(filepath.Join(dir, "none")) != 0 || InMemory(filepath.Join(dir, "none")) {
		t.Error("room")
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	if free, got := int64(st.Bavail)*int64(st.Bsize), (System{}).Room(dir); got < free/2 || got > 2*free+1<<30 { // others use it
		t.Errorf("%d bytes are free, want about %d", got, free)
	}
	if unix.Statfs("/dev/shm", &st) == nil && uint32(st.Type) == unix.TMPFS_MAGIC && !InMemory("/dev/shm") {
		t.Error("/dev/shm is in memory")
	}
	if InMemory("/proc") {
		t.Error("/proc is a file system of another kind")
	}
	t.Setenv("TMPDIR", "/dev/shm")
	if got := DefaultDir(); InMemory(got) && !InMemory("/tmp") {
		t.Error(got)
	}
	t.Setenv("TMPDIR", f.Name())
	if got := DefaultDir(); got == f.Name() {
		t.Error("a file is the directory")
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	if got := DefaultDir(); got == filepath.Join(dir, "none") {
		t.Error("a directory that is not there")
	}
	t.Setenv("TMPDIR", dir)
	if got := DefaultDir(); got != dir && !InMemory(dir) {
		t.Error(got)
	}
}

// TestFetchCounts expects that each block that is read ahead counts once, and that a fetched range is read in one
// batch unless it is compressed.
func TestFetchCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	s := NewStore(System{}, []string{t.TempDir()}, 0, Packing{}, "")
	defer s.Close()
	text := packable(300_000, 0, r)
	run, err := writeRun(s, text, 5000, 1, Aligned(make([]byte, 3*Align)), r)
	if err != nil {
		t.Fatal(err)
	}
	if !run.ReadsAhead() {
		if run.volume.file.(*file).direct != run.volume.file.(*file).cached && hasContexts() {
			t.Error("a file past the page cache is not read ahead")
		}
		t.Skip("the system reads nothing ahead")
	}
	if memory := (&Run{volume: &volume{file: newMemory()}}); memory.ReadsAhead() {
		t.Error("a file that is not of the system is read ahead")
	}
	d := NewReader(make([]byte, 5000+4*Align), Packing{})
	defer d.Close()
	d.ReadAhead(make([]byte, 2*(100_000+2*Align)+Align)[1:])
	read := func(from, to int, ends ...int) {
		t.Helper()
		err := d.Read(run, from, to, func(from, to int, got []byte) error {
			if len(ends) == 0 || to != ends[0] || !bytes.Equal(got, text[5000*from:5000*to]) {
				t.Errorf("blocks %d to %d, want an end of %d", from, to, ends)
			}
			ends = ends[min(1, len(ends)):]
			return nil
		})
		if err != nil || len(ends) > 0 {
			t.Error(ends, err)
		}
	}
	d.Fetch([]Range{{run, 3, 13}, {run, 20, 22}, {run, 30, 30}})
	if s.Read() != 0 {
		t.Errorf("%d bytes before the reads have ended", s.Read())
	}
	read(5, 9, 9)
	if s.Read() != 12*5000 {
		t.Errorf("%d bytes read", s.Read())
	}
	read(3, 5, 5)
	read(21, 22, 22)
	read(11, 13, 13)
	if s.Read() != 12*5000 {
		t.Errorf("%d bytes read of those fetched", s.Read())
	}
	read(12, 15, 13, 15)
	if s.Read() != 14*5000 {
		t.Errorf("%d bytes read", s.Read())
	}
	// The half of the first call is used again once its reads have ended.
	before := s.Read()
	d.Fetch([]Range{{run, 0, 2}})
	d.Fetch([]Range{{run, 10, 12}})
	d.Fetch([]Range{{run, 40, 41}})
	read(40, 41, 41)
	read(10, 12, 12)
	if s.Read()-before != 5*5000 {
		t.Errorf("%d bytes read", s.Read()-before)
	}
	// Through the page cache nothing is read ahead.
	cached := *run.volume.file.(*file)
	cached.direct = cached.cached
	slow := *run
	slow.volume = &volume{file: &cached}
	requests := []request{{file: &cached, p: make([]byte, Align)}}
	if d.ahead.halves[0].batch.begin(requests); slow.ReadsAhead() || d.ahead.halves[0].batch.reading != 0 {
		t.Error("a file in the page cache is read ahead")
	}
	if g := (Range{run, 3, 3}); g.Space() != 0 {
		t.Error(g.Space())
	}
	for range 100 {
		from := r.IntN(60)
		g := Range{run, from, from + 1 + r.IntN(60-from)}
		lo, hi := (run.off+int64(5000*g.From))/Align, (run.off+int64(5000*g.To)-1)/Align
		if g.Space() != (hi-lo+1)*Align {
			t.Errorf("blocks %d to %d take %d", g.From, g.To, g.Space())
		}
	}
}

// TestFetchPacked reads compressed blocks ahead, more than the memory for decompressed ones holds.
func TestFetchPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	p := Packing{AlwaysS2, false, 1, 2 * Align, 2 * Align, 0}
	s := NewStore(System{}, []string{t.TempDir()}, 0, p, "")
	defer s.Close()
	for _, block := range []int{0, 1000} {
		w := written{text: packable(60_000, 0.9, r)}
		out, err := s.NewWriter(60_000, block, 1, Aligned(make([]byte, 3*Align)))
		for end := 0; end < 60_000 && err == nil; {
			begin := end
			end = min(end+1000, 60_000)
			if w.ends = append(w.ends, end); block > 0 {
				err = out.Append(w.text[begin:end])
			} else {
				err = out.AppendBlock(w.text[begin:end])
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if w.Run, err = out.Close(); err != nil || w.methods == nil {
			t.Fatal(err)
		}
		d := NewReader(make([]byte, ReaderBytes(1000)), p)
		d.ReadAhead(make([]byte, 300_000))
		d.Fetch([]Range{{w.Run, 3, 57}})
		before := s.Read()
		err = d.Read(w.Run, 3, 57, func(from, to int, got []byte) error {
			if to-from > 8 || !bytes.Equal(got, w.text[1000*from:1000*to]) {
				t.Errorf("blocks %d to %d", from, to)
			}
			return nil
		})
		if want := w.place(57) - w.place(3); err != nil || s.Read()-before != want {
			t.Errorf("%d bytes read, want %d: %v", s.Read()-before, want, err)
		}
		d.Close()
	}
}

// TestContexts expects that contexts of the kernel are used again, and that no more are kept than mostContexts.
func TestContexts(t *testing.T) {
	var own uintptr
	if _, _, failed := unix.Syscall(unix.SYS_IO_SETUP, 1, uintptr(unsafe.Pointer(&own)), 0); failed != 0 {
		t.Skip("the kernel has no contexts")
	}
	if _, _, failed := unix.Syscall(unix.SYS_IO_DESTROY, own, 0, 0); failed != 0 || !hasContexts() {
		t.Errorf("contexts are not seen: %v", failed)
	}
	all := make([]batch, mostContexts+2)
	seen := map[uintptr]bool{}
	for i := range all {
		if !all[i].open() || seen[all[i].context] {
			t.Fatalf("context %d", i)
		}
		if seen[all[i].context] = true; !all[i].open() || len(seen) != i+1 {
			t.Fatal("opened twice")
		}
	}
	for i := range all {
		all[i].close()
		if want := min(i+1, mostContexts); len(contexts.idle) != want || all[i].context != 0 {
			t.Errorf("%d are kept, want %d", len(contexts.idle), want)
		}
	}
	if all[0].close(); len(contexts.idle) != mostContexts {
		t.Error("closed twice")
	}
	if b := new(batch); !b.open() || !seen[b.context] || len(contexts.idle) != mostContexts-1 {
		t.Error("none is used again")
	} else {
		b.close()
	}
	if b := (batch{refused: true}); b.open() || b.context != 0 {
		t.Error("the kernel is asked again")
	}
}
