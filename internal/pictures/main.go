// Command pictures draws the pictures of ALGORITHMS.md, each from a small input
// that the algorithm's steps are done to.
//
//	go generate ./internal/pictures
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

//go:generate go run . -dir ../../docs/algorithms

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", ".", "folder that the pictures go to")
	flag.Parse()
	for name, draw := range pictures {
		if err := os.WriteFile(filepath.Join(*dir, name+".svg"), draw().svg(), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
