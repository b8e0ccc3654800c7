package gpu

import (
	"fmt"
	"math"
	"slices"

	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/kernels"
)

// Option configures an engine, for [Open].
type Option func(*settings.Settings) error

// Device chooses the GPUs by their positions in [Devices]: one, by default the
// first, or up to 16, which share long sorts. Each comes once.
//
// Each of several devices takes a part of the list and sends every code to the device that
// sorts codes of its range. As many devices share a sort as make it faster, by a tenth at least: by
// the bandwidth of copies that is measured when they are opened, and then by the times of the
// program's own sorts.
// Short lists are sorted by the first device alone, and so are lists too long for the memory of
// all, and sorts by [sorter.Hybrid]. The planner's model is of the first device, too.
func Device(ordinals ...int) Option {
	return func(s *settings.Settings) error {
		if len(ordinals) == 0 || len(ordinals) > kernels.MaxDestinations {
			return fmt.Errorf("sorter: gpu: %d devices: at least 1, at most %d", len(ordinals), kernels.MaxDestinations)
		}
		for i, ordinal := range ordinals {
			switch {
			case ordinal < 0:
				return fmt.Errorf("sorter: gpu: no device %d", ordinal)
			case slices.Contains(ordinals[:i], ordinal):
				return fmt.Errorf("sorter: gpu: device %d twice", ordinal)
			}
		}
		s.Ordinals = slices.Clone(ordinals)
		return nil
	}
}

// leastMemory is enough for the status of every sort and a few thousand elements.
const leastMemory = 16 << 20

// Memory bounds the device memory that one sort takes on a device; two sorts may share a
// device. Default: the memory that is free when the sort begins. Range: 16 MiB and above.
//
// A sort that needs more proceeds in chunks, each uploaded while another is sorted. Sorted
// chunks stay on the device and are merged there as long as they fit, with 16 bytes per
// element for 32-bit codes and 24 for 64-bit codes. Beyond that they are kept in the
// host's memory, with 12 or 18 bytes per element, and merged by the CPU. Keys alone take 8
// or 16 bytes, or 6 or 12 on the host. So time grows with the number of elements, whatever
// the bound.
func Memory(bytes int64) Option {
	return func(s *settings.Settings) error {
		if bytes < leastMemory {
			return fmt.Errorf("sorter: gpu: Memory(%d): need at least %d bytes", bytes, leastMemory)
		}
		s.Memory = int(min(bytes, math.MaxInt))
		return nil
	}
}

// Verify checks every order on the device and returns an error instead of a wrong one. It
// costs about as much as a sort, and one bit of device memory per element; it is for tests and
// for doubtful hardware. Of lists sorted in chunks it checks each chunk, and of rows that
// are ordered word by word the order by the first. Of sorted keys it
// checks that they are in order and that the sum of their hashes is that of the input, which
// misses changed keys with probability 2^-64.
func Verify() Option {
	return func(s *settings.Settings) error { s.Verify = true; return nil }
}
