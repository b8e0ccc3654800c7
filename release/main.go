// Command release writes a tree of this repository that can be published: every module under another path and with a
// version, without replacements, and a file proxy of the modules to try them from.
//
//	cd release && go run . -path github.com/someone/sorter -version v0.1.0 -tree /tmp/tree -proxy /tmp/proxy
//
// It prints the tags to push, in order. README.md has the steps after it.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	var (
		path    = flag.String("path", "", "the path of the root module, such as github.com/someone/sorter")
		version = flag.String("version", "", "the version of all modules, such as v0.1.0")
		tree    = flag.String("tree", "", "the folder to write the tree to, which must not exist")
		proxy   = flag.String("proxy", "", "the folder to write a file proxy to; none if empty")
		repo    = flag.String("repository", "..", "the repository")
	)
	flag.Parse()
	if flag.NArg() > 0 || *path == "" || *version == "" || *tree == "" {
		flag.Usage()
		os.Exit(2)
	}
	r, err := write(*repo, *path, *version, *tree)
	if err == nil && *proxy != "" {
		err = r.proxy(*proxy)
	}
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range r.published() {
		fmt.Println(m.tag(*version))
	}
}
