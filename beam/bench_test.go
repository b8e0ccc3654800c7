package beamsort

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

var benchRecords = flag.Int("records", 1_000_000, "records of the benchmarks")

// trade is the record of 24 bytes.
type trade struct {
	Price  float64
	Volume int64
	ID     int64
}

var byPrice = Register("trades by price", Fixed[trade](), sorter.Asc(func(t trade) float64 { return t.Price }))

// tradesFn emits N trades.
type tradesFn struct{ N int }

func (f *tradesFn) ProcessElement(_ []byte, emit func(trade)) {
	r := rand.New(rand.NewPCG(4, 5))
	for i := range f.N {
		emit(trade{r.Float64(), int64(r.Uint32()), int64(i)})
	}
}

// countFn ends a pipeline.
type countFn struct{ n int64 }

func (f *countFn) ProcessElement(trade) { f.n++ }

// The naive pipeline sends records one by one: it samples one in a thousand, makes splitters of
// the samples, pairs each record with its part, groups by part and sorts the records of a part.
type naiveSampleFn struct{ n int }

func (f *naiveSampleFn) ProcessElement(t trade, emit func(int, float64)) {
	if f.n++; f.n%1000 == 1 {
		emit(0, t.Price)
	}
}

type naiveSplitFn struct{ Parts int }

func (f *naiveSplitFn) ProcessElement(_ int, samples func(*float64) bool, emit func([]float64)) {
	var all, splitters []float64
	var x float64
	for samples(&x) {
		all = append(all, x)
	}
	slices.Sort(all)
	for i := 1; i < f.Parts; i++ {
		splitters = append(splitters, all[i*len(all)/f.Parts])
	}
	emit(splitters)
}

type naiveFn struct{}

func (f *naiveFn) ProcessElement(t trade, splitters []float64) (int, trade) {
	part, _ := slices.BinarySearch(splitters, t.Price)
	return part, t
}

type naiveSortFn struct{ Prefix string }

func (f *naiveSortFn) ProcessElement(part int, values func(*trade) bool) error {
	var all []trade
	var t trade
	for values(&t) {
		all = append(all, t)
	}
	slices.SortFunc(all, byPrice.order.Compare)
	return os.WriteFile(f.Prefix+string(rune('a'+part)), memory(all, int(unsafe.Sizeof(t))), 0o600)
}

func naive(s beam.Scope, col beam.PCollection, prefix string) {
	samples := beam.ParDo(s, &naiveSampleFn{}, col)
	splitters := beam.ParDo(s, &naiveSplitFn{4}, beam.GroupByKey(s, samples))
	keyed := beam.ParDo(s, &naiveFn{}, col, beam.SideInput{Input: splitters})
	beam.ParDo0(s, &naiveSortFn{prefix}, beam.GroupByKey(s, keyed))
}

func init() {
	register.DoFn2x0[[]byte, func(trade)](&tradesFn{})
	register.Emitter1[trade]()
	register.DoFn1x0[trade](&countFn{})
	register.DoFn2x0[trade, func(int, float64)](&naiveSampleFn{})
	beam.RegisterType(reflect.TypeFor[naiveSplitFn]())
	register.DoFn2x2[trade, []float64, int, trade](&naiveFn{})
	register.Emitter2[int, float64]()
	register.Emitter1[[]float64]()
	register.Iter1[float64]()
	beam.RegisterType(reflect.TypeFor[naiveSortFn]())
	register.Iter1[trade]()
}

// BenchmarkSort sorts trades to four shards. Its cases are the source alone, Sort, and the naive
// pipeline. Memory is the peak of the process: run one case at a time.
func BenchmarkSort(b *testing.B) {
	n := *benchRecords
	if testing.Short() {
		n = 1000
	}
	for _, c := range []struct {
		name  string
		build func(s beam.Scope, col beam.PCollection, prefix string)
	}{
		{"source", func(s beam.Scope, col beam.PCollection, _ string) { beam.ParDo0(s, &countFn{}, col) }},
		{"sort", func(s beam.Scope, col beam.PCollection, prefix string) {
			Sort(s, col, byPrice, To(prefix), ShardBytes(int64(n)*24/4))
		}},
		{"naive", naive},
	} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			for b.Loop() {
				p, s := beam.NewPipelineWithRoot()
				c.build(s, beam.ParDo(s, &tradesFn{n}, beam.Impulse(s)), filepath.Join(dir, "part"))
				if _, err := beam.Run(context.Background(), "prism", p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/record")
			if peak := peakMemory(); peak > 0 {
				b.ReportMetric(peak, "peak-MB")
			}
		})
	}
}

// peakMemory returns the most memory of the process in MB, or 0 where the system does not say.
func peakMemory() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return kilobytes(string(text), "VmHWM:") / 1000
}

// BenchmarkSteps runs the steps without a runner. Their costs are those of the
// simulation in README.md.
func BenchmarkSteps(b *testing.B) {
	const n = 1 << 20
	trades := make([]trade, n)
	r := rand.New(rand.NewPCG(4, 5))
	for i := range trades {
		trades[i] = trade{r.Float64(), int64(r.Uint32()), int64(i)}
	}
	perRecord := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
	}
	c := newConfig(byPrice.name, []Option{To(filepath.Join(b.TempDir(), "part")), ShardBytes(n * 24 / 4)})
	c.Format = Records.name
	var blocks, samples [][]byte
	pack := &packFn[trade]{Config: c}
	if err := pack.Setup(); err != nil {
		b.Fatal(err)
	}
	packAll := func() {
		blocks, samples = nil, nil
		block := func(p []byte) { blocks = append(blocks, p) }
		sample := func(p []byte) { samples = append(samples, p) }
		for _, t := range trades {
			if err := pack.ProcessElement(ctx, t, block, sample); err != nil {
				b.Fatal(err)
			}
		}
		if err := pack.FinishBundle(ctx, block, sample); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("pack", func(b *testing.B) {
		for b.Loop() {
			packAll()
		}
		perRecord(b)
	})
	packAll()
	var message []byte
	plan := &planStep{Config: c}
	if err := plan.Setup(); err != nil {
		b.Fatal(err)
	}
	if err := plan.ProcessElement(ctx, nil, iterate(samples), func(p []byte) { message = p }); err != nil {
		b.Fatal(err)
	}
	parts := map[int64][][]byte{}
	route := &routeStep{Config: c}
	if err := route.Setup(); err != nil {
		b.Fatal(err)
	}
	routeAll := func() {
		clear(parts)
		for _, p := range blocks {
			if err := route.ProcessElement(ctx, p, message, func(part int64, piece []byte) { parts[part] = append(parts[part], piece) }); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("route", func(b *testing.B) {
		for b.Loop() {
			routeAll()
		}
		perRecord(b)
	})
	routeAll()
	shard := &shardStep{Config: c}
	if err := shard.Setup(); err != nil {
		b.Fatal(err)
	}
	b.Run("shard", func(b *testing.B) {
		for b.Loop() {
			for part, pieces := range parts {
				if err := shard.ProcessElement(ctx, part, iterate(pieces), message, func(Shard) {}); err != nil {
					b.Fatal(err)
				}
			}
		}
		perRecord(b)
	})
}

// kilobytes returns the number after a name in the status of a process.
func kilobytes(status, name string) (n float64) {
	_, rest, _ := strings.Cut(status, name)
	fmt.Sscan(rest, &n)
	return n
}
