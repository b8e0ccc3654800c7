// Command targets type-checks modules, their tests included, for other systems and processors, from source: nothing is
// compiled, which would take ten times as long.
//
//	cd release && go run ./targets windows/arm64 linux/386    # the modules that are built for other systems
//	cd release && go run ./targets -modules parquetsort linux/386
//
// It runs the analyzers whose findings depend on the target: shifts of an int, arguments of assembly, alignment of words
// that are atomic.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("targets: ")
	var (
		repo    = flag.String("repository", "..", "the repository")
		modules = flag.String("modules", ".,cmd/filesort,gpu/cu", "the modules, by folder and separated by commas")
	)
	flag.Parse()
	faults := 0
	for _, target := range flag.Args() {
		for _, module := range strings.Split(*modules, ",") {
			checked, found, err := check(filepath.Join(*repo, module), target)
			if err != nil {
				log.Fatalf("module %s for %s: %v", module, target, err)
			}
			for _, f := range found {
				fmt.Printf("%s: %s\n", target, f)
			}
			log.Printf("module %s for %s: %d packages, %d faults", module, target, checked, len(found))
			faults += len(found)
		}
	}
	if faults > 0 {
		os.Exit(1)
	}
}
