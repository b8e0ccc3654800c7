package small

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ranges"
)

// Merge merges runs into dst, two slices by two, by a column whose codes hold whole keys. Ties take
// earlier runs first. It returns the error of the context, and has then left dst alone.
func Merge(by extract.Column, dst cpu.Payload, runs []cpu.Payload, two ranges.Two, cfg *call.Options) error {
	c := begin(cfg, dst.Len(), keyFunction)
	defer c.end()
	by = by.Under(cfg.Order())
	by.Paces = c.paces()
	w := cpu.GetSmall[uint64]()
	n := 0
	for _, s := range runs {
		by.Codes(w.Codes[n:n+s.Len()], extract.Batch{Block: s.Raw(), Lo: n})
		n += s.Len()
	}
	err := c.err()
	if err == nil {
		mergeCoded(w, dst, runs, two)
	}
	c.bitsOf(by.Bits())
	c.countScratch(w.Scratch())
	w.Put()
	return err
}

// mergeCoded merges runs by the codes in w: two as they are, more as one slice that is sorted.
func mergeCoded(w *cpu.Small[uint64], dst cpu.Payload, runs []cpu.Payload, two ranges.Two) {
	if len(runs) == 2 {
		n := runs[0].Len()
		ranges.MergeTwo(two, dst, runs[0], runs[1], w.Codes[:n], w.Codes[n:dst.Len()])
		return
	}
	at := 0
	for _, s := range runs {
		dst.Part(at, at+s.Len()).Copy(s)
		at += s.Len()
	}
	cpu.MoveSmall(w, dst)
}
