package conformance_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// drawnCut is a call of a case, and what is left of the case when the call is made smaller. The zero rest is all.
type drawnCut struct {
	verb, turn           int    // place in drawnVerbs, and which draw of this verb
	rows                 []int  // nil: all
	cols, parts, options uint64 // dropped, a bit for each
}

// String is the cut as -drawn.cut has it.
func (c drawnCut) String() string {
	rows := "all"
	if c.rows != nil {
		rows = rangesOf(c.rows)
	}
	return fmt.Sprintf("%d/%d/%s/%x/%x/%x", c.verb, c.turn, rows, c.cols, c.parts, c.options)
}

// rangesOf writes numbers that ascend as ranges, such as 0-5,9.
func rangesOf(rows []int) string {
	var all []string
	for i := 0; i < len(rows); {
		j := i + 1
		for j < len(rows) && rows[j] == rows[j-1]+1 {
			j++
		}
		if text := strconv.Itoa(rows[i]); j == i+1 {
			all = append(all, text)
		} else {
			all = append(all, fmt.Sprintf("%s-%d", text, rows[j-1]))
		}
		i = j
	}
	return strings.Join(all, ",")
}

func parseCut(text string) (c drawnCut, err error) {
	rows := ""
	fields := strings.SplitN(text, "/", 6)
	if len(fields) < 6 {
		return c, fmt.Errorf("%q is no cut", text)
	}
	rows = fields[2]
	if _, err := fmt.Sscanf(strings.Join(slices.Delete(fields, 2, 3), " "), "%d %d %x %x %x", &c.verb, &c.turn, &c.cols, &c.parts, &c.options); err != nil {
		return c, err
	}
	if c.verb < 0 || c.verb >= len(drawnVerbs) {
		return c, fmt.Errorf("there is no verb %d", c.verb)
	}
	if rows == "all" {
		return c, nil
	}
	c.rows = []int{}
	for part := range strings.SplitSeq(rows, ",") {
		from, to, is := strings.Cut(part, "-")
		if !is {
			to = from
		}
		lo, err := strconv.Atoi(from)
		hi, err2 := strconv.Atoi(to)
		if part != "" && (err != nil || err2 != nil) {
			return c, fmt.Errorf("rows %q", part)
		}
		for row := lo; part != "" && row <= hi; row++ {
			c.rows = append(c.rows, row)
		}
	}
	return c, nil
}

// cutTo returns what a cut leaves of a case.
func (c *drawnCase) cutTo(cut drawnCut) *drawnCase {
	own := *c
	own.sorted = map[sortedBy][]int{}
	rows := ascending(c.n)
	if cut.rows != nil {
		rows = slices.Clone(cut.rows)
		own.n = len(rows)
	}
	rows = append(rows, c.n)
	own.cols, own.partition = cutColumns(c.cols, cut.cols, rows), cutColumns(c.partition, cut.parts, rows)
	return &own
}

func cutColumns(cols []drawnColumn, dropped uint64, rows []int) (left []drawnColumn) {
	for i, col := range cols {
		if dropped>>i&1 == 0 {
			left = append(left, col.pick(rows))
		}
	}
	return left
}

// minimiser makes a failing call smaller.
type minimiser struct {
	c    *drawnCase
	best drawnCut
	call *drawnCall // that failed with it
	end  time.Time
}

// minimiseFor bounds the time.
const minimiseFor = 20 * time.Second

// minimised describes a failure: as it was drawn, and the smallest call that was found to fail, too.
func (d *drawing) minimised(x *drawnCall, cut drawnCut) string {
	flags := fmt.Sprintf("-drawn.seed=%d -drawn.size=%d", x.seed, x.largest)
	if x.sought != nil {
		flags += fmt.Sprintf(" -drawn.want=%q", x.sought)
	}
	text := fmt.Sprintf("%s -drawn.cut=%v: %v\n%s", flags, cut, x, x.failure)
	m := &minimiser{c: d.drawCase(x.seed, x.sought), best: cut, end: time.Now().Add(minimiseFor)}
	if !m.fails(cut) {
		return text + "\nThe same call by itself does not fail: it depends on those before it, or on the time."
	}
	m.minimise()
	return fmt.Sprintf("%s\n\nmade smaller: %s -drawn.cut=%v: %v\n%s\n\n%s",
		text, flags, m.best, m.call, m.call.failure, m.call.asTest())
}

// fails reports whether what a cut leaves fails, and takes it if so. Fewer rows lead to other draws of the verb: a few
// are tried.
func (m *minimiser) fails(cut drawnCut) bool {
	for turn := range 4 {
		if time.Now().After(m.end) && m.call != nil {
			return false
		}
		own := cut
		if own.turn = cut.turn + turn; m.call == nil && turn > 0 {
			return false
		}
		if x := m.c.cutTo(own).call(own); x.failure != "" {
			m.best, m.call = own, x
			return true
		}
	}
	return false
}

func (m *minimiser) minimise() {
	for range 2 {
		m.fewerRows()
		m.fewerBits(func(c *drawnCut) *uint64 { return &c.cols }, len(m.c.cols))
		m.fewerBits(func(c *drawnCut) *uint64 { return &c.parts }, len(m.c.partition))
		m.fewerBits(func(c *drawnCut) *uint64 { return &c.options }, 24)
	}
}

// fewerRows drops stretches of rows, long ones first.
func (m *minimiser) fewerRows() {
	rows := m.best.rows
	if rows == nil {
		rows = ascending(m.c.n)
	}
	for size := len(rows); size > 0; size /= 2 {
		for at := 0; at < len(rows); {
			cut := m.best
			cut.rows = append(slices.Clone(rows[:at]), rows[min(at+size, len(rows)):]...)
			if m.fails(cut) {
				rows = cut.rows
			} else {
				at += size
			}
		}
	}
}

// fewerBits drops columns or options, one after the other.
func (m *minimiser) fewerBits(of func(*drawnCut) *uint64, n int) {
	for i := range n {
		cut := m.best
		if bits := of(&cut); *bits>>i&1 == 0 {
			*bits |= 1 << i
			m.fails(cut)
		}
	}
}
