//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// cluster is an engine on this machine, with a job server of Beam and a pool of Go workers.
type cluster struct {
	name     string
	dir      string // of logs, settings and temporary files
	dist     string // where install.sh has put the distributions
	master   *process
	workers  []*process // TaskManagers of Flink, workers of Spark
	server   *process   // the job server
	pool     *process
	endpoint string // of the job server
	pooled   string // address of the pool
	begin    func(c *cluster, i int) (*process, error)
}

// starters start the master, the workers and the job server of an engine.
var starters = map[string]func(c *cluster) error{"flink": startFlink, "spark": startSpark}

// workersOf is the number of TaskManagers of Flink, and of workers of Spark.
const workersOf = 2

// startCluster starts all processes of an engine.
func startCluster(name, dir, dist string) (c *cluster, err error) {
	c = &cluster{name: name, dir: filepath.Join(dir, name), dist: dist, workers: make([]*process, workersOf)}
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	for _, d := range []string{"conf", "tmp", "artifacts"} {
		if err := os.MkdirAll(filepath.Join(c.dir, d), 0o755); err != nil {
			return c, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	c.pooled = free()
	if c.pool, err = start(c.dir, "pool", nil, self, "-do=pool", c.pooled); err != nil {
		return c, err
	}
	c.endpoint = free()
	if err := starters[name](c); err != nil {
		return c, err
	}
	return c, until(90*time.Second, name+": its job server and pool answer", func() bool { return answers(c.endpoint) && answers(c.pooled) }, c.server, c.pool)
}

// startWorker starts worker i, again if it was killed.
func (c *cluster) startWorker(i int) (err error) {
	c.workers[i], err = c.begin(c, i)
	return err
}

// stop ends all processes.
func (c *cluster) stop() {
	for _, p := range append([]*process{c.server, c.pool, c.master}, c.workers...) {
		if p != nil {
			p.kill()
		}
	}
}

// java starts a program of Java. Its options are those that Flink's and Spark's own scripts give for Java 17.
func (c *cluster) java(name, heap string, classpath []string, options, args []string, env ...string) (*process, error) {
	all := []string{"-Xmx" + heap, "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + filepath.Join(c.dir, "tmp"), "-Djdk.reflect.useDirectMethodHandle=false",
		"-Dlog4j.configurationFile=" + filepath.Join(c.dir, "conf", "log4j2.properties")}
	for _, p := range opened {
		all = append(all, "--add-opens=java.base/"+p+"=ALL-UNNAMED")
	}
	all = append(append(all, options...), "-cp", strings.Join(classpath, ":"))
	return start(c.dir, name, env, "java", append(all, args...)...)
}

var opened = strings.Fields(`java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.text java.time java.util
	java.util.concurrent java.util.concurrent.atomic java.util.concurrent.locks sun.net.util sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar`)

// jobServer starts a job server of Beam.
func (c *cluster) jobServer(class, heap string, classpath, options []string, args ...string) (err error) {
	host, port, _ := net.SplitHostPort(c.endpoint)
	args = append([]string{class, "--job-host=" + host, "--job-port=" + port, "--artifact-port=0", "--expansion-port=0",
		"--artifacts-dir=" + filepath.Join(c.dir, "artifacts")}, args...)
	c.server, err = c.java("job-server", heap, classpath, options, args, sparkEnv(c)...)
	return err
}

// write writes a file of settings.
func (c *cluster) write(name, text string) error {
	return os.WriteFile(filepath.Join(c.dir, "conf", name), []byte(text), 0o600)
}

const log4j = `rootLogger.level = INFO
rootLogger.appenderRef.console.ref = console
appender.console.name = console
appender.console.type = CONSOLE
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %-5p %c{1} %m%n
`

// free returns a loopback address that nobody listens on.
func free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // no loopback interface
	}
	defer l.Close()
	return l.Addr().String()
}

func port(address string) string {
	_, p, _ := net.SplitHostPort(address)
	return p
}

// answers reports whether somebody listens on an address.
func answers(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// installed fails unless install.sh has put a file there.
func installed(paths ...string) error {
	var err error
	for _, p := range paths {
		if _, e := os.Stat(p); e != nil {
			err = errors.Join(err, fmt.Errorf("%w: run install.sh", e))
		}
	}
	return err
}
