//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"testing"

	"example.com/sorter/internal/cuda/drivertest"
)

func TestDevice(t *testing.T) { drivertest.Device(t) }
