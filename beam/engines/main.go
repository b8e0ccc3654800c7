//go:build linux

// Command engines runs the module beam on engines that people operate: it starts a standalone
// cluster of Flink and one of Spark on this machine, submits sorts, kills parts of the clusters, and
// compares all outputs with those of package extsort. README.md of the module has the results.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"example.com/sorter/beam/engines/jobs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Beam has flags of its own, which it reads in all processes.
var (
	do      = flag.String("do", "run", "run, or internally: job, pool, worker")
	dist    = flag.String("dist", "../../.build/engines", "folder that install.sh has filled")
	scratch = flag.String("scratch", "", "folder for inputs, outputs and logs; a temporary one by default, which is removed unless something fails")
	on      = flag.String("on", "prism,flink,spark", "engines")
	what    = flag.String("jobs", "records,lines,foreach,values,top,parquet", "jobs")
	records = flag.Int("records", 5_000_000, "records of 24 bytes")
	lines   = flag.Int("lines", 2_000_000, "lines")
	shards  = flag.Int("shards", 4, "shards")
	own     = flag.Bool("own", true, "run the sorts of the engines themselves as well")
	broken  = flag.Bool("faults", true, "kill parts of the clusters as well")
)

func main() {
	flag.Parse()
	beam.Init()
	var err error
	switch *do {
	case "run":
		if os.Getenv(inside) == "" {
			err = enclose()
		} else if err = enter(); err == nil {
			err = run()
		}
	case "job":
		err = jobs.Run(flag.Arg(0))
	case "pool":
		err = servePool(flag.Arg(0))
	case "worker":
		err = serveWorker(flag.Lookup("id").Value.String(), flag.Lookup("logging_endpoint").Value.String(), flag.Lookup("control_endpoint").Value.String())
	default:
		err = fmt.Errorf("-do=%s", *do)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "engines:", err)
		os.Exit(1)
	}
}

// run runs all jobs and faults on all engines, one engine after the other.
func run() (err error) {
	folder, err := filepath.Abs(*dist)
	if err != nil {
		return err
	}
	s := &suite{scratch: *scratch, dist: folder, shards: *shards}
	if s.scratch == "" {
		if s.scratch, err = os.MkdirTemp("", "engines-"); err != nil {
			return err
		}
		defer func() {
			if err == nil {
				err = os.RemoveAll(s.scratch)
			}
		}()
	}
	if s.scratch, err = filepath.Abs(s.scratch); err != nil {
		return err
	}
	// All processes are killed when this one ends, however it does.
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stopped
		os.Exit(1)
	}()
	if err := errors.Join(os.MkdirAll(s.scratch, 0o755), s.prepare(*records, *lines)); err != nil {
		return err
	}
	fmt.Println("| engine | job | elements | s | elements/s |\n|---|---|---|---|---|")
	for _, engine := range strings.Split(*on, ",") {
		err = errors.Join(err, s.engine(engine))
	}
	if err != nil {
		return fmt.Errorf("%w\nlogs are in %s", err, s.scratch)
	}
	return nil
}

// engine runs all jobs and faults on one engine. After one that fails the others go on.
func (s *suite) engine(name string) (err error) {
	var c *cluster
	if name != "prism" {
		if starters[name] == nil {
			return fmt.Errorf("no engine %q", name)
		}
		if c, err = startCluster(name, s.scratch, s.dist); err != nil {
			return err
		}
		defer c.stop()
	}
	for _, w := range strings.Split(*what, ",") {
		if w != "" {
			err = errors.Join(err, s.run(c, w))
		}
	}
	if c == nil {
		return err
	}
	for _, w := range strings.Split(*what, ",") {
		if *own && (w == "records" || w == "lines") {
			err = errors.Join(err, s.native(c, w))
		}
	}
	if !*broken {
		return err
	}
	for _, f := range faults {
		err = errors.Join(err, s.strike(c, f))
	}
	for _, p := range append([]*process{c.server}, c.workers...) {
		p.kill()
	}
	return errors.Join(err, until(30*time.Second, "all Go workers end with their engine", func() bool { return len(goWorkers(c)) == 0 }))
}
