// Package transfer runs jobs on one device: codes go from the job's source to pinned memory to
// the device, and results come back. Lists that do not fit one pass are sorted in chunks that
// are merged. Elements may be sent with their codes.
package transfer

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/dispatch"
)

// Session is a workspace with the algorithms of its device, for one job.
type Session struct {
	*device.Workspace
	Sorter *dispatch.Sorter
	Verify bool // every result is checked

	// For tests and measurements: the bytes of a copy from or to memory of the caller, 0: the
	// default; and whether devices exchange elements by copies alone.
	DirectBytes int
	Staged      bool
	LeastTied   int // rows that tie from which the device breaks ties; 0: the default
}

// Sort sorts on the device and, with Verify, checks the result.
func (s *Session) Sort(a engine.Algorithm, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	if s.Verify {
		in.Numbers = 0 // which the check does not know
	}
	f, err := s.Sorter.Sort(s.Workspace, a, in, to)
	if err == nil && s.Verify {
		err = codes.Check(s.Workspace, in, to)
	}
	return f, err
}
