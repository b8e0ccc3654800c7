//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	beamsort "example.com/sorter/beam"
	"example.com/sorter/beam/engines/jobs"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// fault is what happens to a cluster while a job runs.
type fault struct {
	name  string
	ready func(s *suite, c *cluster, j jobs.Job) bool // whether it is time
	hit   func(c *cluster, temp string) error
	fatal bool // the job ends without a result, and is run again
}

var faults = []fault{
	{"a worker of the engine is killed while shards are written", writing, killWorker, false},
	{"a Go worker is killed while it sorts", func(s *suite, c *cluster, j jobs.Job) bool { return sorting(c, j.Temp) > 0 }, killSorting, false},
	{"the job is cancelled half way", writing, cancel, true},
}

// writing reports whether a shard of a job is under its temporary name.
func writing(_ *suite, _ *cluster, j jobs.Job) bool { return len(temporaries(j.Out)) > 0 }

// temporaries returns the temporary files beside an output.
func temporaries(out string) []string {
	names, err := filepath.Glob(filepath.Join(filepath.Dir(out), ".*.tmp"))
	if err != nil {
		panic(err) // the pattern
	}
	return names
}

// killWorker kills a TaskManager of Flink or a worker of Spark with its executors, and starts it again, as
// Kubernetes, YARN or systemd would.
func killWorker(c *cluster, _ string) error {
	c.workers[0].kill()
	time.Sleep(2 * time.Second)
	return c.startWorker(0)
}

// sorting returns a Go worker that has a file in the folder temp, or 0.
func sorting(c *cluster, temp string) int {
	for _, pid := range goWorkers(c) {
		if holds(pid, temp) {
			return pid
		}
	}
	return 0
}

// holds reports whether a process has a file of a folder open. Those of extsort have no names.
func holds(pid int, folder string) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	files, err := os.ReadDir(dir)
	if err != nil {
		return false // it has ended
	}
	for _, f := range files {
		if to, err := os.Readlink(filepath.Join(dir, f.Name())); err == nil && strings.HasPrefix(to, folder+"/") {
			return true
		}
	}
	return false
}

// idleBytes bounds the memory of a Go worker without work.
const idleBytes = 200 << 20

// idle reports whether the Go workers that are left have neither a file of a folder nor much memory. Beam's
// runner for Flink leaves the worker of a task that fails while the worker starts, until its TaskManager ends.
func idle(c *cluster, folder string) bool {
	for _, pid := range goWorkers(c) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue // it has ended
		}
		var size, resident int
		if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
			return false
		}
		if resident*os.Getpagesize() > idleBytes || holds(pid, folder) {
			return false
		}
	}
	return true
}

// goWorkers returns the children of the pool.
func goWorkers(c *cluster) (pids []int) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", c.pool.cmd.Process.Pid))
	if err != nil {
		panic(err) // the pattern
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // a thread that has ended
		}
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func killSorting(c *cluster, temp string) error {
	pid := sorting(c, temp)
	if pid == 0 {
		return errors.New("no Go worker sorts any more")
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

// cancel cancels the job. On Flink that is as "flink cancel" does it: a cancellation by Beam's job server leaves
// the job running.
func cancel(c *cluster, _ string) error {
	if c.name == "flink" {
		return cancelFlink("http://" + c.master.address)
	}
	return cancelBeam(c)
}

// cancelFlink cancels the job that a JobManager runs.
func cancelFlink(rest string) error {
	var all struct{ Jobs []struct{ ID, Status string } }
	if err := json.Unmarshal([]byte(get(rest+"/jobs")), &all); err != nil {
		return err
	}
	for _, j := range all.Jobs {
		if j.Status != "RUNNING" {
			continue
		}
		request, err := http.NewRequest(http.MethodPatch, rest+"/jobs/"+j.ID+"?mode=cancel", nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusAccepted {
			return fmt.Errorf("cancellation: %s", answer.Status)
		}
		return nil
	}
	return fmt.Errorf("no job runs: %v", all.Jobs)
}

// cancelBeam cancels the job that runs on a job server.
func cancelBeam(c *cluster) error {
	conn, err := grpc.NewClient(c.endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	service := jobpb.NewJobServiceClient(conn)
	all, err := service.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return err
	}
	n := 0
	for _, j := range all.GetJobInfo() {
		if j.GetState() == jobpb.JobState_RUNNING {
			if _, err := service.Cancel(ctx, &jobpb.CancelJobRequest{JobId: j.GetJobId()}); err != nil {
				return err
			}
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%d jobs were running", n)
	}
	return nil
}

// strike runs a job to its end, with a fault in between, and checks all files afterwards.
func (s *suite) strike(c *cluster, f fault) error {
	j := s.job(c.name, "slow")
	p, err := s.submit(c, j)
	if err != nil {
		return err
	}
	defer p.kill()
	if err := until(jobLimit, f.name+": it is time", func() bool { return f.ready(s, c, j) }, p, c.server, c.pool); err != nil {
		return err
	}
	if err := f.hit(c, j.Temp); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	o, err := s.outcome(p)
	if err != nil && !f.fatal {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	// Go's runtime returns memory that a worker does not use within two collections, two minutes apart.
	if err := until(5*time.Minute, f.name+": no worker has a file or much memory", func() bool { return idle(c, j.Temp) && idle(c, filepath.Dir(j.Out)) }); err != nil {
		for _, pid := range goWorkers(c) { // their stacks go to the log of the pool
			err = errors.Join(err, syscall.Kill(pid, syscall.SIGQUIT))
		}
		return err
	}
	workers := len(goWorkers(c))
	left := len(temporaries(j.Out))
	swept, err := beamsort.Sweep(context.Background(), j.Out)
	if err != nil {
		return err
	}
	if again := temporaries(j.Out); swept != left || len(again) > 0 {
		return fmt.Errorf("%s: Sweep removed %d of %d files, and %v are left", f.name, swept, left, again)
	}
	if files, err := os.ReadDir(j.Temp); err != nil || len(files) > 0 {
		return fmt.Errorf("%s: files %v in the folder for spilled elements: %v", f.name, files, err)
	}
	if f.fatal {
		if _, err := beamsort.ReadManifest(context.Background(), j.Out); err == nil {
			return fmt.Errorf("%s: it came too late, there is a manifest", f.name)
		}
		if p, err = s.submit(c, j); err != nil {
			return err
		}
		if o, err = s.outcome(p); err != nil {
			return err
		}
	}
	n, err := jobs.Check(context.Background(), j)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	fmt.Printf("%s: %s: %d records in %.1f s, %d temporary files were swept, %d idle workers were left\n", c.name, f.name, n, o.Seconds, swept, workers)
	return os.RemoveAll(filepath.Dir(j.Out))
}
