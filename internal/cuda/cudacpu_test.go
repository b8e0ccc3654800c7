//go:build cudacpu && linux && amd64

package cuda_test

import _ "example.com/sorter/internal/cudacpu/selftest" // add_u64, for the tests on a device
