package arrowsort

import (
	"sync/atomic"

	"example.com/sorter"
)

// Texts that repeat are encoded before they are sorted if the sample has at least one repetition
// for each seven rows: if there are up to about three times as many different texts as sampled
// rows. 10^6 rows of 1000 different texts and a float64, 1 worker, AMD EPYC, 2026-11-23: 129 ns per
// row as text, 42 encoded, of which 13 to encode. Of 10^6 different texts the sample costs 1 %.
const (
	sampledOf  = 64   // rows per sampled row
	mostSample = 4096 // rows of a sample
	leastRows  = 4096 // rows that justify a sample
)

// texts are the rows of a column as numbers of their texts, in some stripes.
type texts struct {
	numbers []uint32
	stripes []stripe
	nulls   validity
}

// stripe has the different texts of rows lo … hi-1, by their numbers there.
type stripe struct {
	lo, hi int
	texts  []string
}

// encoded returns the texts of col as numbers, or nil where they hardly repeat.
func encoded(c *call, col column, text func(row int) string) *texts {
	limit := 4 * repeating(col, text)
	if limit == 0 {
		return nil
	}
	e := &texts{numbers: scratch[uint32](c, col.rows), stripes: make([]stripe, c.workers), nulls: validityOf(col)}
	var begun atomic.Int32
	var many atomic.Bool
	c.share(col.rows, func(lo, hi int) {
		s := &e.stripes[begun.Add(1)-1]
		s.lo, s.hi = lo, hi
		number := make(map[string]uint32, limit/4)
		for row := lo; row < hi && !many.Load(); row++ {
			if e.nulls.any() && e.nulls.null(row) {
				continue
			}
			value := text(row)
			n, seen := number[value]
			if !seen {
				n = uint32(len(s.texts))
				number[value] = n
				s.texts = append(s.texts, value)
				many.CompareAndSwap(false, len(s.texts) > limit)
			}
			e.numbers[row] = n
		}
	})
	if many.Load() {
		return nil
	}
	return e
}

// key returns the key of the column: the ranks of texts, of all stripes together.
func (e *texts) key(c *call, k SortKey) (key, error) {
	var all []string
	for _, s := range e.stripes {
		all = append(all, s.texts...)
	}
	ranks, last, err := c.dense(len(all), directed(sorter.AscOf(all), sorter.DescOf(all), k))
	if err != nil {
		return key{}, err
	}
	null, base := nullRank(k, last), 0
	for _, s := range e.stripes {
		e.rank(s, ranks[base:], null)
		base += len(s.texts)
	}
	return key{column: sorter.AscOf(e.numbers)}, nil
}

// rank replaces the numbers of a stripe by ranks.
func (e *texts) rank(s stripe, ranks []uint32, null uint32) {
	for row := s.lo; row < s.hi; row++ {
		if e.nulls.any() && e.nulls.null(row) {
			e.numbers[row] = null
		} else {
			e.numbers[row] = ranks[e.numbers[row]]
		}
	}
}

// repeating returns the number of different texts of a sample if they repeat, otherwise 0.
func repeating(col column, text func(row int) string) int {
	if col.rows < leastRows {
		return 0
	}
	sample := min(col.rows/sampledOf, mostSample)
	seen := make(map[string]struct{}, sample)
	for i := range sample {
		seen[text(int(int64(i)*int64(col.rows)/int64(sample)))] = struct{}{}
		if 7*len(seen) > 6*sample {
			return 0
		}
	}
	return len(seen)
}
