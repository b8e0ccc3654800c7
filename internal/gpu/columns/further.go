package columns

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
)

// Further orders rows that tie in an order by codes, by further codes of all rows, which the host makes one after the other.
type Further struct {
	call
	found marked       // ties in the order by the first codes
	block device.Block // of codes
}

// bytesPerRow bounds the device memory of [Further] in a row: 8 bytes of its code, 37 in two lists of ties, 12 of a code in a list
// and its place, and 24 of a segmented sort.
const bytesPerRow = 96

// FurtherBytes bounds the device memory of [Further], besides that of a sort of n 64-bit codes.
func FurtherBytes(n int) int { return bytesPerRow*n + 1<<20 }

// NewFurther counts the ties of an order of n rows by codes. Both are in to. whole sorts codes. The caller ends with
// [Further.Free].
func NewFurther(w *device.Workspace, n int, whole codes.Whole, to Result) (*Further, error) {
	if err := w.Load(Modules); err != nil {
		return nil, err
	}
	note, err := device.Pinned[note](w)
	if err != nil {
		return nil, err
	}
	f := &Further{call: call{w: w, n: n, whole: whole, to: to, note: note}, found: marked{ties: to.Ties, sorted: to.Order}}
	head, err := w.Lay(func(a *device.Area) { f.head, f.found.tiles = layOut(a), a.Take(8*tieTiles(n)) })
	if err != nil {
		return nil, err
	}
	f.held = append(f.held, head)
	if err := f.count(&f.found); err != nil {
		f.Free()
		return nil, err
	}
	return f, nil
}

// Begin takes the memory to order rows that tie, at most [FurtherBytes]. It precedes Codes and By.
func (f *Further) Begin() (err error) {
	if err = f.makeList(f.found, 0); err == nil {
		f.block, err = f.w.Take(8 * f.n)
	}
	return err
}

// Tied returns the number of rows that tie still, and of their runs.
func (f *Further) Tied() (rows, runs int) {
	switch {
	case f.done:
		return 0, 0
	case f.list == nil:
		return f.found.rows, f.found.runs
	}
	return f.list.rows, f.list.runs
}

// Codes returns device memory for a code of each row.
func (f *Further) Codes() cuda.Ptr { return f.block.At }

// By orders the rows that tie by the codes there, and marks and counts those that tie still.
func (f *Further) By(wide bool) error {
	codes := Column{Type: Uint32, Values: f.block.At}
	if wide {
		codes.Type = Uint64
	}
	keys, err := f.examine([]Column{codes})
	if err != nil || len(keys) == 0 { // none, if all codes are equal
		return err
	}
	return f.sortBy(keys[0].fields, 0, true)
}

// Free gives the memory back.
func (f *Further) Free() {
	f.free()
	f.w.Put(f.block)
}
