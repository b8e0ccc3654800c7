//go:build cuda && linux && (amd64 || arm64)

package cuda

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/sorter/internal/engine"
	"gorgonia.org/cu"
)

// fakeVariable names the fake driver in a child process, which was started with
// it in place of the real one.
const fakeVariable = "CUDA_FAKE"

func fakePath(t testing.TB) string {
	path := os.Getenv(fakeVariable)
	if path == "" {
		t.Skip("runs on the fake driver, in a child of TestOnFake")
	}
	return path
}

// load asks for the library that was linked, which is the fake.
func load(string) (Driver, error) { return open() }

// onFake runs tests of this binary with the fake driver for libcuda.so.1.
func onFake(t *testing.T, tests string, env ...string) string {
	path := compile(t, "testdata/fakecuda.c")
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run="+tests)
	cmd.Env = append(os.Environ(), fakeVariable+"="+path, "LD_LIBRARY_PATH="+filepath.Dir(path))
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

// TestOnFake runs the tests of the other binding.
func TestOnFake(t *testing.T) {
	tests := strings.Fields("TestNoDevices TestDevices TestRetain TestArguments TestThreads TestEnablePeer TestNothingToFree TestQueryNotReady TestKernelNamed TestLaunchLimits")
	out := onFake(t, "^("+strings.Join(tests, "|")+")$")
	for _, test := range tests {
		if !strings.Contains(out, "--- PASS: "+test) {
			t.Errorf("%s did not pass:\n%s", test, out)
		}
	}
}

// TestLives shows that a program with package cu lives without a device and
// learns why it has none.
func TestLives(t *testing.T) {
	if os.Getenv(fakeVariable) == "" {
		if out := onFake(t, "^TestLives$", "CUDA_FAKE_INIT=100"); !strings.Contains(out, "--- PASS: TestLives") {
			t.Errorf("the child did not get this far:\n%s", out)
		}
		return
	}
	_, err := Open()
	wantNoDevice(t, err, "cuInit", NoDevice)
	if !strings.Contains(err.Error(), "CUDA_ERROR_NO_DEVICE") {
		t.Errorf("%v: lacks the driver's name for it", err)
	}
}

// TestOldFake does the same for an old driver.
func TestOldFake(t *testing.T) {
	if os.Getenv(fakeVariable) == "" {
		onFake(t, "^TestOldFake$")
		return
	}
	newFake(t).version(11070)
	_, err := Open()
	wantNoDevice(t, err, "cuDriverGetVersion", UnsupportedPTX)
}

func TestStreamOf(t *testing.T) {
	if s := StreamOf(cuStream(0x5300000000000003)); s != 0x5300000000000003 || StreamOf(cu.NoStream) != 0 {
		t.Errorf("%#x", s)
	}
}

func TestCode(t *testing.T) {
	for _, test := range []struct {
		err  error
		want Result
	}{{nil, 0}, {cu.OutOfMemory, OutOfMemory}, {Result(719), LaunchFailed}, {errors.New("other"), 999}, {engine.ErrNoDevice, 999}} {
		if got := code(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}
