//go:build linux && (amd64 || arm64)

package drivertest

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"github.com/ebitengine/purego"
)

// source is in the test's binary, which may run without this folder.
//
//go:embed testdata/fakecuda.c
var source []byte

// Compile builds the fake driver as a shared library named libcuda.so.1, and returns its path.
func Compile(t testing.TB, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler for the fake driver: ", err)
	}
	dir := t.TempDir()
	path, from := filepath.Join(dir, "libcuda.so.1"), filepath.Join(dir, "fakecuda.c")
	if err := os.WriteFile(from, source, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-shared", "-fPIC", "-O1", "-o", path, from}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// Fake is the controls of a fake driver.
type Fake struct {
	Log     func() string                 // the calls since the last Log
	Fail    func(name string, code int32) // has each call of that name fail
	Devices func(n int32)
	Version func(v int32)
	Linger  func(us int32)  // how long it takes to make a context current
	Lonely  func(yes int32) // no device reaches another one's memory
	// Parameters sets the number of parameters of the launched kernel.
	Parameters func(n int32)
}

// NewFake resets the fake driver at a path, and returns its controls.
func NewFake(t testing.TB, path string) *Fake {
	f := new(Fake)
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	var reset func() // another test of the process may have used it
	purego.RegisterLibFunc(&reset, library, "fake_reset")
	reset()
	purego.RegisterLibFunc(&f.Log, library, "fake_log")
	purego.RegisterLibFunc(&f.Fail, library, "fake_fail")
	purego.RegisterLibFunc(&f.Devices, library, "fake_devices")
	purego.RegisterLibFunc(&f.Version, library, "fake_version")
	purego.RegisterLibFunc(&f.Linger, library, "fake_linger")
	purego.RegisterLibFunc(&f.Lonely, library, "fake_lonely")
	purego.RegisterLibFunc(&f.Parameters, library, "fake_parameters")
	return f
}

// WantNoDevice checks that err says where it failed and that there is no device.
func WantNoDevice(t *testing.T, err error, op string, code cuda.Result) {
	t.Helper()
	if !errors.Is(err, engine.ErrNoDevice) {
		t.Fatalf("%v: not ErrNoDevice", err)
	}
	var device *engine.DeviceError
	if !errors.As(err, &device) || !strings.HasPrefix(device.Op, op) || device.Code != int(code) {
		t.Fatalf("%v: want a DeviceError of %s, code %d", err, op, code)
	}
}
