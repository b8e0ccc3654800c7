package testkit

import (
	"math/bits"
	"os"
	"testing"
)

// Long reports whether the long variants of tests are to run, which differ from others in size
// and number: SORTER_LONG_TESTS is set, as in continuous integration, and -short is not.
func Long() bool { return !testing.Short() && os.Getenv("SORTER_LONG_TESTS") != "" }

// Pick returns the sizes, or the number of draws, that a test takes in a short run and in a long one.
func Pick[T any](short, long T) T {
	if Long() {
		return long
	}
	return short
}

// SkipUnlessLong leaves a long test to continuous integration, and there out of runs with -short,
// which are for the race detector, coverage and 32 bits: these find little in it.
func SkipUnlessLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("long: SORTER_LONG_TESTS=1 runs it, without -short")
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

// Thinned reports whether case i of a test is left to other runs: six of seven are to long ones, a number that divides
// none of the loops, so that all their variables vary. In short runs under the race detector and on 32 bits, which are
// there for paths and not for data, 15 of 16 cases and seven of eight are.
func Thinned(i int) bool { return ThinnedByRace(i) || narrow() && i%8 != 0 || plain() && i%7 != 0 }

// ThinnedByRace is Thinned by the race detector alone, of cases that 32 bits may change.
func ThinnedByRace(i int) bool { return testing.Short() && race && i%16 != 0 }

// ThinnedTo is Thinned to one case of the number given, where several goroutines sort.
func ThinnedTo(many, i int) bool {
	return (testing.Short() && race || narrow()) && i%many != 0 || plain() && i%4 != 0
}

// plain reports whether this is a run on 64 bits that is not long, without the race detector.
func plain() bool { return !race && bits.UintSize == 64 && !Long() }

// narrow reports whether this is a short run on 32 bits.
func narrow() bool { return testing.Short() && bits.UintSize == 32 }

// SkipInstrumented leaves out a test that counts allocations or milliseconds where
// the race detector or coverage changes them.
func SkipInstrumented(t testing.TB) {
	t.Helper()
	if race || testing.CoverMode() != "" {
		t.Skip("counts what instrumentation changes")
	}
}

// ThreadSanitizer reports whether this is a short run under the thread sanitizer, which takes
// seconds for a tile: every kernel runs there, but once.
func ThreadSanitizer() bool { return testing.Short() && sanitizer() == "thread" }

// SkipThreadSanitizer leaves a test out of short runs under the thread sanitizer,
// which takes minutes for its kernels and finds nothing that it does not in others.
func SkipThreadSanitizer(t testing.TB) {
	t.Helper()
	if ThreadSanitizer() {
		t.Skip("nothing for the thread sanitizer: not in a short run")
	}
}
