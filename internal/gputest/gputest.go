//go:build cudacpu && linux && amd64

package gputest

import (
	"context"
	"strings"
	"sync/atomic"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/engine"
)

// Engine is the GPU engine for tests that insist on it. Codes that it has no plan
// for go to the CPU as they would without On, and are counted.
type Engine struct {
	*gpu.Engine
	Refused atomic.Int32
}

// Open opens an engine that checks its orders.
func Open() (*Engine, error) {
	e, err := gpu.Open(gpu.Verify())
	return &Engine{Engine: e}, err
}

// Order implements sorter.Backend.
func (g *Engine) Order(ctx context.Context, job *engine.Job) error {
	err := g.Engine.Order(ctx, job)
	if err != nil && strings.Contains(err.Error(), "too uneven") {
		g.Refused.Add(1)
		return sorter.CPU().Order(ctx, job)
	}
	return err
}
