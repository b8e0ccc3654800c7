package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// finishRecords makes the keys of records: -key FROM:TO, bytes counted from 0, r at the end for
// descending. Records that tie keep their order.
func (cl *commandLine) finishRecords() error {
	for _, text := range cl.keys {
		k, err := parseRange(text, cl.shape.record)
		if err != nil {
			return inOption("-key", text, err)
		}
		if k.opts == 0 {
			k.opts = cl.global
		}
		cl.order.keys = append(cl.order.keys, k)
	}
	cl.order.tab = noTab
	cl.order.given = len(cl.order.keys)
	cl.order.last = len(cl.keys) == 0
	cl.order.desc = cl.global&reverse != 0
	return nil
}

// parseRange parses FROM:TO.
func parseRange(text string, record int) (k lineKey, err error) {
	body, desc := strings.CutSuffix(text, "r")
	if desc {
		k.opts = reverse
	}
	from, to, _ := strings.Cut(body, ":")
	lo, err := strconv.Atoi(from)
	hi, err2 := strconv.Atoi(to)
	switch {
	case err != nil || err2 != nil:
		return k, errors.New("must be FROM:TO, in bytes")
	case lo < 0 || lo >= hi || hi > record:
		return k, fmt.Errorf("must be a range of the %d bytes of a record, which is not empty", record)
	}
	k.field, k.char, k.endChar = recordBytes, lo, hi
	return k, nil
}
