package extsort_test

import (
	"flag"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"example.com/sorter/internal/testkit"
)

// TestMain has the temporary directories of tests in memory, where there is room. Reads and
// writes past the page cache wait for the disk: two thirds of the time of these tests.
// The long tests use the disk, as do those of internal/spill and tests where TMPDIR is set.
func TestMain(m *testing.M) {
	flag.Parse() // for Long
	onDisk = os.TempDir()
	const memory = "/dev/shm"
	var st unix.Statfs_t
	if !testkit.Long() && os.Getenv("TMPDIR") == "" && unix.Access(memory, unix.W_OK|unix.X_OK) == nil &&
		unix.Statfs(memory, &st) == nil && st.Type == unix.TMPFS_MAGIC && st.Bavail*uint64(st.Bsize) >= 2<<30 {
		if err := os.Setenv("TMPDIR", memory); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// onDisk is the directory of temporary files that the environment chose.
var onDisk string
