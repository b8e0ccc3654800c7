//go:build !cuda && linux && ((amd64 && !cudacpu) || arm64)

package cuda

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.com/sorter/internal/testkit"
)

func fakePath(t testing.TB) string { return compile(t, "testdata/fakecuda.c") }

func TestNoLibrary(t *testing.T) {
	_, err := load("libcuda-that-is-not-there.so.1")
	wantNoDevice(t, err, "dlopen", LibraryInitFailed)
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
		checkReasons(t, compile(t, "testdata/fakecuda.c", "-DOLD"), "undefined symbol: cuDriverGetVersion")
	})
}

func checkReasons(t *testing.T, path, reason string) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // where goroutines moved most often
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 200 {
				if _, err := load(path); err == nil || !strings.Contains(err.Error(), reason) {
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
	_, err := load(path)
	wantNoDevice(t, err, "dlopen", LibraryInitFailed)
}

func TestMissingSymbol(t *testing.T) {
	_, err := load(compile(t, "testdata/fakecuda.c", "-DOLD"))
	wantNoDevice(t, err, "cuDriverGetVersion", SymbolNotFound)
}

func TestNoDeviceAtStart(t *testing.T) {
	f := newFake(t)
	f.fail("cuInit", 100)
	_, err := load(f.path)
	wantNoDevice(t, err, "cuInit", NoDevice)
	if !errors.Is(err, NoDevice) || !strings.Contains(err.Error(), "CUDA_ERROR_NO_DEVICE") {
		t.Errorf("%v: lacks the driver's name for it", err)
	}
	f.fail("cuDriverGetVersion", 999)
	_, err = load(f.path)
	wantNoDevice(t, err, "cuDriverGetVersion", 999)
}

func TestOldDriver(t *testing.T) {
	f := newFake(t)
	f.version(11070)
	_, err := load(f.path)
	wantNoDevice(t, err, "cuDriverGetVersion", UnsupportedPTX)
	if !strings.Contains(err.Error(), "11.7") || !strings.Contains(err.Error(), "11.8") {
		t.Errorf("%v: names no versions", err)
	}
	f.version(11080)
	if _, err := load(f.path); err != nil {
		t.Error("the oldest driver that will do: ", err)
	}
}

func TestLaunchAllocs(t *testing.T) {
	testkit.SkipInstrumented(t)
	f := newFake(t)
	_, c := f.open(t)
	f.parameters(8)
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
	f := newFake(b)
	_, c := f.open(b)
	b.ReportAllocs()
	for b.Loop() {
		_ = c.DestroyEvent(1) // two calls that do nearly nothing
	}
}
