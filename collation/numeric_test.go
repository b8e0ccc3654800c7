package collation_test

import (
	"bytes"
	"cmp"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	"example.com/sorter"
	"example.com/sorter/collation"
	"example.com/sorter/internal/testkit"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// TestNumericZero: 0 is the least number, wherever it is.
func TestNumericZero(t *testing.T) {
	for _, c := range []*collation.Collation{
		collation.New(language.English, collate.Numeric), collation.New(language.MustParse("en-u-kn-true")),
		collation.New(language.Und, collate.Loose, collate.Numeric), collation.New(language.MustParse("en-u-kn-true-ka-shifted")),
		collation.New(language.MustParse("en-u-ka-blanked"), collate.Numeric),
		collation.New(language.Und, collate.OptionsFromTag(language.MustParse("en-u-kn-true"))),
	} {
		want := []string{"file", "file0", "file0_0", "file00_1", "file0_1", "file0_2", "file0_10", "file1", "file1_0", "file1_1", "file2_1", "file9_1", "file010_1", "file99_1", "file100_0"}
		got := slices.Clone(want)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, func(a, b string) int { return cmp.Or(bytes.Compare(c.Key(a), c.Key(b)), cmp.Compare(a, b)) })
		if !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	}
	without := collation.New(language.English)
	if bytes.Compare(without.Key("a10"), without.Key("a9")) > 0 {
		t.Error("numbers are compared without collate.Numeric")
	}
}

// numericOrder is a slow collation of numbers by value: without collate.Numeric, one piece of text after
// the other.
type numericOrder struct {
	letters *collate.Collator // of the first level only
	all     *collate.Collator
}

// weight is a letter, or a number, which comes where the digits are.
type weight struct {
	letter []byte
	number *big.Int // nil: a letter
}

// weights returns the weights of text on the first level.
func (o numericOrder) weights(text string) (all []weight) {
	digit := o.letters.KeyFromString(new(collate.Buffer), "5")
	for _, part := range scripts(text) {
		if unicode.Is(unicode.Nd, []rune(part)[0]) {
			number, _ := new(big.Int).SetString(ascii(part), 10)
			all = append(all, weight{digit, number})
			continue
		}
		key := o.letters.KeyFromString(new(collate.Buffer), part)
		for len(key) > 0 {
			n := 2 + int(key[0]>>7)
			all, key = append(all, weight{letter: key[:n]}), key[n:]
		}
	}
	return all
}

// scripts cuts a text into runs of digits and of others.
func scripts(text string) (parts []string) {
	for text != "" {
		first := unicode.Is(unicode.Nd, []rune(text)[0])
		n := strings.IndexFunc(text, func(r rune) bool { return unicode.Is(unicode.Nd, r) != first })
		if n < 0 {
			n = len(text)
		}
		parts, text = append(parts, text[:n]), text[n:]
	}
	return parts
}

// ascii returns digits of any script in ASCII.
func ascii(digits string) string {
	return strings.Map(func(r rune) rune {
		for _, zero := range "0٠०０" {
			if r >= zero && r < zero+10 {
				return '0' + r - zero
			}
		}
		return r
	}, digits)
}

func (o numericOrder) compare(a, b string) int {
	first := slices.CompareFunc(o.weights(a), o.weights(b), func(v, w weight) int {
		if v.number != nil && w.number != nil {
			return v.number.Cmp(w.number)
		}
		return bytes.Compare(v.letter, w.letter)
	})
	if first != 0 {
		return first
	}
	key := func(text string) []byte { return o.all.KeyFromString(new(collate.Buffer), withoutZeros(text)) }
	return bytes.Compare(key(a), key(b))
}

// withoutZeros drops the leading zeros of numbers.
func withoutZeros(text string) string {
	var b strings.Builder
	for _, part := range scripts(text) {
		if unicode.Is(unicode.Nd, []rune(part)[0]) {
			value := strings.TrimLeft(part, "0٠०０")
			part = cmp.Or(value, "0")
		}
		b.WriteString(part)
	}
	return b.String()
}

// TestNumericOrder compares the order under collate.Numeric with a slow one.
func TestNumericOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"0", "0", "00", "1", "01", "10", "9", "99", "123456789", "0", "٠", "٣", "०", "९", "０", "５", "a", "A", "á", "b", "z", "_", "-", " ", "中", "\u0301", "\x00", strings.Repeat("7", 30), strings.Repeat("0", 40)}
	texts := make([]string, 2000)
	for i := range texts {
		for range r.IntN(6) {
			texts[i] += pieces[r.IntN(len(pieces))]
		}
	}
	for _, o := range orders {
		numeric := collation.New(o.tag, append(slices.Clone(o.options), collate.Numeric)...)
		slow := numericOrder{collate.New(o.tag, collate.Loose), collate.New(o.tag, slices.Clone(o.options)...)}
		for range testkit.Pick(4_000, 40_000) {
			a, b := texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]
			if got, want := bytes.Compare(numeric.Key(a), numeric.Key(b)), slow.compare(a, b); got != want {
				t.Fatalf("%v %v: %q and %q: %d, not %d", o.tag, o.options, a, b, got, want)
			}
		}
	}
}

// TestDigitsOfUnicode: decimal digits are in blocks of ten, which valueOf takes for granted.
func TestDigitsOfUnicode(t *testing.T) {
	check := func(lo, hi, stride uint32) {
		if stride != 1 || (hi-lo+1)%10 != 0 {
			t.Errorf("digits %U to %U", lo, hi)
		}
	}
	for _, block := range unicode.Nd.R16 {
		check(uint32(block.Lo), uint32(block.Hi), uint32(block.Stride))
	}
	for _, block := range unicode.Nd.R32 {
		check(block.Lo, block.Hi, block.Stride)
	}
}

// TestMisuse: arguments that no function takes panic in the words of the package.
func TestMisuse(t *testing.T) {
	c := collation.New(language.English)
	text := func(s string) string { return s }
	for name, f := range map[string]func(){
		"zero option":        func() { collation.New(language.English, collate.Numeric, collate.Option{}) },
		"zero Collation":     func() { new(collation.Collation).Key("a") },
		"Asc of nil":         func() { collation.Asc(nil, text) },
		"Desc of nil":        func() { collation.Desc(nil, text) },
		"Asc without text":   func() { collation.Asc[string](c, nil) },
		"Desc without text":  func() { collation.Desc[string](c, nil) },
		"AscNatural of nil":  func() { collation.AscNatural[string](nil) },
		"DescNatural of nil": func() { collation.DescNatural[string](nil) },
		"Sort of a zero":     func() { _ = new(collation.Collation).Sort([]string{"b", "a"}) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "collation: ") {
					t.Errorf("%s: panic %q", name, text)
				}
			}()
			f()
		}()
	}
}

// TestPanics: a panic of the text function of any column, on any worker, reaches the caller. The
// slice is as it was, and no goroutine is left.
func TestPanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	texts := drawn(20_000, rand.New(rand.NewPCG(9, 10)))
	before := slices.Clone(texts)
	c := collation.New(language.German, collate.Numeric)
	for name, column := range map[string]func(text func(string) string) sorter.Column[string]{
		"Asc":         func(text func(string) string) sorter.Column[string] { return collation.Asc(c, text) },
		"Desc":        func(text func(string) string) sorter.Column[string] { return collation.Desc(c, text) },
		"AscNatural":  collation.AscNatural[string],
		"DescNatural": collation.DescNatural[string],
	} {
		for _, at := range []int64{1, 777, 19_999} {
			var calls atomic.Int64
			order := sorter.By(column(func(s string) string {
				if calls.Add(1) == at {
					panic(name)
				}
				return s
			}))
			crew := testkit.NewCrew()
			value := func() (value any) {
				defer func() { value = recover() }()
				return order.Sort(texts, sorter.Workers(4))
			}()
			if value != name || !slices.Equal(texts, before) {
				t.Errorf("%s, call %d: panic %v, or a changed slice", name, at, value)
			}
			crew.CheckAlone(t, name)
		}
	}
}
