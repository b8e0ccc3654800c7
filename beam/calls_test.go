package beamsort

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
)

var (
	csvRows  = RegisterLines("csv of rows", "id,u64", func(dst []byte, r row) ([]byte, error) { return fmt.Appendf(dst, "%d,%d", r.ID, r.U64), nil })
	jsonRows = RegisterLines("ndjson of rows", "", func(dst []byte, r row) ([]byte, error) {
		b, err := json.Marshal(struct{ ID uint32 }{r.ID})
		return append(dst, b...), err
	})
)

func TestFormats(t *testing.T) {
	rows := someRows(300)
	byKey := slices.Clone(rows)
	slices.SortFunc(byKey, func(a, b row) int { return cmp.Compare(a.U64, b.U64) })
	var csv, ndjson, prefixed strings.Builder
	for _, r := range byKey {
		fmt.Fprintf(&csv, "%d,%d\n", r.ID, r.U64)
		fmt.Fprintf(&ndjson, "{\"ID\":%d}\n", r.ID)
		encoded, _ := byU64.codec.Append(nil, r)
		prefixed.Write(appendRecord(nil, encoded))
	}
	for _, c := range []struct {
		format Format
		want   string
	}{{csvRows, csv.String()}, {jsonRows, ndjson.String()}, {LengthPrefixed, prefixed.String()}} {
		m, _ := sorted(t, rows, byU64, As(c.format), Shards(3), Suffix(".x"), gap(200))
		if !strings.HasSuffix(m.Shards[0].Path, "-00000-of-00003.x") || m.Format != c.format.name {
			t.Error(m.Shards[0].Path, m.Format)
		}
		got := string(contents(t, m))
		if c.format == csvRows {
			got = strings.ReplaceAll(got, "id,u64\n", "")
		}
		if got != c.want {
			t.Errorf("%s: wrong lines", c.format.name)
		}
		first, err := byU64.Decode(m.Shards[0].First)
		if err != nil || first.ID != byKey[0].ID {
			t.Error(first, err)
		}
		if last, _ := byU64.Decode(m.Shards[2].Last); last.ID != byKey[299].ID {
			t.Error(last)
		}
	}
	lines := []string{"beta", "alpha", "", "gamma"}
	m, _ := sorted(t, lines, texts, As(Lines), Header("greek"))
	if got := string(contents(t, m)); got != "greek\n\nalpha\nbeta\ngamma\n" {
		t.Errorf("%q", got)
	}
}

// TestSpill sorts a part with less memory than it has.
func TestSpill(t *testing.T) {
	rows, notes := someRows(20000), someNotes(20000)
	m, result := sorted(t, rows, byU64, Memory(1<<20), TempDir(t.TempDir()), Workers(1))
	same(t, rows, decoded(t, byU64, contents(t, m)), func(a, b row) int { return cmp.Compare(a.U64, b.U64) }, rowID)
	if n := counterOf(result, "spilled_bytes"); n < 20000*int64(byU64.layout.size) {
		t.Errorf("%d bytes spilled", n)
	}
	if counterOf(result, "records") != 20000 || counterOf(result, "records_packed") != 20000 || counterOf(result, "shards") != 1 {
		t.Error("counters are wrong")
	}
	m, result = sorted(t, notes, byText, Memory(500_000), TempDir(t.TempDir()))
	same(t, notes, decoded(t, byText, contents(t, m)), func(a, b note) int { return cmp.Compare(a.Text, b.Text) }, noteID)
	if counterOf(result, "spilled_bytes") == 0 || counterOf(result, "bytes") == 0 || counterOf(result, "blocks") == 0 {
		t.Error("counters are wrong")
	}
}

// TestMetrics compares the counters of a sort with its shards.
func TestMetrics(t *testing.T) {
	rows := someRows(1000)
	size := int64(byU64.layout.size)
	m, result := sorted(t, rows, byU64, tiny(300*size, 100*size), Shards(3), gap(20*size))
	bytes, parts := int64(0), metrics.DistributionValue{Count: 3, Sum: 1000 * size, Min: math.MaxInt64}
	for _, s := range m.Shards {
		bytes += s.Bytes
		parts.Min, parts.Max = min(parts.Min, s.Count*size), max(parts.Max, s.Count*size)
	}
	if got := distributionOf(t, result, "part_bytes"); got != parts {
		t.Errorf("part_bytes %+v, not %+v", got, parts)
	}
	for name, want := range map[string]int64{"records_packed": 1000, "bytes_packed": 1000 * size, "records": 1000, "bytes": bytes, "shards": 3, "spilled_bytes": 0} {
		if got := counterOf(result, name); got != want {
			t.Errorf("%s is %d, not %d", name, got, want)
		}
	}
	for _, name := range []string{"runs", "blocks", "samples", "pieces"} {
		if counterOf(result, name) < 3 {
			t.Errorf("%s is %d", name, counterOf(result, name))
		}
	}
}

// TestFailedPipeline: an error fails the job, names the step and leaves no file.
func TestFailedPipeline(t *testing.T) {
	dir := t.TempDir()
	p, s := beam.NewPipelineWithRoot()
	notes := append(someNotes(100), note{Text: "unspeakable"})
	Sort(s, collection(t, s, notes), byText, To(filepath.Join(dir, "x")), Manifest())
	_, err := beam.Run(context.Background(), "prism", p)
	if err == nil || !strings.Contains(err.Error(), `beamsort: sort by "note by text": pack: codec: a note is unspeakable`) {
		t.Error(err)
	}
	if names := folder(t, dir); len(names) > 0 {
		t.Error(names)
	}
}

func TestTopK(t *testing.T) {
	in := make([]pair, 1000)
	for i := range in {
		in[i] = pair{int64(i*7919%1000) / 3, int64(i)}
	}
	want := slices.Clone(in)
	slices.SortFunc(want, func(a, b pair) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.ID, b.ID)) })
	p, s := beam.NewPipelineWithRoot()
	col := collection(t, s, in)
	for _, k := range []int{1, 10, 100, 5000} {
		passert.Equals(s.Scope(fmt.Sprint(k)), TopK(s, col, k, pairs), want[:min(k, 1000)])
	}
	perKey := TopPerKey(s, beam.ParDo(s, keyed, col), 2, pairs)
	beam.ParDo0(s, &checkPairs{Want: 2}, perKey)
	values := SortValues(s, beam.ParDo(s, keyed, col), pairs)
	beam.ParDo0(s, &checkPairs{Want: 333}, values)
	run(t, p)
}

// TestTopOfNothing: a collection without elements has one slice, which is empty, and no keys.
func TestTopOfNothing(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	none := collection(t, s, []pair{})
	for _, k := range []int{1, 10} {
		beam.ParDo0(s.Scope(fmt.Sprint(k)), &countSlices{Want: 1}, beam.Impulse(s), beam.SideInput{Input: TopK(s, none, k, pairs)})
	}
	passert.Empty(s, TopPerKey(s, beam.ParDo(s, keyed, none), 2, pairs))
	passert.Empty(s, SortValues(s, beam.ParDo(s, keyed, none), pairs))
	run(t, p)
}

// countSlices fails unless there are as many slices as wanted, all of them empty.
type countSlices struct{ Want int }

func (f *countSlices) ProcessElement(_ []byte, slices func(*[]pair) bool) error {
	n := 0
	for s := []pair(nil); slices(&s); n++ {
		if len(s) > 0 {
			return fmt.Errorf("slice %d has %d pairs", n, len(s))
		}
	}
	if n != f.Want {
		return fmt.Errorf("%d slices, not %d", n, f.Want)
	}
	return nil
}

func keyed(p pair) (int64, pair) { return p.ID % 3, p }

// checkPairs fails unless the pairs of a key are in order, and as many as wanted or one more.
type checkPairs struct{ Want int }

func (f *checkPairs) ProcessElement(key int64, in []pair) error {
	if len(in) != f.Want && len(in) != f.Want+1 || f.Want == 2 && len(in) != 2 {
		return fmt.Errorf("key %d has %d pairs", key, len(in))
	}
	if !slices.IsSortedFunc(in, pairs.Order().Compare) {
		return fmt.Errorf("key %d: not in order", key)
	}
	for _, p := range in {
		if p.ID%3 != key {
			return fmt.Errorf("key %d has %v", key, p)
		}
	}
	return nil
}

func init() {
	beam.RegisterFunction(keyed)
	beam.RegisterType(reflect.TypeFor[checkPairs]())
	beam.RegisterType(reflect.TypeFor[countSlices]())
}

// TestTopState encodes accumulators in the middle.
func TestTopState(t *testing.T) {
	f := &topFn[pair]{Order: pairs.name, K: 20}
	all, err := f.CreateAccumulator()
	if err != nil {
		t.Fatal(err)
	}
	var want []int64
	for i := range 10 {
		part, _ := f.CreateAccumulator()
		for j := range 100 {
			key := int64((i*100 + j) * 7919 % 1000)
			want = append(want, key)
			if part, err = f.AddInput(part, pair{Key: key}); err != nil {
				t.Fatal(err)
			}
		}
		message, err := encodeTop(part)
		if err != nil {
			t.Fatal(err)
		}
		if part, err = decodeTop(message); err != nil {
			t.Fatal(err)
		}
		if all, err = f.MergeAccumulators(all, part); err != nil {
			t.Fatal(err)
		}
		if _, err := decodeTop(message[:len(message)-1]); err == nil {
			t.Error("an accumulator that was cut")
		}
	}
	slices.Sort(want)
	out, err := f.ExtractOutput(all)
	if err != nil || len(out) != 20 {
		t.Fatal(out, err)
	}
	for i, p := range out {
		if p.Key != want[i] {
			t.Fatalf("element %d is %d, not %d", i, p.Key, want[i])
		}
	}
}

var keysOfMany int

var many = Register("many", Fixed[pair](), sorter.Asc(func(p pair) int64 { keysOfMany++; return p.Key }))

// TestTopOfAll takes more elements than there are: they are not selected each time that one is added.
func TestTopOfAll(t *testing.T) {
	const n = 3000
	all := many.newTop(math.MaxInt).(*top[pair])
	for i := range n {
		if err := all.add(pair{Key: int64(n - i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.cut(); err != nil || len(all.candidates) != n || all.candidates[0].Key != 1 {
		t.Fatal(err, len(all.candidates))
	}
	if keysOfMany > 2*n {
		t.Errorf("%d calls of the key function for %d elements", keysOfMany, n)
	}
}

// plainFS is a file system without rename and removal, unless told.
type plainFS struct{}

var plainFiles sync.Map

func init() {
	filesystem.Register("plain", func(context.Context) filesystem.Interface { return plainFS{} })
	filesystem.Register("removes", func(context.Context) filesystem.Interface { return removeFS{} })
}

func (plainFS) Close() error                                       { return nil }
func (plainFS) List(context.Context, string) ([]string, error)     { return nil, nil }
func (plainFS) Size(_ context.Context, name string) (int64, error) { return 0, nil }
func (plainFS) OpenRead(_ context.Context, name string) (io.ReadCloser, error) {
	b, ok := plainFiles.Load(name)
	if !ok {
		return nil, os.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(b.([]byte))), nil
}

func (plainFS) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	return &plainFile{ctx: ctx, name: name}, nil
}

// plainFile is an object: it is there when it is closed, unless its context has ended.
type plainFile struct {
	bytes.Buffer
	ctx  context.Context
	name string
}

func (f *plainFile) Close() error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	plainFiles.Store(f.name, bytes.Clone(f.Bytes()))
	return nil
}

// removeFS has no rename either, but can remove.
type removeFS struct{ plainFS }

func (removeFS) Remove(_ context.Context, name string) error {
	plainFiles.Delete(name)
	return nil
}

// TestSchemes writes to file systems without a rename.
func TestSchemes(t *testing.T) {
	for _, c := range []struct {
		prefix string
		opts   []Option
	}{{"plain://a/x", nil}, {"removes://a/x", nil}, {"removes://b/x", []Option{Direct()}}} {
		plainFiles.Clear()
		p, s := beam.NewPipelineWithRoot()
		rows := someRows(100)
		Sort(s, collection(t, s, rows), byU64, append(c.opts, To(c.prefix), Shards(2), Manifest())...)
		run(t, p)
		m, err := ReadManifest(ctx, c.prefix)
		if err != nil || m.Count != 100 {
			t.Fatal(m, err)
		}
		var names []string
		plainFiles.Range(func(name, _ any) bool { names = append(names, name.(string)); return true })
		slices.Sort(names)
		if want := []string{c.prefix + "-00000-of-00002", c.prefix + "-00001-of-00002", c.prefix + "-manifest.json"}; !slices.Equal(names, want) {
			t.Errorf("%v, not %v", names, want)
		}
		// An object that fails half-way is not there.
		name := c.prefix + "-fails"
		_, err = writeFile(ctx, name, len(c.opts) > 0, func(w io.Writer) error {
			w.Write(make([]byte, 2*fileBuffer))
			return errUnspeakable
		})
		if _, ok := plainFiles.Load(name); ok || err != errUnspeakable {
			t.Error(name, err)
		}
	}
	if _, err := ReadManifest(ctx, "plain://none"); err == nil {
		t.Error("a manifest that is missing")
	}
	if _, err := ReadManifest(ctx, "unknown://x"); err == nil {
		t.Error("an unknown scheme")
	}
}

// TestMillion sorts a million records. Ten million are for the benchmark: prism takes 4 GB.
func TestMillion(t *testing.T) {
	testkit.SkipUnlessLong(t)
	const n = 1_000_000
	prefix := filepath.Join(t.TempDir(), "part")
	p, s := beam.NewPipelineWithRoot()
	Sort(s, beam.ParDo(s, &tradesFn{n}, beam.Impulse(s)), byPrice, To(prefix), ShardBytes(n*24/10), Manifest())
	run(t, p)
	m, err := ReadManifest(ctx, prefix)
	if err != nil || m.Count != n || len(m.Shards) != 10 {
		t.Fatal(m, err)
	}
	for _, x := range m.Shards {
		if x.Count < n/12 || x.Count > n/8 {
			t.Errorf("shard %d has %d elements", x.Part, x.Count)
		}
	}
	out := decoded(t, byPrice, contents(t, m))
	if !slices.IsSortedFunc(out, func(a, b trade) int { return cmp.Compare(a.Price, b.Price) }) {
		t.Error("not in order")
	}
	seen := make([]bool, n)
	for _, x := range out {
		seen[x.ID] = true
	}
	if slices.Contains(seen, false) {
		t.Error("an element is missing")
	}
}
