package ties

import (
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// TestTextsAreReadFromDepthOn refines strings that cannot be read before the depth to
// which they tie, nor after the place where they differ.
func TestTextsAreReadFromDepthOn(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	page := syscall.Getpagesize()
	for _, n := range []int{2, 8, 16, 60} {
		texts := make([]string, n)
		for i := range texts {
			text := strings.Repeat("t", page)
			at := page - 512 - i*7919%n
			texts[i] = testkit.Guarded(t, 3, text[:at]+fmt.Sprintf("%02d", i*31%n)+text[at+2:], 3)
		}
		for _, desc := range []bool{false, true} {
			checkReadFrom(t, texts, 3*page, desc)
		}
	}
}

func checkReadFrom(t *testing.T, texts []string, depth int, desc bool) {
	defer testkit.FailOnFault(t, fmt.Sprintf("%d strings, desc %v", len(texts), desc))
	order := refineAll(&extract.Strings[string]{Column: extract.Column{Order: sortkey.Order{Desc: desc}}, Keys: texts}, len(texts), depth)
	readable := make([]string, len(texts))
	for i, s := range texts {
		readable[i] = s[depth : depth+syscall.Getpagesize()]
	}
	checkOrderOf(t, "guarded", order, readable, desc)
}
