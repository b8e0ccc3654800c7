package conformance_test

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"time"

	"example.com/sorter"
)

// mostPrinted is the most rows of a test that is printed.
const mostPrinted = 50

// says notes a call as Go: statements that take rows, if these are not nil, columns and options, and leave the rows
// got and the error err. want are the rows that the call should return.
func (x *drawnCall) says(rows []int, statements string, want []int) {
	if len(rows) <= mostPrinted && len(want) <= mostPrinted {
		x.statements, x.rows, x.want = statements, rows, want
	}
}

// asTest returns the call as a Go test of this package, "" of a call that is too long, or of a verb that is not
// printed.
func (x *drawnCall) asTest() string {
	if x.statements == "" || x.n > mostPrinted {
		return ""
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	fmt.Fprintf(&b, "func TestDrawn%d(t *testing.T) { // %s\n", x.seed, x.verb)
	x.printColumns(line)
	x.printOptions(line)
	if x.rows != nil {
		line("rows := %#v", x.rows)
	}
	for statement := range strings.SplitSeq(x.statements, "\n") {
		line("%s", statement)
	}
	line(`checkSame(t, "", err, got, %#v)`, x.want)
	b.WriteString("}\n")
	return b.String()
}

// printColumns prints the keys, and the order by them, as the variable by.
func (x *drawnCall) printColumns(line func(string, ...any)) {
	var cols, parts []string
	for i, u := range x.used {
		data, col := u.source(i, u.layout)
		for _, d := range data {
			line("%s", d)
		}
		if i < len(x.cols) {
			cols = append(cols, col)
		} else {
			parts = append(parts, col)
		}
	}
	by := "sorter.By[int](" + strings.Join(cols, ", ") + ")"
	switch {
	case len(x.used) == 0:
	case x.used[0].layout == "elements with pointers":
		by = fmt.Sprintf("orderingOf[carried]{sorter.By(%s), carry, rowOf}", strings.Join(cols, ", "))
	case strings.HasPrefix(x.used[0].layout, "elements of"):
		e := elementOf(x.used[0].layout)
		by = fmt.Sprintf("orderingOf[%s]{sorter.By(%s), sizedOf[%[1]s], rowOfSized[%[1]s]}", e, strings.Join(cols, ", "))
	case x.used[0].layout == "fields":
		line("// The elements were %v.", x.details)
	case x.verb != "" && !strings.HasPrefix(x.verb, "Ordering.") && x.used[0].layout == "function" && len(cols) == 1:
		by = strings.TrimSuffix(strings.TrimPrefix(cols[0], "sorter.Asc("), ")")
		if x.used[0].isPlain() {
			by = fmt.Sprintf("keyFunc[%s](%s)", x.used[0].keyType(), by)
		} else {
			by = "sorter.By(" + cols[0] + ")"
		}
	}
	switch {
	case strings.Contains(x.statements, "cols..."):
		line("cols := []sorter.Column[int]{%s}", strings.Join(cols, ", "))
	case strings.Contains(x.statements, "by."):
		line("by := %s", by)
	}
	if strings.Contains(x.statements, "parts...") {
		line("parts := []sorter.Column[int]{%s}", strings.Join(parts, ", "))
	}
}

// printOptions prints the options, as the variable opts, and what is switched off.
func (x *drawnCall) printOptions(line func(string, ...any)) {
	var opts []string
	for _, name := range x.names {
		off, isOff := strings.CutPrefix(name, "off ")
		vectors, isVectors := strings.CutPrefix(name, "vectors ")
		switch {
		case isOff:
			line("defer ways.SwitchOff(ways.Parse(%q))()", off)
		case isVectors:
			line("defer vecsort.Restrict(%q)()", vectors)
		case name == "On(cpu)":
			opts = append(opts, "sorter.On(sorter.CPU())")
		case strings.HasPrefix(name, "Use("):
			opts = append(opts, "sorter.Use(sorter."+name[len("Use("):])
		case strings.Contains(name, " at "), strings.HasPrefix(name, "On("):
			line("// The call had the option %s.", name)
		default:
			opts = append(opts, "sorter."+name)
		}
	}
	if strings.Contains(x.statements, "opts...") {
		line("opts := []sorter.Option{%s}", strings.Join(opts, ", "))
	}
}

// elementOf is the type of elements of some bytes, as a layout has it.
func elementOf(layout string) string {
	bytes := 0
	_, _ = fmt.Sscanf(layout, "elements of %d", &bytes)
	if bytes == 4 {
		return "[1]uint32"
	}
	return fmt.Sprintf("[%d]uint64", bytes/8)
}

func (c *columnOf[K]) keyType() string { return typeName(reflect.TypeFor[K]()) }

func typeName(t reflect.Type) string { return strings.ReplaceAll(t.String(), "conformance_test.", "") }

// source returns the variables of a column, the i-th of a call, and the column.
func (c *columnOf[K]) source(i int, layout string) (data []string, col string) {
	keys, nulls := fmt.Sprint("keys", i), fmt.Sprint("nulls", i)
	data = append(data, fmt.Sprintf("%s := []%s{%s}", keys, c.keyType(), literals(c.keys)))
	element, row := "int", "e"
	switch {
	case layout == "elements with pointers":
		element, row = "carried", "rowOf(e)"
	case strings.HasPrefix(layout, "elements of"):
		element = elementOf(layout)
		row = fmt.Sprintf("rowOfSized[%s](e)", element)
	}
	function := fmt.Sprintf("func(e %s) %s { return %s[%s] }", element, c.keyType(), keys, row)
	direction := map[bool]string{false: "Asc", true: "Desc"}[c.desc]
	layout, bits := strings.CutSuffix(layout, ", null bits")
	texts := fmt.Sprintf("asTexts(%s)", keys)
	switch layout {
	case "slice":
		col = fmt.Sprintf("sorter.%sOf(%s)", direction, keys)
	case "chunks", "concatenated chunks", "concatenated texts":
		col = fmt.Sprintf("sorter.Chunks(testkit.Cut(%s, rand.New(rand.NewPCG(1, 1)))).%s()", keys, direction)
	case "fixed":
		col = fmt.Sprintf("fixedOf(%s).%s()", keys, direction)
	case "arena":
		col = fmt.Sprintf("sorter.Arena(testkit.ArenaOf[int32](%s)).%s()", texts, direction)
	case "wide arena":
		col = fmt.Sprintf("sorter.Arena(testkit.ArenaOf[int64](%s)).%s()", texts, direction)
	case "views":
		data = append(data, fmt.Sprintf("views%d, buffers%[1]d := testkit.ViewsOf(%s, func(int) bool { return false }, rand.New(rand.NewPCG(1, 1)))", i, texts))
		col = fmt.Sprintf("sorter.Views(views%d, buffers%[1]d...).%s()", i, direction)
	case "encoded":
		col = fmt.Sprintf("sorter.%sEncoded(func(dst []byte, row int) []byte { return append(dst, %s[row]...) })", direction, keys)
	default:
		col = fmt.Sprintf("sorter.%s(%s)", direction, function)
	}
	col += []string{"", ".NaNsFirst()", ".NaNsLast()", ".TotalOrder()"}[c.nans]
	if c.place != noNulls {
		data = append(data, fmt.Sprintf("%s := %#v", nulls, c.nulls))
		place := []string{"", "NullsFirst", "NullsLast"}[c.place]
		if bits {
			data = append(data, fmt.Sprintf("valid%d, offset%[1]d := validityOf(%s, rand.New(rand.NewPCG(1, 1)))", i, nulls))
			col += fmt.Sprintf(".%sBits(valid%d, offset%[2]d)", place, i)
		} else {
			col += fmt.Sprintf(".%s(func(e %s) bool { return %s[%s] })", place, element, nulls, row)
		}
	}
	return data, col
}

// literals are values as Go has them, with commas between them.
func literals[K any](values []K) string {
	return strings.Join(mapped(values, func(v K) string { return literal(reflect.ValueOf(v)) }), ", ")
}

// literal is a value as Go has it.
func literal(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case time.Time:
		return fmt.Sprintf("time.Unix(%d, %d)", value.Unix(), value.Nanosecond())
	case netip.Addr:
		if !value.IsValid() {
			return "netip.Addr{}"
		}
		return fmt.Sprintf("netip.MustParseAddr(%q)", value)
	case sorter.Int128:
		return fmt.Sprintf("{Hi: %d, Lo: %d}", value.Hi, value.Lo)
	case sorter.Uint128:
		return fmt.Sprintf("{Hi: %d, Lo: %d}", value.Hi, value.Lo)
	}
	switch v.Kind() {
	case reflect.Float32:
		return floatLiteral(v.Float(), typeName(v.Type()), fmt.Sprintf("math.Float32frombits(%#x)", math.Float32bits(v.Interface().(float32))))
	case reflect.Float64:
		return floatLiteral(v.Float(), typeName(v.Type()), fmt.Sprintf("math.Float64frombits(%#x)", math.Float64bits(v.Float())))
	case reflect.Array:
		var all []string
		for i := range v.Len() {
			all = append(all, literal(v.Index(i)))
		}
		return "{" + strings.Join(all, ", ") + "}"
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Slice:
		if v.IsNil() {
			return "nil"
		}
		return fmt.Sprintf("%s(%q)", typeName(v.Type()), v.Bytes())
	}
	return fmt.Sprint(v.Interface())
}

// floatLiteral is a float, by its bits where these are lost otherwise.
func floatLiteral(f float64, name, bits string) string {
	if f != f || math.IsInf(f, 0) || f == 0 && math.Signbit(f) {
		if strings.HasPrefix(name, "float") {
			return bits
		}
		return name + "(" + bits + ")"
	}
	return fmt.Sprint(f)
}
