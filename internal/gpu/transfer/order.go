package transfer

import (
	"errors"

	"example.com/sorter/internal/engine"
)

// Order runs a job in one pass, or in chunks where it is a hybrid sort or too long. Its
// elements stay with the library.
func (s *Session) Order(job *engine.Job) error {
	c, err := s.chunking(job)
	switch {
	case err != nil:
		return err
	case c.length < job.N || job.Algorithm == engine.Hybrid:
		job.Plain = nil // chunks are extracted
		return s.orderInChunks(job, c)
	}
	return s.orderInOnePass(job, c)
}

// orderInOnePass is OrderInOnePass without further codes if there is no memory for them.
func (s *Session) orderInOnePass(job *engine.Job, c chunking) error {
	further, err := s.takesFurther(job, c)
	if err != nil {
		return err
	}
	if !further {
		job.Further = nil
	}
	return s.OrderInOnePass(job)
}

// ErrNoMemory reports that a device lacks memory for the elements besides the codes.
var ErrNoMemory = errors.New("sorter: gpu: no memory for elements")

// OrderWithElements runs one job in one pass, with its elements, or returns ErrNoMemory before
// it has pulled any code.
func (s *Session) OrderWithElements(job *engine.Job) error {
	c, err := s.chunking(job)
	if err != nil {
		return err
	}
	want := c.onePassBytes() + s.payloadBytes(job)
	space, err := s.Space(want)
	switch {
	case err != nil:
		return err
	case c.length < job.N || want > space:
		return ErrNoMemory
	}
	return s.orderInOnePass(job, c)
}
