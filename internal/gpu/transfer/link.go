package transfer

import (
	"time"
	"unsafe"

	"example.com/sorter/internal/gpu/device"
)

// linkCopies is how many slots a measurement of the link copies each way: 16 MiB, enough that
// the wait at the end does not count. linkReps is the number of measurements.
const linkCopies, linkReps = 8, 3

// Link measures the bytes per ns between pinned memory and the device, up and down: the best of
// a few copies of 16 MiB, which take 2 ms in all by PCIe 5.
// It leaves no device memory.
func (s *Session) Link() (up, down float64, err error) {
	if err := s.Grow(1); err != nil {
		return 0, 0, err
	}
	b, err := s.Take(device.SlotBytes)
	if err != nil {
		return 0, 0, err
	}
	host := s.Slots()[0].Memory
	clear(unsafe.Slice((*byte)(host), device.SlotBytes)) // so that it has pages
	if up, err = s.pace(func() error { return s.CopyToDevice(b.At, host, device.SlotBytes, s.Stream) }); err != nil {
		return 0, 0, err
	}
	if down, err = s.pace(func() error { return s.CopyToHost(host, b.At, device.SlotBytes, s.Stream) }); err != nil {
		return 0, 0, err
	}
	s.Put(b)
	return up, down, s.Drop()
}

// pace returns the bytes per ns of copies of a slot.
func (s *Session) pace(copy func() error) (pace float64, err error) {
	for range linkReps {
		queue, start := s.Queue(), time.Now()
		for range linkCopies {
			queue.Then(copy)
		}
		if err := queue.Sync(); err != nil {
			return 0, err
		}
		pace = max(pace, linkCopies*device.SlotBytes/float64(max(1, time.Since(start))))
	}
	return pace, nil
}

// Warm takes the pinned memory of a long sort by the given number of workers, so that the first
// sort finds it. It takes it slot by slot: meanwhile the system gives no memory to anybody else in the
// process, 1 ms for each.
func (s *Session) Warm(workers int) error {
	for slots := range min(2*workers, maxSlots) {
		if err := s.Grow(slots + 1); err != nil {
			return err
		}
	}
	return nil
}
