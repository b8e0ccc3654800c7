package parquetsort

// leastMerged is the number of rows that a merge holds, whatever the limit of rows in memory.
const leastMerged = 1 << 14

// reduce merges runs to fewer, until those that are left can be merged at a time.
func (e *engine[E]) reduce() error {
	most := e.mostRuns()
	for len(e.runs) > most {
		next := &store{pool: e.store.pool, compression: e.store.compression}
		runs, err := e.mergeGroups(most, next)
		if err != nil {
			next.release()
			return err
		}
		e.store.release()
		e.store, e.runs = next, runs
	}
	return nil
}

// mergeGroups merges each group of runs that follow each other to a run in next.
func (e *engine[E]) mergeGroups(most int, next *store) (runs []run, err error) {
	for at := 0; at < len(e.runs); at += most {
		out := e.newRun(next)
		if err := e.merge(e.runs[at:min(at+most, len(e.runs))], out.write); err != nil {
			return nil, err
		}
		runs = append(runs, out.end())
	}
	return runs, nil
}

// mostRuns returns how many runs are merged at a time: each has two blocks in memory.
func (e *engine[E]) mostRuns() int { return max(e.mergedRows()/(2*e.block), 2) }

// mergedRows returns how many rows of runs a merge holds. There are as many merged ones, twice.
func (e *engine[E]) mergedRows() int { return max(e.limit/2, e.least) }

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
	each := max(e.mergedRows()/len(runs), 2*e.block)
	memory := e.rows[len(e.rows):cap(e.rows)] // not in use
	if len(memory) < each*len(runs) {
		memory = make([]E, each*len(runs))
	}
	for i, r := range runs {
		m.cursors[i] = cursor[E]{from: r.from, left: r.blocks, memory: memory[i*each : (i+1)*each]}
	}
	return m
}

// next returns the rows of a round, none after the last, in memory if there is enough.
func (m *merger[E]) next(memory []E) ([]E, error) {
	for {
		for i := range m.cursors {
			if err := m.cursors[i].fill(m.e.codec); err != nil {
				return nil, err
			}
		}
		total, parts := m.cut()
		if cap(memory) < total {
			memory = make([]E, max(total, m.e.mergedRows()))
		}
		rows := memory[:total]
		if err := m.join(rows, parts); err != nil || total == 0 {
			return nil, err
		}
		if m.e.drop {
			rows = m.distinct(rows)
		}
		if len(rows) > 0 {
			return rows, nil
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
	n, to := 0, c.hi
	for n < len(c.left) && to+c.left[n].rows <= len(c.memory) {
		to += c.left[n].rows
		n++
	}
	err := c.from.get(c.left[:n], func(b block, encoded []byte) {
		codec.Decode(encoded, c.memory[c.hi:c.hi+b.rows])
		c.hi += b.rows
	})
	c.left = c.left[n:]
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
