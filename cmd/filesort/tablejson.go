package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// appendJSON appends a value as JSON. Numbers that JSON does not have are texts. Bytes are in base64.
func appendJSON(text []byte, column arrow.Array, i int) ([]byte, error) {
	if isNull(column, i) {
		return append(text, "null"...), nil
	}
	switch column := column.(type) {
	case *array.Float64:
		return appendFloat(text, column.Value(i), 64)
	case *array.Float32:
		return appendFloat(text, float64(column.Value(i)), 32)
	case *array.Float16:
		return appendFloat(text, half(column, i), 32)
	case *array.Dictionary:
		return appendJSON(text, column.Dictionary(), column.GetValueIndex(i))
	case *array.RunEndEncoded:
		return appendJSON(text, column.Values(), column.GetPhysicalIndex(i))
	case *array.Struct:
		return appendObject(text, column, i)
	case array.ListLike:
		return appendElements(text, column, i)
	case interface{ Value(i int) string }:
		return appendWord(text, column.Value(i))
	case interface{ Value(i int) []byte }:
		text = base64.StdEncoding.AppendEncode(append(text, '"'), column.Value(i))
		return append(text, '"'), nil
	}
	return appendMarshaled(text, column.GetOneForMarshal(i))
}

func appendMarshaled(text []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(text, b...), err
}

func appendFloat(text []byte, v float64, bits int) ([]byte, error) {
	switch {
	case v-v != 0:
		return fmt.Appendf(text, "%q", strconv.FormatFloat(v, 'g', -1, bits)), nil
	case bits == 32:
		return appendMarshaled(text, float32(v))
	}
	return appendMarshaled(text, v)
}

// appendWord appends a text. JSON has no place for bytes that are no UTF-8.
func appendWord(text []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("%.40q is no UTF-8, which JSON has to be", s)
	}
	return appendMarshaled(text, s)
}

func appendObject(text []byte, column *array.Struct, i int) (_ []byte, err error) {
	text = append(text, '{')
	for j, f := range column.DataType().(*arrow.StructType).Fields() {
		if j > 0 {
			text = append(text, ',')
		}
		if text, err = appendWord(text, f.Name); err != nil {
			return nil, err
		}
		if text, err = appendJSON(append(text, ':'), column.Field(j), i); err != nil {
			return nil, err
		}
	}
	return append(text, '}'), nil
}

func appendElements(text []byte, column array.ListLike, i int) (_ []byte, err error) {
	from, to := column.ValueOffsets(i)
	text = append(text, '[')
	for j := from; j < to; j++ {
		if j > from {
			text = append(text, ',')
		}
		if text, err = appendJSON(text, column.ListValues(), int(j)); err != nil {
			return nil, err
		}
	}
	return append(text, ']'), nil
}
