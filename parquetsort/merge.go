package parquetsort

// merger merges runs in rounds. A round merges all rows in memory that come before all rows that
// are not. So each run is read in order, as far ahead as its share of the memory.
type merger[E any] struct {
	e       *engine[E]
	cursors []cursor[E]
	parts   [][]E
	last    *E // row of the round before; nil unless duplicates are dropped
}

// cursor is the place in a run.
type cursor[E any] struct {
	from   *store
	left   []block // that are not in memory
	memory []E     // with room for two blocks or more
	lo, hi int     // rows in memory
}

// merge hands the rows of runs to write, in order; ties in the order of runs.
func (e *engine[E]) merge(runs []run, write func([]E) error) error {
	return ahead(e.newMerger(runs).next, write)
}

func (e *engine[E]) newMerger(runs []run) *merger[E] {
	m := &merger[E]{e: e, cursors: make([]cursor[E], len(runs)), parts: make([][]E, len(runs))}
	each := e.share(len(runs))
	memory := e.rows[len(e.rows):cap(e.rows)] // not in use
	if len(memory) < each*len(runs) {
		memory = make([]E, each*len(runs))
	}
	for i, r := range runs {
		m.cursors[i] = cursor[E]{from: r.from, left: r.blocks, memory: memory[i*each : (i+1)*each]}
	}
	return m
}

// next returns the rows of a round, in memory if there is enough, and false after the last.
func (m *merger[E]) next(memory []E) ([]E, bool, error) {
	for {
		for i := range m.cursors {
			if err := m.cursors[i].fill(m.e.codec); err != nil {
				return nil, false, err
			}
		}
		total, parts := m.cut()
		if cap(memory) < total {
			memory = make([]E, max(total, m.e.mergedRows()))
		}
		rows := memory[:total]
		if err := m.join(rows, parts); err != nil || total == 0 {
			return nil, false, err
		}
		if m.e.drop {
			rows = m.distinct(rows)
		}
		if len(rows) > 0 {
			return rows, true, nil
		}
	}
}

// join merges parts to rows.
func (m *merger[E]) join(rows []E, parts [][]E) error {
	if len(parts) == 1 {
		copy(rows, parts[0])
		return nil
	}
	return m.e.order.Merge(rows, parts)
}

// fill reads blocks once half of the memory is free.
func (c *cursor[E]) fill(codec codec[E]) error {
	if len(c.left) == 0 || c.hi-c.lo > len(c.memory)/2 {
		return nil
	}
	c.lo, c.hi = 0, copy(c.memory, c.memory[c.lo:c.hi])
	left, err := nextBlocks(c.from, c.left, len(c.memory)-c.hi, func(rows int, encoded []byte) {
		codec.Decode(encoded, c.memory[c.hi:c.hi+rows])
		c.hi += rows
	})
	c.left = left
	return err
}

// cut takes the rows of a round from all cursors: those up to the bound. It returns their number,
// and parts of runs that are not empty.
func (m *merger[E]) cut() (total int, parts [][]E) {
	parts = m.parts[:0]
	bound := m.bound()
	for i := range m.cursors {
		c := &m.cursors[i]
		end := c.hi
		if bound >= 0 && i != bound {
			end = c.lo + m.before(c.memory[c.lo:c.hi], bound, i)
		}
		if end > c.lo {
			parts = append(parts, c.memory[c.lo:end])
			total += end - c.lo
			c.lo = end
		}
	}
	return total, parts
}

// bound returns the cursor whose last row in memory comes first, of those with rows that are not
// in memory. All rows up to it are in memory. It returns -1 if all rows are.
func (m *merger[E]) bound() int {
	bound := -1
	for i := range m.cursors {
		c := &m.cursors[i]
		if len(c.left) > 0 && (bound < 0 || m.e.order.Compare(c.memory[c.hi-1], m.row(bound)) < 0) {
			bound = i
		}
	}
	return bound
}

// row returns the last row in memory of a cursor.
func (m *merger[E]) row(i int) E { return m.cursors[i].memory[m.cursors[i].hi-1] }

// before returns how many of the rows of cursor i are in the round: rows that tie with the bound
// are, if its run comes after theirs.
func (m *merger[E]) before(rows []E, bound, i int) int {
	lo, hi := m.e.order.SearchRange(rows, m.row(bound))
	if i < bound {
		return hi
	}
	return lo
}

// distinct drops rows that tie with the one before, in this round or the last.
func (m *merger[E]) distinct(rows []E) []E {
	rows = distinct(m.e.order, rows, m.last)
	if len(rows) > 0 {
		last := rows[len(rows)-1]
		m.last = &last
	}
	return rows
}
