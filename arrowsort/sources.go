package arrowsort

import (
	"sync"

	pages "example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

const (
	leastDepth = 2 // blocks of a run in memory, while others are loaded
	mostDepth  = 8
)

// mergeRuns merges runs until memory has blocks of all, and hands out the rows of the last merge.
func (s *tableSort) mergeRuns(out func(batch arrow.RecordBatch) error) error {
	end := pages.Limit()
	defer end()
	for {
		fits := s.fanIn()
		if fits == len(s.runs) {
			break
		}
		if least := min(2, len(s.runs)); fits < least {
			widest := s.largest(least)
			return s.tooSmallFor(s.merging(widest, leastDepth)+s.budget.writing(), widest[0].mostBytes, s.indices())
		}
		if err := s.mergeSome(min(fits, len(s.runs)-fits+1)); err != nil {
			return err
		}
	}
	depth := s.depth(s.runs, s.wanted())
	return s.merge(s.runs, depth, s.output(s.mean, s.budget.limit-s.merging(s.runs, depth), out))
}

// fanIn returns the number of runs of which memory has blocks, at most that of all.
func (s *tableSort) fanIn() int {
	n := 0
	for n < len(s.runs) && s.merging(s.largest(n+1), leastDepth)+s.budget.writing() <= s.budget.limit {
		n++
	}
	return n
}

// merging bounds the memory of a merge of runs, without that of its result.
func (s *tableSort) merging(runs []*diskRun, depth int64) int64 {
	return s.budget.merging(runs, depth) + s.indices()
}

// depth returns the number of blocks of each run that memory has beside a number of bytes, if there are two of each.
func (s *tableSort) depth(runs []*diskRun, beside int64) int64 {
	depth := int64(leastDepth)
	for depth < mostDepth && s.merging(runs, depth+1)+beside <= s.budget.limit {
		depth++
	}
	return depth
}

// largest returns n runs that take the most memory.
func (s *tableSort) largest(n int) []*diskRun {
	widest := *s.runs[0]
	for _, r := range s.runs {
		widest.mostBytes, widest.mostRows = max(widest.mostBytes, r.mostBytes), max(widest.mostRows, r.mostRows)
	}
	runs := make([]*diskRun, n)
	for i := range runs {
		runs[i] = &widest
	}
	return runs
}

// mergeSome merges n runs that follow each other, those with the fewest bytes.
func (s *tableSort) mergeSome(n int) error {
	first, least := 0, int64(-1)
	for i := 0; i+n <= len(s.runs); i++ {
		bytes := int64(0)
		for _, r := range s.runs[i : i+n] {
			bytes += r.bytes.Size()
		}
		if least < 0 || bytes < least {
			first, least = i, bytes
		}
	}
	some := s.runs[first : first+n]
	run, err := s.writeBlocks(s.files, least, s.mean, func(b *rebatcher) error { return s.merge(some, s.depth(some, s.budget.writing()), b) })
	if err != nil {
		return err
	}
	s.runs = append(append(append([]*diskRun(nil), s.runs[:first]...), run), s.runs[first+n:]...)
	s.stats.Merges++
	s.stats.Windows = 0
	return nil
}

// merge hands the merged rows of runs to out.
func (s *tableSort) merge(runs []*diskRun, depth int64, out *rebatcher) error {
	s.stats.Memory = max(s.stats.Memory, s.merging(runs, depth)+s.budget.writing())
	m := &merger{streaming: s.streaming, out: out, left: -1}
	if s.limit > 0 {
		m.left = s.limit
	}
	l := &loader{s: s.streaming, files: s.files, wanted: make(chan request, len(runs)*(int(depth)+1)), stop: make(chan struct{})}
	for _, r := range runs {
		m.streams = append(m.streams, l.stream(r, int(depth)))
	}
	for range s.budget.readers() {
		l.all.Go(l.work)
	}
	defer l.end(m.streams)
	err := m.run()
	if err == nil {
		for _, r := range runs { // also of rows that Limit left out
			r.bytes.Free(r.bytes.Blocks())
		}
	}
	return err
}

// loader loads blocks of runs on goroutines.
type loader struct {
	s      *streaming
	files  *files
	wanted chan request
	stop   chan struct{}
	all    sync.WaitGroup
}

// request is for a block.
type request struct {
	run   *diskRun
	block int
	to    chan loaded
}

// stream returns the stream of a run.
func (l *loader) stream(r *diskRun, depth int) *stream {
	s, next := &stream{depth: depth}, 0
	s.ask = func(to chan loaded) {
		if next == len(r.blocks) {
			to <- loaded{ended: ending{returned: true}}
			return
		}
		l.wanted <- request{r, next, to}
		next++
	}
	s.freed = func(n int) { r.bytes.Free(r.blocks[n-1].first + r.blocks[n-1].frames) }
	return s
}

// work loads blocks until the end.
func (l *loader) work() {
	d := spill.NewReader(pages.Pages(l.s.budget.reader()), l.s.budget.packing)
	defer d.Close()
	for {
		select {
		case <-l.stop:
			return
		case j := <-l.wanted:
			answer(j.to, func() (arrow.RecordBatch, error) { return l.files.load(d, l.s.schema, j.run, j.block) })
		}
	}
}

// answer sends what load returns, or how it ended.
func answer(to chan loaded, load func() (arrow.RecordBatch, error)) {
	var got loaded
	defer func() { to <- got }()
	got.ended.of(func() { got.batch, got.err = load() })
}

// end ends the goroutines, and frees blocks that streams have not taken.
func (l *loader) end(streams []*stream) {
	close(l.stop)
	l.all.Wait()
	for _, s := range streams {
		s.dropAsked()
	}
}

// dropAsked frees batches that were loaded and not taken. No others will be.
func (s *stream) dropAsked() {
	for _, to := range s.asked {
		if len(to) == 0 {
			continue
		}
		if l := <-to; l.batch != nil {
			l.batch.Release()
		}
	}
	s.asked = nil
}

// readerMerge is a merge of readers.
type readerMerge struct {
	*streaming
	readers []array.RecordReader
	streams []*stream
	stop    chan struct{}
	all     sync.WaitGroup
}

// windowRows is the number of rows in memory that a window of readers waits for, of all together.
const windowRows = 1 << 16

// handedShare is the share of the memory that batches on their way out have in a merge of readers.
const handedShare = 4

// readerShare is the share of the memory of batches of readers with which no window waits for more.
const readerShare = 4

// readAhead is the number of batches of a reader that are asked for at a time.
const readAhead = 2

// mergeOf returns the merge of readers, which it retains.
func mergeOf(s *streaming, readers []array.RecordReader) *readerMerge {
	m := &readerMerge{streaming: s, readers: append([]array.RecordReader(nil), readers...), stop: make(chan struct{})}
	for _, in := range readers {
		in.Retain()
	}
	return m
}

// start starts a goroutine for each reader.
func (m *readerMerge) start() error {
	least, share := max(1, windowRows/len(m.readers)), m.budget.limit/readerShare/int64(len(m.readers))
	for _, in := range m.readers {
		asks := make(chan chan loaded, readAhead)
		m.streams = append(m.streams, &stream{depth: readAhead, least: least, share: share, ask: func(to chan loaded) { asks <- to }})
		m.all.Go(func() { m.supply(in, asks) })
	}
	return nil
}

// supply reads a batch whenever one is asked for.
func (m *readerMerge) supply(in array.RecordReader, asks chan chan loaded) {
	for ended := false; ; {
		select {
		case <-m.stop:
			return
		case to := <-asks:
			answer(to, func() (batch arrow.RecordBatch, err error) {
				if !ended {
					batch, err = m.next(in)
				}
				ended = batch == nil
				return batch, err
			})
		}
	}
}

// next returns the next batch of a reader, or nil at its end.
func (m *readerMerge) next(in array.RecordReader) (arrow.RecordBatch, error) {
	if !in.Next() {
		return nil, in.Err()
	}
	batch := in.RecordBatch()
	if err := m.checkBatch(batch); err != nil {
		return nil, err
	}
	batch.Retain()
	return batch, nil
}

// produce hands out the rows of all readers.
func (m *readerMerge) produce(out func(batch arrow.RecordBatch) error) error {
	merge := &merger{streaming: m.streaming, streams: m.streams, checked: true, out: m.output(0, m.budget.limit/handedShare, out), left: -1}
	if m.limit > 0 {
		merge.left = m.limit
	}
	return merge.run()
}

// close ends the goroutines and releases the readers.
func (m *readerMerge) close() error {
	close(m.stop)
	m.all.Wait()
	for _, s := range m.streams {
		s.dropAsked()
	}
	for _, in := range m.readers {
		in.Release()
	}
	m.readers = nil
	return nil
}
