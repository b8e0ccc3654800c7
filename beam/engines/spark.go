//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// sparkEnv keeps all of Spark on the loopback interface, and its files in a folder.
func sparkEnv(c *cluster) []string {
	return []string{"SPARK_LOCAL_IP=127.0.0.1", "SPARK_LOCAL_HOSTNAME=localhost", "SPARK_SCALA_VERSION=2.12",
		"SPARK_HOME=" + filepath.Join(c.dist, "spark"),
		"SPARK_CONF_DIR=" + filepath.Join(c.dir, "conf"), "SPARK_LOCAL_DIRS=" + filepath.Join(c.dir, "tmp")}
}

// sparkOptions are those of an application. An executor that is killed is missed at once, and a task is
// tried four times.
var sparkOptions = []string{"-Dspark.executor.memory=1400m", "-Dspark.executor.cores=2", "-Dspark.driver.host=127.0.0.1",
	"-Dspark.driver.bindAddress=127.0.0.1", "-Dspark.ui.enabled=false"}

// startSpark starts a master, workers and Beam's job server, which is a driver of Spark.
func startSpark(c *cluster) (err error) {
	jar := filepath.Join(c.dist, "beam-spark.jar")
	jars := filepath.Join(c.dist, "spark", "jars", "*")
	if err := installed(jar, filepath.Dir(jars)); err != nil {
		return err
	}
	if err := c.write("log4j2.properties", log4j); err != nil {
		return err
	}
	master, page := free(), free()
	classpath := []string{filepath.Join(c.dir, "conf"), jars}
	args := []string{"org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", port(master), "--webui-port", port(page)}
	if c.master, err = c.java("master", "300m", classpath, nil, args, sparkEnv(c)...); err != nil {
		return err
	}
	c.master.address = master
	c.begin = func(c *cluster, i int) (*process, error) {
		args := []string{"org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "2", "--memory", "2g",
			"--work-dir", filepath.Join(c.dir, fmt.Sprint("work", i)), "spark://" + master}
		return c.java(fmt.Sprint("worker", i), "300m", classpath, nil, args, sparkEnv(c)...)
	}
	if err := until(90*time.Second, "spark: its master answers", func() bool { return answers(master) && answers(page) }, c.master); err != nil {
		return err
	}
	for i := range c.workers {
		if err := c.startWorker(i); err != nil {
			return err
		}
	}
	if err := until(90*time.Second, "spark: all workers are registered", func() bool {
		return strings.Count(get("http://"+page+"/json/"), `"ALIVE"`) > workersOf // the master as well
	}, c.master); err != nil {
		return err
	}
	return c.jobServer("org.apache.beam.runners.spark.SparkJobServerDriver", "1200m", append(classpath, jar), sparkOptions,
		"--spark-master-url=spark://"+master)
}
