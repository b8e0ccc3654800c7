package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/internal/testkit"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// TestLocale sorts random lines of several scripts in languages, and compares the result with that of package collate.
func TestLocale(t *testing.T) {
	letters := []rune("aAbBcChHzZ äÄöåéñßøçčšž'-.09\tабвЯ中文字あアｱ한글αΩ\u0301\u00a0")
	tags := map[string]language.Tag{
		"de_DE.UTF-8": language.German, "sv_SE.utf8": language.Swedish, "cs": language.Czech, "da_DK": language.Danish, "es-u-co-trad": language.MustParse("es-u-co-trad"),
		"ru_RU.UTF-8": language.Russian, "zh_CN.UTF-8": language.MustParse("zh-CN"), "en_US.UTF-8": language.AmericanEnglish,
	}
	for name, tag := range tags {
		if strings.Contains(name, "_") {
			tag, _ = tag.SetTypeForKey("ka", "shifted")
		}
		ordered := orderOfTexts(tag)
		for seed := range uint64(testkit.Pick(6, 20)) {
			r := rand.New(rand.NewPCG(seed, 6))
			lines := drawTexts(r, letters, r.IntN(300))
			field := func(line string) string { // of -t. -k2,2
				fields := strings.Split(line, ".")
				return append(fields, "", "")[1]
			}
			args, desc, unique, stable, keyed := []string{"--locale", name}, r.IntN(2) == 0, r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(2) == 0
			for _, o := range []struct {
				is  bool
				arg string
			}{{desc, "-r"}, {unique, "-u"}, {stable, "-s"}, {keyed, "-t."}, {keyed, "-k2,2"}} {
				if o.is {
					args = append(args, o.arg)
				}
			}
			compare := func(a, b string) (c int) {
				if keyed {
					c = ordered(field(a), field(b))
				}
				if c == 0 && !(keyed && (unique || stable)) {
					c = ordered(a, b)
				}
				if desc {
					return -c
				}
				return c
			}
			input := linesOf(lines)
			slices.SortStableFunc(lines, compare)
			if unique {
				lines = slices.CompactFunc(lines, func(a, b string) bool { return compare(a, b) == 0 })
			}
			want := linesOf(lines)
			if got, errors, code := filesort(input, args...); code != 0 || got != want {
				t.Fatalf("filesort %q of %q\nis   %q\nwant %q\n%s", args, input, got, want, errors)
			}
			if got := linesOnDisk(t, input, args...); got != want {
				t.Fatalf("on disk, filesort %q of %q\nis   %q\nwant %q", args, input, got, want)
			}
			if _, errors, code := filesort(want, append(args, "-c")...); code != 0 {
				t.Fatalf("filesort %q -c: %s", args, errors)
			}
			half := len(lines) / 2
			a, b := fileOf(t, "a", linesOf(lines[:half])), fileOf(t, "b", linesOf(lines[half:]))
			if got, errors, code := filesort("", append(args, "-m", a, b)...); code != 0 || got != want {
				t.Fatalf("filesort %q -m: %q, want %q, %s", args, got, want, errors)
			}
		}
	}
}

// orderOfTexts returns the order of package collate, and then that of bytes.
func orderOfTexts(tag language.Tag) func(a, b string) int {
	collator, keys := collate.New(tag), map[string]string{}
	key := func(text string) string {
		k, ok := keys[text]
		if !ok { // not CompareString, which differs from keys where spaces are ignored
			k = string(collator.KeyFromString(new(collate.Buffer), text))
			keys[text] = k
		}
		return k
	}
	return func(a, b string) int { return cmp.Or(strings.Compare(key(a), key(b)), strings.Compare(a, b)) }
}

// drawTexts returns n texts, each of them one to five times, and some again with other bytes that collate equal.
func drawTexts(r *rand.Rand, letters []rune, n int) (texts []string) {
	variants := strings.NewReplacer("é", "e\u0301", "ä", "a\u0308", "Å", "\u212b", "한", "\u1112\u1161\u11ab")
	for range n {
		var b strings.Builder
		if r.IntN(3) == 0 { // more than a prefix of keys, and where that ends
			b.WriteString("Grünes.čaj křídlo, š"[:14+r.IntN(3)])
		}
		for range r.IntN(8 + 30*r.IntN(2)) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		text := b.String()
		for range 1 + r.IntN(5) {
			texts = append(texts, text)
		}
		if r.IntN(3) == 0 {
			texts = append(texts, variants.Replace(text), text+"\x01", "\x01"+text)
		}
	}
	r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return texts
}

// TestLocaleDoubles sorts lines that come again, in runs that workers share, by options that are drawn: in memory and on
// disk as by comparisons.
func TestLocaleDoubles(t *testing.T) {
	letters := []rune("aAbBé-'.01 ,:\tбЯ中한")
	for seed := range uint64(testkit.Pick(60, 300)) {
		r := rand.New(rand.NewPCG(seed, 8))
		args, eol := append(randomOrder(r), "--locale", []string{"en_US.UTF-8", "cs", "ru_RU.UTF-8", "de-u-ka-shifted"}[r.IntN(4)]), "\n"
		if r.IntN(6) == 0 {
			args, eol = append(args, "-z"), "\x00"
		}
		cmd, err := parseArgs(append(args, "-"))
		if err != nil {
			continue
		}
		texts := drawTexts(r, letters, []int{5, 40, 300}[r.IntN(3)])
		in := strings.Join(append(texts, ""), eol)
		compare := orderLines(cmd.order, func(s string) string { return s }).Compare
		slices.SortStableFunc(texts, compare)
		if cmd.unique {
			texts = slices.CompactFunc(texts, func(a, b string) bool { return compare(a, b) == 0 })
		}
		want := strings.Join(append(texts, ""), eol)
		for _, more := range []string{"--parallel=1", "--parallel=4", "-top=1000000"} {
			if got, errors, code := filesort(in, append(args[:len(args):len(args)], more, "-")...); code != 0 || got != want {
				t.Fatalf("seed %d: filesort %q %s of %q\nis   %q\nwant %q\n%s", seed, args, more, in, got, want, errors)
			}
		}
		if got := linesOnDisk(t, in, args...); got != want {
			t.Fatalf("seed %d: on disk, filesort %q of %q\nis   %q\nwant %q", seed, args, in, got, want)
		}
		if _, errors, code := filesort(want, append(args, "-c", "-")...); code != 0 {
			t.Fatalf("seed %d: filesort %q -c: %s", seed, args, errors)
		}
	}
}

// TestLocaleLongRuns sorts lines of which thousands have one prefix: with doubles and without, in runs of more lines than a worker
// sorts alone.
func TestLocaleLongRuns(t *testing.T) {
	ordered := orderOfTexts(language.MustParse("en-US-u-ka-shifted"))
	first := func(line string) string { return line[:1] }
	second := func(line string) string { return line[1:] }
	orders := map[string]func(a, b string) int{
		"":         ordered,
		"-r":       func(a, b string) int { return ordered(b, a) },
		"-u":       ordered,
		"-s -k1.2": func(a, b string) int { return ordered(second(a), second(b)) },
		"-k1.2r":   func(a, b string) int { return cmp.Or(ordered(second(b), second(a)), ordered(a, b)) },
		"-u -k1.2": func(a, b string) int { return ordered(second(a), second(b)) },
		"-s -k1.2 -k1,1nr": func(a, b string) int {
			return cmp.Or(ordered(second(a), second(b)), strings.Compare(first(b), first(a)))
		},
		"-s -k1.1,1.1n -k1.2": func(a, b string) int {
			return cmp.Or(strings.Compare(first(a), first(b)), ordered(second(a), second(b)))
		},
	}
	for times := 1; times <= 4; times++ { // 4: a sample has doubles, and most others have none
		for _, n := range []int{2 * tiePiece, longTie + tiePiece}[:testkit.Pick(max(1, min(2, 4-times)), 2)] {
			r := rand.New(rand.NewPCG(uint64(times), uint64(n)))
			lines := []string{"1a", "0a", "2a", "1a"}
			for i := range n {
				number := i/2 + 1
				if times == 4 && i%4 == 0 {
					number = 0
				}
				text := fmt.Sprintf("https://www.example.com/%s%d", []string{"a", "A", "é"}[r.IntN(3)], number)
				for range max(1, times%4) {
					lines = append(lines, string(rune('0'+r.IntN(3)))+text)
				}
			}
			if times < 4 {
				r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			}
			in := linesOf(lines)
			for options, compare := range orders {
				want := slices.Clone(lines)
				slices.SortStableFunc(want, compare)
				if strings.Contains(options, "-u") {
					want = slices.CompactFunc(want, func(a, b string) bool { return compare(a, b) == 0 })
				}
				got, errors, code := filesort(in, append(strings.Fields(options), "--locale=en_US.UTF-8", "-")...)
				if code != 0 || got != linesOf(want) {
					t.Errorf("%d lines, %d, %q: not in order, exit %d %s", n, times, options, code, errors)
				}
			}
		}
	}
}

// TestLocaleLikeGNU sorts words, each of them several times, as GNU sort does where it has the locale.
func TestLocaleLikeGNU(t *testing.T) {
	sort := gnuSortIn(t, "en_US.UTF-8")
	if out, _ := sort("a\nB\n"); out != "a\nB\n" {
		t.Skip("no locale en_US.UTF-8 on this machine")
	}
	words := strings.Fields("a A b ab aB résumé resume Résumé naïve Zürich zurich façade co-op coop élan œuvre garçon fiancée international internationally internationalité")
	for seed := range uint64(testkit.Pick(20, 300)) {
		r := rand.New(rand.NewPCG(seed, 10))
		var lines []string
		for range r.IntN(100) {
			var line []string
			for range 1 + r.IntN(4) {
				line = append(line, words[r.IntN(len(words))])
			}
			for range 1 + r.IntN(5) {
				lines = append(lines, strings.Join(line, " "))
			}
		}
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		args := []string{"-"}
		for _, o := range []string{"-s", "-u", "-r", "-k2,2", "-k1,1r", "-k3"} {
			if r.IntN(3) == 0 {
				args = append(args, o)
			}
		}
		in := linesOf(lines)
		want, _ := sort(in, args...)
		args = append(args, "--locale", "en_US.UTF-8")
		if got, errors, code := filesort(in, args...); code != 0 || got != want {
			t.Fatalf("seed %d: filesort %q of %q\nis   %q\nwant %q\n%s", seed, args, in, got, want, errors)
		}
		if got := linesOnDisk(t, in, args...); got != want {
			t.Fatalf("seed %d: on disk, filesort %q of %q\nis   %q\nwant %q", seed, args, in, got, want)
		}
	}
}

func linesOf(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// linesOnDisk sorts lines through files on disk.
func linesOnDisk(t *testing.T, input string, args ...string) string {
	t.Helper()
	cmd, err := parseArgs(append(args[:len(args):len(args)], "-T", t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := &chunks{files: &files{names: cmd.files, stdin: strings.NewReader(input), compress: cmd.compress, large: true}, shape: cmd.shape, size: slotSize, m: newMeter(io.Discard, true)}
	if _, err := cmd.sortOnDisk(&store{shape: cmd.shape}, in, &out, newMeter(io.Discard, true)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestLocaleOptions has lines in order under options of a locale.
func TestLocaleOptions(t *testing.T) {
	for _, test := range []struct{ args, lines string }{
		{"--locale de -n", "-1,5 -1 0,25 0,3 1 1.000 1.000,5 10.000"},
		{"--locale en -n", "-1.5 0.25 1 999 1,000 1,000.5 10,000"},
		{"--locale fr_FR.UTF-8 -n", "0,5 1 1,5 999 1\u202f000 1\u00a0001"},
		{"--locale de -h", "1,5 900 1,5K 2K 1,5M"},
		{"--locale de -g", "-1e3 0,5 1,5e0 1e1 1,5e1"},
		{"--locale de -f", "a Ä ab AC"},
		{"--locale sv -f", "a z Å Ä ö"},
		{"--locale en -d", "a -b 'c d"},
		{"--locale C", "A Z a z ä"},
		{"--locale POSIX -n", "1.5 2"},
		{"--locale en -V", "a-1.2 a-1.10"},
		{"--locale en -M", "x jan FEB"},
		{"--locale de_DE.UTF-8 -M", "oct jan März MAI OKTOBER dez"},
		{"--locale de_AT.UTF-8 -M", "jan Jän feb"},
		{"--locale fr_FR.UTF-8 -M", "x janvier FÉVR mars. avril mai juin juillet Août déc."},
		{"--locale sv -M", "x januari maj OKT"},
		{"--locale vi -M", "Thg1 thg2 thg9 thg10 thg11 thg12"},
		{"--locale ja_JP.UTF-8 -M", "1月 2月 10月 12月"},
		{"--locale ru -r -M", "дек МАЯ янв x"},
	} {
		want := strings.Split(test.lines, " ")
		for seed := range uint64(5) {
			in := slices.Clone(want)
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
			got, errors, code := filesort(linesOf(in), strings.Fields(test.args)...)
			if code != 0 || got != linesOf(want) {
				t.Errorf("%s: %q, want %q, %s", test.args, got, linesOf(want), errors)
			}
		}
	}
	t.Setenv("LC_ALL", "sv_SE.UTF-8")
	if got, errors, code := filesort("ö\nz\n", "--locale=env"); code != 0 || got != "z\nö\n" {
		t.Errorf("env: %q, %s", got, errors)
	}
	t.Setenv("LC_ALL", "C.UTF-8")
	if got, errors, code := filesort("a\nB\n", "--locale=env"); code != 0 || got != "B\na\n" {
		t.Errorf("env: %q, %s", got, errors)
	}
	for args, says := range map[string]string{
		"--locale xx_notone":          "xx_notone",
		"--locale de_DE.ISO-8859-1":   "not UTF-8",
		"--locale de_DE@euro":         "modifiers",
		"--locale de --record 4":      "-record and -locale exclude each other",
		"--locale de -by 1":           "exclude each other",
		"--locale":                    "requires a value",
		"--locale de --locale fr -n ": "it was \"de\" before",
	} {
		if _, errors, code := filesort("", strings.Fields(args)...); code != 2 || !strings.Contains(errors, says) {
			t.Errorf("%s: code %d, %s", args, code, errors)
		}
	}
}

// TestLocaleBroken has bytes that are no character under options of a locale: lines that differ in these do not tie.
func TestLocaleBroken(t *testing.T) {
	for _, test := range []struct{ args, in, want string }{
		{"-f -u", "m\xdd\nM\xef\xbf\xbd\nm\xde\nM\xdd\n", "M\xef\xbf\xbd\nm\xdd\nm\xde\n"},
		{"-i -u", "b\xc3\nb\nb\xef\xbf\xbd\n", "b\xc3\nb\xef\xbf\xbd\n"},
		{"-d -u", "b\xc3\nb\nb\xef\xbf\xbd\n", "b\xc3\n"},
		{"-f -r -u", "a\nA\nb\xff\n", "b\xff\na\n"},
	} {
		if got, errors, code := filesort(test.in, strings.Fields("--locale en_US.UTF-8 "+test.args)...); code != 0 || got != test.want {
			t.Errorf("%s: %q, want %q, %s", test.args, got, test.want, errors)
		}
	}
}
