// Package jobs has the pipelines of command engines, their inputs, and what comes out.
package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"example.com/sorter"
	beamsort "example.com/sorter/beam"
	"example.com/sorter/extsort"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/cespare/xxhash/v2"
	"github.com/parquet-go/parquet-go"
)

func key(r record) float64 { return r.Key }
func id(r record) uint64   { return r.ID }

var (
	// byKeyID is an order without ties, so that outputs can be compared byte for byte.
	byKeyID = beamsort.Register("records by key and id", beamsort.Fixed[record](), sorter.Asc(key), sorter.Asc(id))
	byKey   = beamsort.Register("records by key", beamsort.Fixed[record](), sorter.Asc(key))
	byLine  = beamsort.Register("lines", extsort.Strings(), sorter.Asc(func(s string) string { return s }))

	// slowly takes seconds for a shard, so that faults fall into its time.
	slowly = beamsort.RegisterFormat("records, slowly", func(file io.Writer) (beamsort.Writer[record], error) {
		return slowWriter{file}, nil
	})

	inParquet = beamsort.RegisterFormat("records in parquet", func(file io.Writer) (beamsort.Writer[record], error) {
		return rows{parquet.NewGenericWriter[record](file)}, nil
	})

	digests = beamsort.RegisterForEach("digest of values", byKeyID,
		func(_ context.Context, group string, values iter.Seq2[record, error], emit func(string)) error {
			d, err := digest(group, values)
			emit(d)
			return err
		})
)

// slowWriter writes encodings, 10,000 at a time.
type slowWriter struct{ to io.Writer }

// Write writes records.
func (w slowWriter) Write(rows []record) error {
	var b []byte
	for i, r := range rows {
		b = appendRecord(b, r)
		if len(b) < 10_000*recordSize && i+1 < len(rows) {
			continue
		}
		if _, err := w.to.Write(b); err != nil {
			return err
		}
		b = b[:0]
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// Close has nothing to do.
func (slowWriter) Close() error { return nil }

// rows writes a file of Parquet.
type rows struct {
	*parquet.GenericWriter[record]
}

// Write writes records.
func (w rows) Write(r []record) error {
	_, err := w.GenericWriter.Write(r)
	return err
}

// digest is a line of a group: its name, and the number and a hash of its values in sequence.
func digest(group string, values iter.Seq2[record, error]) (string, error) {
	h := xxhash.New()
	n := 0
	var b []byte
	for r, err := range values {
		if err != nil {
			return "", err
		}
		b = appendRecord(b[:0], r)
		h.Write(b)
		n++
	}
	return fmt.Sprintf("%s %d %016x", group, n, h.Sum64()), nil
}

// group names the group of a record. One has a fifth of all.
func group(r record) string {
	if r.Key == heavy {
		return "heavy"
	}
	return fmt.Sprintf("group%03d", r.ID%500)
}

func pairOf(r record) (string, record)      { return group(r), r }
func secondOf(_ string, line string) string { return line }

func digestOf(group string, values []record) (string, error) {
	return digest(group, func(yield func(record, error) bool) {
		for _, r := range values {
			if !yield(r, nil) {
				return
			}
		}
	})
}

func linesOf(first []record, emit func(string)) {
	for _, r := range first {
		emit(fmt.Sprintf("%016x %d %d", r.ID, r.Sum, int64(r.Key*1000)))
	}
}

func init() {
	for _, f := range []any{pairOf, secondOf, digestOf, linesOf} {
		beam.RegisterFunction(f)
	}
}

// Job is a pipeline to run.
type Job struct {
	What   string // a name of pipelines
	Runner string // of Beam: universal or prism
	In     string // path of the input
	Out    string // prefix of the output
	Shards int
	Memory int64  // of a part or a key, 0 for the default
	Temp   string // folder of what does not fit
}

func (j *Job) options(more ...beamsort.Option) []beamsort.Option {
	more = append(more, beamsort.To(j.Out), beamsort.Shards(j.Shards), beamsort.Manifest(), beamsort.TempDir(j.Temp))
	if j.Memory > 0 {
		more = append(more, beamsort.Memory(j.Memory))
	}
	return more
}

// texts writes lines in order.
func (j *Job) texts(s beam.Scope, lines beam.PCollection) {
	beamsort.Sort(s, lines, byLine, beamsort.To(j.Out), beamsort.Shards(1), beamsort.Manifest(), beamsort.As(beamsort.Lines))
}

var pipelines = map[string]func(s beam.Scope, j *Job){
	"records": func(s beam.Scope, j *Job) {
		beamsort.Sort(s, readRecords(s, j.In), byKeyID, j.options()...)
	},
	"slow": func(s beam.Scope, j *Job) {
		beamsort.Sort(s, readRecords(s, j.In), byKeyID, j.options(beamsort.As(slowly))...)
	},
	"lines": func(s beam.Scope, j *Job) {
		beamsort.Sort(s, textio.Read(s, j.In), byLine, j.options(beamsort.As(beamsort.Lines))...)
	},
	"parquet": func(s beam.Scope, j *Job) {
		beamsort.Sort(s, readRecords(s, j.In), byKey, j.options(beamsort.As(inParquet), beamsort.Suffix(".parquet"))...)
	},
	"foreach": func(s beam.Scope, j *Job) {
		pairs := beam.ParDo(s, pairOf, readRecords(s, j.In))
		j.texts(s, beam.ParDo(s, secondOf, beamsort.ForEachKey(s, pairs, digests, j.options()...)))
	},
	"values": func(s beam.Scope, j *Job) {
		pairs := beam.ParDo(s, pairOf, readRecords(s, j.In))
		j.texts(s, beam.ParDo(s, digestOf, beamsort.SortValues(s, pairs, byKeyID, j.options()...)))
	},
	"top": func(s beam.Scope, j *Job) {
		j.texts(s, beam.ParDo(s, linesOf, beamsort.TopK(s, readRecords(s, j.In), topK, byKeyID)))
	},
}

const topK = 1000

// Outcome is what a job reports.
type Outcome struct {
	Seconds float64
	Spilled int64 // bytes
	Error   string
}

// Run runs a Job, in JSON, and prints its Outcome, in JSON. Flags of Beam say where the job server is.
func Run(text string) error {
	var j Job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	build, ok := pipelines[j.What]
	if !ok {
		return fmt.Errorf("no pipeline %q", j.What)
	}
	p, s := beam.NewPipelineWithRoot()
	build(s, &j)
	began := time.Now()
	result, err := beam.Run(context.Background(), j.Runner, p)
	o := Outcome{Seconds: time.Since(began).Seconds()}
	if err != nil {
		o.Error = err.Error()
	} else {
		counts := result.Metrics().Query(func(r beam.MetricResult) bool { return r.Name() == "spilled_bytes" })
		for _, c := range counts.Counters() {
			o.Spilled += c.Result()
		}
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}
