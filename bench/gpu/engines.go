//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"runtime"

	"example.com/sorter/gpu"
)

// on opens an engine for measure.
func on(measure func(*gpu.Engine) error, opts ...gpu.Option) error {
	e, err := gpu.Open(opts...)
	if err != nil {
		return err
	}
	defer e.Close()
	return measure(e)
}

// heading names the machine of a table, and the unit of its numbers.
func heading(numbers string) error {
	infos, err := gpu.Devices()
	if err == nil {
		fmt.Printf("\n%s, %d host processors; %s\n\n", infos[0].Name, runtime.GOMAXPROCS(0), numbers)
	}
	return err
}
