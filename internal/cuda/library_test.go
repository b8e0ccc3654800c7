//go:build linux && ((amd64 && !cudacpu) || arm64)

package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cuda/drivertest"
	"example.com/sorter/internal/testkit"
)

func TestCalls(t *testing.T) { drivertest.Calls(t, drivertest.Compile(t), cuda.Load) }

func TestNoLibrary(t *testing.T) {
	_, err := cuda.Load("libcuda-that-is-not-there.so.1")
	drivertest.WantNoDevice(t, err, "dlopen", cuda.LibraryInitFailed)
	if !strings.Contains(err.Error(), "cannot open shared object file") {
		t.Errorf("%v: does not say why", err)
	}
}

// TestLoadersReason loads from many goroutines, which the scheduler moves between
// threads: each gets the loader's text of its own failure.
func TestLoadersReason(t *testing.T) {
	t.Run("no library", func(t *testing.T) {
		checkReasons(t, "libcuda-that-is-not-there.so.1", "cannot open shared object file")
	})
	t.Run("no symbol", func(t *testing.T) {
		checkReasons(t, drivertest.Compile(t, "-DOLD"), "undefined symbol: cuDriverGetVersion")
	})
}

func checkReasons(t *testing.T, path, reason string) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // where goroutines moved most often
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 200 {
				if _, err := cuda.Load(path); err == nil || !strings.Contains(err.Error(), reason) {
					t.Errorf("%v: does not say %q", err, reason)
				}
			}
		})
	}
	wait.Wait()
}

func TestNotALibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := os.WriteFile(path, []byte("not an ELF file"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := cuda.Load(path)
	drivertest.WantNoDevice(t, err, "dlopen", cuda.LibraryInitFailed)
}

func TestMissingSymbol(t *testing.T) {
	_, err := cuda.Load(drivertest.Compile(t, "-DOLD"))
	drivertest.WantNoDevice(t, err, "cuDriverGetVersion", cuda.SymbolNotFound)
}

func TestNoDeviceAtStart(t *testing.T) {
	path := drivertest.Compile(t)
	f := drivertest.NewFake(t, path)
	f.Fail("cuInit", 100)
	_, err := cuda.Load(path)
	drivertest.WantNoDevice(t, err, "cuInit", cuda.NoDevice)
	if !errors.Is(err, cuda.NoDevice) || !strings.Contains(err.Error(), "CUDA_ERROR_NO_DEVICE") {
		t.Errorf("%v: lacks the driver's name for it", err)
	}
	f.Fail("cuDriverGetVersion", 999)
	_, err = cuda.Load(path)
	drivertest.WantNoDevice(t, err, "cuDriverGetVersion", 999)
}

func TestOldDriver(t *testing.T) {
	path := drivertest.Compile(t)
	f := drivertest.NewFake(t, path)
	f.Version(11070)
	_, err := cuda.Load(path)
	drivertest.WantNoDevice(t, err, "cuDriverGetVersion", cuda.UnsupportedPTX)
	if !strings.Contains(err.Error(), "11.7") || !strings.Contains(err.Error(), "11.8") {
		t.Errorf("%v: names no versions", err)
	}
	f.Version(11080)
	if _, err := cuda.Load(path); err != nil {
		t.Error("the oldest driver that will do: ", err)
	}
}

// retain loads a driver library, and retains its first device.
func retain(t testing.TB, path string) cuda.Context {
	d, err := cuda.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Retain(0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLaunchAllocs(t *testing.T) {
	testkit.SkipInstrumented(t)
	path := drivertest.Compile(t)
	f := drivertest.NewFake(t, path)
	c := retain(t, path)
	f.Parameters(8)
	args := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	allocs := testing.AllocsPerRun(1000, func() {
		if err := c.Launch(1, 1, 32, 0, 0, args...); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations per launch", allocs)
	}
}

func BenchmarkCall(b *testing.B) {
	c := retain(b, drivertest.Compile(b))
	b.ReportAllocs()
	for b.Loop() {
		_ = c.DestroyEvent(1) // two calls that do nearly nothing
	}
}
