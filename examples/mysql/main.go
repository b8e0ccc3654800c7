// Mysql patches go-mysql-server to sort by package sorter, and compares it with the original.
//
//	go run . patch                    make the patched copy
//	go run . suites [-run REGEXP]     the engine's tests with and without, compared one by one
//	go run . speed [-case NAME,…] [-rows N,…] [-rounds N]
package main

import (
	"errors"
	"fmt"
	"os"

	"example.com/sorter/examples/mysql/patch"
)

const usage = "usage: go run . patch | suites | speed, with -h for options"

func run(args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	commands := map[string]func(*patch.Engine, []string) error{
		"patch": printPatch, "suites": compareSuites, "speed": compareSpeed,
	}
	command, ok := commands[args[0]]
	if !ok {
		return errors.New(usage)
	}
	engine, err := patch.Make()
	if err != nil {
		return err
	}
	return command(engine, args[1:])
}

// printPatch says how to build with the patched engine.
func printPatch(e *patch.Engine, _ []string) error {
	_, err := fmt.Printf("go build -modfile=%s\n", e.ModFile)
	return err
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mysql:", err)
		os.Exit(1)
	}
}
