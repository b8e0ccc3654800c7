package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// Strings of megabytes under a context, which is asked by the bytes that are compared.

// megabyte is the most bytes of a string that are compared between two questions.
const megabyte = 1 << 20

// fewCompared is the number of strings that may be compared between two questions.
const fewCompared = 64

// questions is a context that counts how often it is asked, and is cancelled by one of
// these questions. Nothing may be read from then on that cancel forbids.
type questions struct {
	context.Context
	asked  atomic.Int64
	at     int64 // the question that cancels
	cancel func()
	done   chan struct{}
}

func (q *questions) Done() <-chan struct{} { return q.done }

func (q *questions) Err() error {
	switch n := q.asked.Add(1); {
	case n < q.at:
		return nil
	case n == q.at:
		q.cancel()
		close(q.done)
	}
	return context.Canceled
}

// distantTexts are equal strings in memory of their own, which is one file in many places.
type distantTexts struct {
	texts []string
	maps  [][]byte
}

func newDistantTexts(t *testing.T, n, length int) *distantTexts {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "text"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(bytes.Repeat([]byte("x"), length)); err != nil {
		t.Fatal(err)
	}
	d := new(distantTexts)
	t.Cleanup(func() {
		for _, m := range d.maps {
			_ = syscall.Munmap(m)
		}
	})
	for range n {
		m, err := syscall.Mmap(int(f.Fd()), 0, length, syscall.PROT_READ, syscall.MAP_SHARED)
		if err != nil {
			t.Skip("no memory for strings of megabytes:", err)
		}
		d.maps = append(d.maps, m)
		// Sound: nobody writes to the memory, and it is unmapped after the test.
		d.texts = append(d.texts, unsafe.String(unsafe.SliceData(m), len(m)))
	}
	return d
}

// protect makes reads of the strings after their first page fault, or allows them.
func (d *distantTexts) protect(t *testing.T, rights int) {
	for _, m := range d.maps {
		if err := syscall.Mprotect(m[syscall.Getpagesize():], rights); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLongTextsAskByBytes orders equal strings of megabytes: questions to the context
// follow the bytes that are compared, and nothing is read after the one that cancels.
func TestLongTextsAskByBytes(t *testing.T) {
	testkit.SkipUnlessLong(t)
	testkit.SkipInstrumented(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	askByBytes(t, newDistantTexts(t, 1000, megabyte), 1000/fewCompared)
	askByBytes(t, newDistantTexts(t, 10, 32*megabyte), 32)
}

// askByBytes holds calls on d to that many questions.
func askByBytes(t *testing.T, d *distantTexts, least int64) {
	t.Helper()
	for _, first := range []string{"", "y"} { // in order, and not
		in := d.texts
		if first != "" {
			in = append([]string{first}, d.texts...)
		}
		for _, v := range longTextVerbs {
			name := fmt.Sprintf("%s, %d strings, %q first", v.name, len(d.texts), first)
			all := &questions{Context: t.Context(), done: make(chan struct{})}
			all.at = 1 << 62
			if err := v.run(in, sorter.WithContext(all), sorter.Workers(1)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			asked := all.asked.Load()
			if asked < least {
				t.Errorf("%s: the context was asked %d times, want at least %d", name, asked, least)
			}
			for _, at := range []int64{asked / 4, asked / 2, asked - 1} {
				d.checkCancelled(t, name, at, func(opts ...sorter.Option) error { return v.run(in, opts...) })
			}
		}
	}
}

// checkCancelled cancels a call by a question, and lets it read no string any more.
func (d *distantTexts) checkCancelled(t *testing.T, name string, at int64, call func(opts ...sorter.Option) error) {
	t.Helper()
	q := &questions{Context: t.Context(), at: at, done: make(chan struct{})}
	q.cancel = func() { d.protect(t, syscall.PROT_NONE) }
	defer d.protect(t, syscall.PROT_READ)
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s, cancelled by question %d: read a string afterwards: %v", name, at, r)
		}
	}()
	err := call(sorter.WithContext(q), sorter.Workers(1))
	if asked := q.asked.Load(); err == nil && asked < at && asked >= at-at/10 {
		return // questions between calls of the key function follow the clock: here there are fewer
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%s, cancelled by question %d of %d: %v", name, at, q.asked.Load(), err)
	}
}

var longTextVerbs = []struct {
	name string
	run  func(in []string, opts ...sorter.Option) error
}{
	{"SortKeys", func(in []string, opts ...sorter.Option) error { return sorter.SortKeys(slices.Clone(in), opts...) }},
	{"SortKeys through an index", func(in []string, opts ...sorter.Option) error {
		return sorter.SortKeys(slices.Clone(in), append(opts, sorter.Use(sorter.IndexGather))...)
	}},
	{"Sort", func(in []string, opts ...sorter.Option) error {
		return sorter.Sort(slices.Clone(in), func(s string) string { return s }, opts...)
	}},
	{"OrderKeys", func(in []string, opts ...sorter.Option) error { _, err := sorter.OrderKeys(in, opts...); return err }},
	{"TopK", func(in []string, opts ...sorter.Option) error {
		return sorter.TopK(slices.Clone(in), 10, func(s string) string { return s }, opts...)
	}},
	{"Sort by two columns", func(in []string, opts ...sorter.Option) error {
		length := sorter.Asc(func(s string) int { return len(s) })
		text := sorter.Desc(func(s string) string { return s })
		return sorter.By(length, text).Sort(slices.Clone(in), opts...)
	}},
}
