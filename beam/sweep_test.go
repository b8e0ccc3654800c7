package beamsort

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSweep removes what killed writers leave, and nothing else.
func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a]*")
	prefix := filepath.Join(dir, "x?y")
	c := config{Prefix: prefix, Suffix: ".csv"}
	stays := []string{"x?y-00000-of-00002.csv", "x?y-manifest.json", ".x?y-notes.tmp", ".xzy-00000-of-00002.csv.0123456789abcdef.tmp",
		".x?yz-00000-of-00002.0123456789abcdef.tmp", ".x?y-00000-of-00002.csv.0123456789abcde.tmp"}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	goes := []string{temporaryName(shardName(&c, 0, 2)), temporaryName(shardName(&c, 123456, 200000)), temporaryName(manifestName(prefix))}
	for _, name := range stays {
		goes = append(goes, filepath.Join(dir, name))
	}
	for _, path := range goes {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := Sweep(ctx, prefix); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	slices.Sort(stays)
	if got := folder(t, dir); !slices.Equal(got, stays) {
		t.Errorf("%q are left, not %q", got, stays)
	}
	if n, err := Sweep(ctx, prefix); n != 0 || err != nil {
		t.Error(n, err)
	}
	if _, err := Sweep(ctx, ""); err == nil {
		t.Error("no prefix")
	}
	if _, err := Sweep(ctx, "nosuch://x"); err == nil {
		t.Error("no file system")
	}
}

// TestSweepRelative sweeps a prefix that is not clean.
func TestSweepRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("a", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"x", "./x", "a/../x"} {
		if _, err := writeFile(ctx, prefix, false, func(io.Writer) error { return errors.New("no") }); err == nil {
			t.Fatal("no error")
		}
		if err := os.WriteFile(temporaryName(manifestName("x")), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if n, err := Sweep(ctx, prefix); n != 1 || err != nil {
			t.Errorf("%s: %d, %v", prefix, n, err)
		}
	}
}
