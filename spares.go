package sorter

import "sync"

// spares are workspaces that are not in use. There are never more than were used at a
// time. A [sync.Pool] would lose some to the garbage collector, while the call keeps the
// memory that they hold. The zero value has none.
type spares[T any] struct {
	mu   sync.Mutex
	free []*T
}

// get returns a workspace, nil if there is none.
func (s *spares[T]) get() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		return nil
	}
	w := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return w
}

// put takes a workspace that get may return.
func (s *spares[T]) put(w *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, w)
}
