//go:build !linux

package powerloss

import (
	"errors"
	"os/exec"
)

// Record returns an error: only Linux is known here.
func Record(string, *exec.Cmd) (*Log, error) { return nil, errors.ErrUnsupported }
