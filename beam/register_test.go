package beamsort

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"example.com/sorter"
	a "example.com/sorter/beam/internal/twins/a"
	b "example.com/sorter/beam/internal/twins/b"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// panicOf returns the panic of a call.
func panicOf(call func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	call()
	return ""
}

// Panics before beam.Init, which TestMain calls.
var early []string

func init() {
	early = []string{
		panicOf(func() { Register("row by u64", Fixed[row](), sorter.Asc(func(r row) uint64 { return r.U64 })) }),
		panicOf(func() { RegisterFormat("panicking", func(_ io.Writer) (Writer[row], error) { return nil, nil }) }),
		panicOf(func() { Register[row]("no codec", nil) }),
		panicOf(func() { RegisterFormat[row]("no open", nil) }),
		panicOf(func() { RegisterFormat("lines", func(_ io.Writer) (Writer[row], error) { return nil, nil }) }),
		panicOf(func() { RegisterLines[row]("no line", "", nil) }),
	}
}

func TestRegisterPanics(t *testing.T) {
	want := []string{
		`beamsort: Register("row by u64") a second time, the first was at `,
		`beamsort: RegisterFormat("panicking") a second time, the first was at `,
		`beamsort: Register("no codec"): codec is nil`,
		`beamsort: RegisterFormat("no open"): open is nil`,
		`beamsort: RegisterFormat("lines"): this is a format of the package`,
		`beamsort: RegisterLines("no line"): appendLine is nil`,
	}
	for i, text := range early {
		if !strings.HasPrefix(text, want[i]) {
			t.Errorf("%q, not %q", text, want[i])
		}
	}
	if !strings.Contains(early[0], "main_test.go:") {
		t.Errorf("the place is not in %q", early[0])
	}
	late := panicOf(func() { Register("late", Fixed[row]()) })
	if !strings.HasPrefix(late, `beamsort: Register("late") after beam.Init`) {
		t.Errorf("%q", late)
	}
}

// TestUnknown: a worker that lacks a registration says which.
func TestUnknown(t *testing.T) {
	for _, f := range []interface{ Setup() error }{
		&packFn[row]{Config: config{Order: "unknown"}}, &planStep{Config: config{Order: "unknown"}},
		&routeStep{Config: config{Order: "unknown"}}, &shardStep{Config: config{Order: "unknown"}},
		&valuesFn[row]{Config: config{Order: "unknown"}},
	} {
		if err := f.Setup(); err == nil || !strings.Contains(err.Error(), `order "unknown" is not registered on this worker`) {
			t.Errorf("%T: %v", f, err)
		}
	}
	if _, err := newTopState("unknown", 3); err == nil {
		t.Error("TopK of an unknown order")
	}
	if _, err := lookup[note]("row by u64"); err == nil || !strings.Contains(err.Error(), "is of beamsort.row on this worker, and of beamsort.note") {
		t.Error(err)
	}
	if _, err := byU64.format(config{Format: "unknown"}); err == nil {
		t.Error("unknown format")
	}
}

// TestPanics of calls that build a pipeline.
func TestPanics(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	rows := collection(t, s, []row{})
	to := To("x")
	for want, call := range map[string]func(){
		"Sort without To":                  func() { Sort(s, rows, byU64) },
		`beamsort: To("")`:                 func() { To("") },
		"ShardBytes(0)":                    func() { ShardBytes(0) },
		"Shards(-1)":                       func() { Shards(-1) },
		"Memory(0)":                        func() { Memory(0) },
		"PackBytes(0)":                     func() { PackBytes(0) },
		"TempDir":                          func() { TempDir() },
		`"note by text" of beamsort.note`:  func() { Sort(s, rows, byText, to) },
		"takes the Fixed codec":            func() { Sort(s, collection(t, s, []note{}), byText, to, As(Records)) },
		`format "panicking" is not of`:     func() { Sort(s, collection(t, s, []note{}), byText, to, As(panicking)) },
		`format "records" has no header`:   func() { Sort(s, rows, byU64, to, Header("x")) },
		"TopK(0)":                          func() { TopK(s, rows, 0, byU64) },
		"TopPerKey of beamsort.row, which": func() { TopPerKey(s, rows, 1, byU64) },
		"holds pointers":                   func() { Fixed[note]() },
		"has no bytes":                     func() { Fixed[struct{}]() },
		"Sort by a nil Ordering":           func() { Sort(s, rows, (*Ordering[row])(nil), to) },
		"TopK by a nil Ordering":           func() { TopK(s, rows, 1, (*Ordering[row])(nil)) },
		"TopPerKey by a nil Ordering":      func() { TopPerKey(s, beam.ParDo(s, keyedRow, rows), 1, (*Ordering[row])(nil)) },
		"SortValues by a nil Ordering":     func() { SortValues(s, beam.ParDo(s, keyedRow, rows), (*Ordering[row])(nil)) },
		"ForEachKey of a nil ForEach":      func() { ForEachKey(s, beam.ParDo(s, keyedRow, rows), (*ForEach[uint8, row, int])(nil)) },
		"Sort in no scope":                 func() { Sort(beam.Scope{}, rows, byU64, to) },
		"Sort of no collection":            func() { Sort(s, beam.PCollection{}, byU64, to) },
		"TopK of no collection":            func() { TopK(s, beam.PCollection{}, 1, byU64) },
		"TopPerKey of no collection":       func() { TopPerKey(s, beam.PCollection{}, 1, byU64) },
		"SortValues of no collection":      func() { SortValues(s, beam.PCollection{}, byU64) },
		"ForEachKey of no collection":      func() { ForEachKey(s, beam.PCollection{}, stopping) },
		"beamsort: nil option":             func() { Sort(s, rows, byU64, to, nil) },
		"TopK(-1)":                         func() { TopK(s, rows, -1, byU64) },
		"TopPerKey(0)":                     func() { TopPerKey(s, beam.ParDo(s, keyedRow, rows), 0, byU64) },
		"Memory(-1)":                       func() { Memory(-1) },
		"Workers(-1)":                      func() { Workers(-1) },
	} {
		if text := panicOf(call); !strings.Contains(text, want) || !strings.HasPrefix(text, "beamsort: ") {
			t.Errorf("%q, not %q", text, want)
		}
	}
}

var (
	twinsA = Register("twins a", Fixed[a.Row](), sorter.Asc(func(r a.Row) int64 { return r.Key }))
	twinsB = Register("twins b", Codec[b.Row](twinCodec{}), sorter.Asc(func(r b.Row) string { return r.Key }))
)

type twinCodec struct{}

func (twinCodec) Append(dst []byte, r b.Row) ([]byte, error) { return append(dst, r.Key...), nil }
func (twinCodec) Decode(src []byte) (b.Row, error)           { return b.Row{Key: string(src)}, nil }

// TestTwins sorts elements of two types with one name, of two packages, in one pipeline.
func TestTwins(t *testing.T) {
	dir := t.TempDir()
	p, s := beam.NewPipelineWithRoot()
	Sort(s, beam.ParDo(s, &a.Rows{N: 50}, beam.Impulse(s)), twinsA, To(filepath.Join(dir, "a")), Manifest())
	Sort(s, beam.ParDo(s, &b.Rows{N: 50}, beam.Impulse(s)), twinsB, To(filepath.Join(dir, "b")), Manifest())
	run(t, p)
	for _, name := range []string{"a", "b"} {
		m, err := ReadManifest(ctx, filepath.Join(dir, name))
		if err != nil || m.Count != 50 {
			t.Error(m, err)
		}
	}
}

// TestPadding: bytes that are no field's are zero in an encoding.
func TestPadding(t *testing.T) {
	type padded struct {
		A uint8
		_ uint8
		B uint32
		C [2]struct {
			D uint16
			E uint8
		}
	}
	codec := Fixed[padded]()
	dirty := memory([]padded{{}}, 16)
	for i := range dirty {
		dirty[i] = 0xff
	}
	codec.(fixedCodec[padded]).clear(dirty)
	want := []byte{255, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 0, 255, 255, 255, 0}
	if !bytes.Equal(dirty, want) {
		t.Errorf("%v, not %v", dirty, want)
	}
}
