package transfer

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
)

// grouped makes about as many groups as each has chunks, so that half of the merge rounds are
// over when the last run arrives. The last group is left out, since its merge would delay
// everything after it.
func grouped[W codes.Word](list []chunk[W]) (groups []*group[W]) {
	size := 1
	for 4*size*size <= len(list) {
		size *= 2
	}
	for first := 0; size > 1 && first+size < len(list); first += size {
		groups = append(groups, &group[W]{first: first, last: first + size - 1})
	}
	return groups
}

// hostBytes bounds the host memory, in bytes, of merging on the host: the runs, the merged
// runs of groups, and the windows of the workers.
func (p *chunks[W]) hostBytes() int64 {
	bytes := int64(2*len(p.mergers)) * runBytes[W](p.job, MergeWindow)
	for k := range p.list {
		bytes += runBytes[W](p.job, p.list[k].hi-p.list[k].lo)
	}
	for _, g := range p.groups {
		bytes += runBytes[W](p.job, p.list[g.last].hi-p.list[g.first].lo)
	}
	return bytes
}

// groupMerges merges the runs of a group when they have arrived, and gives their memory back.
func (p *chunks[W]) groupMerges(g *group[W]) (work []Task) {
	n := p.list[g.last].hi - p.list[g.first].lo
	for lo := 0; lo < n; lo += MergePiece {
		work = append(work, func(worker int) {
			list := p.list[g.first : g.last+1]
			for k := range list {
				list[k].arrived.Wait()
			}
			if p.failed.Err() == nil {
				p.failed.Set(p.groupMerge(g, list, worker, lo, min(lo+MergePiece, n)))
			}
		})
	}
	g.left.Store(int64(len(work)))
	return work
}

func (p *chunks[W]) groupMerge(g *group[W], list []chunk[W], worker, lo, hi int) error {
	g.once.Do(func() { g.merged = takeRun[W](p.job, list[len(list)-1].hi-list[0].lo) })
	m := p.merger(worker)
	err := m.windows(hostRuns(list), lo, hi, func(lo, hi int, parts []hostRun[W]) error {
		m.tree(parts, g.merged.cut(lo, hi))
		return p.job.Loop.Err()
	})
	if g.left.Add(-1) == 0 && err == nil {
		for k := range list {
			list[k].host.give(p.job)
		}
	}
	return err
}

func hostRuns[W codes.Word](list []chunk[W]) (runs []hostRun[W]) {
	for k := range list {
		runs = append(runs, list[k].host)
	}
	return runs
}

// merger returns the merger of a worker.
func (p *chunks[W]) merger(worker int) *merger[W] {
	if p.mergers[worker] == nil {
		p.mergers[worker] = newMerger[W](p.job, len(p.list))
	}
	return p.mergers[worker]
}

// mergeOnHost merges the remaining runs and emits the result piece by piece.
func (p *chunks[W]) mergeOnHost() error {
	var runs []hostRun[W]
	rest := p.list
	for _, g := range p.groups {
		runs = append(runs, g.merged)
		rest = p.list[g.last+1:]
	}
	runs = append(runs, hostRuns(rest)...)
	if err := p.job.Loop.Err(); err != nil {
		return err
	}
	if TakesCodes(p.job) {
		p.job.Commit() // keys are written from here on
	}
	err := p.job.Stage("merge", p.n, MergePiece, func(worker, lo, hi int) {
		m := p.merger(worker)
		p.failed.Set(m.windows(runs, lo, hi, func(lo, hi int, parts []hostRun[W]) error {
			merged := m.windowRuns[1].cut(0, hi-lo)
			m.tree(parts, merged)
			if p.job.Ties != nil {
				engine.MarkTies(p.job.Ties, lo, m.tied(runs, merged.codes[0]), merged.codes)
			}
			p.emit(lo, merged)
			return p.job.Loop.Err()
		}))
	})
	return device.FirstError(p.failed.Err(), err) // the loop counts a piece that stopped early as done
}

// emit emits merged elements from place lo on.
func (p *chunks[W]) emit(lo int, merged hostRun[W]) {
	if !TakesCodes(p.job) {
		p.job.Emit(lo, merged.positions)
		return
	}
	switch codes := any(merged.codes).(type) {
	case []uint32:
		p.job.EmitCodes32(lo, codes)
	case []uint64:
		p.job.EmitCodes64(lo, codes)
	}
}
