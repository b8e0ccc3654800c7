package testkit

import (
	"sync"
	"testing"
)

// TestCrew counts goroutines, and those that they start, and no others.
func TestCrew(t *testing.T) {
	begin, end := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() { // not of the crew
		<-begin
		wait.Go(func() { <-end })
		<-end
	})
	c := NewCrew()
	for range 3 {
		wait.Go(func() {
			wait.Go(func() { <-end })
			<-end
		})
	}
	close(begin)
	if !Eventually(func() bool { return c.Count() == 7 }) {
		t.Errorf("%d goroutines, want 7", c.Count())
	}
	other := NewCrew()
	if n, m := c.Count(), other.Count(); n != 6 || m != 1 {
		t.Errorf("%d and %d goroutines after the first left, want 6 and 1", n, m)
	}
	close(end)
	wait.Wait()
	c.CheckAlone(t, "the first crew")
	other.CheckAlone(t, "the second crew")
}

func TestStartsNone(t *testing.T) {
	CheckStartsNone(t, "nothing", func() {})
	before := started(t)
	for range 5 {
		done := make(chan struct{})
		go close(done)
		<-done
	}
	if n := started(t) - before; n < 5 {
		t.Errorf("%d goroutines counted of 5 that were started", n)
	}
}
