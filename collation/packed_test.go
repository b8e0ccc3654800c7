package collation

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// pieces are what texts of TestPacked are made of: letters of several cases and scripts, accents on and beside letters,
// punctuation, controls, what is no UTF-8, expansions, and runs about as long as one byte counts.
var pieces = []string{
	"a", "A", "b", "z", "Z", "w", "v", "ch", "ll", "aa", "é", "É", "e\u0301", "ö", "ø", "å", "ß", "ij", "0", "1", "9", " ", "-", ",", "_", "$",
	"\t", "\x00", "\x7f", "\xff", "\u0301", "\u0327", "я", "Я", "ж", "ω", "中", "国", "ひ", "ヒ", "ﾋ", "한", "א", "ع", "\ufdfa", "𝒜", "😀", "ﬃ",
	strings.Repeat("a", mostRun-1), strings.Repeat("a", mostRun), strings.Repeat("q", mostRun+1), strings.Repeat("é", 2*mostRun),
}

// TestPacked compares packed keys with those of collators, in all languages that package collate knows and under each
// option: bytes.Compare says the same of both, also with a zero and more after them.
func TestPacked(t *testing.T) {
	options := [][]collate.Option{nil, {collate.Loose}, {collate.IgnoreCase}, {collate.IgnoreDiacritics}, {collate.IgnoreWidth}, {collate.Numeric}}
	tags := append(collate.Supported(), language.MustParse("fr-CA"), language.MustParse("en-u-ka-shifted"), language.MustParse("de-u-co-phonebk"),
		language.MustParse("und-u-kf-upper"), language.MustParse("und-u-kc-true"), language.MustParse("und-u-ks-level1-kc-true"))
	for i, tag := range tags {
		for o, given := range options {
			if o > 0 && i%7 != 0 {
				continue
			}
			r := rand.New(rand.NewPCG(uint64(i), uint64(o)))
			k := &keyer{collator: collate.New(tag, given...)}
			p := newPacking(k, tag)
			if p == nil {
				t.Fatalf("%v, option %d: keys are not packed", tag, o)
			}
			for range 300 {
				a, b := drawnTexts(r)
				rawA, rawB := bytes.Clone(k.keyOf(a, false)), bytes.Clone(k.keyOf(b, false))
				packedA, packedB := p.append(nil, rawA), p.append(nil, rawB)
				want := bytes.Compare(rawA, rawB)
				if got := bytes.Compare(packedA, packedB); got != want {
					t.Fatalf("%v, option %d: %q and %q compare as %d, want %d\n%x\n%x\n%x\n%x", tag, o, a, b, got, want, rawA, rawB, packedA, packedB)
				}
				if got := bytes.Compare(append(packedA, 0, 255), append(packedB, 0)); want != 0 && got != want {
					t.Fatalf("%v, option %d: %q and %q compare as %d with more after them, want %d", tag, o, a, b, got, want)
				}
			}
		}
	}
}

// drawnTexts returns two texts, of which the second is often the first with a change.
func drawnTexts(r *rand.Rand) (a, b string) {
	all := make([]string, r.IntN(9))
	for i := range all {
		all[i] = pieces[r.IntN(len(pieces))]
	}
	other := append([]string(nil), all...)
	for range r.IntN(3) {
		switch at := r.IntN(len(other) + 1); {
		case at == len(other):
			other = append(other, pieces[r.IntN(len(pieces))])
		case r.IntN(2) == 0:
			other[at] = strings.ToUpper(other[at])
		default:
			other[at] = pieces[r.IntN(len(pieces))]
		}
	}
	return strings.Join(all, ""), strings.Join(other, "")
}

// TestOwnLetters holds keys of texts in a language's own letters to a byte for each and some more.
func TestOwnLetters(t *testing.T) {
	for tag, text := range map[string]string{"ru": "съешь ещё этих мягких", "el": "ξεσκεπαζω την ψυχη", "uk": "жебракують філософи", "he": "דג סקרן שט בים", "ar": "نص حكيم له سر قاطع"} {
		letters := len([]rune(text))
		if n := len(New(language.MustParse(tag)).Key(text)); n > letters+letters/2+8 { // of three levels
			t.Errorf("%s: the key of %d characters has %d bytes", tag, letters, n)
		}
	}
}

// TestPackedLength holds keys of ASCII texts to the length that the comments promise.
func TestPackedLength(t *testing.T) {
	c := New(language.English)
	for _, text := range []string{"hello world this is a line", strings.Repeat("lower case ", 40), "Hello World, This Is A Line"} {
		if n := len(c.Key(text)); n > 2*len(text)+4 {
			t.Errorf("the key of %q has %d bytes", text, n)
		}
	}
}
