//go:build cudacpu && !cuda && linux && amd64

package cuda

import _ "example.com/sorter/internal/cudacpu/selftest" // add_u64, for the tests on a device
