package dist

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Texts is a named way to draw n strings that share long prefixes; the same n and r
// give the same strings. Each has memory of its own unless the comment says otherwise.
type Texts struct {
	Name string
	Draw func(n int, r *rand.Rand) []string
}

// Deep lists families whose order is decided far from the first byte.
var Deep = []Texts{
	{"prefixes", func(n int, r *rand.Rand) []string { return repeated(n, r, 1024, 0) }},
	{"prefixes, numbers", func(n int, r *rand.Rand) []string { return repeated(n, r, 1024, 1<<32) }},
	{"long prefixes", func(n int, r *rand.Rand) []string { return repeated(n, r, 8192, 0) }},
	{"prefixes of one text", prefixesOfOne},
	{"one text and another", oneAndAnother},
	{"shared prefix", func(n int, r *rand.Rand) []string { return tailed(n, r, strings.Repeat("shared/", 150)) }},
	{"two prefixes", func(n int, r *rand.Rand) []string {
		return tailed(n, r, strings.Repeat("first/", 70), strings.Repeat("first/", 60)+strings.Repeat("other/", 10))
	}},
	{"paths", paths},
	{"equal", equalTexts},
	{"equal but one", equalButOne},
	{"DNA", func(n int, r *rand.Rand) []string { return letters(n, r, "ACGT", 200) }},
	{"two letters", func(n int, r *rand.Rand) []string { return letters(n, r, "ab", 100) }},
	{"suffixes", suffixes},
	{"zero bytes", zeroBytes},
	{"skewed levels", skewedLevels},
	{"families", families},
}

// DeepNamed returns the family of that name; it panics if there is none.
func DeepNamed(name string) Texts {
	for _, t := range Deep {
		if t.Name == name {
			return t
		}
	}
	panic("dist: no texts " + name)
}

func texts(n int, f func(i int) string) []string {
	v := make([]string, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// repeated draws strings of one letter, of any length below most, and numbers below
// bound after it unless that is 0.
func repeated(n int, r *rand.Rand, most int, bound uint64) []string {
	return texts(n, func(int) string {
		s := strings.Repeat("a", r.IntN(most))
		if bound > 0 {
			s += fmt.Sprint(r.Uint64N(bound))
		}
		return s
	})
}

// prefixesOfOne draws prefixes of one string, which share its memory.
func prefixesOfOne(n int, r *rand.Rand) []string {
	all := strings.Repeat("a", 8192)
	return texts(n, func(int) string { return all[:r.IntN(len(all))] })
}

// oneAndAnother repeats one string, in the same memory, with another among them.
func oneAndAnother(n int, r *rand.Rand) []string {
	one := strings.Repeat("x", 1024)
	v := texts(n, func(int) string { return one })
	if n > 0 {
		v[r.IntN(n)] = one[:1000] + "and another"
	}
	return v
}

func tailed(n int, r *rand.Rand, prefixes ...string) []string {
	return texts(n, func(i int) string {
		return prefixes[i%len(prefixes)] + fmt.Sprintf("%x", r.Uint64()>>r.IntN(64))
	})
}

// paths draws names of files, eight or fewer folders deep.
func paths(n int, r *rand.Rand) []string {
	names := []string{"/home", "/projects", "/source", "/internal", "/documentation", "/test", "/very-long-name-of-a-folder", "/x"}
	return texts(n, func(int) string {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString(names[r.IntN(r.IntN(len(names))+1)])
		}
		fmt.Fprintf(&b, "/file%d", r.IntN(n))
		return b.String()
	})
}

func equalTexts(n int, _ *rand.Rand) []string {
	return texts(n, func(int) string { return strings.Repeat("equal/", 170) })
}

func equalButOne(n int, r *rand.Rand) []string {
	v := equalTexts(n, r)
	if n > 0 {
		i := r.IntN(n)
		v[i] = v[i][:900] + "another"
	}
	return v
}

func letters(n int, r *rand.Rand, alphabet string, length int) []string {
	return texts(n, func(int) string {
		b := make([]byte, length)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	})
}

// suffixes are those of one text of few words, in its memory, in random order.
func suffixes(n int, r *rand.Rand) []string {
	words := strings.Fields("it was the best of times, it was the worst of times, it was the age of wisdom")
	var b strings.Builder
	for b.Len() < n+100 {
		from := r.IntN(len(words))
		b.WriteString(strings.Join(words[from:], " "))
	}
	all := b.String()
	v := texts(n, func(i int) string { return all[i:] })
	r.Shuffle(n, func(i, j int) { v[i], v[j] = v[j], v[i] })
	return v
}

// zeroBytes draws strings of zero bytes, some of which end in another.
func zeroBytes(n int, r *rand.Rand) []string {
	return texts(n, func(int) string {
		return strings.Repeat("\x00", r.IntN(300)) + "\x01\x00\x00"[:r.IntN(4)]
	})
}

// skewedLevels draws strings that leave a common one at any place, few at each.
func skewedLevels(n int, r *rand.Rand) []string {
	common := strings.Repeat("s", 480)
	return texts(n, func(int) string {
		b := []byte(common)
		for range r.IntN(3) {
			b[r.IntN(len(b))] = byte(r.IntN(256))
		}
		return string(b[:len(b)-r.IntN(2)*r.IntN(100)])
	})
}

// families draws a tree: each string extends one that was drawn before.
func families(n int, r *rand.Rand) []string {
	v := make([]string, 0, n)
	for len(v) < n {
		from := ""
		if len(v) > 0 {
			from = v[r.IntN(len(v))]
		}
		from = from[:min(len(from), 2000)]
		v = append(v, from+strings.Repeat(string(rune('a'+r.IntN(3))), r.IntN(30)))
	}
	return v
}
