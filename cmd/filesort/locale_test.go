package main

import (
	"bytes"
	"cmp"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

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
		collator := collate.New(tag)
		ordered := func(a, b string) int {
			// Not CompareString, which differs from keys where spaces are ignored.
			keys := new(collate.Buffer)
			return cmp.Or(bytes.Compare(collator.KeyFromString(keys, a), collator.KeyFromString(keys, b)), strings.Compare(a, b))
		}
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 6))
			lines := make([]string, r.IntN(300))
			for i := range lines {
				var b strings.Builder
				if r.IntN(3) == 0 { // more than a prefix of keys, and where that ends
					b.WriteString("Grünes.čaj křídlo, š"[:14+r.IntN(3)])
				}
				for range r.IntN(8 + 30*r.IntN(2)) {
					b.WriteRune(letters[r.IntN(len(letters))])
				}
				lines[i] = b.String()
			}
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
