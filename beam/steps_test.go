package beamsort

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
)

// harness runs the steps of a sort as a runner does that loses bundles: each is run until it has
// emitted half or failed, and is then run again, with the same instance and with a new one. All
// runs have to emit the same.
type harness[T any] struct {
	t *testing.T
	c config
}

// stepsOf returns the steps of a sort, with runs and blocks of few elements.
func stepsOf[T any](t *testing.T, order *Ordering[T], opts ...Option) *harness[T] {
	c := newConfig(order.name, append(opts, To(filepath.Join(t.TempDir(), "part"))))
	if c.Format == "" {
		c.Format = order.defaultFormat().name
	}
	return &harness[T]{t, c}
}

type routed struct {
	part  int64
	piece []byte
}

var ctx = context.Background()

// twice returns the result of three runs, of which the first is lost.
func twice[R any](t *testing.T, name string, run func() R) R {
	t.Helper()
	run()
	first, second := run(), run()
	if a, b := fmt.Sprint(first), fmt.Sprint(second); a != b {
		t.Fatalf("%s emits other messages in its second run", name)
	}
	return first
}

// setUp prepares an instance of a step.
func setUp[F interface{ Setup() error }](t *testing.T, f F) F {
	t.Helper()
	if err := f.Setup(); err != nil {
		t.Fatal(err)
	}
	return f
}

// pack packs the elements of a bundle. The instance has lost a bundle before.
func (s *harness[T]) pack(elements []T) (blocks, samples [][]byte) {
	s.t.Helper()
	f := setUp(s.t, &packFn[T]{Config: s.c})
	drop := func([]byte) {}
	f.StartBundle(ctx, drop, drop)
	for _, e := range elements[:len(elements)/2] {
		if err := f.ProcessElement(ctx, e, drop, drop); err != nil {
			s.t.Fatal(err)
		}
	}
	both := twice(s.t, "pack", func() [2][][]byte {
		var out [2][][]byte
		block := func(b []byte) { out[0] = append(out[0], b) }
		sample := func(b []byte) { out[1] = append(out[1], b) }
		f.StartBundle(ctx, block, sample)
		for _, e := range elements {
			if err := f.ProcessElement(ctx, e, block, sample); err != nil {
				s.t.Fatal(err)
			}
		}
		if err := f.FinishBundle(ctx, block, sample); err != nil {
			s.t.Fatal(err)
		}
		return out
	})
	return both[0], both[1]
}

func iterate[E any](items []E) func(*E) bool {
	return func(to *E) bool {
		if len(items) == 0 {
			return false
		}
		*to, items = items[0], items[1:]
		return true
	}
}

func (s *harness[T]) plan(samples [][]byte) []byte {
	s.t.Helper()
	return twice(s.t, "plan", func() (message []byte) {
		f := setUp(s.t, &planStep{Config: s.c})
		if err := f.ProcessElement(ctx, []byte{}, iterate(samples), func(b []byte) { message = b }); err != nil {
			s.t.Fatal(err)
		}
		return message
	})
}

func (s *harness[T]) route(blocks [][]byte, plan []byte) []routed {
	s.t.Helper()
	f := setUp(s.t, &routeStep{Config: s.c})
	return twice(s.t, "route", func() (out []routed) {
		for _, b := range append([][]byte{{}}, blocks...) {
			if err := f.ProcessElement(ctx, b, bytes.Clone(plan), func(part int64, piece []byte) {
				out = append(out, routed{part, piece})
			}); err != nil {
				s.t.Fatal(err)
			}
		}
		return out
	})
}

// shards writes all parts. It returns the shards and their bytes.
func (s *harness[T]) shards(all []routed, plan []byte) ([]Shard, []byte) {
	s.t.Helper()
	_, parts, err := planTotals(plan)
	if err != nil {
		s.t.Fatal(err)
	}
	var shards []Shard
	var contents []byte
	for part := range parts {
		var of [][]byte
		for _, r := range all {
			if r.part == part {
				of = append(of, r.piece)
			}
		}
		contents = append(contents, twice(s.t, "shard", func() []byte {
			f := setUp(s.t, &shardStep{Config: s.c})
			var shard Shard
			if err := f.ProcessElement(ctx, part, iterate(of), plan, func(x Shard) { shard = x }); err != nil {
				s.t.Fatal(err)
			}
			shards = append(shards[:part], shard)
			b, err := os.ReadFile(shard.Path)
			if err != nil {
				s.t.Fatal(err)
			}
			return b
		})...)
	}
	return shards, contents
}

// all runs all steps on bundles.
func (s *harness[T]) all(bundles ...[]T) ([]Shard, []byte, []byte) {
	s.t.Helper()
	var blocks, samples [][]byte
	for _, b := range bundles {
		bs, ss := s.pack(b)
		blocks, samples = append(blocks, bs...), append(samples, ss...)
	}
	plan := s.plan(samples)
	shards, contents := s.shards(s.route(blocks, plan), plan)
	return shards, contents, plan
}

func TestStepsAgain(t *testing.T) {
	rows, notes := someRows(2000), someNotes(2000)
	size := int64(byU8.layout.size)
	s := stepsOf(t, byU8, tiny(300*size, 50*size), Shards(7), gap(10*size))
	_, contents, _ := s.all(rows[:700], rows[700:701], nil, rows[701:])
	same(t, rows, decoded(t, byU8, contents), func(a, b row) int { return cmp.Compare(a.U8, b.U8) }, rowID)

	n := stepsOf(t, byText, tiny(9000, 500), Shards(7), gap(300))
	_, contents, _ = n.all(notes[:700], notes[700:701], nil, notes[701:])
	same(t, notes, decoded(t, byText, contents), func(a, b note) int { return cmp.Compare(a.Text, b.Text) }, noteID)
}

// TestStableInRun: within a run ties keep their order.
func TestStableInRun(t *testing.T) {
	rows := someRows(1000)
	s := stepsOf(t, byU8, Shards(3))
	_, contents, _ := s.all(rows)
	out := decoded(t, byU8, contents)
	want := slices.Clone(rows)
	slices.SortStableFunc(want, func(a, b row) int { return cmp.Compare(a.U8, b.U8) })
	for i := range want {
		if want[i].ID != out[i].ID {
			t.Fatalf("element %d is %d, not %d", i, out[i].ID, want[i].ID)
		}
	}
}

// TestOneShard asks for a shard of any size, and sorts empty strings.
func TestOneShard(t *testing.T) {
	s := stepsOf(t, texts, ShardBytes(math.MaxInt64))
	shards, contents, _ := s.all([]string{"", "", ""})
	if len(shards) != 1 || shards[0].Count != 3 || len(contents) != 3 {
		t.Fatal(shards, contents)
	}
	if shards[0].First == nil || shards[0].Last == nil {
		t.Errorf("first %v, last %v: there are elements", shards[0].First, shards[0].Last)
	}
}

// failing is a codec that fails after a number of calls.
var failAfter int

type failingCodec struct{ Codec[note] }

func (c failingCodec) Append(dst []byte, n note) ([]byte, error) {
	if failAfter--; failAfter == 0 {
		return dst, errUnspeakable
	}
	return c.Codec.Append(dst, n)
}

var byFailing = Register("failing", Codec[note](failingCodec{noteCodec{}}), sorter.Asc(func(n note) string { return n.Text }))

// TestFailedShard fails a shard at each call of the codec, also in the write of the file. No
// attempt leaves a file, the last one a whole shard.
func TestFailedShard(t *testing.T) {
	notes := someNotes(60)
	s := stepsOf(t, byFailing, tiny(600, 200), Shards(1))
	failAfter = 0
	blocks, samples := s.pack(notes)
	plan := s.plan(samples)
	all := s.route(blocks, plan)
	var pieces [][]byte
	for _, r := range all {
		pieces = append(pieces, r.piece)
	}
	dir := filepath.Dir(s.c.Prefix)
	failed := 0
	for n := 1; ; n++ {
		failAfter = n
		err := setUp(t, &shardStep{Config: s.c}).ProcessElement(ctx, 0, iterate(pieces), plan, func(Shard) {})
		if err == nil {
			break
		}
		failed++
		if !errors.Is(err, errUnspeakable) || !strings.HasPrefix(err.Error(), `beamsort: sort by "failing": shard 0 of 1: `) {
			t.Fatal(err)
		}
		if names := folder(t, dir); len(names) > 0 {
			t.Fatalf("call %d left %v", n, names)
		}
	}
	if failed < 2*len(notes) {
		t.Fatalf("only %d calls failed", failed)
	}
	if names := folder(t, dir); len(names) != 1 || names[0] != "part-00000-of-00001" {
		t.Fatal(names)
	}
}

// panicking formats panic in the write.
var panicking = RegisterFormat("panicking", func(io.Writer) (Writer[row], error) { return panicWriter{}, nil })

type panicWriter struct{}

func (panicWriter) Write([]row) error { panic("in the format") }
func (panicWriter) Close() error      { return nil }

func TestPanicLeavesNothing(t *testing.T) {
	s := stepsOf(t, byU8, As(panicking))
	blocks, samples := s.pack(someRows(10))
	plan := s.plan(samples)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		setUp(t, &shardStep{Config: s.c}).ProcessElement(ctx, 0, iterate(blocks), plan, func(Shard) {})
	}()
	if names := folder(t, filepath.Dir(s.c.Prefix)); len(names) > 0 {
		t.Error(names)
	}
}

// TestSkew gives 70 % of all elements one key: its parts are of the size of others.
func TestSkew(t *testing.T) {
	rows := someRows(20000)
	r := rand.New(rand.NewPCG(3, 3))
	for i := range rows {
		if rows[i].U64 %= 1000; r.IntN(10) < 7 {
			rows[i].U64 = 500
		}
	}
	size := int64(byU64.layout.size)
	for _, run := range []int{40, 20000} { // with short runs most blocks have few elements of a part
		s := stepsOf(t, byU64, tiny(int64(run)*size, 10*size), Shards(10), gap(20*size))
		shards, contents, _ := s.all(rows)
		same(t, rows, decoded(t, byU64, contents), func(a, b row) int { return cmp.Compare(a.U64, b.U64) }, rowID)
		for _, x := range shards {
			if x.Count < 1500 || x.Count > 2500 {
				t.Errorf("runs of %d: shard %d has %d elements of 20000", run, x.Part, x.Count)
			}
		}
	}
}

// TestAllEqual spreads one key over all parts.
func TestAllEqual(t *testing.T) {
	rows := someRows(10000)
	for i := range rows {
		rows[i].U8 = 7
	}
	size := int64(byU8.layout.size)
	s := stepsOf(t, byU8, tiny(500*size, 100*size), Shards(8), gap(10*size))
	shards, _, _ := s.all(rows)
	for _, x := range shards {
		if x.Count < 1000 || x.Count > 1500 {
			t.Errorf("shard %d has %d elements of 10000", x.Part, x.Count)
		}
	}
}

// TestShortBundles: bundles shorter than the gap between samples are sampled as evenly as long ones.
func TestShortBundles(t *testing.T) {
	rows := someRows(20000)
	size := int64(byU64.layout.size)
	s := stepsOf(t, byU64, Shards(10), gap(50*size))
	var bundles [][]row
	for b := range slices.Chunk(rows, 20) {
		bundles = append(bundles, b)
	}
	shards, _, _ := s.all(bundles...)
	for _, x := range shards {
		if x.Count < 1200 || x.Count > 2800 {
			t.Errorf("shard %d has %d elements of 20000", x.Part, x.Count)
		}
	}
}

// TestManySamples halves the sketch several times.
func TestManySamples(t *testing.T) {
	s := sketch[row]{order: byU64, most: 64, weight: 1}
	rows := someRows(10000)
	for _, r := range rows {
		encoded, _ := byU64.codec.Append(nil, r)
		if err := s.add(encoded); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.samples) >= 64 || len(s.samples) < 32 || s.weight != 256 {
		t.Fatalf("%d samples of weight %d", len(s.samples), s.weight)
	}
	if err := s.sort(ctx); err != nil {
		t.Fatal(err)
	}
	p, err := readPlan(byU64, s.plan(totals{Count: 10000}, 4))
	if err != nil || p.parts != 4 || len(p.splitters) != 3 || p.totals.Count != 10000 {
		t.Fatalf("%+v, %v", p, err)
	}
	for i, x := range p.splitters {
		at := float64(x.element.U64) / (1 << 64)
		if want := float64(i+1) / 4; at < want-.2 || at > want+.2 {
			t.Errorf("splitter %d is at %.2f", i, at)
		}
	}
}

// TestLostShard: the manifest is not written where elements are missing, or where shards overlap.
func TestLostShard(t *testing.T) {
	s := stepsOf(t, byU64, Shards(3), gap(200))
	shards, _, plan := s.all(someRows(100))
	if len(shards[0].First) != byU64.layout.size || len(shards[2].Last) != byU64.layout.size {
		t.Error("no first or last element")
	}
	f := &manifestFn{Config: s.c}
	wrong := slices.Clone(shards)
	wrong[1].Sum++
	mixed := slices.Clone(shards)
	mixed[0].Last = mixed[2].Last
	for _, lost := range [][]Shard{shards[:2], wrong, mixed} {
		err := f.ProcessElement(ctx, nil, iterate(lost), plan)
		if err == nil || !strings.HasPrefix(err.Error(), `beamsort: sort by "row by u64": manifest: `) {
			t.Error(err)
		}
	}
	if err := f.ProcessElement(ctx, nil, iterate([]Shard{shards[2], shards[0], shards[1]}), plan); err != nil {
		t.Fatal(err)
	}
	m, err := ReadManifest(ctx, s.c.Prefix)
	if err != nil || m.Count != 100 || m.Shards[2].Part != 2 {
		t.Fatal(m, err)
	}
}

// TestDamage: no message that was cut or is of another type is taken.
func TestDamage(t *testing.T) {
	notes := someNotes(50)
	s := stepsOf(t, byText, Shards(3), gap(100))
	blocks, samples := s.pack(notes)
	plan := s.plan(samples)
	route := setUp(t, &routeStep{Config: s.c})
	drop := func(int64, []byte) {}
	for _, n := range []int{1, len(plan) / 2, len(plan) - 1} {
		if err := route.ProcessElement(ctx, blocks[0], plan[:n], drop); err == nil || !strings.Contains(err.Error(), "route") {
			t.Errorf("plan cut to %d: %v", n, err)
		}
	}
	if err := route.ProcessElement(ctx, blocks[0][:len(blocks[0])-1], plan, drop); err == nil {
		t.Error("a block that was cut")
	}
	err := setUp(t, &planStep{Config: s.c}).ProcessElement(ctx, nil, iterate([][]byte{samples[0][:4]}), func([]byte) {})
	if err == nil || !strings.Contains(err.Error(), "plan") {
		t.Error(err)
	}
	fixed := setUp(t, &routeStep{Config: config{Order: byU64.name}})
	if err := fixed.ProcessElement(ctx, make([]byte, 7), totals{}.append(nil), drop); err == nil {
		t.Error("a block of no whole element")
	}
	if _, err := byU64.Decode(make([]byte, 3)); err == nil {
		t.Error("an element that was cut")
	}
}
