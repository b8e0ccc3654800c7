package gpu

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// checkBytes is the device memory that check takes.
func checkBytes(n int) int { return headBytes + n/8 + 256 }

// check verifies on the device that order holds every position once and is the
// stable order of the codes, or that it is these codes in order.
func (w *workspace) check(in input, order cuda.Ptr) error {
	if in.keys {
		return w.checkKeys(in, order)
	}
	grid := w.gridFor(in.n)
	err := w.counting(in, func(space *area, status cuda.Ptr) error {
		seen := space.take(in.n/8 + 4)
		return first(
			func() error { return w.Memset32(seen, 0, in.n/32+1, w.stream) },
			func() error {
				return w.run("mark_order"+width(in.wide), grid, kernels.SampleThreads, 0, uint64(in.codes), uint64(order), uint64(in.n), uint64(seen), uint64(status))
			},
			func() error {
				return w.run("count_missing", grid, kernels.SampleThreads, 0, uint64(seen), uint64(in.n), uint64(status))
			},
		)
	})
	if err != nil {
		return err
	}
	if wrong, missing := w.note.status[kernels.StatusDisorder], w.note.status[kernels.StatusMissing]; wrong > 0 || missing > 0 {
		return fmt.Errorf("sorter: gpu: wrong order from %s: %d neighbours, %d positions missing", w.info.Name, wrong, missing)
	}
	return nil
}

// counting gives the device a check to do, with memory for it and words to count in
// status, which are read when it is done.
func (w *workspace) counting(in input, check func(space *area, status cuda.Ptr) error) error {
	block, err := w.take(checkBytes(in.n))
	if err != nil {
		return err
	}
	defer w.put(block)
	space := area{block.at}
	m := head(&space)
	return first(
		func() error { return w.Memset32(m.status, 0, kernels.StatusWords, w.stream) },
		func() error { return check(&space, m.status) },
		func() error { return w.readStatus(m) },
	)
}

// checkKeys verifies that sorted has no code before a lower one, and that the sums of
// a hash of all codes agree: codes that got lost, doubled or changed go unnoticed by a
// chance of one in 1<<64.
func (w *workspace) checkKeys(in input, sorted cuda.Ptr) error {
	grid, n := w.gridFor(in.n), uint64(in.n)
	sum := func(codes, to cuda.Ptr) func() error {
		return func() error {
			return w.run("sum_codes"+width(in.wide), grid, kernels.SampleThreads, 0, uint64(codes), n, uint64(to))
		}
	}
	err := w.counting(in, func(space *area, status cuda.Ptr) error {
		sums := space.take(int(unsafe.Sizeof(w.note.sums)))
		return first(
			func() error { return w.Memset32(sums, 0, 4, w.stream) },
			func() error {
				return w.run("count_descents"+width(in.wide), grid, kernels.SampleThreads, 0, uint64(sorted), n, uint64(status))
			},
			sum(in.codes, sums),
			sum(sorted, sums+8),
			func() error {
				return w.CopyToHost(unsafe.Pointer(&w.note.sums), sums, int(unsafe.Sizeof(w.note.sums)), w.stream)
			},
		)
	})
	if err != nil {
		return err
	}
	if wrong, same := w.note.status[kernels.StatusDescents], w.note.sums[0] == w.note.sums[1]; wrong > 0 || !same {
		return fmt.Errorf("sorter: gpu: wrong keys from %s: %d neighbours, the same codes: %t", w.info.Name, wrong, same)
	}
	return nil
}
