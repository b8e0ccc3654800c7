package ties

import (
	"fmt"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Runs of equal rows are the ties that an order finds anyway. A word of the codes ends with each
// group of columns whose runs are asked for, so that equal codes are equal columns.

// MarkedWords returns the words of an order by cols, for the runs that are asked for.
func MarkedWords(asked *call.Marks, cols []extract.Column, o sortkey.Order) []extract.Word {
	for m := asked; m != nil; m = m.Next {
		if m.Columns > len(cols) {
			panic(fmt.Sprintf("sorter: runs by %d columns of an order by %d", m.Columns, len(cols)))
		}
	}
	return extract.WordsEnding(cols, o, func(i int) bool {
		for m := asked; m != nil; m = m.Next {
			if m.Columns == i+1 {
				return true
			}
		}
		return false
	})
}

// NewMarks returns memory for the ties of n rows in words of [MarkedWords]; nil if none decide
// where the runs begin that are asked for.
func NewMarks(asked *call.Marks, n int, words []extract.Word) (marks Marks) {
	for m := asked; m != nil; m = m.Next {
		last := lastWord(words, m)
		if last < 0 {
			continue
		}
		if marks == nil {
			marks = make(Marks, len(words))
		}
		if marks[last] == nil {
			marks[last] = make(engine.Ties, engine.TieWords(n))
		}
	}
	return marks
}

// lastWord returns the number of the last word that decides where the runs of m begin, -1 if
// all rows are one run.
func lastWord(words []extract.Word, m *call.Marks) int {
	if m.Columns == call.AllColumns {
		return len(words) - 1
	}
	last, left := -1, m.Columns
	for ; left > 0; left -= words[last].Columns() {
		last++
	}
	return last
}

// PutRuns delivers the runs of n rows that are asked for, in the memory of marks. Those by no
// column are the segments at offsets, and each row before and after these.
func PutRuns(asked *call.Marks, marks Marks, words []extract.Word, n int, offsets []int) {
	if asked == nil {
		return
	}
	all := make([]perm.Runs, len(words)+1) // by word, of -1 first
	for m := asked; m != nil; m = m.Next {
		last := lastWord(words, m)
		if all[last+1].Rows() == 0 && n > 0 {
			all[last+1] = marks.runs(last, n, offsets)
		}
		*m.Runs = all[last+1]
	}
}

// runs returns the runs of n > 0 rows that tie in all words up to last.
func (marks Marks) runs(last, n int, offsets []int) perm.Runs {
	if last < 0 {
		return perm.RunsAt(withRest(offsets, n))
	}
	starts := marks[last]
	for i, tied := range starts {
		starts[i] = ^tied
	}
	return perm.RunsOf(n, starts)
}

// withRest returns offsets, and those of each row before and after them, up to n.
func withRest(offsets []int, n int) (all []int) {
	if len(offsets) == 0 {
		offsets = []int{0}
	}
	for at := range offsets[0] {
		all = append(all, at)
	}
	all = append(all, offsets...)
	for at := offsets[len(offsets)-1]; at < n; at++ {
		all = append(all, at+1)
	}
	return all
}

// PartMarks is the ties of an order of some of the rows.
type PartMarks struct {
	Marks  Marks
	Words  []extract.Word
	At     int // its first place in the order of all
	Rows   int
	Before int // columns before those of Words, in which all its rows are equal
}

// JoinRuns delivers the runs of n rows that are asked for, where the order consists of parts that
// differ in the first column.
func JoinRuns(asked *call.Marks, n int, parts ...PartMarks) {
	for m := asked; m != nil; m = m.Next {
		if m.Columns == 0 {
			*m.Runs = perm.RunsAt([]int{0, n})
			continue
		}
		starts := make([]uint32, engine.TieWords(n))
		for i := range parts {
			if parts[i].Rows > 0 {
				parts[i].addStarts(starts, m)
			}
		}
		*m.Runs = perm.RunsOf(n, starts)
	}
}

// addStarts sets the bits of the places where runs of the part begin.
func (p *PartMarks) addStarts(starts []uint32, m *call.Marks) {
	engine.Ties(starts).Set(p.At)
	own := call.Marks{Columns: m.Columns}
	if m.Columns != call.AllColumns {
		own.Columns = m.Columns - p.Before
	}
	last := lastWord(p.Words, &own)
	if last < 0 {
		return
	}
	tied, shift := p.Marks[last], p.At%32
	for i := 0; i < p.Rows; i += 32 {
		word := ^tied[i/32]
		if left := p.Rows - i; left < 32 {
			word &= 1<<left - 1
		}
		starts[(p.At+i)/32] |= word << shift
		if over := word >> (32 - shift); over != 0 {
			starts[(p.At+i)/32+1] |= over
		}
	}
}
