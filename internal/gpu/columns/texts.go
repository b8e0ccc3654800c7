package columns

import (
	"math"
	"unsafe"

	"example.com/sorter/kernels"
)

// orderByText sorts by the fields that wait, and by a column of texts: by their first bytes that differ, then, as long as texts
// of a run differ, by further ones.
func (c *call) orderByText(waiting []field, k key, more bool) error {
	open, err := c.begin(k)
	if err != nil {
		return err
	}
	if !open { // all texts of a run are equal, and all or none are null
		return c.sortBy(waiting, 0, more)
	}
	if k.nulls != nil {
		waiting = append(waiting, *k.nulls)
	}
	f := k.text.at(c.depth)
	ends := k.text.longest <= c.depth+uint64(f.content)
	if err := c.sortBy(append(waiting, f), uint64(f.content), more || !ends); err != nil {
		return err
	}
	for !c.done && !ends {
		if open, err := c.common(k.text); !open || err != nil {
			return err
		}
		f = k.text.at(0)
		if err := c.sortBy([]field{f}, uint64(f.content), true); err != nil {
			return err
		}
	}
	return nil
}

// begin finds how many bytes texts have in common: those of all rows, or those of each run. open reports whether some rows that
// tie differ in the column.
func (c *call) begin(k key) (open bool, err error) {
	if c.list == nil {
		c.depth, err = c.prefix(k.text)
		return k.nulls != nil || c.depth < k.text.longest, err
	}
	q := c.w.Queue()
	q.Fill(c.list.depths, 0, 2*c.list.runs)
	if q.Err() != nil {
		return false, q.Err()
	}
	return c.common(k.text)
}

// prefixSample is about the number of rows that are compared before all rows are.
const prefixSample = 1 << 14

// prefix returns the number of bytes that the texts of all rows have in common.
func (c *call) prefix(t *text) (uint64, error) {
	c.note.common = t.shortest
	q := c.w.Queue()
	c.upload(&q, []field{t.field})
	q.ToDevice(c.head.common, unsafe.Pointer(&c.note.common), 8)
	for step := max(1, c.n/prefixSample); ; step = 1 {
		q.Run("prefix_of_texts", c.grid(c.n/step), kernels.ColumnThreads, 0, uint64(c.fields), 0, t.like, uint64(c.n), uint64(step), uint64(c.head.common))
		q.ToHost(unsafe.Pointer(&c.note.common), c.head.common, 8)
		if err := q.Sync(); err != nil || step == 1 || c.note.common == 0 {
			return c.note.common, err
		}
	}
}

// common sets the depth of each run to the number of bytes that its texts have in common. open reports whether texts of a run
// may differ.
func (c *call) common(t *text) (open bool, err error) {
	l := c.list
	common, err := c.w.Take(8 * l.runs)
	if err != nil {
		return false, err
	}
	defer c.w.Put(common)
	q := c.w.Queue()
	c.upload(&q, []field{t.field})
	q.Fill(common.At, math.MaxUint32, 2*l.runs)
	q.Fill(c.open, 0, 2)
	q.Run("common_of_texts", c.grid(l.rows), kernels.ColumnThreads, 0, uint64(c.fields), 0, uint64(l.tieList.rows), uint64(l.segments), uint64(l.depths), uint64(l.rows), uint64(common.At), uint64(c.open))
	q.Copy(l.depths, common.At, 8*l.runs)
	q.ToHost(unsafe.Pointer(&c.note.open), c.open, 8)
	err = q.Sync()
	return c.note.open != 0, err
}
