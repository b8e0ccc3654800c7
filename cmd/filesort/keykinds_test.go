package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// spellings are values of a type in ascending order, each in all spellings that tie, and some that are not of it.
type spellings struct {
	word string
	in   [][]string
	not  []string
}

var allSpellings = []spellings{
	{"fold", [][]string{{"a", "A"}, {"ab", "AB", "aB"}, {"b"}, {"straße", "STRASSE", "Strasse"}, {"z", "Z"}, {"ä", "Ä"}, {"ς", "σ", "Σ"}}, nil},
	{"string:fold", [][]string{{"10"}, {"9"}, {"x", "X"}}, nil},
	{"natural", [][]string{{"-1"}, {"0"}, {"2"}, {"10"}, {"A9"}, {"a2b"}, {"a10"}, {"a10b"}, {"a99999999999999999999998"}, {"a99999999999999999999999"}, {"aa"}}, nil},
	{"natural:fold", [][]string{{"a2", "A2"}, {"a10", "A10"}, {"b1", "B1"}}, nil},
	{"version", [][]string{{"1.2~rc1"}, {"1.2"}, {"1.10"}, {"a-1.tar.gz"}, {"a-1.2.tar.gz"}, {"a-1.10.tar.gz"}}, nil},
	{"human", [][]string{{"-1Ki"}, {"-1K", "-1000", "-1 kB"}, {"0", "0M"}, {"1", "1B", "+1"}, {"999.5"}, {"1K", "1000", "1kB", "1e3", ".001M"}, {"1Ki", "1024", "1KiB"},
		{"1.5Ki", "1536"}, {"1M"}, {"1Mi", "1024 KiB"}, {"1000000000000000000000000000001"}, {"1000Q"}, {"inf"}, {"NaN"}},
		[]string{"K", "1KK", "1 i", "1X", "--1K", "1.2.3K", "0x1K", "1_0K", "B", "infi", "1e3K"}},
	{"month", [][]string{{"jan", "January", "JAN.", "1", "01"}, {"Feb", "february"}, {"MAY"}, {"sep", "September", "09", "9"}, {"dec", "12"}}, []string{"0", "13", "ja", "janu", "Mayo", "001"}},
	{"ip", [][]string{{"9.1.1.1"}, {"10.0.0.0"}, {"10.0.0.0/8"}, {"10.0.0.0/16"}, {"10.0.0.1"}, {"192.168.0.1"}, {"::1", "0:0::1"}, {"::ffff:1.2.3.4"}, {"2001:db8::"}, {"2001:db8::/32"},
		{"fe80::1"}, {"fe80::1%eth0"}}, []string{"10.0.0", "1.2.3.4/33", "1.2.3.4/", "x", "01.2.3.4", "fe80::1%eth0/64"}},
	{"uuid", [][]string{{"00000000-0000-0000-0000-000000000001", "00000000000000000000000000000001"},
		{"0a000000-0000-0000-0000-000000000000", "{0A000000-0000-0000-0000-000000000000}", "urn:uuid:0a000000-0000-0000-0000-000000000000"},
		{"ffffffff-ffff-ffff-ffff-ffffffffffff"}}, []string{"0a", "0g000000-0000-0000-0000-000000000000", "0a0000000000-0000-0000-0000-00000000", "{00000000000000000000000000000001"}},
	{"duration", [][]string{{"-1h"}, {"-0.5s", "-500ms"}, {"0", "0s", "-0s"}, {"1ns"}, {"1us", "1µs", "1000ns"}, {"1ms"}, {"1s", "0:00:01"}, {"1m", "60s", "1min", "0:01", "PT1M"},
		{"1h", "60m", "1:00:00", "01:00", "PT60M"}, {"1h30m", "1.5h", "1h 30m", "1:30:00.000"}, {"1:30:00.0000000001"}, {"1d", "24h", "P1D", "1 day", "24:00:00"},
		{"1d1h", "P1DT1H", "1 day 01:00:00", "+25h"}, {"2 days"}, {"1w", "P1W", "7d"}, {"1000000h"}, {"99999999999999999999h"}},
		[]string{"1", "h", "1x", "P1M", "P1Y", "PT", "P", "1:60", "1:2:3:4", "1:2", "--1h", "1h-", "1.2.3h", "P1H", "-", "1:00:00s", "12:30 1d"}},
	{`date="%d.%m.%Y %H:%M"`, [][]string{{"31.12.1999 23:59"}, {"01.01.2000 00:00"}, {"02.01.2000 00:00"}, {"01.02.2000 12:00"}}, []string{"2000-01-01", "31.02.2000 00:00", "01.01.2000", "01.01.2000 24:00"}},
	{"date=%m/%d/%y", [][]string{{"12/31/99"}, {"01/01/00"}, {"01/31/00"}}, []string{"31/12/99"}},
	{"lang=de", [][]string{{"a"}, {"A"}, {"ä"}, {"Ä"}, {"ab"}, {"z"}, {"Z"}}, nil},
	{"lang=sv_SE.UTF-8", [][]string{{"a"}, {"z"}, {"å"}, {"ä"}, {"ö"}}, nil},
	{"lang=en_US.UTF-8", [][]string{{"aa"}, {"a b", "ab"}, {"a-c"}}, nil}, // as of --locale
	{"lang=en", [][]string{{"a b"}, {"a-c"}, {"aa"}, {"ab"}}, nil},
	{"decimal", [][]string{{"1.5"}, {"9007199254740993"}, {"9007199254740993.5"}, {"9007199254740994", "9007199254740994.0"}}, []string{"x"}},
	{"epoch", [][]string{{"-1.5"}, {"1700000000"}, {"1700000000.25"}}, []string{"2020-01-01"}},
}

// keyedRow is a row with the place of its value among those in ascending order.
type keyedRow struct {
	line string
	rank int // -1 for a null
}

// TestKeyKinds sorts values by each type that only -by names, in memory and through files on disk.
func TestKeyKinds(t *testing.T) {
	for _, s := range allSpellings {
		t.Run(s.word, func(t *testing.T) {
			for seed := range uint64(12) {
				r := rand.New(rand.NewPCG(seed, 4))
				rows := make([]keyedRow, r.IntN(200))
				for i := range rows {
					rank := r.IntN(len(s.in)+1) - 1
					value := ""
					if rank >= 0 {
						value = s.in[rank][r.IntN(len(s.in[rank]))]
						if !strings.Contains(s.word, "string") && !strings.Contains(s.word, "natural") && !strings.Contains(s.word, "lang") &&
							!strings.Contains(s.word, "version") && s.word != "fold" && r.IntN(4) == 0 {
							value = " " + value + "  "
						}
					}
					rows[i] = keyedRow{fmt.Sprintf("%s,%d", value, i), rank}
				}
				desc, first, unique := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(3) == 0
				by := "1:" + s.word
				if desc {
					by += ":desc"
				}
				if first {
					by += ":nullsfirst"
				}
				input := joinRows(rows)
				slices.SortStableFunc(rows, func(a, b keyedRow) int {
					if (a.rank < 0) != (b.rank < 0) {
						if (a.rank < 0) == first {
							return -1
						}
						return 1
					}
					if desc {
						return b.rank - a.rank
					}
					return a.rank - b.rank
				})
				args := []string{"-by", by, "-header", "no", "-format", "csv"}
				if unique {
					args = append(args, "-u")
					rows = slices.CompactFunc(rows, func(a, b keyedRow) bool { return a.rank == b.rank })
				}
				want := joinRows(rows)
				if got, errors, code := filesort(input, args...); code != 0 || got != want {
					t.Fatalf("-by %s of\n%sis\n%swant\n%s%s", by, input, got, want, errors)
				}
				if got, err := onDisk(t, input, 64, args...); err != nil || got != want {
					t.Fatalf("on disk, -by %s of\n%sis\n%swant\n%s%v", by, input, got, want, err)
				}
			}
			for _, value := range s.not {
				_, errors, code := filesort(fmt.Sprintf("%q,1\n", value), "-by", "1:"+s.word, "-header", "no", "-format", "csv")
				if code != 2 || !strings.Contains(errors, "is not of type") {
					t.Errorf("%q: code %d, %s", value, code, errors)
				}
			}
		})
	}
}

func joinRows(rows []keyedRow) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.line + "\n")
	}
	return b.String()
}

// TestWordsOfBy has words of -by that are wrong, and a part of each message.
func TestWordsOfBy(t *testing.T) {
	for by, says := range map[string]string{
		"a:date":                  "nothing after date=",
		"a:date=":                 "nothing after date=",
		"a:date=Y":                "no directive",
		`a:date="%Y`:              "no closing quote",
		"a:int=4":                 "int takes no =",
		"a:fold=4":                "fold takes no =",
		"a:int:fold":              "fold goes with",
		"a:ip:fold":               "fold goes with",
		"a:fold:fold":             "exclude each other",
		"a:ip:uuid":               "exclude each other",
		"a:lang=,b":               "nothing after lang=",
		"a:lang=no-such-lang":     "lang=no-such-lang",
		"a:lang=de_DE.ISO-8859-1": "not UTF-8",
		"a:lang=de_DE@euro":       "modifiers",
		"a:lang=C":                "string has the order of bytes",
		"a:ipv4":                  "ip, lang, month, natural",
		"a:":                      "nothing after a colon",
		"a::int":                  "nothing after a colon",
	} {
		if _, errors, code := filesort("a\n1\n", "-by", by); code != 2 || !strings.Contains(errors, says) {
			t.Errorf("-by %s: code %d, %s", by, code, errors)
		}
	}
}
