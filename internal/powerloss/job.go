package powerloss

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// jobName and jobDir are in the environment of a process that runs a job.
const (
	jobName = "SORTER_POWERLOSS_JOB"
	jobDir  = "SORTER_POWERLOSS_DIR"
)

// Main is the begin of TestMain: in the process of RecordJob it runs the job, and ends the process.
func Main(jobs map[string]func(dir string) error) {
	name := os.Getenv(jobName)
	if name == "" {
		return
	}
	if err := jobs[name](os.Getenv(jobDir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// RecordJob records a job of Main in a folder. It skips the test where the system traces no processes.
func RecordJob(t testing.TB, dir, job string) *Log {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0])
	c.Env, c.Stderr = append(os.Environ(), jobName+"="+job, jobDir+"="+dir), os.Stderr
	l, err := Record(dir, c)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if l.failed {
		t.Fatalf("the job %s failed", job)
	}
	return l
}

// CheckSyncs is the control of a test by Cut: it takes the syncs of each path away, one path after the other, and
// fails the test if the power can be cut at all moments then. Paths that do not begin with prefix are those of others.
func CheckSyncs(t testing.TB, l *Log, prefix string, draws Draws, look func(said string, ended bool) error) {
	t.Helper()
	of := map[string][]Sync{}
	for _, s := range l.Syncs() {
		if strings.HasPrefix(s.Path, prefix) {
			of[s.Path] = append(of[s.Path], s)
		}
	}
	for path, syncs := range of {
		if _, err := l.Without(syncs...).Cut(draws, look); err == nil {
			t.Errorf("nothing needs the sync of %s", path)
		} else {
			first, _, _ := strings.Cut(err.Error(), "\n")
			t.Logf("without the sync of %s: %s", path, first)
		}
	}
}
