package testkit

import (
	"context"
	"sync/atomic"
)

// Ending is a context that ends once its error was asked for Left times.
type Ending struct {
	context.Context
	Left atomic.Int64
}

// Err counts the question.
func (c *Ending) Err() error {
	if c.Left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Done returns a channel that nothing closes: a context that has one may end.
func (*Ending) Done() <-chan struct{} { return make(chan struct{}) }
