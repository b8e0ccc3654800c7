package ranked

import (
	"time"

	"example.com/sorter/internal/call"
)

// joined are the statistics of the sorts that one call makes one after the other. They become one report: of the sort
// with the most elements, with the stages and ties of all, and the most scratch memory.
type joined struct {
	call.Stats
	start time.Time
}

// join makes the sorts of a call report to the result, nil if nobody asks.
func join(o *call.Options) *joined {
	if o.Report == nil {
		return nil
	}
	j := &joined{start: time.Now()}
	o.Report = j
	return j
}

// Report adds the statistics of a sort.
func (j *joined) Report(s *call.Stats) {
	sum := *s
	if s.Elements < j.Elements {
		sum = j.Stats
	}
	sum.Ties, sum.Scratch = j.Ties+s.Ties, max(j.Scratch, s.Scratch)
	sum.Stages = append(j.Stages[:len(j.Stages):len(j.Stages)], s.Stages...)
	j.Stats = sum
}

// report reports to the reporter of a call on n elements, if there is one.
func (j *joined) report(to call.Reporter, n int) {
	if j != nil {
		j.Elements, j.Total = n, time.Since(j.start)
		to.Report(&j.Stats)
	}
}
