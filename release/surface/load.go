package main

import (
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// modules are those that get a tag and have packages for programs, by folder.
var modules = []string{".", "arrowsort", "beam", "collation", "gpu/cu", "parquetsort"}

// root is the path of the root module.
const root = "example.com/sorter"

// inward are folders of the root module with packages that programs do not import.
var inward = []string{"docs", "examples", "fuzz", "internal", "kernels"}

// load returns the packages of a module that programs import, as the compiler exports them.
func load(repo, module string) ([]*types.Package, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Name}}\t{{if not .DepOnly}}{{len .CompiledGoFiles}}{{end}}", "-compiled", "./...")
	cmd.Dir, cmd.Stderr = filepath.Join(repo, module), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	var paths []string
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		exports[f[0]] = f[1]
		if files := f[3]; files != "" && files != "0" && f[2] != "main" && isPublic(f[0]) {
			paths = append(paths, f[0])
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("no packages")
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export of %s", path)
		}
		return os.Open(exports[path])
	})
	packages := make([]*types.Package, len(paths))
	for i, path := range paths {
		if packages[i], err = from.Import(path); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// isPublic reports whether programs import a package.
func isPublic(path string) bool {
	if path == root {
		return true
	}
	in, ours := strings.CutPrefix(path, root+"/")
	for _, folder := range inward {
		if in == folder || strings.HasPrefix(in, folder+"/") {
			return false
		}
	}
	return ours && !strings.Contains("/"+in+"/", "/internal/")
}

// short returns the path of a package as facts have it.
func short(path string) string {
	if path == root {
		return "sorter"
	}
	return strings.TrimPrefix(path, root+"/")
}
