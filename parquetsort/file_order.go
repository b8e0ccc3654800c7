package parquetsort

import (
	"errors"
	"fmt"

	"example.com/sorter"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/perm"
)

// order returns the rows of the sources in their order, without those that are dropped.
func (s *fileSort) order() ([]uint32, error) {
	if need := int64(s.rows) * layoutBytes; need > s.options.memory {
		return nil, &sorter.MemoryError{Limit: s.options.memory, Need: need, Elements: s.rows}
	}
	if len(s.keys) == 0 || s.rows == 0 {
		return s.unsorted(), nil
	}
	defer scratch.DropIdle() // the columns that are moved next have the memory
	rows, err := s.orderInMemory()
	if errors.As(err, new(errNoRoom)) || errors.Is(err, sorter.ErrMemoryLimit) {
		s.stats.KeysOnDisk = true
		rows, err = s.orderOnDisk()
	}
	return rows, err
}

// layoutBytes is the memory of a row while its place is found: the order, its inverse, and the partition.
const layoutBytes = 4 + 4 + 2

// errNoRoom reports keys that take more memory than there is.
type errNoRoom struct{}

func (errNoRoom) Error() string { return "no room for the keys" }

// unsorted returns rows of which all tie.
func (s *fileSort) unsorted() []uint32 {
	n := s.rows
	if s.options.limit > 0 {
		n = int(min(int64(n), s.options.limit))
	}
	if s.options.unique {
		n = min(n, 1)
	}
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}

// orderInMemory returns the order by keys that are all in memory.
func (s *fileSort) orderInMemory() ([]uint32, error) {
	room := s.options.room()
	var columns []sorter.Column[int]
	for _, k := range s.keys {
		key := keyColumn{leaf: k, column: s.columns[k.ColumnIndex], rows: s.rows, room: room}
		column, err := key.load(s)
		if err != nil {
			return nil, err
		}
		room -= key.held
		columns = append(columns, column)
	}
	if room -= 4 * int64(s.rows); room < 1 { // the result
		return nil, errNoRoom{}
	}
	rows := sorter.RowsBy(s.rows, columns...)
	opts := []sorter.Option{sorter.Stable(), sorter.MemoryLimit(room), sorter.WithContext(s.ctx), sorter.Workers(s.options.workers)}
	limit := s.options.limit
	if limit > 0 && limit < int64(s.rows) && !s.options.unique {
		return rows.Top(int(limit), opts...)
	}
	var runs perm.Runs
	if s.options.unique {
		opts = append(opts, sorter.MarkRuns(&runs))
	}
	order, err := rows.Order(opts...)
	if err != nil || !s.options.unique {
		return order, err
	}
	kept := order[:0]
	for lo := range runs.All() {
		kept = append(kept, order[lo])
	}
	if limit > 0 {
		kept = kept[:min(int64(len(kept)), limit)]
	}
	return kept, nil
}

// layout is where rows go. A partition is consecutive row groups; a column is moved to all of them before it is put in
// order in each.
type layout struct {
	rows   int
	groups []int    // row at which each begins, and the end
	files  []int    // of the groups, the first of each file by SplitRows
	parts  []int    // of the groups, the first of each partition, and the end
	partOf []uint16 // of rows of the sources, dropped if they have none
	places []uint32 // in their partitions, of its rows as they come from the sources, partition by partition
}

const dropped = 1<<16 - 1

// fewParts bounds the partitions of one row group each. With more the distribution takes a miss of the caches
// for each value.
const fewParts = 1 << 10

// layOut returns where rows in order go. It takes the memory of the order.
func (s *fileSort) layOut(order []uint32) (*layout, error) {
	l := &layout{rows: len(order)}
	s.stats.RowsOut = int64(l.rows)
	l.cut(s.groupRows(), int(s.options.splitRows))
	if len(l.parts) > dropped {
		return nil, fmt.Errorf("%d partitions of row groups", len(l.parts))
	}
	inverse, err := s.inverse(order)
	if err != nil {
		return nil, err
	}
	l.places, l.partOf = order, make([]uint16, s.rows)
	guess := l.guesses()
	next := make([]int, l.partCount())
	for p := range next {
		next[p], _ = l.partRows(p)
	}
	for row, j := range inverse {
		if j == notInOrder {
			l.partOf[row] = dropped
			continue
		}
		p := int(guess[j>>guessBits])
		for int(j) >= l.groups[l.parts[p+1]] {
			p++
		}
		l.partOf[row] = uint16(p)
		l.places[next[p]] = j - uint32(l.groups[l.parts[p]])
		next[p]++
	}
	return l, s.ctx.Err()
}

// notInOrder is the place of a row that is dropped.
const notInOrder = 1<<32 - 1

// inverse returns the places of rows.
func (s *fileSort) inverse(order []uint32) ([]uint32, error) {
	inverse := make([]uint32, s.rows)
	if len(order) < s.rows {
		for i := range inverse {
			inverse[i] = notInOrder
		}
	}
	const batch = 1 << 16
	err := newCrew(s.ctx, s.options.workers).each((len(order)+batch-1)/batch, func(i int) error {
		from := i * batch
		for j, row := range order[from:min(from+batch, len(order))] {
			inverse[row] = uint32(from + j)
		}
		return nil
	})
	return inverse, err
}

// guessBits is the logarithm of how many places share a guess of their partition.
const guessBits = 12

// guesses returns the partition of every place that is a multiple of 1<<guessBits.
func (l *layout) guesses() []uint16 {
	guess := make([]uint16, l.rows>>guessBits+1)
	p := 0
	for i := range guess {
		for p < l.partCount()-1 && i<<guessBits >= l.groups[l.parts[p+1]] {
			p++
		}
		guess[i] = uint16(p)
	}
	return guess
}

// cut cuts rows into files, row groups and partitions.
func (l *layout) cut(groupRows, fileRows int) {
	if fileRows == 0 {
		fileRows = max(l.rows, 1)
	}
	for from := 0; from < l.rows; from += fileRows {
		l.files = append(l.files, len(l.groups))
		for at := from; at < min(from+fileRows, l.rows); at += groupRows {
			l.groups = append(l.groups, at)
		}
	}
	l.groups = append(l.groups, l.rows)
	least := l.rows / fewParts
	for g := range l.groups[1:] {
		if n := len(l.parts); n == 0 || l.groups[g]-l.groups[l.parts[n-1]] >= least {
			l.parts = append(l.parts, g)
		}
	}
	l.parts = append(l.parts, len(l.groups)-1)
}

func (l *layout) partCount() int { return len(l.parts) - 1 }

// partRows returns the rows of a partition.
func (l *layout) partRows(p int) (lo, hi int) { return l.groups[l.parts[p]], l.groups[l.parts[p+1]] }

// mostRows bounds the rows of a group, as a page header has 32 bits for them.
const mostRows = 1 << 30

// groupRows returns the rows of a row group.
func (s *fileSort) groupRows() int {
	rows := int64(1)
	packed := int64(0)
	for _, c := range s.columns {
		for i := range c.chunks {
			rows = max(rows, int64(c.chunks[i].rows))
		}
		packed += c.packed
	}
	switch {
	case s.options.groupRows > 0:
		rows = s.options.groupRows
	case s.options.groupBytes > 0:
		rows = mostRows
	}
	if b := s.options.groupBytes; b > 0 {
		rows = min(rows, int64(float64(b)*float64(s.rows)/float64(max(packed, 1))))
	}
	for _, c := range s.columns { // a chunk in the order of the sources, in its own, and encoded
		rows = min(rows, s.columnRoom()/(4*s.each(c)))
	}
	return int(min(max(rows, 1), mostRows))
}

// each returns the bytes of a row in a column that is moved.
func (s *fileSort) each(c *column) int64 {
	return max(c.moved(s.rows)/int64(max(s.rows, 1)), 1)
}

// movers returns how many goroutines move columns: more than there are columns where their chunks have room.
func (s *fileSort) movers() int {
	columns := min(s.options.workers, len(s.columns))
	widest := int64(1)
	for _, c := range s.columns {
		widest = max(widest, s.each(c))
	}
	chunk := widest * int64(s.groupRows())
	fits := int64(columns) * s.columnRoom() / (4 * chunk)
	return int(min(int64(s.options.workers), max(fits, int64(columns))))
}

// columnRoom returns the memory that a column may take that is moved.
func (s *fileSort) columnRoom() int64 {
	room := s.options.room() - int64(s.rows)*(layoutBytes-4)
	return max(room/int64(min(s.options.workers, len(s.columns))), leastRoom)
}

// leastRoom is the memory of a column that is moved with however small a limit.
const leastRoom = 1 << 20

// moved returns the bytes of a column as it is moved, as far as the sources say.
func (c *column) moved(rows int) int64 {
	if c.width > 0 && !c.nested() {
		return int64(rows) * int64(c.width+1)
	}
	levels := int64(0)
	for i := range c.chunks {
		levels += c.chunks[i].meta.NumValues
	}
	return 2*c.bytes + levels*int64(4+c.width) + 8*int64(rows)
}
