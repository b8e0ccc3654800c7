package columns

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/segments"
	"example.com/sorter/kernels"
)

// list is rows that tie, in order, and the runs that they lie in.
type list struct {
	tieList
	rows, runs int
	block      device.Block
}

// tieList is struct TieList of columns.cuh.
type tieList struct{ rows, places, segments, offsets, heads, depths cuda.Ptr }

const tieListBytes = int(unsafe.Sizeof(tieList{}))

const _ = -uint(tieListBytes ^ kernels.TieListBytes) // 0, or it does not compile

func (c *call) newList(rows, runs int) (*list, error) {
	l := &list{rows: rows, runs: runs}
	var err error
	l.block, err = c.w.Lay(func(a *device.Area) {
		l.tieList = tieList{
			rows: a.Take(4 * rows), places: a.Take(4 * rows), segments: a.Take(4 * rows),
			offsets: a.Take(4 * (runs + 1)), heads: a.Take(4 * words(rows)), depths: a.Take(8 * runs),
		}
	})
	return l, err
}

func (c *call) dropList() {
	if c.list != nil {
		c.w.Put(c.list.block)
	}
}

// words returns the 32-bit words of a bit for each of n rows.
func words(n int) int { return (n-1)/32 + 1 }

// tied returns the number of rows that tie so far, and the list of them; nil: all rows.
func (c *call) tied() (int, tieList) {
	if c.list == nil {
		return c.n, tieList{}
	}
	return c.list.rows, c.list.tieList
}

// wordBits is the size of a word of the key.
const wordBits = 64

// sortBy sorts the rows that tie by the bits of fields, word by word. more says that something is done afterwards with the rows
// that tie still. The depths of their runs grow by deeper.
func (c *call) sortBy(fields []field, deeper uint64, more bool) error {
	all := 0 // bits
	for _, f := range fields {
		all += int(f.bits)
	}
	for begin := 0; begin < all && !c.done; begin += wordBits {
		end := min(all, begin+wordBits)
		last, grow := end == all, uint64(0)
		if last {
			grow = deeper
		}
		if err := c.sortWord(wordOf(fields, begin, end), end-begin > 32, grow, more || !last); err != nil {
			return err
		}
	}
	return nil
}

// wordOf returns the fields with bits from begin to end of the key.
func wordOf(fields []field, begin, end int) []field {
	var word []field
	at := 0
	for _, f := range fields {
		next := at + int(f.bits)
		if next > begin && at < end {
			f.left = int32(end - next)
			word = append(word, f)
		}
		at = next
	}
	return word
}

// sortWord sorts the rows that tie by one word.
func (c *call) sortWord(word []field, wide bool, deeper uint64, more bool) error {
	n, l := c.tied()
	var at, sorted cuda.Ptr
	var found marked
	block, err := c.w.Lay(func(a *device.Area) {
		at, found = a.Take(codes.Bytes(wide)*n), layMarks(a, n)
		if c.list != nil {
			sorted = a.Take(4 * n)
		}
	})
	if err != nil {
		return err
	}
	defer c.w.Put(block)
	in := codes.Input{Codes: at, Wide: wide, N: n}
	q := c.w.Queue()
	c.upload(&q, word)
	q.Run("pack_codes"+codes.Width(wide), c.grid((n-1)/kernels.ColumnItems+1), kernels.ColumnThreads, kernels.FieldsShared,
		uint64(c.fields), uint64(len(word)), uint64(l.rows), uint64(l.segments), uint64(l.depths), c.depth, uint64(n), uint64(at))
	if c.list == nil {
		sorted = c.to.Order
		q.Then(func() error { return c.whole(c.w, in, sorted) })
	} else {
		q.Then(func() error {
			return segments.Sort(c.w, segments.Input{Input: in, Offsets: l.offsets, Count: c.list.runs}, c.whole, sorted)
		})
		q.Run("place_rows_of_list", c.grid(n), kernels.ColumnThreads, 0, uint64(l.rows), uint64(l.places), uint64(sorted), uint64(n), uint64(c.to.Order))
	}
	if !more {
		c.done = true
		return q.Sync()
	}
	found.sorted = sorted
	q.Then(func() error { return c.mark(in, &found) })
	if q.Err() != nil || c.done {
		return q.Err()
	}
	if c.list == nil {
		deeper += c.depth
	}
	return c.makeList(found, deeper)
}

// marked is device memory with the ties of the rows of a list, and their counts in each tile.
type marked struct {
	ties, tiles cuda.Ptr
	sorted      cuda.Ptr // the order of the rows
	rows, runs  int      // that tie
}

func layMarks(a *device.Area, n int) marked {
	return marked{ties: a.Take(4 * words(n)), tiles: a.Take(8 * tieTiles(n))}
}

func tieTiles(n int) int { return (n-1)/kernels.TieTile + 1 }

// mark marks and counts the ties among rows that are in order by codes.
func (c *call) mark(in codes.Input, m *marked) error {
	n, l := c.tied()
	q := c.w.Queue()
	q.Then(func() error { return codes.MarkTies(c.w, in, m.sorted, m.ties) })
	switch {
	case c.to.Ties == 0:
	case c.list == nil:
		q.Copy(c.to.Ties, m.ties, 4*words(n))
	default:
		q.Run("refine_marks", c.grid(n), kernels.ColumnThreads, 0, uint64(m.ties), uint64(l.heads), uint64(l.places), uint64(n), uint64(c.to.Ties))
	}
	q.Then(func() error { return c.count(m) })
	return q.Err()
}

// count counts the ties that are marked.
func (c *call) count(m *marked) error {
	n, l := c.tied()
	q := c.w.Queue()
	q.Run("count_ties", tieTiles(n), kernels.ColumnThreads, kernels.TieShared, uint64(m.ties), uint64(l.heads), uint64(n), uint64(m.tiles))
	q.Run("scan_ties", 1, 1024, kernels.TieShared, uint64(m.tiles), uint64(tieTiles(n)), uint64(c.ties))
	q.ToHost(unsafe.Pointer(&c.note.ties), c.ties, 8)
	err := q.Sync()
	m.rows, m.runs = int(c.note.ties>>32), int(uint32(c.note.ties))
	c.done = err == nil && m.rows == 0
	return err
}

// makeList makes the list of the rows that tie. The depths of their runs grow by deeper.
func (c *call) makeList(m marked, deeper uint64) error {
	n, l := c.tied()
	next, err := c.newList(m.rows, m.runs)
	if err != nil {
		return err
	}
	q := c.w.Queue()
	c.note.lists = [2]tieList{l, next.tieList}
	q.ToDevice(c.lists, unsafe.Pointer(&c.note.lists), 2*tieListBytes)
	q.Fill(next.heads, 0, words(m.rows))
	q.Fill(next.offsets+cuda.Ptr(4*m.runs), uint32(m.rows), 1)
	q.Run("list_ties", tieTiles(n), kernels.ColumnThreads, kernels.TieListShared, uint64(m.ties), uint64(n), uint64(m.tiles), uint64(m.sorted), uint64(c.lists), deeper)
	c.dropList()
	c.list, c.depth = next, 0
	return q.Sync()
}
