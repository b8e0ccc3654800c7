package main

import (
	"fmt"
)

// disorder is what -c found.
type disorder struct {
	file string
	line int // counted from 1
	text string
	eol  byte // that ends lines
}

func (d *disorder) Error() string { return fmt.Sprintf("%s:%d: disorder: %s", d.file, d.line, d.text) }

// checkLines returns a disorder if a line does not come after the one before it: with -u, also
// if it ties with it.
func (cmd *command) checkLines(in *chunks, name string) error {
	by := orderLines(cmd.order, func(s string) string { return s })
	last, number, eol := "", 0, byte('\n')
	if cmd.shape.record == 0 {
		eol = cmd.shape.eol
	}
	for {
		chunk, err := in.next(nil)
		if err != nil || chunk == nil {
			return err
		}
		for text := range cmd.shape.lines(chunk) {
			if number > 0 {
				if c := by.Compare(last, text); c > 0 || c == 0 && cmd.unique {
					return &disorder{name, number + 1, text, eol}
				}
			}
			last = text
			number++
		}
	}
}
