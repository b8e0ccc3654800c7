package ranked

import (
	"slices"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/selection"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ways"
)

// This file has all ways of the package, each family in the order in which its ways are tried. The general way follows them: an order of all
// rows. Package selection has those of numbers side by side, and of at most 4096 elements.

// inWay does one of the ways of the first rows of partitions. They are for calls without a memory limit: their memory depends on the
// number of partitions.
func (p *partitions) inWay() bool {
	mayDrop := p.mayDrop()
	return ways.Take(ways.PartitionTable, mayDrop && p.oneCode(), p.byTable) ||
		ways.Take(ways.PartitionRuns, mayDrop && p.err == nil, p.byRuns)
}

// selectRanks does the way of rows of given ranks, in the memory of their plan, see [selection.RanksBytes]. Where it is not done, codes are
// those of all rows, unless they are nil.
func selectRanks[C sortkey.Code](r *pipeline.Request, rows extract.Input, words []extract.Word, ks []int, src cpu.Source[C], any bool) (codes []C, done bool, err error) {
	done = ways.Take(ways.SelectRanks, selection.FewRanks(rows, words, ks, src), func() bool {
		codes, err = selection.Ranks(&r.Env, rows, words, ks, src, any)
		return codes == nil && err == nil
	})
	return codes, done, err
}

// sortForRanks does the way of keys of given ranks, before those of their rows: it returns a sorted copy of the keys. It is for calls
// without a memory limit.
func sortForRanks[K sortkey.Key](keys []K, kind sortkey.Kind, s cpu.Payload, ranks int, o *call.Options) (sorted []K, done bool, err error) {
	done = ways.Take(ways.SortForRanks, sortsForRanks(kind, s, ranks, o), func() bool {
		own := *o
		own.Backend, sorted = cpu.Host, slices.Clone(keys)
		err = pipeline.SortKeys(sorted, &own)
		return err == nil
	})
	return sorted, done, err
}
