package small

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ties"
	"example.com/sorter/perm"
)

// marking is the runs of n rows that a call asks for.
type marking struct {
	asked *call.Marks // nil: none
	n     int
	words []extract.Word
	marks ties.Marks // by word
}

// mark prepares the next order, of n rows, for the runs that are asked for, if any.
func (w *rows) mark(asked *call.Marks, n int) marking {
	if asked == nil {
		return marking{}
	}
	m := marking{asked: asked, n: n, words: ties.MarkedWords(asked, w.cols, w.by)}
	m.marks = ties.NewMarks(asked, n, m.words)
	if m.marks == nil {
		return m
	}
	w.marks = make([]engine.Ties, len(w.cols))
	end := 0
	for i := range m.words {
		end += m.words[i].Columns()
		w.marks[end-1] = m.marks[i]
	}
	return m
}

// deliver delivers the runs of rows that are ordered.
func (m *marking) deliver() {
	if m.asked != nil {
		ties.PutRuns(m.asked, m.marks, m.words, m.n, []int{0, m.n})
	}
}

// orderColumn writes to p the order of s by a column whose codes hold whole keys, and marks its ties unless tied is nil.
func orderColumn(p perm.Perm, by *extract.Column, tied engine.Ties, s cpu.Payload, c *Call) error {
	w := cpu.GetSmall[uint64]()
	by.Codes(w.Codes[:s.Len()], extract.Batch{Block: s.Raw()})
	err := c.err()
	if err == nil {
		w.Order(p)
		markOrder(tied, p, w.Codes)
	}
	c.bitsOf(by.Bits())
	c.countScratch(w.Scratch())
	w.Put()
	return err
}

// markOrder marks the ties in an order of codes that hold whole keys, unless tied is nil.
func markOrder(tied engine.Ties, p perm.Perm, codes []uint64) {
	if tied == nil {
		return
	}
	for i := 1; i < len(p); i++ {
		if codes[p[i]] == codes[p[i-1]] {
			tied.Set(i)
		}
	}
}
