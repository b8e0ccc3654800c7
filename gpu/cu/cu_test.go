//go:build cgo && linux && (amd64 || arm64)

package cu

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cuda/drivertest"
	"example.com/sorter/internal/engine"
	"gorgonia.org/cu"
)

// fakeVariable names the fake driver in a child process, which was started with
// it in place of the real one.
const fakeVariable = "CUDA_FAKE"

// onFake runs a test of this binary with the fake driver for libcuda.so.1.
func onFake(t *testing.T, test string, env ...string) {
	t.Helper()
	path := drivertest.Compile(t)
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), fakeVariable+"="+path, "LD_LIBRARY_PATH="+filepath.Dir(path))
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCalls has the library that was linked, which is the fake.
func TestCalls(t *testing.T) {
	path := os.Getenv(fakeVariable)
	if path == "" {
		onFake(t, "TestCalls")
		return
	}
	drivertest.Calls(t, path, func(string) (cuda.Driver, error) { return open() })
}

// TestLives shows that a program with the library lives without a device and
// gets the reason.
func TestLives(t *testing.T) {
	if os.Getenv(fakeVariable) == "" {
		onFake(t, "TestLives", "CUDA_FAKE_INIT=100")
		return
	}
	_, err := cuda.Open()
	drivertest.WantNoDevice(t, err, "cuInit", cuda.NoDevice)
	if !strings.Contains(err.Error(), "CUDA_ERROR_NO_DEVICE") {
		t.Errorf("%v: lacks the driver's name for it", err)
	}
}

// TestOldFake does the same for an old driver.
func TestOldFake(t *testing.T) {
	path := os.Getenv(fakeVariable)
	if path == "" {
		onFake(t, "TestOldFake")
		return
	}
	drivertest.NewFake(t, path).Version(11070)
	_, err := cuda.Open()
	drivertest.WantNoDevice(t, err, "cuDriverGetVersion", cuda.UnsupportedPTX)
}

// TestRegistered shows that the import has engines call the driver through the library.
func TestRegistered(t *testing.T) {
	if os.Getenv(fakeVariable) == "" {
		onFake(t, "TestRegistered")
		return
	}
	driver, err := cuda.Open()
	if _, ok := driver.(cuDriver); !ok || err != nil {
		t.Errorf("the driver is a %T, error %v", driver, err)
	}
}

func TestDevice(t *testing.T) { drivertest.Device(t) }

func TestStreamOf(t *testing.T) {
	if s := StreamOf(cuStream(0x5300000000000003)); s != 0x5300000000000003 || StreamOf(cu.NoStream) != 0 {
		t.Errorf("%#x", s)
	}
}

func TestCode(t *testing.T) {
	for _, test := range []struct {
		err  error
		want cuda.Result
	}{{nil, 0}, {cu.OutOfMemory, cuda.OutOfMemory}, {cuda.LaunchFailed, cuda.LaunchFailed}, {errors.New("other"), 999}, {engine.ErrNoDevice, 999}} {
		if got := code(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}
