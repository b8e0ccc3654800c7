// Command surface compares the exports of all modules with those of the last version.
//
//	cd release && go run ./surface          # fails for facts of surface.txt that do not hold any more
//	cd release && go run ./surface -write   # after a release: surface.txt gets the facts of this tree
//
// A fact is a line such as those of api/ in Go's own repository: an exported name with its type. Facts may come; one that
// goes or changes breaks programs. It is accepted if the changelog has the line under Unreleased.
package main

import (
	"flag"
	"fmt"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("surface: ")
	var (
		repo    = flag.String("repository", "..", "the repository")
		file    = flag.String("file", "surface.txt", "the facts of the last version")
		without = flag.String("without", "", "modules to leave out, by folder and separated by commas: those that do not compile here")
		write   = flag.Bool("write", false, "write the file in place of comparing with it")
	)
	flag.Parse()
	now, err := surface(*repo, strings.Split(*without, ","))
	if err != nil {
		log.Fatal(err)
	}
	if *write {
		err = os.WriteFile(*file, []byte(strings.Join(now, "\n")+"\n"), 0o644)
	} else {
		err = check(*file, filepath.Join(*repo, "CHANGELOG.md"), now, strings.Split(*without, ","))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// surface returns the facts of all modules that programs require, in order.
func surface(repo string, without []string) ([]string, error) {
	var all []*types.Package
	for _, m := range modules {
		if slices.Contains(without, m) {
			continue
		}
		packages, err := load(repo, m)
		if err != nil {
			return nil, fmt.Errorf("module %s: %w", m, err)
		}
		all = append(all, packages...)
	}
	return factsOf(all), nil
}

// check returns an error with the facts of a file that neither hold now nor stand in the changelog.
func check(file, changelog string, now, without []string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changes, err := os.ReadFile(changelog)
	if err != nil {
		return err
	}
	gone := broken(strings.Split(strings.TrimSpace(string(old)), "\n"), now, unreleased(string(changes)), without)
	if len(gone) > 0 {
		return fmt.Errorf("programs of the last version do not compile any more, or mean something else:\n%s\n"+
			"Where that is wanted, list the lines in CHANGELOG.md under Unreleased", strings.Join(gone, "\n"))
	}
	log.Printf("%d facts hold", len(now))
	return nil
}

// broken returns the old facts that neither hold now nor are accepted.
func broken(old, now []string, accepted map[string]bool, without []string) []string {
	holds := map[string]bool{}
	for _, fact := range now {
		holds[fact] = true
	}
	return slices.DeleteFunc(slices.Clone(old), func(fact string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(fact, "pkg "), ",")
		return holds[fact] || accepted[fact] || slices.ContainsFunc(without, func(m string) bool { return m != "" && (name == m || strings.HasPrefix(name, m+"/")) })
	})
}

// unreleased returns the lines of the changelog's first section, without white space around them.
func unreleased(changelog string) map[string]bool {
	_, section, _ := strings.Cut(changelog, "\n## [Unreleased]")
	section, _, _ = strings.Cut(section, "\n## ")
	lines := map[string]bool{}
	for line := range strings.Lines(section) {
		lines[strings.TrimSpace(line)] = true
	}
	return lines
}
