package main

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"example.com/sorter/internal/cgroup"
)

// freeMemory returns the bytes that the machine or the control group of the process has free,
// and 2 GiB where the system does not say. It does not exceed what addresses reach.
func freeMemory() int64 {
	const unknown = 2 << 30
	free, ok := cgroup.FreeMemory()
	if !ok {
		free = unknown
	}
	if strconv.IntSize == 32 {
		free = min(free, 1<<30)
	}
	return free
}

// memoryUnits are those of sort, each 1024 times the one before. Of the first four, small letters are the same.
const memoryUnits = "KMGTPEZYRQ"

// parseMemory reads a size as sort has it: KiB, unless a letter says otherwise, b for bytes and % of what is
// free. A letter alone stands for 1 of it. More than there can be is as much as there can be.
func parseMemory(value string) (bytes int64, ok bool) {
	value = strings.TrimLeft(value, " \t\n\v\f\r")
	digits := strings.TrimPrefix(value, "+")
	unit := strings.TrimLeft(digits, "0123456789")
	digits = digits[:len(digits)-len(unit)]
	n, err := strconv.ParseUint(digits, 10, 64) // the largest, if there are too many digits
	switch {
	case digits != "" && unit == "":
		unit = "K"
	case digits != "" && unit == "b":
		return clamped(float64(n)), true
	case digits != "" && unit == "%":
		return clamped(float64(n) * float64(freeMemory()) / 100), true
	case unit == value:
		n, err = 1, nil
	}
	if strings.Contains("kmgt", unit) {
		unit = strings.ToUpper(unit)
	}
	power := strings.Index(memoryUnits, unit) + 1
	return clamped(float64(n) * math.Pow(1024, float64(power))), len(unit) == 1 && power > 0 && !errors.Is(err, strconv.ErrSyntax)
}

// mostMemory is more than any machine has, and sums of it do not overflow.
const mostMemory = 1 << 60

func clamped(bytes float64) int64 { return int64(min(bytes, mostMemory)) }
