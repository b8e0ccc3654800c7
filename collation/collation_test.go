package collation_test

import (
	"bytes"
	"cmp"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/collation"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// orders are of languages that treat letters and marks differently.
var orders = []struct {
	tag     language.Tag
	options []collate.Option
}{
	{language.English, nil},
	{language.German, nil},
	{language.Swedish, nil},
	{language.Und, []collate.Option{collate.Loose}},
	{language.MustParse("de-u-co-phonebk"), nil},
	{language.Chinese, nil},
	{language.Danish, []collate.Option{collate.IgnoreCase}},
}

// drawn returns n texts of letters with and without marks, digits, ideographs, marks alone and bytes
// that are no UTF-8; some are equal and some are long.
func drawn(n int, r *rand.Rand) []string {
	pieces := []string{"a", "A", "ä", "Å", "o", "ö", "ø", "e", "é", "E\u0301", "z", "ß", "ss", "-", " ", "0", "1", "10", "9", "中", "文", "\u0301", "\xff", "\x00", "ch", "ll"}
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		if r.IntN(50) == 0 {
			b.WriteString(strings.Repeat("wort", r.IntN(3000)))
		}
		texts[i] = b.String()
	}
	return texts
}

// TestOrder compares with a stable sort of the keys of one collator.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, o := range orders {
		collator, c := collate.New(o.tag, slices.Clone(o.options)...), collation.New(o.tag, o.options...)
		for _, n := range []int{0, 1, 2, 30, 6000} {
			texts := drawn(n, r)
			type keyed struct {
				key  []byte
				text string
				at   int
			}
			rows := make([]keyed, n)
			for i, text := range texts {
				rows[i] = keyed{collator.KeyFromString(new(collate.Buffer), text), text, i}
			}
			up := slices.Clone(rows)
			slices.SortStableFunc(up, func(a, b keyed) int { return bytes.Compare(a.key, b.key) })
			down := slices.Clone(rows)
			slices.SortStableFunc(down, func(a, b keyed) int { return bytes.Compare(b.key, a.key) })

			text := func(k keyed) string { return k.text }
			same := func(a, b keyed) bool { return a.at == b.at }
			for _, column := range []struct {
				of   sorter.Column[keyed]
				want []keyed
			}{{collation.Asc(c, text), up}, {collation.Desc(c, text), down}} {
				got := slices.Clone(rows)
				if err := sorter.By(column.of).Sort(got, sorter.Stable(), sorter.Workers(3)); err != nil || !slices.EqualFunc(got, column.want, same) {
					t.Errorf("%v %v, n=%d: error %v, or another order", o.tag, o.options, n, err)
				}
			}
			if err := c.Sort(texts); err != nil || !slices.EqualFunc(texts, up, func(s string, k keyed) bool { return s == k.text }) {
				t.Errorf("%v %v, Sort of %d: error %v, or another order", o.tag, o.options, n, err)
			}
		}
	}
}

// TestConcurrentKeys makes keys of one collation on several goroutines, and keeps them all.
func TestConcurrentKeys(t *testing.T) {
	texts := drawn(5000, rand.New(rand.NewPCG(3, 4)))
	c, one := collation.New(language.German), collation.New(language.German)
	want := make([][]byte, len(texts))
	for i, text := range texts {
		want[i] = one.AppendKey(nil, text)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got := make([][]byte, len(texts))
			for i, text := range texts {
				got[i] = c.Key(text)
				_ = append(got[i], 0xee) // must not reach the next key
			}
			for i := range got {
				if !bytes.Equal(got[i], want[i]) {
					t.Errorf("key of %.40q: %.80x, not %.80x", texts[i], got[i], want[i])
					return
				}
			}
		})
	}
	all.Wait()
}

// parts cuts a text at the ends of its numbers.
func parts(text string) (all []string) {
	for text != "" {
		digit := func(r rune) bool { return '0' <= r && r <= '9' }
		n := strings.IndexFunc(text, digit)
		if n == 0 {
			n = strings.IndexFunc(text, func(r rune) bool { return !digit(r) })
		} else if n > 0 {
			n = 1 // bytes one by one
		}
		if n < 0 && (text[0] < '0' || text[0] > '9') {
			n = 1
		} else if n < 0 {
			n = len(text)
		}
		all, text = append(all, text[:n]), text[n:]
	}
	return all
}

// natural compares two texts piece by piece.
func natural(a, b string) int {
	x, y := parts(a), parts(b)
	isNumber := func(s string) bool { return s[0] >= '0' && s[0] <= '9' }
	for i := range min(len(x), len(y)) {
		c := cmp.Compare(x[i][0], y[i][0])
		if n, m := isNumber(x[i]), isNumber(y[i]); n && m {
			v, _ := new(big.Int).SetString(x[i], 10)
			w, _ := new(big.Int).SetString(y[i], 10)
			c = v.Cmp(w)
		}
		if c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(x), len(y)); c != 0 {
		return c
	}
	for i := range x { // numbers of equal value have the more zeros the longer they are
		if c := cmp.Compare(len(x[i]), len(y[i])); c != 0 {
			return c
		}
	}
	return 0
}

func TestNatural(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "b", "/", ":", "\x00", "\xff", "0", "00", "1", "01", "9", "10", "é", strings.Repeat("1", 254), strings.Repeat("2", 255), strings.Repeat("0", 300), strings.Repeat("3", 511)}
	texts := make([]string, 3000)
	for i := range texts {
		for range r.IntN(6) {
			texts[i] += pieces[r.IntN(len(pieces))]
		}
	}
	for range 200_000 {
		a, b := texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]
		if got, want := bytes.Compare(collation.NaturalKey(a), collation.NaturalKey(b)), natural(a, b); got != want || (got == 0) != (a == b) {
			t.Fatalf("%.80q and %.80q: %d, not %d", a, b, got, want)
		}
	}
	want := slices.Clone(texts)
	slices.SortStableFunc(want, natural)
	self := func(s string) string { return s }
	if err := sorter.By(collation.AscNatural(self)).Sort(texts); err != nil || !slices.Equal(texts, want) {
		t.Errorf("error %v, or another order", err)
	}
	slices.Reverse(want)
	if err := sorter.By(collation.DescNatural(self)).Sort(texts); err != nil || !slices.Equal(texts, want) {
		t.Errorf("falling: error %v, or another order", err)
	}
}
