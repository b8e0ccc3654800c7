package durable_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/sorter/internal/durable"
	"example.com/sorter/internal/powerloss"
)

func TestMain(m *testing.M) {
	powerloss.Main(map[string]func(string) error{"publish": publish})
	os.Exit(m.Run())
}

// contents is that of the file before, and after each step.
var contents = [...]string{"old", strings.Repeat("by Publish ", 2000), strings.Repeat("by Replace ", 1000), strings.Repeat("by Rename ", 1000)}

func pathIn(dir string) string { return filepath.Join(dir, "a", "b", "file") }

// publish writes one file several times, in a folder that it makes.
func publish(dir string) error {
	path := pathIn(dir)
	if err := durable.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	fmt.Print("folder ")
	for i, step := range []func() error{
		func() error { return durable.Replace(path, path+".new", []byte(contents[0]), 0o600) },
		func() error {
			f, err := durable.Create(path, durable.TemporaryFor(path), 0o600)
			if err != nil {
				return err
			}
			_, err = f.WriteString(contents[1])
			return errors.Join(err, f.Publish(), f.Discard())
		},
		func() error { return durable.Replace(path, path+".new", []byte(contents[2]), 0o600) },
		func() error {
			if err := durable.Replace(path+".other", path+".new", []byte(contents[3]), 0o600); err != nil {
				return err
			}
			return durable.Rename(path+".other", path)
		},
	} {
		if err := step(); err != nil {
			return err
		}
		fmt.Print(i, " ")
	}
	return nil
}

// look expects one of the contents, and none before the last one that was reported.
func look(dir string) func(string, bool) error {
	return func(said string, _ bool) error {
		text, err := os.ReadFile(pathIn(dir))
		done := len(strings.Fields(said)) - 2
		if errors.Is(err, fs.ErrNotExist) && done < 0 {
			if _, err := os.Stat(filepath.Dir(pathIn(dir))); err != nil && done == -1 {
				return err
			}
			return nil
		}
		for i, want := range contents {
			if string(text) == want && i >= done {
				return nil
			}
		}
		return fmt.Errorf("after %d steps %d bytes, %w", done+1, len(text), err)
	}
}

func TestPowerLoss(t *testing.T) {
	dir := t.TempDir()
	l := powerloss.RecordJob(t, dir, "publish")
	n, err := l.Cut(powerloss.Draws{Each: 56}, look(dir))
	if t.Log(n); err != nil {
		t.Fatal(err)
	}
	powerloss.CheckSyncs(t, l, "", powerloss.Draws{Each: 56}, look(dir))
}

// fail gives up a file, and has others fail.
func fail(dir string) error {
	f, err := durable.Create(filepath.Join(dir, "file"), filepath.Join(dir, "begun"), 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("half"); err != nil {
		return err
	}
	if err := f.Discard(); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "folder", "file"), nil, 0o600); err != nil {
		return err
	}
	if durable.Replace(filepath.Join(dir, "folder"), filepath.Join(dir, "begun"), []byte("text"), 0o600) == nil {
		return errors.New("a file in the place of a folder")
	}
	if durable.Replace(filepath.Join(dir, "missing", "file"), filepath.Join(dir, "missing", "new"), nil, 0o600) == nil {
		return errors.New("a file in no folder")
	}
	if durable.Rename(filepath.Join(dir, "missing"), filepath.Join(dir, "file")) == nil || durable.SyncDir(filepath.Join(dir, "missing")) == nil {
		return errors.New("no error of a missing file")
	}
	if durable.MkdirAll(filepath.Join(dir, "folder", "file", "x"), 0o777) == nil {
		return errors.New("a folder in a file")
	}
	return nil
}

// TestFailures: what fails leaves nothing.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	if err := fail(dir); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "folder" {
		t.Errorf("%v is left, %v", left, err)
	}
	if name := filepath.Base(durable.TemporaryFor("x/" + strings.Repeat("ä", 127))); len(name) > 255 || !strings.HasPrefix(name, ".ä") {
		t.Errorf("temporary name %q", name)
	}
}
