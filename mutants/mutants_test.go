package main

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSample mutates a package of which it is known what its tests notice.
func TestSample(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "results.txt")
	if err := build([]string{"-root", "testdata/sample", "-o", dir, "-also", "", "clamp"}); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-root", "testdata/sample", "-dir", dir, "-o", out}); err != nil {
		t.Fatal(err)
	}
	got, err := results([]string{out})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"clamp: negated: low > high":                     killed,
		"clamp: boundary of >: low > high":               killed, // 1, 1
		"clamp: no error: errRange":                      killed,
		"clamp: only the first of &&: x > high && true":  survived,
		"clamp: negated: x < low":                        timedOut,
		"clamp: boundary of <: x < low":                  timedOut,
		"clamp: dropped: x = low":                        timedOut,
		"clamp: dropped: continue":                       survived,
		"clamp: dropped: break":                          timedOut,
		"clamp: negated: x > high":                       killed,
		"clamp: boundary of >: x > high":                 survived,
		"clamp: dropped: x = high":                       killed,
		"half: dropped: *calls++":                        survived,
		"half: >> becomes shl: x >> 1":                   killed,
		"unused: negated: x == 3":                        unreached,
		"unused: negated: x == 5":                        unreached,
		"unused: only the first of ||: x == 3 || x == 5": unreached,
	}
	for key, verdict := range want {
		if r := got["clamp/clamp.go "+key]; r.verdict != verdict {
			t.Errorf("%s: %q, want %q", key, r.verdict, verdict)
		}
	}
	for key, r := range got {
		if _, ok := want[strings.TrimPrefix(key, "clamp/clamp.go ")]; !ok {
			t.Errorf("%s: %s", key, r.verdict)
		}
	}
}

// TestEquivalents holds each line of the list of mutants that change nothing to the mutants that there are.
func TestEquivalents(t *testing.T) {
	if testing.Short() {
		t.Skip("the packages are compiled")
	}
	known, err := equivalents("equivalents.txt")
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for key := range known {
		file, _, _ := strings.Cut(key, " ")
		folders[path.Dir(file)] = true
	}
	b := &builder{root: "..", out: t.TempDir(), plan: Plan{All: map[string]int{}}, overlay: map[string]string{}, next: 1}
	if err := os.Mkdir(filepath.Join(b.out, "source"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if err := b.mutate(folder); err != nil {
			t.Errorf("%s: %v", folder, err)
		}
	}
	for _, m := range b.plan.Mutants {
		delete(known, m.Key())
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		t.Errorf("no mutant: %s", key)
	}
}
