package gpu

import (
	"fmt"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// checkBytes is the device memory that check takes.
func checkBytes(n int) int { return headBytes + n/8 + 4 }

// check verifies on the device that order holds every position once and is the
// stable order of the codes.
func (l *lane) check(in input, order cuda.Ptr) error {
	block, err := l.take(checkBytes(in.n))
	if err != nil {
		return err
	}
	defer l.put(block)
	space := area{block.at}
	m := head(&space)
	seen := space.take(in.n/8 + 4)
	grid := l.gridFor(in.n)
	err = first(
		func() error { return l.Memset32(m.status, 0, kernels.StatusWords, l.stream) },
		func() error { return l.Memset32(seen, 0, in.n/32+1, l.stream) },
		func() error {
			return l.run("mark_order"+width(in.wide), grid, kernels.SampleThreads, 0, uint64(in.codes), uint64(order), uint64(in.n), uint64(seen), uint64(m.status))
		},
		func() error {
			return l.run("count_missing", grid, kernels.SampleThreads, 0, uint64(seen), uint64(in.n), uint64(m.status))
		},
		func() error { return l.readStatus(m) },
	)
	if err != nil {
		return err
	}
	if wrong, missing := l.note.status[kernels.StatusDisorder], l.note.status[kernels.StatusMissing]; wrong > 0 || missing > 0 {
		return fmt.Errorf("sorter: gpu: wrong order from %s: %d neighbours, %d positions missing", l.info.Name, wrong, missing)
	}
	return nil
}
