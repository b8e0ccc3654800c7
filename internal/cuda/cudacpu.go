//go:build cudacpu && linux && amd64

package cuda

import "example.com/sorter/internal/cudacpu"

// open returns the driver of the tests.
func open() (Driver, error) {
	f, err := find(cudacpu.Symbol)
	if err != nil {
		return nil, err
	}
	return start(f)
}

// invoke calls a function of the driver.
func invoke(fn uintptr, args []uintptr) uintptr { return cudacpu.Call(fn, args) }
