//go:build !(linux && (amd64 || arm64))

package cuda

import "errors"

// open reports that the driver is bound on 64-bit Linux only.
func open() (Driver, error) {
	return nil, Missing("dlopen", LibraryInitFailed, errors.New("no driver is bound on this system"))
}
