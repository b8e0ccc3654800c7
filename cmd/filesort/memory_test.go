package main

import (
	"strings"
	"testing"
)

// Sizes of -S, and the bytes that they are. 0: refused.
var memoryTests = map[string]int64{
	"9000": 9000 << 10, "9000K": 9000 << 10, "9000k": 9000 << 10, "9000000b": 9000000, "010000": 10000 << 10,
	"10M": 10 << 20, "10m": 10 << 20, "10G": 10 << 30, "10g": 10 << 30, "10T": 10 << 40, "10t": 10 << 40,
	"10P": 10 << 50, "1E": 1 << 60, "3E": mostMemory, "+10M": 10 << 20, " 10M": 10 << 20, "M": leastMemory, "G": 1 << 30,
	"0": leastMemory, "1b": leastMemory,

	"4E": mostMemory, "1Z": mostMemory, "1Y": mostMemory, "1R": mostMemory, "1Q": mostMemory,
	"99999999999999999999": mostMemory, "99999999999999999999%": mostMemory,

	"": 0, "%": 0, "b": 0, "-1": 0, "1p": 0, "1e": 0, "1z": 0, "1B": 0, "1c": 0, "1KB": 0, "1KiB": 0, "1bb": 0, "1 M": 0,
	"1.5M": 0, "0x10": 0, "1K1": 0, "1k%": 0, "x": 0, "+": 0, "+M": 0, "1KM": 0,
}

func TestMemorySizes(t *testing.T) {
	for size, want := range memoryTests {
		cmd, err := parseArgs([]string{"-S", size})
		switch {
		case err != nil && want == 0:
		case err != nil || cmd.memory != want:
			t.Errorf("-S %q: %+v, %v, want %d", size, cmd, err, want)
		}
	}
	cmd, err := parseArgs([]string{"-S", "20M", "-S", "30M", "-S", "10M"})
	if err != nil || cmd.memory != 30<<20 {
		t.Errorf("the largest of several: %v", err)
	}
}

// What GNU sort takes and refuses is what filesort does, except for sizes beyond 64 bits and new units.
func TestMemorySizesLikeGNU(t *testing.T) {
	sort := gnuSort(t)
	for size, want := range memoryTests {
		if want == mostMemory || strings.Contains(size, "E") {
			continue
		}
		_, code := sort("", "-S", size)
		if _, _, ours := filesort("", "-S", size); ours != code {
			t.Errorf("-S %q: exit %d, want %d", size, ours, code)
		}
	}
}

// Percents are of the memory that is free.
func TestMemoryPercent(t *testing.T) {
	for _, percent := range []string{"50%", "100%", "300%"} {
		var n float64
		for _, digit := range strings.TrimSuffix(percent, "%") {
			n = 10*n + float64(digit-'0')
		}
		cmd, err := parseArgs([]string{"-S", percent})
		if err != nil {
			t.Fatal(err)
		}
		if share := float64(cmd.memory) / float64(freeMemory()) * 100; share < n/2 || share > 2*n {
			t.Errorf("-S %s: %d bytes, %.0f%%", percent, cmd.memory, share)
		}
	}
}
