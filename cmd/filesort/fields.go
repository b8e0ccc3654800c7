package main

import "strings"

// find returns the text of the key in a line. tab is between fields, or noTab.
func (k *lineKey) find(line string, tab int) string {
	at, end := k.bounds(line, tab)
	return line[at:end]
}

// bounds returns the place of the key in a line.
func (k *lineKey) bounds(line string, tab int) (at, end int) {
	if k.field == recordBytes {
		return k.char, k.endChar
	}
	first := max(k.field, 0) // wholeStart is the start of field 0
	at = skipFields(line, 0, first, tab)
	end = len(line)
	switch {
	case k.endField == toEnd:
	case k.endField >= first:
		end = k.end(line, at, k.endField-first, tab)
	default:
		end = k.end(line, 0, k.endField, tab)
	}
	if k.opts&blanksAtStart != 0 {
		at = skipBlanks(line, at)
	}
	if k.char > 0 {
		at = min(at+k.char, len(line))
	}
	return at, max(at, end)
}

// end returns where the key ends, n fields after the one that begins at pos.
func (k *lineKey) end(line string, pos, n, tab int) int {
	if k.endChar > 0 {
		end := skipFields(line, pos, n, tab)
		if k.opts&blanksAtEnd != 0 {
			end = skipBlanks(line, end)
		}
		return min(end+k.endChar, len(line))
	}
	if tab == noTab {
		return skipFields(line, pos, n+1, noTab)
	}
	end := skipFields(line, pos, n, tab)
	if i := strings.IndexByte(line[end:], byte(tab)); i >= 0 {
		return end + i
	}
	return len(line)
}

// skipFields returns where the n-th field after the one at pos begins, or the length of line.
// Without a tab, blanks before a field are part of it.
func skipFields(line string, pos, n, tab int) int {
	for ; n > 0 && pos < len(line); n-- {
		if tab == noTab {
			pos = skipBlanks(line, pos)
			for pos < len(line) && !isBlank(line[pos]) {
				pos++
			}
			continue
		}
		i := strings.IndexByte(line[pos:], byte(tab))
		if i < 0 {
			return len(line)
		}
		pos += i + 1
	}
	return pos
}

func skipBlanks(line string, pos int) int {
	for pos < len(line) && isBlank(line[pos]) {
		pos++
	}
	return pos
}

// isBlank: a newline is a blank, too, where lines end with NUL.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
