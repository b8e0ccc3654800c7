//go:build amd64 || arm64

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

//go:embed stdsort.cc.txt
var stdSource []byte

// compileStdSort has this machine's compiler make the library of stdsort.cc.txt and
// loads it, or says why there is none.
func compileStdSort() (stdSorts, error) {
	compiler, err := exec.LookPath("c++")
	if err != nil {
		if compiler, err = exec.LookPath("g++"); err != nil {
			return nil, errors.New("there is no C++ compiler")
		}
	}
	folder, err := os.MkdirTemp("", "stdsort")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder) // once loaded, the library needs no file
	source, library := filepath.Join(folder, "stdsort.cc"), filepath.Join(folder, "stdsort.so")
	if err := os.WriteFile(source, stdSource, 0o600); err != nil {
		return nil, err
	}
	if text, err := exec.Command(compiler, "-std=c++17", "-O3", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", compiler, err, text)
	}
	runtime.LockOSThread() // the text of a failure belongs to the thread
	handle, err := purego.Dlopen(library, purego.RTLD_NOW)
	runtime.UnlockOSThread()
	if err != nil {
		return nil, err
	}
	std := stdSorts{}
	for _, name := range []string{"sort_int32", "sort_float", "sort_float4"} {
		var sort func(s unsafe.Pointer, n uintptr)
		purego.RegisterLibFunc(&sort, handle, name)
		std[name] = func(s unsafe.Pointer, n int) { sort(s, uintptr(n)) }
	}
	return std, nil
}
