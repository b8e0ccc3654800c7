package columns

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gather"
	"example.com/sorter/kernels"
)

// GatherModules has the kernels that move columns; those of [Modules] and of package gather are needed, too.
var GatherModules = []*device.Module{{Image: kernels.GatherColumns, Kernels: map[string]int{
	"gather_values_u8": 0, "gather_values_u16": 0, "gather_column_bits": 0,
	"sizes_of_texts": kernels.TextMoveShared, "offsets_of_texts": kernels.TextMoveShared, "move_texts": kernels.TextMoveShared,
}}}

// Gather moves n values of each column to the column of the same type in to: the i-th is that of row order[i]. It returns when
// the device is done. Offsets of texts that descend or exceed their bytes, and texts that exceed those of to, are an
// error; the texts of the column, and later columns, are not written then.
func Gather(w *device.Workspace, order cuda.Ptr, n int, from, to []Column) error {
	if n == 0 {
		q := w.Queue()
		for _, c := range to {
			if c.Type.IsText() && c.Offsets != 0 {
				q.Fill(c.Offsets, 0, c.Type.Bytes()/4)
			}
		}
		return q.Sync()
	}
	for _, modules := range [][]*device.Module{Modules, GatherModules, gather.Modules} {
		if err := w.Load(modules); err != nil {
			return err
		}
	}
	c := call{w: w, n: n}
	for i := range from {
		if err := c.move(order, i, from[i], to[i]); err != nil {
			return err
		}
	}
	return w.SyncStream(w.Stream)
}

// move moves the i-th column.
func (c *call) move(order cuda.Ptr, i int, from, to Column) error {
	q := c.w.Queue()
	bits := func(bits, sorted cuda.Ptr) {
		q.Run("gather_column_bits", c.grid(c.n), kernels.ColumnThreads, 0, uint64(bits), uint64(from.First), uint64(order), uint64(c.n), uint64(sorted))
	}
	if to.Validity != 0 {
		bits(from.Validity, to.Validity)
	}
	switch size := from.Type.Bytes(); {
	case from.Type.IsText():
		q.Then(func() error { return c.moveTexts(order, i, from, to) })
	case from.Type == Bool:
		bits(from.Values, to.Values)
	case size < 4:
		q.Run(fmt.Sprint("gather_values_u", 8*size), c.grid(c.n), kernels.ColumnThreads, 0, uint64(from.Values), uint64(order), uint64(c.n), uint64(to.Values))
	default:
		q.Then(func() error { return gather.Elements(c.w, c.w.Stream, from.Values, order, 0, c.n, size, to.Values) })
	}
	return q.Err()
}

// moveNote is pinned memory of moves of texts.
type moveNote struct {
	fields       [2]field
	bytes, wrong uint64
}

// moveTexts moves texts.
func (c *call) moveTexts(order cuda.Ptr, i int, from, to Column) error {
	note, err := device.Pinned[moveNote](c.w)
	if err != nil {
		return err
	}
	tiles := c.n/kernels.TextMoveTile + 1 // also for the last offset
	var fields, sums, bytes cuda.Ptr
	block, err := c.w.Lay(func(a *device.Area) { fields, sums, bytes = a.Take(2*fieldBytes), a.Take(8*tiles), a.Take(16) })
	if err != nil {
		return err
	}
	defer c.w.Put(block)
	wrong := bytes + 8
	note.fields = [2]field{fieldsOf(from, 0)[0], fieldsOf(to, 0)[0]}
	q := c.w.Queue()
	q.ToDevice(fields, unsafe.Pointer(&note.fields), 2*fieldBytes)
	q.Fill(bytes, 0, 4)
	q.Run("sizes_of_texts", tiles, kernels.ColumnThreads, kernels.TextMoveShared, uint64(fields), uint64(order), uint64(c.n), uint64(sums), uint64(wrong))
	q.Run("scan_ties", 1, 1024, kernels.TieShared, uint64(sums), uint64(tiles), uint64(bytes))
	q.ToHost(unsafe.Pointer(&note.bytes), bytes, 16)
	if err := q.Sync(); err != nil {
		return err
	}
	column := fmt.Sprintf("column %d", i)
	switch most := min(uint64(to.Bytes), mostOf(to.Type)); {
	case note.wrong != 0:
		return invalid{column, fmt.Sprintf("the text for place %d has offsets that descend or exceed %d", c.n-int(note.wrong), from.Bytes)}
	case note.bytes > most:
		return invalid{column, fmt.Sprintf("%d bytes of texts for memory or offsets of %d", note.bytes, most)}
	}
	q.Run("offsets_of_texts", tiles, kernels.ColumnThreads, kernels.TextMoveShared, uint64(fields), uint64(order), uint64(c.n), uint64(sums), uint64(wrong))
	q.Run("move_texts", (c.n-1)/kernels.TextMoveTile+1, kernels.ColumnThreads, kernels.TextMoveShared, uint64(fields), uint64(order), uint64(c.n))
	return q.Sync()
}

// mostOf returns the largest offset of texts.
func mostOf(t Type) uint64 {
	if t == Text32 {
		return 1<<32 - 1
	}
	return 1<<63 - 1
}
