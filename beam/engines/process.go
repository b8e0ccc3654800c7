//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// process is a program in a process group of its own.
type process struct {
	name    string
	cmd     *exec.Cmd
	log     string // path of its output
	address string // where it listens, if others ask it
	ended   chan struct{}
	err     error // of Wait, when ended is closed
}

// starts runs functions on one thread that never ends: a child with Pdeathsig is killed when the
// thread that started it ends.
var starts = sync.OnceValue(func() chan<- func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
})

// start starts a program whose output goes to a file in dir. It is killed when this process ends.
func start(dir, name string, env []string, path string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), ended: make(chan struct{})}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.cmd = exec.Command(path, args...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	begun := make(chan error)
	starts() <- func() { begun <- p.cmd.Start() }
	if err := <-begun; err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// kill kills the group of a process at once, as a machine that is lost, and waits for it.
func (p *process) kill() {
	// The group may be gone.
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.ended
}

// alive reports whether the process runs.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// until waits for a condition, for a time at most and while all processes run.
func until(limit time.Duration, what string, holds func() bool, needs ...*process) error {
	for end := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		if holds() {
			return nil
		}
		for _, p := range needs {
			if !p.alive() {
				return fmt.Errorf("%s: %s has ended: %v, see %s", what, p.name, p.err, p.log)
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: not after %v", what, limit)
		}
	}
}
