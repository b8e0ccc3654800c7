package main

import (
	"fmt"
)

// disorder is what -c found.
type disorder struct {
	place string // file:line, counted from 1
	text  string
	eol   byte // that ends lines
}

func (d *disorder) Error() string { return d.place + ": disorder: " + d.text }

// checkChunk is the size of chunks of a check.
const checkChunk = 1 << 20

// checkLines returns a disorder if a line does not come after the one before it: with -u, also
// if it ties with it.
func (cmd *command) checkLines(in *chunks, name string) error {
	in.size = checkChunk
	var last, line parsedLine
	var lastText []byte
	memory := make([]byte, in.size)
	for number := 0; ; {
		chunk, err := in.next(memory)
		if err != nil || chunk == nil {
			return err
		}
		for text := range cmd.shape.lines(chunk) {
			cmd.order.parse(&line, text)
			if number++; number > 1 {
				if c := cmd.order.compare(&last, &line); c > 0 || c == 0 && cmd.unique {
					return &disorder{fmt.Sprintf("%s:%d", name, in.lines.of(number)), text, cmd.shape.eol}
				}
			}
			last, line = line, last
		}
		lastText = append(lastText[:0], last.text...) // the next chunk has its memory
		last.text = stringOf(lastText)
	}
}
