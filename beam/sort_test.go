package beamsort

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"example.com/sorter"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

type rec struct {
	Key  uint64
	Flag uint8
	ID   uint64
}

var byKey = Register("rec by key", Fixed[rec](), sorter.Asc(func(r rec) uint64 { return r.Key }))

type makeFn struct{ N int }

func (f *makeFn) ProcessElement(_ []byte, emit func(rec)) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range f.N {
		emit(rec{r.Uint64(), uint8(i), uint64(i)})
	}
}

func init() {
	register.DoFn2x0[[]byte, func(rec)](&makeFn{})
	register.Emitter1[rec]()
}

func TestFirst(t *testing.T) {
	dir := t.TempDir()
	p, s := beam.NewPipelineWithRoot()
	col := beam.ParDo(s, &makeFn{100000}, beam.Impulse(s))
	Sort(s, col, byKey, To(dir+"/x"), ShardBytes(500000), Manifest())
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		t.Fatal(err)
	}
	m, err := ReadManifest(context.Background(), dir+"/x")
	if err != nil {
		t.Fatal(err)
	}
	var all []rec
	for _, s := range m.Shards {
		b, err := os.ReadFile(s.Path)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(s.Path, s.Count)
		v := blockView[rec]{order: byKey}
		v.read(b)
		all = append(all, v.fixed...)
	}
	if len(all) != 100000 || !slices.IsSortedFunc(all, byKey.order.Compare) {
		t.Fatal("wrong")
	}
}
