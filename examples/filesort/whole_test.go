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
func TestFindLines(t *testing.T) {
	s := shape{eol: '\n'}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := make([]byte, r.IntN(40))
		for i := range text {
			text[i] = "\nab"[r.IntN(3)]
		}
		size := 1 + r.IntN(12)
		var parts []found
		for lo := 0; lo < len(text); lo += size {
			parts = append(parts, s.findLines(text, lo, min(lo+size, len(text)), 1<<30))
		}
		got, want := joinLines(parts, 1<<30, len(text)), s.split(text, 1<<30)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in pieces of %d: %x, want %x", text, size, got, want)
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
	err = readWhole(context.Background(), in, make([]byte, pieceSize+5), 2, newMeter(io.Discard, true), func(int, int, int) {})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
