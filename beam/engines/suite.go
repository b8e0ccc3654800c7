//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/sorter/beam/engines/jobs"
)

// suite runs jobs on engines.
type suite struct {
	scratch string
	dist    string
	records string // path of the input of records
	lines   string
	shards  int
	rows    []row
}

// row is a line of the table.
type row struct {
	engine, what string
	elements     int64
	seconds      float64
	spilled      int64
}

func (r row) String() string {
	return fmt.Sprintf("| %s | %s | %d | %.1f | %.0f |", r.engine, r.what, r.elements, r.seconds, float64(r.elements)/r.seconds)
}

// jobLimit bounds the time of a job.
const jobLimit = 6 * time.Minute

// prepare writes the inputs.
func (s *suite) prepare(records, lines int) error {
	s.records, s.lines = filepath.Join(s.scratch, "records.bin"), filepath.Join(s.scratch, "lines.txt")
	return errors.Join(jobs.WriteRecords(s.records, records), jobs.WriteLines(s.lines, lines))
}

// job returns a job with an output folder of its own.
func (s *suite) job(engine, what string) jobs.Job {
	j := jobs.Job{What: what, Runner: "universal", In: s.records, Shards: s.shards, Temp: filepath.Join(s.scratch, "spill")}
	j.Out = filepath.Join(s.scratch, "out", engine+"-"+what, "part")
	if what == "lines" {
		j.In = s.lines
	}
	switch what { // so that a heavy key and a part spill
	case "foreach":
		j.Memory = 16 << 20
	case "slow":
		j.Memory = 8 << 20
	}
	return j
}

// submit starts a process that submits a job. c is nil for prism, which runs in that process.
func (s *suite) submit(c *cluster, j jobs.Job) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(filepath.Dir(j.Out)), os.MkdirAll(j.Temp, 0o755), os.MkdirAll(filepath.Dir(j.Out), 0o755)); err != nil {
		return nil, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	args := []string{"-do=job"}
	name := "prism-" + j.What
	if c != nil {
		name = c.name + "-" + j.What
		args = append(args, "-endpoint="+c.endpoint, "-environment_type=EXTERNAL", "-environment_config="+c.pooled,
			fmt.Sprint("-parallelism=", 2*workersOf), "-worker_binary="+self)
	}
	// The log of an earlier job of this name ends with its outcome.
	if err := os.RemoveAll(filepath.Join(s.scratch, name+".log")); err != nil {
		return nil, err
	}
	return start(s.scratch, name, nil, self, append(args, string(text))...)
}

// outcome waits for the end of a job.
func (s *suite) outcome(p *process) (o jobs.Outcome, err error) {
	defer p.kill()
	if err := until(jobLimit, p.name+" ends", func() bool { return !p.alive() }); err != nil {
		return o, err
	}
	text, err := os.ReadFile(p.log)
	if err != nil {
		return o, err
	}
	text = bytes.TrimSpace(text)
	if err := json.Unmarshal(text[bytes.LastIndexByte(text, '\n')+1:], &o); err != nil {
		return o, fmt.Errorf("%s: %w, see %s", p.name, err, p.log)
	}
	if o.Error != "" {
		return o, fmt.Errorf("%s: %.600s", p.name, o.Error)
	}
	return o, nil
}

// run runs a job, and checks its output.
func (s *suite) run(c *cluster, what string) error {
	engine := "prism"
	if c != nil {
		engine = c.name
	}
	j := s.job(engine, what)
	if c == nil {
		j.Runner = "prism"
	}
	p, err := s.submit(c, j)
	if err != nil {
		return err
	}
	o, err := s.outcome(p)
	if err != nil {
		return err
	}
	n, err := jobs.Check(context.Background(), j)
	if err != nil {
		return err
	}
	if what == "foreach" && o.Spilled == 0 && n/5*24 > 2*j.Memory {
		return fmt.Errorf("%s on %s: the heavy key was to spill, and did not", what, engine)
	}
	r := row{engine, what, n, o.Seconds, o.Spilled}
	s.rows = append(s.rows, r)
	fmt.Println(r)
	return os.RemoveAll(filepath.Dir(j.Out))
}
