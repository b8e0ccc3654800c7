//go:build !linux || !(amd64 || arm64)

package main

import "errors"

// compileStdSort says why there is no std::sort.
func compileStdSort() (stdSorts, error) {
	return nil, errors.New("a shared library is loaded on Linux alone, on amd64 and arm64")
}
