package main

import (
	"fmt"
	"strings"
)

// addOldKey adds a key of the form that came before -k: +POS1, and -POS2 if that follows. Such an operand that
// is no key is a file.
func (cl *commandLine) addOldKey(operand string, rest []string) (left []string, is bool, err error) {
	start, ok := strings.CutPrefix(operand, "+")
	if !ok {
		return rest, false, nil
	}
	field, char, opts, ok := cutOldPosition(start)
	if !ok || strings.Trim(opts, optionLetters) != "" {
		return rest, false, nil
	}
	key := fmt.Sprintf("%d.%d%s", field+1, char+1, opts)
	if len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' && isDigit(rest[0][1]) {
		field, char, opts, ok := cutOldPosition(rest[0][1:])
		switch {
		case !ok:
			return nil, true, fmt.Errorf("invalid key %s %s: a number is missing after '.'", operand, rest[0])
		case char > 0:
			key += fmt.Sprintf(",%d.%d%s", field+1, char, opts)
		default: // the end of the field before
			key += fmt.Sprintf(",%d%s", max(field, 1), opts)
		}
		operand, rest = operand+" "+rest[0], rest[1:]
	}
	cl.onlyLines = operand
	cl.notes = append(cl.notes, fmt.Sprintf("%s is an old form of a key: write -k%s", operand, strings.Replace(key, ".1", "", 1)))
	return rest, true, cl.addKey(key)
}

// cutOldPosition parses F[.C][OPTS], where F and C count what comes before.
func cutOldPosition(text string) (field, char int, opts string, ok bool) {
	field, opts, ok = cutNumber(text)
	if ok && strings.HasPrefix(opts, ".") {
		char, opts, ok = cutNumber(opts[1:])
	}
	return field, char, opts, ok
}
