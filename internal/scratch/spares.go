package scratch

import "sync"

// Spares is a free list of workspaces, never more than were used at a time. A [sync.Pool]
// would lose some to the garbage collector while the call is charged for their memory. The
// zero value is empty. It may be used concurrently.
type Spares[T any] struct {
	mu   sync.Mutex
	free []*T
}

// Get returns a workspace, nil if there is none.
func (s *Spares[T]) Get() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		return nil
	}
	w := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return w
}

// Put returns a workspace to the list.
func (s *Spares[T]) Put(w *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, w)
}
