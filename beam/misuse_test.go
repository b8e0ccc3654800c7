package beamsort

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// wrongCodec is the codec of words whose Append does something else with "wrong".
type wrongCodec struct{}

type word string

var wrongAppend func(dst []byte, encoded string) []byte

func (wrongCodec) Append(dst []byte, w word) ([]byte, error) {
	if w == "wrong" {
		return wrongAppend(dst, string(w)), nil
	}
	return append(dst, w...), nil
}

func (wrongCodec) Decode(src []byte) (word, error) { return word(src), nil }

var words = Register("words", Codec[word](wrongCodec{}), sorter.Asc(func(w word) string { return string(w) }))

// TestWrongAppend: a codec that does not return the given bytes, and then the encoding, fails the
// bundle, in each step that encodes.
func TestWrongAppend(t *testing.T) {
	for name, wrong := range map[string]func(dst []byte, encoded string) []byte{
		"nothing":           func([]byte, string) []byte { return nil },
		"no bytes":          func(dst []byte, _ string) []byte { return dst[:0] },
		"less than given":   func(dst []byte, _ string) []byte { return dst[:len(dst)/2] },
		"without the given": func(_ []byte, encoded string) []byte { return []byte(encoded) },
		"over the given":    func(dst []byte, encoded string) []byte { return append(dst[:0], encoded...) },
		"long, over it":     func(dst []byte, encoded string) []byte { return append(dst[:0], make([]byte, 1000)...) },
	} {
		wrongAppend = wrong
		for at := range 3 {
			in := []word{"a", "bb", "ccc"}
			in[at] = "wrong"
			pack := setUp(t, &packFn[word]{Config: newConfig(words.name, nil)})
			drop := func([]byte) {}
			pack.StartBundle(ctx, drop, drop)
			var errs []error
			var packed error
			for _, w := range in {
				packed = errors.Join(packed, pack.ProcessElement(ctx, w, drop, drop))
			}
			errs = append(errs, packed)
			first := words.newTop(5)
			for _, w := range in {
				if err := first.(*top[word]).add(w); err != nil {
					t.Fatal(err)
				}
			}
			_, err := first.encode(nil)
			errs = append(errs, err)
			for _, format := range []Format{LengthPrefixed, Lines, linesOfWords} {
				open, err := words.format(config{Format: format.name})
				if err != nil {
					t.Fatal(err)
				}
				w, err := open(io.Discard, &totals{})
				if err != nil {
					t.Fatal(err)
				}
				errs = append(errs, w.Write(in))
			}
			errs = append(errs, words.sortValues(ctx, &pack.Config, iterate(in), nil))
			for i, err := range errs {
				if err == nil {
					t.Errorf("%s, element %d, step %d: no error", name, at, i)
				}
			}
		}
	}
}

var linesOfWords = RegisterLines("lines of words", "", func(dst []byte, w word) ([]byte, error) { return append(dst, w...), nil })

// breaking has a key function, a null function and a codec that panic at some call.
var (
	breakingCalls, breakAt atomic.Int64

	breaking      = Register("breaking", Fixed[breaker](), sorter.Asc(breaker.key).NullsLast(breaker.null))
	breakingCodec = Register("breaking codec", Codec[coded](codedBreaker{}), sorter.Asc(func(c coded) int64 { return c.N }))
)

func count() {
	if breakingCalls.Add(1) == breakAt.Load() {
		panic("breaking")
	}
}

type breaker struct{ N int64 }

func (b breaker) key() int64 { count(); return b.N }
func (b breaker) null() bool { count(); return false }

type coded struct{ N int64 }

type codedBreaker struct{}

func (codedBreaker) Append(dst []byte, c coded) ([]byte, error) {
	count()
	return fmt.Append(dst, c.N), nil
}

func (codedBreaker) Decode(src []byte) (c coded, err error) {
	_, err = fmt.Sscan(string(src), &c.N)
	return c, err
}

// TestUserPanics: a panic of a function of the caller reaches the goroutine of the step, from whichever
// worker, and no goroutine and no file is left. A panic of Decode is an error.
func TestUserPanics(t *testing.T) {
	const n = 30_000
	elements, pairs := make([]breaker, n), make([]coded, n)
	for i := range elements {
		elements[i].N = int64(i * 7919 % n)
		pairs[i].N = elements[i].N
	}
	steps := map[string]func(dir string) error{
		"pack":   func(string) error { return packAll(t, breaking, elements) },
		"coded":  func(string) error { return packAll(t, breakingCodec, pairs) },
		"top":    func(string) error { return topOf(breaking, elements) },
		"values": func(dir string) error { return valuesOf(breaking, elements, dir) },
		"spill":  func(dir string) error { return valuesOf(breakingCodec, pairs, dir) },
	}
	for name, step := range steps {
		breakAt.Store(-1)
		breakingCalls.Store(0)
		if err := step(t.TempDir()); err != nil {
			t.Fatal(name, err)
		}
		all := breakingCalls.Load()
		for at := int64(1); at <= all; at += all/5 + 1 {
			dir := t.TempDir()
			breakingCalls.Store(0)
			breakAt.Store(at)
			crew := testkit.NewCrew()
			if text := panicOf(func() { _ = step(dir) }); text != "breaking" {
				t.Errorf("%s, call %d of %d: panic %q", name, at, all, text)
			}
			crew.CheckAlone(t, name)
			if names := folder(t, dir); len(names) > 0 {
				t.Errorf("%s: %v is left", name, names)
			}
		}
	}
	breakAt.Store(-1)
}

func packAll[T any](t *testing.T, order *Ordering[T], elements []T) error {
	f := setUp(t, &packFn[T]{Config: newConfig(order.name, nil)})
	drop := func([]byte) {}
	f.StartBundle(ctx, drop, drop)
	for _, e := range elements {
		if err := f.ProcessElement(ctx, e, drop, drop); err != nil {
			return err
		}
	}
	return f.FinishBundle(ctx, drop, drop)
}

func topOf[T any](order *Ordering[T], elements []T) error {
	f := &topFn[T]{Order: order.name, K: 100}
	s, err := f.CreateAccumulator()
	for _, e := range elements {
		if err == nil {
			s, err = f.AddInput(s, e)
		}
	}
	return err
}

func valuesOf[T any](order *Ordering[T], elements []T, dir string) error {
	c := newConfig(order.name, []Option{Memory(300_000), TempDir(dir), Workers(4)})
	return order.sortValues(ctx, &c, iterate(elements), func(_ int64, sorted iter.Seq2[T, error]) error {
		for _, err := range sorted {
			if err != nil {
				return err
			}
		}
		return nil
	})
}
