package testkit

import (
	"os"
	"testing"
)

// Long reports whether the long variants of tests are asked for, which continuous
// integration runs: SORTER_LONG_TESTS is set and the run is not short.
func Long() bool { return os.Getenv("SORTER_LONG_TESTS") != "" && !testing.Short() }

// SkipShort leaves a long test out of short runs, which are for the race detector,
// coverage and 32 bits: these find little in it.
func SkipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("long: not in a short run")
	}
}

// SkipRace leaves a test out of short runs under the race detector, which takes ten
// times as long for it and finds nothing: it runs one goroutine, or what other tests
// run with several.
func SkipRace(t testing.TB) {
	t.Helper()
	if race && testing.Short() {
		t.Skip("nothing for the race detector: not in a short run")
	}
}

// SkipInstrumented leaves out a test that counts allocations or milliseconds where
// the race detector or coverage changes them.
func SkipInstrumented(t testing.TB) {
	t.Helper()
	if race || testing.CoverMode() != "" {
		t.Skip("counts what instrumentation changes")
	}
}

// SkipThreadSanitizer leaves a test out of short runs under the thread sanitizer,
// which takes minutes for its kernels and finds nothing that it does not in others.
func SkipThreadSanitizer(t testing.TB) {
	t.Helper()
	if testing.Short() && sanitizer() == "thread" {
		t.Skip("nothing for the thread sanitizer: not in a short run")
	}
}
