package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// buildFacts returns what --version prints: the versions of this module and of the library, the commit, if
// the program was built in a checkout, and that of Go.
func buildFacts() string {
	b := new(strings.Builder)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	fmt.Fprintf(b, "filesort %s\n", cmp.Or(info.Main.Version, "(devel)"))
	for _, m := range info.Deps {
		if strings.HasPrefix(info.Main.Path, m.Path+"/") { // the module that this one lies in
			fmt.Fprintf(b, "%s %s\n", m.Path, m.Version)
		}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision", "vcs.time":
			fmt.Fprintf(b, "%s %s\n", strings.TrimPrefix(s.Key, "vcs."), s.Value)
		case "vcs.modified":
			if s.Value == "true" {
				b.WriteString("with changes that are not committed\n")
			}
		}
	}
	fmt.Fprintf(b, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return b.String()
}
