//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"example.com/sorter/beam/engines/jobs"
)

// native runs the sort of the engine itself, on the same cluster and input: Spark's orderBy and Flink's
// partitionByRange with sortPartition. The sources are in the folder jars.
func (s *suite) native(c *cluster, what string) error {
	j := s.job(c.name, what)
	out := filepath.Join(filepath.Dir(j.Out), "native")
	if err := os.RemoveAll(filepath.Dir(out)); err != nil {
		return err
	}
	args := []string{what, j.In, out, fmt.Sprint(s.shards)}
	name := c.name + "-native-" + what
	jar := filepath.Join(c.dist, "beam-"+c.name+".jar")
	var classpath, options []string
	switch c.name {
	case "flink":
		classpath = []string{jar, filepath.Join(c.dist, "flink", "lib", "*")}
		args = append([]string{"FlinkSort"}, append(args, "127.0.0.1", port(c.master.address), jar)...)
	case "spark":
		classpath = []string{filepath.Join(c.dir, "conf"), filepath.Join(c.dist, "spark", "jars", "*"), jar}
		options = append([]string{"-Dspark.master=spark://" + c.master.address, "-Dspark.jars=" + jar, "-Dspark.app.name=" + name}, sparkOptions...)
		args = append([]string{"SparkSort"}, args...)
	}
	p, err := c.java(name, "700m", classpath, options, args, sparkEnv(c)...)
	if err != nil {
		return err
	}
	defer p.kill()
	if err := until(jobLimit, name+" ends", func() bool { return !p.alive() }); err != nil {
		return err
	}
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err
	}
	found := secondsLine.FindSubmatch(text)
	if p.err != nil || found == nil {
		return fmt.Errorf("%s: %v, see %s", name, p.err, p.log)
	}
	seconds, err := strconv.ParseFloat(strings.Replace(string(found[1]), ",", ".", 1), 64)
	if err != nil {
		return err
	}
	n, err := jobs.CheckNative(j, out)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Println(row{c.name + " itself", what, n, seconds, 0})
	return os.RemoveAll(filepath.Dir(out))
}

var secondsLine = regexp.MustCompile(`(?m)^seconds ([0-9.,]+)$`)
