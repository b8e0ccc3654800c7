//go:build linux

package main

import (
	"context"
	"log"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
)

// pool is a worker pool: an engine asks it for workers, which are processes of this program. That
// of Beam's SDK listens on all addresses, and takes two workers of one name, which come from two
// engine processes of one machine, for the same.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	mu      sync.Mutex
	workers map[string][]*exec.Cmd // by name
}

// servePool serves a pool until the process is killed, whose children then are as well.
func servePool(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, &pool{workers: map[string][]*exec.Cmd{}})
	return server.Serve(l)
}

// StartWorker starts a process for a worker.
func (p *pool) StartWorker(_ context.Context, req *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-do=worker", "-id="+req.GetWorkerId(),
		"-logging_endpoint="+req.GetLoggingEndpoint().GetUrl(),
		"-control_endpoint="+req.GetControlEndpoint().GetUrl())
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	begun := make(chan error)
	starts() <- func() { begun <- cmd.Start() }
	if err := <-begun; err != nil {
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	log.Printf("worker %s of %s is process %d", req.GetWorkerId(), req.GetControlEndpoint().GetUrl(), cmd.Process.Pid)
	p.mu.Lock()
	p.workers[req.GetWorkerId()] = append(p.workers[req.GetWorkerId()], cmd)
	p.mu.Unlock()
	go func() { log.Printf("process %d: %v", cmd.Process.Pid, cmd.Wait()) }()
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker kills the process of a worker. Where two engine processes have a worker of this name,
// it ends by itself when its engine closes the connection.
func (p *pool) StopWorker(_ context.Context, req *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if list := p.workers[req.GetWorkerId()]; len(list) == 1 {
		_ = list[0].Process.Kill() // it may have ended
	}
	return &fnpb.StopWorkerResponse{}, nil
}

// serveWorker works for an engine until it closes the connection. The worker of Beam's SDK then
// sleeps for ever.
func serveWorker(id, logging, control string) error {
	return harness.MainWithOptions(grpcx.WriteWorkerID(context.Background(), id), logging, control, harness.Options{})
}
