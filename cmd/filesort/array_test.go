package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomArray returns an array of objects with a member k in one of the ways to write it, and its parts: the space and
// the text of each element, and the text after the last.
func randomArray(r *rand.Rand, n int, pad string) (text string, elements []string, tail string) {
	lead := pick(r, "", "\n", "\n  ", " ", "\r\n\t", "\r", "\r \n")
	for i := range n {
		element := fmt.Sprintf(`{"k":%d,"i":%d,"s":%q,"a":[1,{"b":"]}\\\""},[],{}],"t":true%s}`, r.IntN(n), i, pick(r, "", ",", "[", "{", "\\", "\"", "\u00e9", " "), pad)
		if r.IntN(2) == 0 {
			var b bytes.Buffer
			if err := json.Indent(&b, []byte(element), "  ", pick(r, " ", "\t")); err != nil {
				panic(err)
			}
			element = strings.ReplaceAll(b.String(), "\n", pick(r, "\n", "\r\n", "\r"))
		}
		elements = append(elements, lead+element)
	}
	tail = pick(r, "]", "\n]\n", "\r\n]\r\n", " ] ")
	return pick(r, "", "\ufeff", " \n") + "[" + strings.Join(elements, pick(r, ",", " ,", "\n,")) + tail, elements, tail
}

// Elements come out as they were written, with the space before them, in the order of their members.
func TestArraysAgainstModel(t *testing.T) {
	for seed := range seeds(300) {
		r := rand.New(rand.NewPCG(seed, 8))
		n, pad := r.IntN(9), ""
		if seed%150 == 0 { // on disk
			n, pad = 30_000, `,"pad":"`+strings.Repeat("z", 300)+`"`
		}
		text, elements, tail := randomArray(r, n, pad)
		key := func(element string) (v struct{ K, I int }) {
			if err := json.Unmarshal([]byte(element), &v); err != nil {
				t.Fatal(err)
			}
			return v
		}
		slices.SortStableFunc(elements, func(a, b string) int { return key(b).K - key(a).K })
		args := []string{"-by", "k:desc"}
		if r.IntN(2) == 0 {
			elements = slices.CompactFunc(elements, func(a, b string) bool { return key(a).K == key(b).K })
			args = append(args, "-u")
		}
		if r.IntN(3) == 0 {
			elements = elements[:min(3, n, len(elements))]
			args = append(args, "-top", "3")
		}
		want := text[:strings.Index(text, "[")+1] + strings.Join(elements, ",") + tail
		args = append(args, pick(r, "-format=json", "-format=auto"))
		got, _ := limited(t, 8<<20, text, append(args, "-")...)
		if got != want {
			t.Fatalf("seed %d: %q of\n%.1000q\ngot\n%.1000q\nwant\n%.1000q", seed, args, text, got, want)
		}
		path := fileOf(t, pick(r, "x.json", "x", "x.json.gz"), text)
		if got, _ = limited(t, 8<<20, "", append(args, path)...); got != want {
			t.Fatalf("seed %d: %q of a file\n%.1000q\ngot\n%.1000q\nwant\n%.1000q", seed, args, text, got, want)
		}
	}
}

// Texts that are no array of objects are errors with their place, and an empty array is none.
func TestArrayFaults(t *testing.T) {
	for text, want := range map[string]string{
		"[1]":                            "stdin:element 1:1: this row is valid JSON but no object",
		"[{\"a\":1}\n,[2]]":              "stdin:element 2:1: this row is valid JSON but no object",
		"[{\"a\":1},\n{\"a\":\n1 2}]":    "stdin:element 2:9: invalid character '2' after object key:value pair",
		"[{\"a\":\"\n\"}]":               "stdin:element 1:7: invalid character '\\r' in string literal",
		"[{\"a\":1}":                     "its JSON array is never closed",
		"[{\"a\":[1}":                    "its JSON array is never closed",
		"[":                              "its JSON array is never closed",
		" ":                              "it has no JSON array",
		"{\"a\":1}":                      "'{' stands where its JSON array would begin",
		"[,{\"a\":1}]":                   "an element is missing before a ',' of its JSON array",
		"[{\"a\":1},]":                   "an element is missing before a ']' of its JSON array",
		"[{\"a\":1}{\"a\":1}]":           "'{' follows an element of its JSON array",
		"[{\"a\":1}]]":                   "']' follows its JSON array",
		"[{\"b\":1}]":                    "has no column a; its columns are: b",
		"[{]]":                           "stdin:element 1:2: invalid character ']'",
		"[}]":                            "stdin:element 1:1: invalid character '}'",
		"[" + strings.Repeat(" ", 2<<20): "more than 1048576 bytes of space in its JSON array",
	} {
		stdout, stderr, code := filesort(text, "-by", "a", "-format", "json", "-")
		if stdout != "" || code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("%.40q: exit %d, %q %s", text, code, stdout, stderr)
		}
	}
	for _, text := range []string{"", "[]", "[ ]\n", "\ufeff[\n]"} {
		if stdout, stderr, code := filesort(text, "-by", "a", "-format", "json", "-"); stdout != text || code != 0 {
			t.Errorf("%q: exit %d, %q %s", text, code, stdout, stderr)
		}
	}
}

// A file of several arrays is one, and only a file that begins as one is found to be one.
func TestArraysFound(t *testing.T) {
	one, two := fileOf(t, "a", "[{\"a\":2}]\n"), fileOf(t, "b", "[\n{\"a\":1}\n]")
	if got, stderr, _ := filesort("", "-by", "a", one, two); got != "[\n{\"a\":1},{\"a\":2}]\n" {
		t.Errorf("two arrays: %q %s", got, stderr)
	}
	for _, args := range [][]string{{"-by", "[1]", "-delimiter", ";", "-"}, {"-by", "[1]", "-"}, {"-by", "2", "-format", "csv", "-header", "yes", "-quotes", "lazy", "-"}} {
		text := "[1],x\n2,2\n1,1\n"
		if args[2] == "-delimiter" || args[2] == "-format" {
			text = strings.ReplaceAll("[1];x\n2;2\n1;1\n", ";", map[bool]string{true: ";", false: ","}[args[2] == "-delimiter"])
		}
		if got, stderr, _ := filesort(text, args...); !strings.HasPrefix(got, "[1]") || !strings.HasSuffix(got, "2\n") {
			t.Errorf("%q: %q %s", args, got, stderr)
		}
	}
	if got, stderr, _ := filesort("[{\"a\":2},{\"a\":1},{\"a\":2}]", "-by", "a", "-u", "-count", "-"); got != `[{"a":1,"count":1},{"a":2,"count":2}]` {
		t.Errorf("-count: %q %s", got, stderr)
	}
	if _, stderr, code := filesort("[{\"a\":2},\n {\"a\":1}]", "-by", "a", "-c", "-"); code != exitDisorder || stderr != "filesort: stdin:element 2: disorder: \n {\"a\":1}\n" {
		t.Errorf("-c: %d %q", code, stderr)
	}
}

// UTF-16 without a byte order mark is an error with its name.
func TestUTF16(t *testing.T) {
	for _, zero := range []int{0, 1} {
		var b strings.Builder
		for _, c := range "a,b\n2,x\n1,y\n" {
			pair := []byte{byte(c), byte(c)}
			pair[zero] = 0
			b.Write(pair)
		}
		if _, stderr, code := filesort(b.String(), "-by", "a", "-"); code != exitError || !strings.Contains(stderr, "this is UTF-16") {
			t.Errorf("exit %d, %s", code, stderr)
		}
	}
	if _, stderr, code := filesort("a,\x00\nb,\x00\n\x00,\x00\n", "-by", "1", "-no-header", "-"); code != 0 {
		t.Error("texts with NUL are no UTF-16: " + stderr)
	}
}
