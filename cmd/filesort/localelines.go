package main

import (
	"context"
	"slices"
	"sync"

	"example.com/sorter"
)

// localeLines orders lines in a locale: by the first bytes of their keys, and then lines that tie in these. Most of those are
// the same text, for which no whole key is made; of the others one is made for each text.
type localeLines struct {
	st      *store
	order   lineOrder
	at      int                   // the first of its keys that is text in the locale; -1 where none is
	columns []sorter.Column[line] // of the keys before it, and of its prefix
	before  sorter.Ordering[line] // by the keys before it
	text    func(line) string     // of the key
	prefix  func(line) [16]byte
	whole   []sorter.Column[line] // where the prefix ties
	next    *localeLines          // by the keys after it; nil: lines of the same text tie
	few     sync.Pool             // of *fewLines
}

// newLocaleLines returns the order o of the lines of st.
func newLocaleLines(o lineOrder, st *store) *localeLines {
	l := &localeLines{st: st, order: o, few: sync.Pool{New: func() any { return new(fewLines) }}}
	l.at = slices.IndexFunc(o.keys, func(k lineKey) bool { return k.localeText() })
	if l.at < 0 {
		l.columns = lineColumns(o, st.text)
		return l
	}
	k := o.keys[l.at]
	for _, k := range o.keys[:l.at] {
		l.columns = append(l.columns, keyColumns(k, o.tab, st.text)...)
	}
	l.before = sorter.By(l.columns...)
	l.text = textOfKey(k, o.tab, st.text)
	l.prefix = func(e line) [16]byte { return k.locale.texts.Prefix(l.text(e)) }
	l.columns = append(slices.Clip(l.columns), prefixColumn(k, l.text))
	rest := o
	rest.keys = o.keys[l.at+1:]
	l.whole = append(wholeKeyColumns(k, l.text), lineColumns(rest, st.text)...)
	if len(rest.keys) > 0 {
		l.next = newLocaleLines(rest, st)
	}
	return l
}

// sort sorts lines with options of the first sort, of prefixes.
func (l *localeLines) sort(ctx context.Context, workers int, lines []line, opts ...sorter.Option) error {
	if l.at < 0 {
		return sorter.By(l.columns...).Sort(lines, opts...)
	}
	tied := newLineSet(len(lines))
	if err := sorter.By(l.adding(tied)...).Sort(lines, opts...); err != nil || tied.empty.Load() {
		return err
	}
	return l.refine(ctx, workers, lines, tied)
}

// adding returns the columns up to the prefix, and one that adds lines to tied. A sort reads it of all lines that tie in
// the others: it could not know their order without.
func (l *localeLines) adding(tied *lineSet) []sorter.Column[line] {
	return append(slices.Clip(l.columns), sorter.Asc(tied.add))
}

// tiedOptions are those of a sort of lines that tie.
func tiedOptions(ctx context.Context, workers int) []sorter.Option {
	return []sorter.Option{sorter.WithContext(ctx), sorter.Workers(workers), sorter.Stable()}
}

// sortTied sorts lines that tie in the prefix; same says that they have the same text. If ctx is done, they
// may stay as they are.
func (l *localeLines) sortTied(ctx context.Context, workers int, lines []line, same bool) {
	switch {
	case same && l.next == nil || len(lines) < 2:
	case same && len(lines) <= mostFew:
		l.next.sortFew(lines)
	case same:
		l.next.sort(ctx, workers, lines, tiedOptions(ctx, workers)...)
	case len(lines) <= mostFew:
		l.sortFew(lines)
	case l.repeated(lines):
		l.sortTexts(ctx, workers, lines)
	default:
		sorter.By(l.whole...).Sort(lines, tiedOptions(ctx, workers)...)
	}
}

// mostFew bounds the lines that are sorted by insertion.
const mostFew = 32

// fewLines are lines that differ, with their keys.
type fewLines struct {
	keys [mostFew]parsedLine
	of   [mostFew]uint8 // by line: its place in keys
}

// sortFew sorts at most mostFew lines, and makes keys only of those that differ.
func (l *localeLines) sortFew(lines []line) {
	f := l.few.Get().(*fewLines)
	defer l.few.Put(f)
	n := 0
	for i, e := range lines {
		text, j := l.st.text(e), 0
		for j < n && f.keys[j].text != text {
			j++
		}
		if j == n {
			f.keys[j].text = text
			n++
		}
		f.of[i] = uint8(j)
	}
	if n == 1 {
		return
	}
	for i := range n {
		l.order.parse(&f.keys[i], f.keys[i].text)
	}
	for i := 1; i < len(lines); i++ {
		e, of := lines[i], f.of[i]
		j := i
		for ; j > 0 && l.order.compare(&f.keys[of], &f.keys[f.of[j-1]]) < 0; j-- {
			lines[j], f.of[j] = lines[j-1], f.of[j-1]
		}
		lines[j], f.of[j] = e, of
	}
}

// repeated reports whether most texts of a sample of lines seem to come more than once.
func (l *localeLines) repeated(lines []line) bool {
	const most = 4096
	n := min(len(lines)/4, most)
	seen := make(map[string]struct{}, n)
	for i := range n {
		seen[l.text(lines[i*(len(lines)/n)])] = struct{}{}
	}
	again := n - len(seen) // of texts that come twice, about n*n/2/len(lines)
	return again > 0 && 4*int64(again)*int64(len(lines)) > int64(n)*int64(n)
}

// textLines are the lines [lo, hi) of a text.
type textLines struct{ lo, hi int }

// sortTexts sorts lines by the bytes of their texts, and then one line of each text by its key.
func (l *localeLines) sortTexts(ctx context.Context, workers int, lines []line) {
	opts := tiedOptions(ctx, workers)
	if sorter.By(sorter.Asc(l.text)).Sort(lines, opts...) != nil {
		return
	}
	texts, few := l.textsOf(lines)
	if !few {
		sorter.By(l.whole...).Sort(lines, opts...)
		return
	}
	key := l.order.keys[l.at]
	key.decided = false // no line follows
	by := sorter.By(wholeKeyColumns(key, func(t textLines) string { return l.text(lines[t.lo]) })...)
	if by.Sort(texts, opts...) != nil {
		return
	}
	sorted := make([]line, 0, len(lines))
	for _, t := range texts {
		sorted = append(sorted, lines[t.lo:t.hi]...)
	}
	copy(lines, sorted)
	for _, t := range texts {
		n := t.hi - t.lo
		l.sortTied(ctx, workers, lines[:n], true)
		lines = lines[n:]
	}
}

// textsOf returns the texts of lines that are in the order of their bytes. few is false if they are more than two
// thirds of the lines: then less is gained, and the memory of a sort does not have room for them.
func (l *localeLines) textsOf(lines []line) (texts []textLines, few bool) {
	texts = make([]textLines, 0, len(lines)/3*2)
	last := ""
	for i, e := range lines {
		text := l.text(e)
		if i == 0 || text != last {
			if len(texts) == cap(texts) {
				return nil, false
			}
			texts = append(texts, textLines{lo: i})
			last = text
		}
		texts[len(texts)-1].hi = i + 1
	}
	return texts, true
}

// scratchBytes bounds the memory of sort, in bytes, except that of keys.
func (l *localeLines) scratchBytes(n, workers int) (most int64) {
	bytes := func(n, workers int, columns []sorter.Column[line]) int64 {
		return sorter.By(columns...).ScratchBytes(n, sorter.Workers(workers))
	}
	if l.at < 0 {
		return bytes(n, workers, l.columns)
	}
	each := min(longTie, n/workers+1) // lines in a run of each worker
	most = max(bytes(n, workers, l.adding(nil)), bytes(n, workers, l.whole), int64(workers)*bytes(each, 1, l.whole))
	if l.next != nil {
		most = max(most, l.next.scratchBytes(n, workers))
	}
	return most + setBytes(n)
}
