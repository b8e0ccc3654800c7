// Mutants changes the library in many small ways, one at a time, and counts how many of the changes its tests
// notice. A change that none notices is a gap in the tests, or changes nothing that matters.
//
// All changes of a package are compiled into one test binary, each guarded by a comparison of its number with one in the
// environment ("mutant schemata", Untch, Offutt, Harrold, 1993). So a package compiles once, and the run needs no
// compiler, only the folder of the build:
//
//	go run . build -o ../.build/mutants internal/ties internal/cpu=300
//	go run . run -dir ../.build/mutants -o results.txt -p 16 -t 600
//	go run . score results.txt
//
// A first run of each test by itself finds the mutants that it reaches. Then each mutant meets the tests that reach it:
// those of its package, quick ones first, then the drawn calls of internal/conformance, which a build compiles without
// the other tests there. Gremlins, a kept tool of this kind, runs "go test" for each mutant: with 17,000 of them, weeks.
//
// Mutants negate conditions, move boundaries, drop an operand of && and ||, exchange operations on integers, add one to
// literals that are operands or arguments, drop statements, and return no error. Constants, declarations outside of
// functions, floats and uintptr stay as they are.
package main

import (
	"fmt"
	"os"
)

func main() {
	commands := map[string]func(args []string) error{"build": build, "run": run, "score": score}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: mutants build|run|score")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}
