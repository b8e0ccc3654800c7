package sorter

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns a string in memory of its own, text in the middle of pages that fault
// when they are read, some before it and some after it. Its length is that of whole pages.
func guarded(t *testing.T, before int, text string, after int) string {
	t.Helper()
	page := syscall.Getpagesize()
	first, last := before*page, before*page+len(text)
	m, err := syscall.Mmap(-1, 0, last+after*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no memory that can be guarded:", err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	copy(m[first:], text)
	for _, part := range [][]byte{m[:first], m[last:]} {
		if err := syscall.Mprotect(part, syscall.PROT_NONE); len(part) > 0 && err != nil {
			t.Fatal(err)
		}
	}
	// Sound: the memory is written only before this, and unmapped after the test.
	return unsafe.String(unsafe.SliceData(m), len(m))
}

// failOnFault, deferred where faults panic, makes one fail the test. A fault of another
// goroutine ends the process.
func failOnFault(t *testing.T, doing string) {
	if r := recover(); r != nil {
		t.Errorf("%s: read what need not be read: %v", doing, r)
	}
}

// TestSharedTextsAreNotRead sorts strings in the same memory, of which only the first
// page can be read, among others.
func TestSharedTextsAreNotRead(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	shared := guarded(t, 0, strings.Repeat("x", syscall.Getpagesize()), 4)
	for _, n := range []int{2, 9, 100, 6000, 100_000} {
		in := slices.Repeat([]string{shared}, n)
		in[n/3], in[n/2] = "xxxxxxxxx, and less", "another"
		for _, workers := range []int{1, 2} {
			for _, opts := range [][]Option{{Workers(workers)}, {Workers(workers), Stable()}, {Workers(workers), Descending()}} {
				sortShared(t, in, opts)
			}
		}
	}
}

func sortShared(t *testing.T, in []string, opts []Option) {
	defer failOnFault(t, fmt.Sprintf("n=%d", len(in)))
	type row struct {
		name string
		n    int
	}
	rows := make([]row, len(in))
	for i, s := range in {
		rows[i] = row{s, i % 7}
	}
	name := func(r row) string { return r.name }
	byBoth := By(Asc(name), Asc(func(r row) int { return r.n }))
	for verb, err := range map[string]error{
		"SortKeys":  SortKeys(slices.Clone(in), opts...),
		"Sort":      Sort(slices.Clone(rows), name, opts...),
		"By.Sort":   byBoth.Sort(slices.Clone(rows), opts...),
		"TopK":      TopK(slices.Clone(rows), len(rows)/2, name, opts...),
		"Merge":     Merge(make([]row, len(rows)), rows[:1], rows[1:], name, opts...),
		"SortPairs": SortPairs(slices.Clone(in), slices.Clone(rows), opts...),
	} {
		if err != nil {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if _, err := Order(rows, name, opts...); err != nil {
		t.Error(err)
	}
}

// TestTextsAreReadFromDepthOn refines strings that cannot be read before the depth to
// which they tie, nor after the place where they differ.
func TestTextsAreReadFromDepthOn(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	page := syscall.Getpagesize()
	for _, n := range []int{2, fewTexts, few, 60} {
		texts := make([]string, n)
		for i := range texts {
			text := strings.Repeat("t", page)
			at := page - 2*block - i*7919%n
			texts[i] = guarded(t, 3, text[:at]+fmt.Sprintf("%02d", i*31%n)+text[at+2:], 3)
		}
		for _, desc := range []bool{false, true} {
			checkReadFrom(t, texts, 3*page, desc)
		}
	}
}

func checkReadFrom(t *testing.T, texts []string, depth int, desc bool) {
	defer failOnFault(t, fmt.Sprintf("%d strings, desc %v", len(texts), desc))
	order := refineAll(keptTexts(texts, desc), len(texts), depth)
	readable := make([]string, len(texts))
	for i, s := range texts {
		readable[i] = s[depth : depth+syscall.Getpagesize()]
	}
	checkOrderOf(t, "guarded", order, readable, desc)
}
