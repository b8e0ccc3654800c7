package codes

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// checkNote is the pinned memory of a check.
type checkNote struct {
	status [kernels.StatusWords]uint32
	sums   [2]uint64 // of the hashes of codes, and of sorted codes
}

const sumsBytes = int(unsafe.Sizeof(checkNote{}.sums))

// checkMemory is the device memory of a check.
type checkMemory struct{ status, seen, sums cuda.Ptr }

func layOutCheck(a *device.Area, n int) checkMemory {
	return checkMemory{status: a.Take(4 * kernels.StatusWords), sums: a.Take(sumsBytes), seen: a.Take(n/8 + 4)}
}

// HeadBytes is the device memory that sorts take before they have a plan: enough for samples,
// tables and status words. A check takes as much, so it can use the block of a sort.
const HeadBytes = 1 << 18

// CheckBytes returns the device memory that Check takes.
func CheckBytes(n int) int { return HeadBytes + n/8 + 256 }

// Check verifies on the device that order has every position once and is the stable order of
// the codes, or, for keys alone, that it is these codes in order.
func Check(w *device.Workspace, in Input, order cuda.Ptr) error {
	note, err := device.Pinned[checkNote](w)
	if err != nil {
		return err
	}
	block, err := w.Take(CheckBytes(in.N))
	if err != nil {
		return err
	}
	defer w.Put(block)
	m := layOutCheck(&device.Area{At: block.At}, in.N)
	q := w.Queue()
	q.Fill(m.status, 0, kernels.StatusWords)
	if in.Keys {
		countKeys(&q, Grid(w, in.N), m, in, order, note)
	} else {
		countOrder(&q, Grid(w, in.N), m, in, order)
	}
	q.ToHost(unsafe.Pointer(&note.status), m.status, 4*kernels.StatusWords)
	if err := q.Sync(); err != nil {
		return err
	}
	return note.verdict(in, w.Info.Name)
}

// countOrder counts neighbours in the wrong order and missing positions.
func countOrder(q *device.Queue, grid int, m checkMemory, in Input, order cuda.Ptr) {
	q.Fill(m.seen, 0, in.N/32+1)
	q.Run("mark_order"+Width(in.Wide), grid, kernels.SampleThreads, 0, uint64(in.Codes), uint64(order), uint64(in.N), uint64(m.seen), uint64(m.status))
	q.Run("count_missing", grid, kernels.SampleThreads, 0, uint64(m.seen), uint64(in.N), uint64(m.status))
}

// countKeys counts sorted codes above their successor, and sums a hash of all codes and of the
// sorted ones. Lost, duplicated or changed codes go unnoticed with probability 2^-64.
func countKeys(q *device.Queue, grid int, m checkMemory, in Input, sorted cuda.Ptr, note *checkNote) {
	q.Fill(m.sums, 0, sumsBytes/4)
	q.Run("count_descents"+Width(in.Wide), grid, kernels.SampleThreads, 0, uint64(sorted), uint64(in.N), uint64(m.status))
	for i, codes := range []cuda.Ptr{in.Codes, sorted} {
		q.Run("sum_codes"+Width(in.Wide), grid, kernels.SampleThreads, 0, uint64(codes), uint64(in.N), uint64(m.sums)+8*uint64(i))
	}
	q.ToHost(unsafe.Pointer(&note.sums), m.sums, sumsBytes)
}

// verdict returns an error if a count of the device called name is not 0.
func (c *checkNote) verdict(in Input, name string) error {
	disorder, missing, descents := c.status[kernels.StatusDisorder], c.status[kernels.StatusMissing], c.status[kernels.StatusDescents]
	switch same := c.sums[0] == c.sums[1]; {
	case in.Keys && (descents > 0 || !same):
		return fmt.Errorf("sorter: gpu: wrong keys from %s: %d neighbours, the same codes: %t", name, descents, same)
	case !in.Keys && (disorder > 0 || missing > 0):
		return fmt.Errorf("sorter: gpu: wrong order from %s: %d neighbours, %d positions missing", name, disorder, missing)
	}
	return nil
}
