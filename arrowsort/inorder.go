package arrowsort

import "sync"

// inOrder calls do for 0 … n-1 on up to some goroutines, and take with the results in this order, on
// the calling goroutine. At most one result per goroutine and one more wait for take. After an error
// nothing further is begun, and drop gets the results that take does not. A panic of do is raised
// again on the calling goroutine.
func inOrder[T any](n, workers int, do func(i int) (T, error), take func(T) error, drop func(T)) error {
	if workers = min(workers, n); workers <= 1 {
		return oneByOne(n, do, take)
	}
	q := queue[T]{n: n, do: do, waiting: make(chan *result[T], 1), stop: make(chan struct{})}
	var all sync.WaitGroup
	for range workers {
		all.Go(q.work)
	}
	var failed *result[T]
	err := func() error {
		defer func() {
			close(q.stop)
			go func() { all.Wait(); close(q.waiting) }()
			for r := range q.waiting {
				if <-r.done; r.ok() {
					drop(r.value)
				}
			}
		}()
		for range n {
			r := <-q.waiting
			if <-r.done; !r.ok() {
				failed = r
				return r.err
			}
			if err := take(r.value); err != nil {
				return err
			}
		}
		return nil
	}()
	if failed != nil {
		failed.ended.repeat()
	}
	return err
}

// oneByOne is inOrder on one goroutine.
func oneByOne[T any](n int, do func(i int) (T, error), take func(T) error) error {
	for i := range n {
		value, err := do(i)
		if err == nil {
			err = take(value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// queue holds the results of inOrder that wait.
type queue[T any] struct {
	mu      sync.Mutex // of next, and the order of waiting
	next    int
	n       int
	do      func(i int) (T, error)
	waiting chan *result[T]
	stop    chan struct{}
}

type result[T any] struct {
	done  chan struct{}
	value T
	err   error
	ended ending
}

func (r *result[T]) ok() bool { return r.ended.returned && r.err == nil }

// work calls do until all are begun.
func (q *queue[T]) work() {
	for {
		i, r := q.begin()
		if r == nil {
			return
		}
		func() {
			defer close(r.done)
			r.ended.of(func() { r.value, r.err = q.do(i) })
		}()
	}
}

// begin returns the next number, and where its result waits, or nil if there is none.
func (q *queue[T]) begin() (int, *result[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == q.n {
		return 0, nil
	}
	r := &result[T]{done: make(chan struct{})}
	select {
	case <-q.stop:
		return 0, nil
	default:
	}
	select {
	case q.waiting <- r:
	case <-q.stop:
		return 0, nil
	}
	q.next++
	return q.next - 1, r
}
