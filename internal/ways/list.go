package ways

// Shortcut is a way in the list of a family of calls. Facts F say whether it fits, and sizes S how much memory it takes; it does tasks T.
type Shortcut[F, S, T any] struct {
	Is       Way
	Prepares bool // it only changes the task, for the ways after it

	// Fits reports whether the way may be tried. It is asked once, and asks for samples last.
	Fits func(facts F) bool

	// Bytes bounds the scratch memory, for the plan of the call.
	Bytes func(s S) int64

	// Do is the way. Where it is not done, nothing was moved, and the next way goes on.
	Do func(t T) (done bool, err error)
}

// May reports whether the way is on and fits.
func (w *Shortcut[F, S, T]) May(facts F) bool { return On(w.Is) && w.Fits(facts) }

// Try does the way.
func (w *Shortcut[F, S, T]) Try(t T) (done bool, err error) {
	if done, err = w.Do(t); err != nil {
		return false, err
	}
	if done {
		took(w.Is)
	}
	return done, nil
}

// First does the first way of a list that is done, and before it those that prepare.
func First[F, S, T any](facts F, t T, list []Shortcut[F, S, T]) (done bool, err error) {
	for i := range list {
		w := &list[i]
		if !w.May(facts) {
			continue
		}
		if done, err = w.Try(t); err != nil || done && !w.Prepares {
			return done, err
		}
	}
	return false, nil
}

// Take does a way that is on and fits, and reports whether it is done. The list of a family that takes little time, or whose memory is
// planned whichever way is taken, is a sequence of calls of Take: unlike a task, they take no allocation.
func Take(w Way, fits bool, do func() bool) bool {
	if !fits || !On(w) || !do() {
		return false
	}
	took(w)
	return true
}
