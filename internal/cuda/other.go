package cuda

import "errors"

// open stands in where no driver is built in yet.
func open() (Driver, error) {
	return nil, missing("dlopen", LibraryInitFailed, errors.New("no driver on this platform"))
}
