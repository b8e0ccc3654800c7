package extsort_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"example.com/sorter/internal/powerloss"
)

// TestMain has the temporary directories of tests in memory, where there is room. Reads and
// writes past the page cache wait for the disk: two thirds of the time of these tests.
// Those that are about the disk ask for diskDir; internal/spill tests its files there, and all
// of these tests run there where TMPDIR is set.
func TestMain(m *testing.M) {
	powerloss.Main(powerJobs)
	onDisk = os.TempDir()
	const memory = "/dev/shm"
	var st unix.Statfs_t
	if os.Getenv("TMPDIR") == "" && unix.Access(memory, unix.W_OK|unix.X_OK) == nil &&
		unix.Statfs(memory, &st) == nil && st.Type == unix.TMPFS_MAGIC && st.Bavail*uint64(st.Bsize) >= 2<<30 {
		if err := os.Setenv("TMPDIR", memory); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
