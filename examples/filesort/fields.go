package main

import "strings"

// find returns the text of the key in a line. tab is between fields, or noTab.
func (k *lineKey) find(line string, tab int) string {
	if k.field == recordBytes {
		return line[k.char:k.endChar]
	}
	end := len(line)
	if k.endField != toEnd {
		end = k.end(line, tab)
	}
	begin := 0
	if k.field != wholeStart {
		begin = skipFields(line, k.field, tab)
	}
	if k.opts&blanksAtStart != 0 {
		begin = skipBlanks(line, begin)
	}
	if k.char > 0 {
		begin = min(begin+k.char, len(line))
	}
	if begin >= end {
		return ""
	}
	return line[begin:end]
}

// end returns where the key ends.
func (k *lineKey) end(line string, tab int) int {
	if k.endChar > 0 {
		end := skipFields(line, k.endField, tab)
		if k.opts&blanksAtEnd != 0 {
			end = skipBlanks(line, end)
		}
		return min(end+k.endChar, len(line))
	}
	if tab == noTab {
		return skipFields(line, k.endField+1, noTab)
	}
	end := skipFields(line, k.endField, tab)
	if i := strings.IndexByte(line[end:], byte(tab)); i >= 0 {
		return end + i
	}
	return len(line)
}

// skipFields returns where the n-th field of line begins, or its length. Without a tab, blanks
// before a field are part of it.
func skipFields(line string, n, tab int) int {
	pos := 0
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
