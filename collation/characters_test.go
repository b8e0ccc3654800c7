package collation

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"
	"unsafe"

	"example.com/sorter/internal/testkit"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// optionsOf are the options of package collate that TestCharacters learns weights under.
var optionsOf = map[string][]collate.Option{
	"": nil, "loose": {collate.Loose}, "ignore case": {collate.IgnoreCase}, "ignore diacritics": {collate.IgnoreDiacritics},
	"ignore width": {collate.IgnoreWidth}, "force": {collate.Force},
}

// tagsOf are the languages that package collate knows, and orders with settings.
func tagsOf() []language.Tag {
	tags := collate.Supported()
	for _, name := range []string{"de-u-co-phonebk", "en-u-ka-shifted", "fr-CA-u-ka-shifted", "und-u-kf-upper", "und-u-kc-true"} {
		tags = append(tags, language.MustParse(name))
	}
	return tags
}

// drawnText returns a text of ASCII letters, other ASCII characters, and the characters around a place: those of one script.
func drawnText(r *rand.Rand, around int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	text := make([]rune, r.IntN(30))
	for i := range text {
		switch r.IntN(6) {
		case 0:
			text[i] = rune(r.IntN(130))
		case 1, 2:
			text[i] = runeAt((around + r.IntN(64)) % places)
		case 3:
			text[i] = []rune("éÉüßñčżøæΩяєא–’…İıǅǆ\u0301\u0327国")[r.IntN(23)]
		default:
			text[i] = rune(letters[r.IntN(len(letters))])
		}
	}
	return string(text)
}

// TestCharacters compares keys made of learned weights, and their prefixes, with those of the collator, in all languages that
// package collate knows and under each option.
func TestCharacters(t *testing.T) {
	learned, tags := 0, tagsOf()
	for i, tag := range tags {
		for name, given := range optionsOf {
			if name != "" && i%8 != 0 {
				continue
			}
			k := &keyer{collator: collate.New(tag, given...)}
			p := newPacking(k, tag)
			a := k.learn(p)
			if a == nil {
				continue
			}
			learned++
			r := rand.New(rand.NewPCG(uint64(i), 5))
			made, prefixes, around := 0, 0, 0
			const texts = 3000
			for j := range texts {
				if j%50 == 0 {
					around = r.IntN(places)
				}
				text := drawnText(r, around)
				want := p.append(nil, k.keyOf(text, false))
				if got, ok := a.append([]byte("before"), text, k); ok {
					made++
					if !bytes.Equal(got[len("before"):], want) {
						t.Fatalf("%v, %s: %q has %x, want %x", tag, name, text, got, want)
					}
				}
				if got, ok := a.prefix(text, k); ok {
					prefixes++
					if !bytes.HasPrefix(want, got[:]) {
						t.Fatalf("%v, %s: %q has the prefix %x, want %x", tag, name, text, got, want)
					}
				}
			}
			if made < texts/20 || prefixes < texts/20 {
				t.Errorf("%v, %s: only %d keys and %d prefixes of %d are made", tag, name, made, prefixes, texts)
			}
		}
	}
	if learned < len(tags) {
		t.Errorf("%d of %d collations have weights", learned, len(tags))
	}
}

// TestPlaceOf compares places with characters as package utf8 decodes them: of two bytes each, cut off and not, and three.
func TestPlaceOf(t *testing.T) {
	check := func(text string) {
		place, n := placeOf(text, 1)
		r, size := utf8.DecodeRuneInString(text[1:])
		has := size == 2 || size == 3 && r >= lowest && r < lowest+places-twoBytes
		if has != (n > 0) || has && (n != size || runeAt(place) != r) {
			t.Errorf("%q has place %d of %d bytes, for %q of %d", text, place, n, r, size)
		}
	}
	for first := utf8.RuneSelf; first < 256; first++ {
		check(string([]byte{'a', byte(first)}))
		for second := range 256 {
			check(string([]byte{'a', byte(first), byte(second)}))
			check(string([]byte{'a', byte(first), byte(second), 0x80}))
		}
	}
}

// TestContractions holds contractions of three and four characters to what plain takes for granted: two adjacent ones have
// other weights, too. Characters that occur in no pair with other weights are not in contractions.
func TestContractions(t *testing.T) {
	tags := tagsOf()
	if !testkit.Long() {
		tags = []language.Tag{language.English, language.Hungarian, language.Czech, language.MustParse("hr")}
	}
	for i, tag := range tags {
		k := &keyer{collator: collate.New(tag)}
		p := newPacking(k, tag)
		a := k.learn(p)
		r := rand.New(rand.NewPCG(uint64(i), 6))
		var in []rune
		for first := range utf8.RuneSelf {
			for second := range places {
				if a.all[first].known && a.all[second].known && !a.plain(k, first, second) {
					in = append(in, runeAt(first), runeAt(second))
				}
			}
		}
		slices.Sort(in)
		in = append(slices.Compact(in), []rune("'’·-. aehst")...)
		for range 20_000 {
			text := make([]rune, 15+r.IntN(8)) // more than a prefix, and one that ends within a contraction
			for j := range text {
				text[j] = in[r.IntN(len(in))]
				if j < 14 {
					text[j] = 'q'
				}
			}
			want := p.append(nil, k.keyOf(string(text), false))
			if got, ok := a.append(nil, string(text), k); ok && !bytes.Equal(got, want) {
				t.Fatalf("%v: %q has %x, want %x", tag, string(text), got, want)
			}
			if got, ok := a.prefix(string(text), k); ok && !bytes.HasPrefix(want, got[:]) {
				t.Fatalf("%v: %q has the prefix %x, want %x", tag, string(text), got, want)
			}
		}
	}
}

// TestChangedText makes keys of texts in memory that changes, as that of lines which are read does.
func TestChangedText(t *testing.T) {
	c := New(language.Greek)
	memory := []byte("text")
	for _, text := range []string{"text", "Text", "", "ab", "text", "text"} {
		memory = append(memory[:0], text...)
		// Sound: the text is not used after the call, and memory is not written to meanwhile.
		if got := c.Key(unsafe.String(unsafe.SliceData(memory), len(memory))); !bytes.Equal(got, New(language.Greek).Key(text)) {
			t.Errorf("%q has the key %x", text, got)
		}
	}
}

// TestPrefix compares prefixes with keys, before and after weights are learned, of texts that are shorter than a prefix, too.
func TestPrefix(t *testing.T) {
	for _, c := range []*Collation{New(language.English), New(language.Hungarian), New(language.MustParse("fr-CA")), New(language.German, collate.Numeric)} {
		r := rand.New(rand.NewPCG(3, 9))
		for i := range 20_000 {
			text, _ := drawnTexts(r)
			if i%2 == 0 {
				text = drawnText(r, i%places)
			}
			var want [prefixBytes]byte
			key := c.Key(text)
			if copy(want[:], key); !bytes.Equal(c.AppendKey([]byte("x"), text)[1:], key) {
				t.Fatalf("%q has another key the second time", text)
			}
			if got := c.Prefix(text); got != want {
				t.Fatalf("%q has %x, want %x", text, got, want)
			}
		}
	}
}

// TestLearned makes many keys of one Collation, before and after weights are learned, from several goroutines.
func TestLearned(t *testing.T) {
	for _, tag := range []language.Tag{language.English, language.Czech, language.Danish, language.MustParse("fr-u-ka-shifted-kb-true")} {
		c, k := New(tag), &keyer{collator: collate.New(tag)}
		p := newPacking(k, tag)
		done := make(chan bool)
		texts := []string{"", "a", "chata", "Aachen", "Škoda", "křeček", "smørrebrød – ’", "é-a", "été", "hello world", "naïve", "ch\xff", "\x00", "zebra 10", "a\u0301"}
		want := make([][]byte, len(texts))
		for i, text := range texts {
			want[i] = p.append(nil, k.keyOf(text, false))
		}
		for range 3 {
			go func() {
				same := true
				for i := range learnAfter / 2 {
					same = same && bytes.Equal(c.Key(texts[i%len(texts)]), want[i%len(texts)])
				}
				done <- same
			}()
		}
		for range 3 {
			if !<-done {
				t.Errorf("%v: another key", tag)
			}
		}
	}
}

// BenchmarkKey makes keys of an ASCII text by both ways.
func BenchmarkKey(b *testing.B) {
	text := "hello world this is a test line 12345, of 50 bytes"
	k := &keyer{collator: collate.New(language.English)}
	p := newPacking(k, language.English)
	a := k.learn(p)
	b.Run("learned", func(b *testing.B) {
		var key []byte
		for b.Loop() {
			key, _ = a.append(key[:0], text, k)
		}
	})
	b.Run("prefix", func(b *testing.B) {
		for b.Loop() {
			a.prefix(text, k)
		}
	})
	b.Run("Russian", func(b *testing.B) {
		k := &keyer{collator: collate.New(language.Russian)}
		a := k.learn(newPacking(k, language.Russian))
		for b.Loop() {
			a.prefix("съешь же ещё этих мягких булок", k)
		}
	})
	b.Run("marked", func(b *testing.B) {
		var key []byte
		for b.Loop() {
			key, _ = a.append(key[:0], "Höhe über dem Meer, à côté de l’été, señor", k)
		}
	})
	b.Run("collator", func(b *testing.B) {
		var key []byte
		for b.Loop() {
			key = p.append(key[:0], k.keyOf(text, false))
		}
	})
	b.Run("learning", func(b *testing.B) {
		for b.Loop() {
			k.learn(p)
		}
	})
}
