package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Lines found in pieces are those found in the whole, wherever pieces end.
func TestPieces(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := shape{eol: '\n'}
		text := make([]byte, r.IntN(40))
		for i := range text {
			text[i] = "\nab"[r.IntN(3)]
		}
		if r.IntN(4) == 0 {
			s.record = 1 + r.IntN(5)
			text = text[:len(text)/s.record*s.record]
		}
		var got, want []line
		size := 1 + r.IntN(12)
		for lo := 0; lo < len(text); lo += size {
			p := piece{text: text, base: 1 << 30, lo: lo, hi: min(lo+size, len(text))}
			lines := make([]line, s.ends(text, p.lo, p.hi))
			s.fill(lines, p)
			got = append(got, lines...)
		}
		at := 0
		for l := range s.lines(text) {
			want = append(want, lineAt(1<<30, at, at+len(l)))
			at += len(l) + 1 - min(s.record, 1)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%+v: %q in pieces of %d: %x, want %x", s, text, size, got, want)
		}
	}
}

// A file of several pieces gives the same as a pipe of it.
func TestWholeFile(t *testing.T) {
	var b strings.Builder
	r := rand.New(rand.NewPCG(1, 1))
	for b.Len() < 2*pieceSize+100 {
		fmt.Fprintf(&b, "%d,%s\n", r.IntN(1000), strings.Repeat("x", r.IntN(5000)))
	}
	b.WriteString("12345,abcde")
	for b.Len()%64 != 0 { // for records
		b.WriteByte('x')
	}
	for _, args := range [][]string{{"-t,", "-k1n"}, {"-by", "1,2", "-header", "no", "-format", "csv"}, {"-record", "64"}} {
		want, _, _ := filesort(b.String(), append(args, "-")...)
		got, stderr, code := filesort("", append(args, fileOf(t, "x", b.String()))...)
		if got != want || code != 0 {
			t.Errorf("%q: %d bytes, want %d %s", args, len(got), len(want), stderr)
		}
	}
}

func TestFileBecomesShorter(t *testing.T) {
	in, err := openInput(fileOf(t, "x", "a\n"), nil, "auto", false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	err = readWhole(context.Background(), in, make([]byte, pieceSize+5), 2, newMeter(io.Discard, true), func(int) {})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
