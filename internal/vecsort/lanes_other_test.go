//go:build !amd64

package vecsort

import "testing"

func eachPath(t *testing.T, f func(t *testing.T)) { f(t) }
