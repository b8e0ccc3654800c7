package powerloss

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestMain(m *testing.M) {
	Main(map[string]func(string) error{"calls": calls, "threads": threads, "publish": publish, "anonymous": anonymous})
	os.Exit(m.Run())
}

// calls uses most calls that are followed, and syncs nothing.
func calls(dir string) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	f, err := os.Create(at("a"))
	if err != nil {
		return err
	}
	for _, do := range []func() error{
		func() error { _, err := f.WriteString("hello, world"); return err },
		func() error { _, err := f.WriteAt([]byte("H"), 0); return err },
		func() error { _, err := f.Seek(-5, io.SeekEnd); return err },
		func() error { _, err := f.WriteString("World!"); return err },
		func() error { return f.Truncate(10) },
		func() error { return os.MkdirAll(at("x/y"), 0o777) },
		func() error { return os.Rename(at("a"), at("x/b")) },
		func() error { return os.Link(at("x/b"), at("x/y/c")) },
		func() error { return os.Remove(at("old")) },
		func() error { return f.Close() },
		func() error { return copyFile(at("x/b"), at("copy")) },
		func() error { return appendTo(at("copy"), "...") },
		func() error { return os.WriteFile(at("gone"), []byte("1"), 0o666) },
		func() error { return os.RemoveAll(at("gone")) },
		func() error { return os.WriteFile(at("short"), []byte("12"), 0o666) },
		func() error { return os.WriteFile(at("short"), []byte("3"), 0o666) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	fmt.Println("done")
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// filesBelow returns the files of a folder and their contents.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			text, failed := os.ReadFile(path)
			rel, _ := filepath.Rel(dir, path)
			all[rel], err = string(text), failed
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// disksOf returns the different disks of a log, the process's last words included.
func disksOf(t *testing.T, l *Log, d Draws) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	_, err := l.Cut(d, func(said string, ended bool) error {
		found[fmt.Sprint(filesBelow(t, l.dir), said, ended)] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRecord: with all changes the disk has the files at the end of the process, and without them those at its begin.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("was"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := filesBelow(t, dir)
	l := RecordJob(t, dir, "calls")
	after := filesBelow(t, dir)
	want := map[string]string{"x/b": "Hello, Wor", "x/y/c": "Hello, Wor", "copy": "Hello, Wor...", "short": "3"}
	if !maps.Equal(after, want) {
		t.Fatalf("the process left %q", after)
	}
	found := disksOf(t, l, Draws{})
	for _, want := range []string{fmt.Sprint(after, "done\n", true), fmt.Sprint(before, "done\n", true), fmt.Sprint(before, "", false)} {
		if !found[want] {
			t.Errorf("no disk is %s", want)
		}
	}
	if len(l.Syncs()) > 0 {
		t.Errorf("syncs of %q", l.Syncs())
	}
}

// threads writes files side by side.
func threads(dir string) error {
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() {
			path := filepath.Join(dir, fmt.Sprint(i))
			for n := range 20 {
				errs[i] = errors.Join(errs[i], os.WriteFile(path+".new", []byte(strings.Repeat(fmt.Sprint(i), n)), 0o666), os.Rename(path+".new", path))
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func TestRecordThreads(t *testing.T) {
	dir := t.TempDir()
	l := RecordJob(t, dir, "threads")
	after := filesBelow(t, dir)
	if len(after) != 8 || len(after["7"]) != 19 {
		t.Fatalf("the process left %q", after)
	}
	if !disksOf(t, l, Draws{Each: 2, Moments: 1})[fmt.Sprint(after, "", true)] {
		t.Error("no disk has all files")
	}
}

// publish puts a new file in the place of the old one, as it should be done.
func publish(dir string) error {
	path := filepath.Join(dir, "file")
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Repeat("new!", 3000))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = errors.Join(d.Sync(), d.Close())
	fmt.Println("published")
	return err
}

// TestCut: each sync of a publication is needed, and with all of them the file is the new one or the old one.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	l := RecordJob(t, dir, "publish")
	found := map[string]bool{}
	look := func(said string, ended bool) error {
		text, err := os.ReadFile(filepath.Join(dir, "file"))
		whole := string(text) == strings.Repeat("new!", 3000)
		switch {
		case err != nil:
			return err
		case said != "" && !whole:
			return errors.New("not durable")
		case !whole && string(text) != "old":
			return fmt.Errorf("%d bytes that are no file", len(text))
		}
		found[fmt.Sprint(whole, ended)] = true
		return nil
	}
	n, err := l.Cut(Draws{}, look)
	if err != nil || n.Moments != len(l.ops)+1 || n.Disks != n.Moments*len(fates) || n.Looks < 5 {
		t.Errorf("%v: %v", n, err)
	}
	for _, want := range []string{"false false", "true false", "true true"} {
		if !found[want] {
			t.Errorf("no disk with a new file and an end of %s: %v", want, found)
		}
	}
	syncs := l.Syncs()
	if len(syncs) != 2 || syncs[0].Path != "file.new" || syncs[1].Path != "." {
		t.Fatalf("syncs of %v", syncs)
	}
	for i, want := range []string{"bytes that are no file", "not durable"} {
		if _, err := l.Without(syncs[i]).Cut(Draws{}, look); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without the sync of %s: %v", syncs[i].Path, err)
		}
	}
	CheckSyncs(t, l, "", Draws{}, look)
}

// anonymous writes a file without a name, and one that loses it.
func anonymous(dir string) error {
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		return err
	}
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	_, err = f.WriteString("text")
	return errors.Join(err, f.Sync(), f.Close())
}

// TestAnonymous: what has no name is gone, durable or not.
func TestAnonymous(t *testing.T) {
	l := RecordJob(t, t.TempDir(), "anonymous")
	for disk := range disksOf(t, l, Draws{}) {
		if strings.Contains(disk, "text") {
			t.Error(disk)
		}
	}
}

// TestTear: any sectors of a write are on the disk, at their places in the file.
func TestTear(t *testing.T) {
	s := newState()
	f := s.add(false)
	s.nodes[root].names["f"] = f
	data := make([]byte, 3000)
	for i := range data {
		data[i] = byte(1 + i%250)
	}
	s.do(op{kind: write, file: f, off: 100, data: data}, 0)
	l := &Log{dir: t.TempDir(), begin: s}
	partly := 0
	_, err := l.Cut(Draws{Each: 40 * len(fates)}, func(string, bool) error {
		got := []byte(filesBelow(t, l.dir)["f"])
		kept := 0
		for at := 100; at < min(len(got), 3100); {
			end := min((at/512+1)*512, 3100)
			part := got[at:min(end, len(got))]
			if slices.Equal(part, data[at-100:end-100]) {
				kept++
			} else if slices.ContainsFunc(part, func(b byte) bool { return b != 0 }) {
				t.Fatalf("half a sector at %d", at)
			}
			at = end
		}
		if kept > 0 && kept < 7 {
			partly++
		}
		return nil
	})
	if err != nil || partly < 10 {
		t.Errorf("%d disks have a part: %v", partly, err)
	}
}
