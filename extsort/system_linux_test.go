package extsort_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/cgroup"
	"example.com/sorter/internal/spill"
	"example.com/sorter/internal/testkit"
)

// memoryDir returns a file system in memory of its own, of a number of bytes.
func memoryDir(t *testing.T, bytes int64) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("mount of a file system in memory: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, 0)) })
	return dir
}

// freeBytes returns the free bytes of a file system.
func freeBytes(t *testing.T, dir string) int64 {
	t.Helper()
	var st unix.Statfs_t
	must(t, unix.Statfs(dir, &st))
	return int64(st.Bfree) * int64(st.Bsize)
}

func TestFullDisk(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 200_000, rand.New(rand.NewPCG(61, 62)))) // 4.8 MB
	small, other := memoryDir(t, 2<<20), diskDir(t)
	free := freeBytes(t, small)
	var st extsort.Stats
	s, err := extsort.New(byKey(), extsort.MemoryLimit(2<<20), extsort.TempDir(small), extsort.Report(&st))
	must(t, err)
	for s.Len() < int64(len(rows)) {
		n := s.Len()
		err := s.Append(rows[n:min(n+999, int64(len(rows)))]...)
		if err == nil {
			continue
		}
		var failed *extsort.DiskError
		if !errors.Is(err, unix.ENOSPC) || !errors.As(err, &failed) || failed.Path != small {
			t.Fatalf("full disk: %v", err)
		}
		n = s.Len()
		if again := s.Retry(); !errors.Is(again, unix.ENOSPC) || s.Len() != n {
			t.Fatalf("Retry without room: %v, %d elements of %d", again, s.Len(), n)
		}
		if missing := s.AddDir(filepath.Join(other, "missing")); !errors.Is(missing, fs.ErrNotExist) || s.Len() != n {
			t.Fatalf("a directory that is missing: %v", missing)
		}
		must(t, s.AddDir(other))
	}
	got, err := drain(s)
	must(t, err)
	sameElements(t, got, sorted(rows))
	must(t, s.Close())
	if after := freeBytes(t, small); after != free {
		t.Errorf("%d bytes were free, %d are", free, after)
	}
	if len(st.InMemory) != 1 || st.InMemory[0] != small {
		t.Errorf("directories in memory: %q", st.InMemory)
	}
}

// spilling appends rows to a sort in little memory until it fails, and returns its error.
func spilling(s *extsort.Sorter[row], rows []row) error {
	for len(rows) > 0 {
		n := min(999, len(rows))
		if err := s.Append(rows[:n]...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// refused expects that create failed in dir for a reason, and that the sort has all that it accepted.
func refused(t *testing.T, s *extsort.Sorter[row], err error, dir string, reason error) {
	t.Helper()
	checkDiskError(t, err, "create", dir)
	if !errors.Is(err, reason) {
		t.Fatalf("%v, want %v", err, reason)
	}
	n := s.Len()
	if again := s.Retry(); !errors.Is(again, reason) || s.Len() != n {
		t.Fatalf("Retry: %v, %d elements of %d", again, s.Len(), n)
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 100_000, rand.New(rand.NewPCG(77, 78))))
	dir, other := memoryDir(t, 8<<20), t.TempDir()
	s, err := extsort.New(byKey(), extsort.MemoryLimit(1<<20), extsort.TempDir(dir))
	must(t, err)
	defer s.Close()
	must(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	refused(t, s, spilling(s, rows), dir, unix.EROFS)
	must(t, s.AddDir(other))
	must(t, spilling(s, rows[s.Len():]))
	sameElements(t, collect(t, s), sorted(rows))
}

// TestNoDescriptors has a process that may open no further file.
func TestNoDescriptors(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 100_000, rand.New(rand.NewPCG(79, 80))))
	dir := t.TempDir()
	s, err := extsort.New(byKey(), extsort.MemoryLimit(1<<20), extsort.TempDir(dir))
	must(t, err)
	defer s.Close()
	var most unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &most))
	mend := func() { must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &most)) }
	defer mend()
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: most.Max}))
	refused(t, s, spilling(s, rows), dir, unix.EMFILE)
	mend()
	must(t, s.Retry())
	must(t, spilling(s, rows[s.Len():]))
	sameElements(t, collect(t, s), sorted(rows))
}

// TestInterruptedReserve reserves space while signals arrive. On a file system in memory, up
// to Linux 6.6, a signal undoes the allocation of the call, which takes longer than the time
// between two.
func TestInterruptedReserve(t *testing.T) {
	f, err := spill.System{}.Create(memoryDir(t, 256<<20))
	must(t, err)
	defer f.Close()
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			tasks, _ := os.ReadDir("/proc/self/task")
			for _, task := range tasks {
				if id, err := strconv.Atoi(task.Name()); err == nil {
					_ = unix.Tgkill(os.Getpid(), id, unix.SIGURG) // ignored, as are the runtime's own
				}
			}
		}
	})
	time.Sleep(time.Millisecond)
	must(t, f.Reserve(0, 200<<20))
	close(stop)
	all.Wait()
}

// role is the variable with the role of a child process of the test.
const role = "EXTSORT_TEST_CHILD"

// group is the variable with the directory of a control group that a child process enters.
const group = "EXTSORT_TEST_GROUP"

// memoryGroup returns the directory of a new control group of a number of bytes, or "" where the
// process may not make one.
func memoryGroup(t *testing.T, bytes int64) string {
	t.Helper()
	dir, err := cgroup.Make(bytes)
	if err != nil {
		t.Logf("no control group, the resident memory alone is checked: %v", err)
		return ""
	}
	t.Cleanup(func() {
		if !testkit.Eventually(func() bool { return os.Remove(dir) == nil }) {
			t.Errorf("control group %s remains", dir)
		}
	})
	return dir
}

// child returns a command that runs TestChild in a process of its own, with its temporary files on the disk:
// a file in memory counts as memory of its control group.
func child(what string, args ...any) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
	cmd.Env = append(os.Environ(), "TMPDIR="+onDisk, role+"="+what+" "+strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
	return cmd
}

// TestChild is what child processes do.
func TestChild(t *testing.T) {
	what, args, _ := strings.Cut(os.Getenv(role), " ")
	if dir := os.Getenv(group); dir != "" {
		must(t, cgroup.Enter(dir))
	}
	switch what {
	case "":
		t.Skip("for child processes of other tests")
	case "forever":
		fmt.Println("begun")
		for {
			eightSorters(t, args)
		}
	case "keep":
		keepForever(t, args)
	case "eight":
		eightSorters(t, args)
	case "memory":
		fmt.Println("grown", growth(t, args, 3))
	case "parts":
		fmt.Println("grown", growth(t, args, 6))
	case "strings":
		fmt.Println("grown", growthOfStrings(t, args))
	}
}

// eightSorters sorts eight inputs in one directory at a time.
func eightSorters(t *testing.T, dir string) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			rows := rowsOf(keysOf("uniform", 10_000, rand.New(rand.NewPCG(uint64(i), 65))))
			s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.TempDir(dir))
			if err == nil {
				err = s.Append(rows...)
			}
			var got []row
			if err == nil {
				got, err = drain(s)
			}
			if err = errors.Join(err, s.Close()); err != nil {
				t.Error(err)
				return
			}
			want := sorted(rows)
			for j := range want {
				if got[j] != want[j] {
					t.Errorf("element %d is %v, want %v", j, got[j], want[j])
					return
				}
			}
		})
	}
	all.Wait()
}

func TestProcessesShareADirectory(t *testing.T) {
	dir := t.TempDir()
	other := child("eight", dir)
	var out bytes.Buffer
	other.Stdout, other.Stderr = &out, &out
	must(t, other.Start())
	eightSorters(t, dir)
	if err := other.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out.Bytes())
	}
	checkDirEmpty(t, dir)
}

func TestKilledProcessLeavesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 68))
	for name, dir := range map[string]func(*testing.T) string{
		"disk":   diskDir,
		"memory": func(t *testing.T) string { return memoryDir(t, 64<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := dir(t)
			free := freeBytes(t, dir)
			for range testkit.Pick(3, 50) {
				cmd := child("forever", dir)
				out, err := cmd.StdoutPipe()
				must(t, err)
				must(t, cmd.Start())
				for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "begun"; {
				}
				time.Sleep(time.Duration(r.IntN(60_000)) * time.Microsecond)
				must(t, cmd.Process.Kill())
				_ = cmd.Wait() // killed
				checkDirEmpty(t, dir)
			}
			if name == "memory" && !testkit.Eventually(func() bool { return freeBytes(t, dir) == free }) {
				t.Errorf("%d bytes were free, %d are", free, freeBytes(t, dir))
			}
		})
	}
}

// memoryOptions returns a limit, a compression, and the options with them and a number of workers.
func memoryOptions(t *testing.T, args string, st *extsort.Stats) (limit int64, how extsort.Compression, opts []extsort.Option) {
	var workers int
	_, err := fmt.Sscan(args, &limit, &workers, &how)
	must(t, err)
	return limit, how, []extsort.Option{extsort.MemoryLimit(limit), extsort.TempDir(os.TempDir()), extsort.Workers(workers), extsort.Compress(how), extsort.Report(st)}
}

// growth returns by how many bytes the most resident memory of the process grows in a sort of
// some times the limit.
func growth(t *testing.T, args string, times int64) int64 {
	var st extsort.Stats
	limit, how, opts := memoryOptions(t, args, &st)
	before := residentPeak(t)
	s, err := extsort.New(byKey(), opts...)
	must(t, err)
	r := rand.New(rand.NewPCG(69, 70))
	n := int(times * limit / 24)
	for i := range n {
		must(t, s.Append(row{Key: r.Uint64(), At: uint64(i)}))
	}
	count := 0
	for _, err := range s.All() {
		must(t, err)
		count++
	}
	must(t, s.Close())
	if count != n || st.Memory > limit || st.Runs < 6 || how == extsort.S2 && st.S2Blocks == 0 || how == extsort.Zstd && st.ZstdBlocks == 0 {
		t.Errorf("%d elements of %d: %+v", count, n, st)
	}
	return residentPeak(t) - before
}

// growthOfStrings is growth in a sort of strings, of which batches are read.
func growthOfStrings(t *testing.T, args string) int64 {
	var st extsort.Stats
	limit, _, opts := memoryOptions(t, args, &st)
	o := sorter.By(sorter.Asc(func(s string) string { return s }))
	before := residentPeak(t)
	s, err := extsort.NewCoded(o, extsort.Strings(), opts...)
	must(t, err)
	r := rand.New(rand.NewPCG(71, 72))
	line := make([]byte, 0, 100)
	n := 0
	for bytes := int64(0); bytes < 3*limit; n++ {
		line = strconv.AppendUint(line[:0], r.Uint64(), 10)
		line = append(line, padding[:r.IntN(len(padding))]...)
		must(t, s.Append(unsafe.String(&line[0], len(line)))) // it is copied
		bytes += int64(len(line))
	}
	count := 0
	for batch, err := range s.Batches() {
		must(t, err)
		count += len(batch)
	}
	must(t, s.Close())
	if count != n || st.Memory > limit || st.Runs < 3 {
		t.Errorf("%d elements of %d: %+v", count, n, st)
	}
	return residentPeak(t) - before
}

var padding = strings.Repeat("x", 80)

func residentPeak(t *testing.T) int64 {
	text, err := os.ReadFile("/proc/self/status")
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kib int64
	_, err = fmt.Sscan(rest, &kib)
	must(t, err)
	return kib << 10
}

// allowance returns the bytes that a sort may take beyond a limit: stacks, the collector's own memory, which
// grows with the heap, and what its package has allocated that was not yet collected.
func allowance(limit int64) int64 { return 8<<20 + limit/32 }

func TestMemoryStaysUnderTheLimit(t *testing.T) {
	testkit.SkipInstrumented(t)
	testkit.SkipUnlessLong(t)
	limits := testkit.Pick(nil, []int64{16, 64})
	for _, limit := range limits {
		for _, workers := range testkit.Pick(nil, []int{2, 64}) {
			for i, what := range []string{"memory", "strings", "memory", "strings"} {
				if limit > 16 && ((i%2 == 0) == (workers > 2) || i == 0) {
					continue // each element and each compression once, and each number of workers with both
				}
				how := extsort.Adaptive
				if i >= 2 { // and S2 for one number of workers, Zstandard for the other
					how = extsort.S2 + extsort.Compression(min(workers/16, 1))
				}
				t.Run(fmt.Sprintf("%s/%dMiB/workers=%d/%d", what, limit, workers, how), func(t *testing.T) {
					growsBy(t, limit<<20+allowance(limit<<20), what, limit, workers, how)
				})
			}
		}
	}
}

// growsBy expects that a child process that sorts with a limit of MiB grows by at most some bytes.
func growsBy(t *testing.T, most int64, what string, limit int64, workers int, how extsort.Compression) {
	t.Helper()
	cmd := child(what, limit<<20, workers, how)
	if dir := memoryGroup(t, (limit+64)<<20); dir != "" {
		cmd.Env = append(cmd.Env, group+"="+dir)
	}
	out, err := cmd.CombinedOutput()
	_, rest, found := strings.Cut(string(out), "grown ")
	var grown int64
	if _, failed := fmt.Sscan(rest, &grown); err != nil || !found || failed != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%.1f MiB of %d", float64(grown)/(1<<20), limit)
	if grown > most {
		t.Errorf("grown by %.1f MiB", float64(grown)/(1<<20))
	}
}

// TestPartsLeaveNoGarbage sorts hundreds of parts, whose lengths differ: their scratch memory must not
// wait for the garbage collector. A merge takes less memory than the sorts of runs.
func TestPartsLeaveNoGarbage(t *testing.T) {
	testkit.SkipInstrumented(t)
	testkit.SkipUnlessLong(t)
	growsBy(t, 96<<20*7/8, "parts", 96, 2, extsort.None)
}

// TestWorkingDirectoryMoves has the process change its directory before the first run.
func TestWorkingDirectoryMoves(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "runs"), 0o700))
	t.Chdir(dir)
	rows := rowsOf(keysOf("uniform", 20_000, rand.New(rand.NewPCG(71, 72))))
	s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.TempDir("runs"))
	must(t, err)
	defer s.Close()
	must(t, os.Chdir("/"))
	must(t, s.Append(rows[:9000]...))
	must(t, os.Remove(filepath.Join(dir, "runs"))) // its file has no name
	must(t, s.Append(rows[9000:]...))
	sameElements(t, collect(t, s), sorted(rows))
}

// keptRows are the rows of a sort that a child process keeps.
func keptRows() []row { return rowsOf(keysOf("few", 60_000, rand.New(rand.NewPCG(73, 74)))) }

// keepForever sorts the same rows, in runs that are kept, again and again. It resumes the sort that
// a process before it was killed in. It reports the elements that are durable.
func keepForever(t *testing.T, dir string) {
	rows := keptRows()
	limit := extsort.MemoryLimit(512 << 10)
	for {
		s, err := extsort.Resume(dir, byKey(), limit)
		if errors.Is(err, fs.ErrNotExist) {
			s, err = extsort.New(byKey(), limit, extsort.Keep(dir))
		}
		must(t, err)
		for s.Len() < int64(len(rows)) {
			n := s.Len()
			must(t, s.Append(rows[n:min(n+1000, int64(len(rows)))]...))
			if n%7000 == 0 {
				must(t, s.Sync())
			}
			if d := s.Durable(); len(d) > 0 {
				fmt.Println("durable", d[0])
			}
		}
		sameElements(t, collect(t, s), sorted(rows))
		fmt.Println("durable 0")
		must(t, s.Close())
	}
}

// TestKilledProcessIsResumed kills a process at random moments. What was durable then is there, and
// the sort can be completed.
func TestKilledProcessIsResumed(t *testing.T) {
	r := rand.New(rand.NewPCG(75, 76))
	dir := t.TempDir()
	rows := keptRows()
	limit := extsort.MemoryLimit(512 << 10)
	for range testkit.Pick(5, 50) {
		cmd := child("keep", dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		durable, lines := int64(0), bufio.NewScanner(out)
		kill := time.AfterFunc(time.Duration(20_000+r.IntN(150_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		for lines.Scan() {
			_, _ = fmt.Sscanf(lines.Text(), "durable %d", &durable)
			if strings.Contains(lines.Text(), "FAIL") {
				t.Error(lines.Text())
			}
			if durable > 0 && r.IntN(200) == 0 {
				if _, err := extsort.Resume(dir, byKey(), limit); err == nil {
					t.Error("resumed while another process lives")
				}
			}
		}
		kill.Stop()
		_ = cmd.Wait() // killed
		s, err := extsort.Resume(dir, byKey(), limit)
		if errors.Is(err, fs.ErrNotExist) && durable == 0 {
			continue // killed before the first manifest, or in Close
		}
		must(t, err)
		if s.Len() < durable {
			t.Errorf("%d elements, %d were durable", s.Len(), durable)
		}
		if r.IntN(2) == 0 { // the next process goes on
			must(t, s.Close())
			continue
		}
		must(t, s.Append(rows[s.Len():]...))
		sameElements(t, collect(t, s), sorted(rows))
		must(t, s.Close())
		checkDirEmpty(t, dir)
	}
}
