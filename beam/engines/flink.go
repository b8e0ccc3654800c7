//go:build linux

package main

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// flinkSettings are those of a cluster: the address of the JobManager, that of its REST API, and a folder.
// A TaskManager that is killed is missed after 6 s, and a task is tried six times.
const flinkSettings = `jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: %s
jobmanager.bind-host: 127.0.0.1
jobmanager.memory.process.size: 1000m
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
rest.port: %s
taskmanager.host: 127.0.0.1
taskmanager.bind-host: 127.0.0.1
taskmanager.numberOfTaskSlots: 2
taskmanager.cpu.cores: 1.0
taskmanager.memory.task.heap.size: 1200m
taskmanager.memory.task.off-heap.size: 64m
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 128m
taskmanager.memory.managed.size: 384m
taskmanager.memory.network.min: 128m
taskmanager.memory.network.max: 128m
taskmanager.memory.jvm-metaspace.size: 256m
taskmanager.memory.jvm-overhead.min: 192m
taskmanager.memory.jvm-overhead.max: 192m
io.tmp.dirs: %[3]s
blob.storage.directory: %[3]s
heartbeat.interval: 1000
heartbeat.timeout: 6000
restart-strategy.type: fixed-delay
restart-strategy.fixed-delay.attempts: 5
restart-strategy.fixed-delay.delay: 1 s
`

// startFlink starts a JobManager, TaskManagers and Beam's job server.
func startFlink(c *cluster) (err error) {
	jar := filepath.Join(c.dist, "beam-flink.jar")
	lib := filepath.Join(c.dist, "flink", "lib", "*")
	if err := installed(jar, filepath.Dir(lib)); err != nil {
		return err
	}
	conf := filepath.Join(c.dir, "conf")
	rpc, rest := free(), free()
	if err := c.write("config.yaml", fmt.Sprintf(flinkSettings, port(rpc), port(rest), filepath.Join(c.dir, "tmp"))); err != nil {
		return err
	}
	if err := c.write("log4j2.properties", log4j); err != nil {
		return err
	}
	args := []string{"org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", "--configDir", conf}
	if c.master, err = c.java("jobmanager", "600m", []string{lib}, nil, args); err != nil {
		return err
	}
	if err := until(90*time.Second, "flink: its REST API answers", func() bool { return answers(rest) }, c.master); err != nil {
		return err
	}
	c.begin = func(c *cluster, i int) (*process, error) {
		args := []string{"org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "--configDir", conf}
		return c.java(fmt.Sprint("taskmanager", i), "1328m", []string{lib}, []string{"-XX:MaxDirectMemorySize=320m"}, args)
	}
	for i := range c.workers {
		if err := c.startWorker(i); err != nil {
			return err
		}
	}
	c.master.address = rest
	if err := c.jobServer("org.apache.beam.runners.flink.FlinkJobServerDriver", "700m", []string{jar, lib}, nil,
		"--flink-master="+rest, "--flink-conf-dir="+conf); err != nil {
		return err
	}
	return until(90*time.Second, "flink: all TaskManagers are registered", func() bool {
		return strings.Count(get("http://"+rest+"/taskmanagers"), `"dataPort"`) == workersOf
	}, c.master)
}

// get returns the answer to a request, or nothing.
func get(url string) string {
	client := http.Client{Timeout: 5 * time.Second}
	r, err := client.Get(url)
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return ""
	}
	return string(text)
}
