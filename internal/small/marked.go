package small

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ties"
	"example.com/sorter/perm"
)

// orderMarked returns the order of s by cols, and delivers the runs that the call asks for.
func orderMarked(cols []extract.Column, s cpu.Payload, cfg *call.Options) (perm.Perm, error) {
	p := extract.Result(s.Raw(), s.Len(), cfg.Into, cols...)
	words := ties.MarkedWords(cfg.Marks, cols, cfg.Order())
	marks := ties.NewMarks(cfg.Marks, s.Len(), words)
	c := begin(cfg, s.Len(), KeyFunction)
	defer c.end()
	if err := orderInWords(p, cols, words, marks, s, cfg, c); err != nil {
		return nil, err
	}
	ties.PutRuns(cfg.Marks, marks, words, s.Len(), []int{0, s.Len()})
	return p, nil
}

// orderInWords writes the order of s to p, and its ties to marks. For one column whose codes hold
// whole keys, all memory is pooled.
func orderInWords(p perm.Perm, cols []extract.Column, words []extract.Word, marks ties.Marks, s cpu.Payload, cfg *call.Options, c *Call) error {
	if extract.InOneCode(cols) {
		by := cols[0].Under(cfg.Order())
		by.Paces = c.paces()
		return orderColumn(p, &by, marks, s, c)
	}
	w := newWorkspace(s.Len(), words, cfg)
	if cfg.Cancellable() {
		w.restart(s.Len(), cfg)
	}
	w.ties.Mark(marks, w.index)
	order, _, err := w.order(s, c)
	copy(p, order)
	if err == nil && extract.Decisive(words) && len(order) > 1 {
		ties.MarkWhole(marks, w.codes[:len(order)])
	}
	return err
}

// orderColumn writes to p the order of s by a column whose codes hold whole keys, and its ties to
// marks.
func orderColumn(p perm.Perm, by *extract.Column, marks ties.Marks, s cpu.Payload, c *Call) error {
	w := cpu.GetSmall[uint64]()
	by.Codes(w.Codes[:s.Len()], extract.Batch{Block: s.Raw()})
	err := c.err()
	if err == nil {
		w.Order(p)
		markOrder(marks, p, w.Codes)
	}
	c.bitsOf(by.Bits())
	c.countScratch(w.Scratch())
	w.Put()
	return err
}

// markOrder marks the ties in an order of codes that hold whole keys.
func markOrder(marks ties.Marks, p perm.Perm, codes []uint64) {
	if marks == nil {
		return
	}
	tied := marks[0]
	for i := 1; i < len(p); i++ {
		if codes[p[i]] == codes[p[i-1]] {
			tied.Set(i)
		}
	}
}
