package testkit

import (
	"fmt"
	"strings"
	"testing"
)

// ExpectPanic fails t unless f panics with a text, or not at all for an empty one.
func ExpectPanic(t testing.TB, what, want string, f func()) {
	t.Helper()
	if got := panicOf(f); (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("%s: panics with %q, want %q", what, got, want)
	}
}

// panicOf returns the panic of f, "" if there is none.
func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}
