package collation

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// TestASCII compares keys made of learned weights with those of the collator, in all languages that package collate knows
// and under each option.
func TestASCII(t *testing.T) {
	letters := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	options := map[string][]collate.Option{
		"": nil, "loose": {collate.Loose}, "ignore case": {collate.IgnoreCase}, "ignore diacritics": {collate.IgnoreDiacritics},
		"ignore width": {collate.IgnoreWidth}, "force": {collate.Force}, "numeric": {collate.Numeric},
	}
	tags := append(collate.Supported(), language.MustParse("de-u-co-phonebk"), language.MustParse("en-u-ka-shifted"), language.MustParse("und-u-kf-upper"))
	learned := 0
	for i, tag := range tags {
		for name, given := range options {
			if name != "" && i%8 != 0 {
				continue
			}
			k := &keyer{collator: collate.New(tag, given...)}
			p := newPacking(k)
			a := k.learn(p)
			if a == nil {
				continue
			}
			learned++
			r := rand.New(rand.NewPCG(uint64(i), 5))
			made := 0
			for range 2000 {
				text := make([]byte, r.IntN(12))
				for j := range text {
					if text[j] = byte(r.IntN(130)); r.IntN(3) > 0 {
						text[j] = letters[r.IntN(len(letters))]
					}
				}
				got, ok := a.append([]byte("before"), string(text))
				if !ok {
					continue
				}
				made++
				if want := p.append(nil, k.keyOf(string(text), false)); !bytes.Equal(got[len("before"):], want) {
					t.Fatalf("%v, %s: %q has %x, want %x", tag, name, text, got, want)
				}
			}
			if made < 300 {
				t.Errorf("%v, %s: only %d texts of 2000 are made", tag, name, made)
			}
		}
	}
	if learned < len(tags) {
		t.Errorf("%d of %d collations have weights", learned, len(tags))
	}
}

// TestLearned makes many keys of one Collation, before and after weights are learned, from several goroutines.
func TestLearned(t *testing.T) {
	for _, tag := range []language.Tag{language.English, language.Czech, language.Danish} {
		c, k := New(tag), &keyer{collator: collate.New(tag)}
		p := newPacking(k)
		done := make(chan bool)
		texts := []string{"", "a", "chata", "Aachen", "hello world", "naïve", "ch\xff", "\x00", "zebra 10", "a\u0301"}
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
	p := newPacking(k)
	a := k.learn(p)
	b.Run("learned", func(b *testing.B) {
		var key []byte
		for b.Loop() {
			key, _ = a.append(key[:0], text)
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
