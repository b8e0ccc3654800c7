package beamsort

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/powerloss"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

func TestMain(m *testing.M) {
	powerloss.Main(powerJobs)
	flag.Parse()
	// The runner reports each job.
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	if serve() {
		return
	}
	beam.Init()
	os.Exit(m.Run())
}

// row has a field for each kind of key without pointers, and padding.
type row struct {
	ID   uint32
	Null bool
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	F32  float32
	F64  float64
	V2   [2]float32
	V3   [3]float32
	V4   [4]float32
	B16  [16]byte
}

// note has pointers, and a codec of its own.
type note struct {
	ID   uint32
	Null bool
	Text string
	Raw  []byte
	When time.Time
}

type noteCodec struct{}

func (noteCodec) Append(dst []byte, n note) ([]byte, error) {
	if n.Text == "unspeakable" {
		return dst, errUnspeakable
	}
	dst = binary.LittleEndian.AppendUint32(dst, n.ID)
	dst = append(dst, byte(len(n.Text)))
	dst = append(dst, n.Text...)
	dst = append(dst, byte(len(n.Raw)))
	dst = append(dst, n.Raw...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(n.When.UnixNano()))
	if n.Null {
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}

var errUnspeakable = fmt.Errorf("a note is unspeakable")

func (noteCodec) Decode(src []byte) (n note, err error) {
	n.ID, src = binary.LittleEndian.Uint32(src), src[4:]
	n.Text, src = string(src[1:1+src[0]]), src[1+src[0]:]
	n.Raw, src = bytes.Clone(src[1:1+src[0]]), src[1+src[0]:]
	n.When, src = time.Unix(0, int64(binary.LittleEndian.Uint64(src))), src[8:]
	n.Null = src[0] == 1
	return n, nil
}

// pair has a coder of Beam.
type pair struct {
	Key, ID int64
}

// inputs holds the elements that listFn emits, by the name of the test.
var inputs sync.Map

// listFn emits the elements of a test. Workers are in this process.
type listFn[T any] struct{ Name string }

func (f *listFn[T]) ProcessElement(_ []byte, emit func(T)) {
	in, _ := inputs.Load(f.Name)
	for _, e := range in.([]T) {
		emit(e)
	}
}

func registerList[T any]() { beam.RegisterType(reflect.TypeFor[listFn[T]]()) }

func init() {
	registerList[row]()
	registerList[note]()
	registerList[pair]()
	registerList[string]()
}

// collection is the collection of elements.
func collection[T any](t testing.TB, s beam.Scope, elements []T) beam.PCollection {
	inputs.Store(t.Name(), elements)
	t.Cleanup(func() { inputs.Delete(t.Name()) })
	return beam.ParDo(s, &listFn[T]{t.Name()}, beam.Impulse(s))
}

// run runs a pipeline on prism.
func run(t testing.TB, p *beam.Pipeline) beam.PipelineResult {
	t.Helper()
	result, err := beam.Run(context.Background(), "prism", p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// tiny makes runs and blocks of few elements.
func tiny(pack, block int64) Option {
	return func(c *config) { c.PackBytes, c.BlockBytes = pack, block }
}

// sorted sorts elements to files and reads the manifest.
func sorted[T any](t testing.TB, in []T, order *Ordering[T], opts ...Option) (*ManifestFile, beam.PipelineResult) {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "part")
	p, s := beam.NewPipelineWithRoot()
	Sort(s, collection(t, s, in), order, append(opts, To(prefix), Manifest())...)
	result := run(t, p)
	m, err := ReadManifest(context.Background(), prefix)
	if err != nil {
		t.Fatal(err)
	}
	return m, result
}

// contents returns the bytes of all shards, and checks that there is no other file.
func contents(t testing.TB, m *ManifestFile) []byte {
	t.Helper()
	var all []byte
	for i, s := range m.Shards {
		if s.Part != int64(i) || s.Parts != int64(len(m.Shards)) {
			t.Fatalf("shard %d is %d of %d", i, s.Part, s.Parts)
		}
		b, err := os.ReadFile(s.Path)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(b)) != s.Bytes {
			t.Fatalf("%s has %d bytes, not %d", s.Path, len(b), s.Bytes)
		}
		all = append(all, b...)
	}
	if files := folder(t, filepath.Dir(m.Shards[0].Path)); len(files) != len(m.Shards)+1 {
		t.Fatalf("files %v of %d shards and a manifest", files, len(m.Shards))
	}
	return all
}

func folder(t testing.TB, dir string) (names []string) {
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// decoded decodes the elements of shards in the default format.
func decoded[T any](t testing.TB, order *Ordering[T], all []byte) []T {
	t.Helper()
	v := blockView[T]{order: order}
	if err := v.read(all); err != nil {
		t.Fatal(err)
	}
	out := make([]T, v.len())
	for i := range out {
		var err error
		if out[i], err = v.element(i); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// same checks the output against slices.SortStableFunc: equal keys at each place, and the same
// elements.
func same[T any](t testing.TB, in, out []T, compare func(a, b T) int, id func(T) uint32) {
	t.Helper()
	if len(in) != len(out) {
		t.Fatalf("%d elements of %d", len(out), len(in))
	}
	want := slices.Clone(in)
	slices.SortStableFunc(want, compare)
	for i := range want {
		if compare(want[i], out[i]) != 0 {
			t.Fatalf("element %d is %v, not %v", i, out[i], want[i])
		}
	}
	byID := func(a, b T) int { return cmp.Compare(id(a), id(b)) }
	slices.SortFunc(want, byID)
	got := slices.Clone(out)
	slices.SortFunc(got, byID)
	for i := range want {
		// By their texts: NaN is not equal to NaN.
		if fmt.Sprint(want[i]) != fmt.Sprint(got[i]) {
			t.Fatalf("element %v came out as %v", want[i], got[i])
		}
	}
}

func someRows(n int) []row {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	float := func() float64 {
		switch r.IntN(10) {
		case 0:
			return math.NaN()
		case 1:
			return math.Copysign(0, -1)
		case 2:
			return 0
		}
		return r.NormFloat64()
	}
	rows := make([]row, n)
	for i := range rows {
		f := &rows[i]
		*f = row{ID: uint32(i), Null: r.IntN(8) == 0, I8: int8(r.Uint32()), I16: int16(r.Uint32()), I32: int32(r.Uint32()),
			I64: int64(r.Uint64()), U8: uint8(r.Uint32()), U16: uint16(r.Uint32()), U32: r.Uint32(), U64: r.Uint64(),
			F32: float32(float()), F64: float()}
		for j := range f.V4 {
			f.V4[j] = float32(r.IntN(3) - 1)
		}
		copy(f.V2[:], f.V4[:])
		copy(f.V3[:], f.V4[:])
		for j := range f.B16 {
			f.B16[j] = byte(r.IntN(2) * 255)
		}
	}
	return rows
}

func someNotes(n int) []note {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	words := strings.Fields("a an ant anthill antique bee beer be \x00 \xff zebra zebras")
	notes := make([]note, n)
	for i := range notes {
		text := ""
		for range r.IntN(4) {
			text += words[r.IntN(len(words))]
		}
		notes[i] = note{ID: uint32(i), Null: r.IntN(8) == 0, Text: text, Raw: []byte(text)[:r.IntN(len(text)+1)],
			When: time.Unix(r.Int64N(100), r.Int64N(3))}
	}
	return notes
}

// counter sums a counter of this package over all steps.
func counterOf(result beam.PipelineResult, name string) (sum int64) {
	for _, c := range result.Metrics().AllMetrics().Counters() {
		if c.Namespace() == "beamsort" && c.Name() == name {
			sum += c.Result()
		}
	}
	return sum
}

// distributionOf returns a distribution, of which the pipeline has one.
func distributionOf(t *testing.T, result beam.PipelineResult, name string) metrics.DistributionValue {
	t.Helper()
	var found []metrics.DistributionValue
	for _, d := range result.Metrics().AllMetrics().Distributions() {
		if d.Namespace() == "beamsort" && d.Name() == name {
			found = append(found, d.Result())
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d distributions %s", len(found), name)
	}
	return found[0]
}

var (
	byU64  = Register("row by u64", Fixed[row](), sorter.Asc(func(r row) uint64 { return r.U64 }))
	byU8   = Register("row by u8", Fixed[row](), sorter.Asc(func(r row) uint8 { return r.U8 }))
	byText = Register("note by text", Codec[note](noteCodec{}), sorter.Asc(func(n note) string { return n.Text }))
	texts  = Register("strings", extsort.Strings(), sorter.Asc(func(s string) string { return s }))
	pairs  = Register("pairs", Fixed[pair](), sorter.Asc(func(p pair) int64 { return p.Key }), sorter.Asc(func(p pair) int64 { return p.ID }))
)

func rowID(r row) uint32   { return r.ID }
func noteID(n note) uint32 { return n.ID }
