package rowsort

import (
	"errors"
	"math"
	"strings"
	"time"

	"example.com/sorter"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// errNoKey: a value has no key, or its evaluation failed.
var errNoKey = errors.New("rowsort: no key")

// column is a sort field with the values of rows by row number: in ints, texts or decimals, by
// its kind. Values can be compared. Integers are keys already; of others, [column.makeKeys] makes
// some.
type column struct {
	expr  sql.Expression
	field int // index of expr in a row if it is a plain column, otherwise -1
	typ   sql.Type
	kind  kind

	desc       bool
	nullsFirst bool // before all other keys, whatever the direction

	ints     []int64
	texts    []string // or keys
	decimals []decimal.Decimal
	null     []bool
	hasNulls bool

	collation *collation
	bytes     int    // of texts
	keyed     bool   // texts are keys
	arena     []byte // memory of keys
}

// describe makes c the column of f, without keys. It reports whether its type has keys.
func (c *column) describe(f *sql.SortField) bool {
	c.expr = f.Column
	c.field = -1
	if plain, ok := f.Column.(*expression.GetField); ok {
		c.field = plain.Index()
	}
	c.typ = f.Column.Type()
	c.kind, c.collation = kindOf(c.typ)
	c.desc = f.Order == sql.Descending
	// The engine's place of nulls is turned round with the direction.
	c.nullsFirst = (f.NullOrdering == sql.NullsFirst) != c.desc
	c.hasNulls, c.keyed, c.bytes = false, false, 0
	return c.kind != noKeys
}

// plain reports whether the column is read from the row.
func (c *column) plain() bool { return c.field >= 0 }

// grow gives c values of n rows in memory that it may have from before. They are unset.
func (c *column) grow(n int) {
	switch c.kind {
	case text:
		c.texts = sized(c.texts, n)
	case exact:
		c.decimals = sized(c.decimals, n)
	default:
		c.ints = sized(c.ints, n)
	}
	c.null = sized(c.null, n)
}

// sized returns s with length n, in new memory unless its own suffices.
func sized[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}

// evaluate sets the value of row i.
func (c *column) evaluate(ctx *sql.Context, row sql.Row, i int) error {
	var v any
	if uint(c.field) < uint(len(row)) {
		v = row[c.field]
	} else {
		var err error
		if v, err = c.expr.Eval(ctx, row); err != nil {
			return errNoKey
		}
	}
	c.null[i] = v == nil
	if v == nil {
		c.hasNulls = true
		return nil
	}
	return c.set(ctx, i, v)
}

// set makes v, which is not nil, the value of row i.
func (c *column) set(ctx *sql.Context, i int, v any) (err error) {
	switch c.kind {
	case signed:
		c.ints[i], err = signedKey(ctx, v)
	case unsigned:
		c.ints[i], err = unsignedKey(ctx, v)
	case floating:
		c.ints[i], err = floatKey(ctx, v)
	case text:
		c.texts[i], err = c.textOf(ctx, v)
		c.bytes += len(c.texts[i])
	case exact:
		c.decimals[i], err = decimalOf(c.typ, v)
	case date:
		c.ints[i], err = instantKey(v, 24*time.Hour)
	case instant:
		c.ints[i], err = instantKey(v, 1)
	case span:
		c.ints[i], err = spanKey(v)
	case whole:
		c.ints[i], err = wholeKey(ctx, c.typ, v)
	case enum:
		c.ints[i], err = enumKey(ctx, c.typ, v)
	case equal:
		c.ints[i] = 0
	}
	return err
}

// compare compares rows i and j, whose values are set.
func (c *column) compare(i, j int) int {
	if c.hasNulls && (c.null[i] || c.null[j]) {
		switch {
		case c.null[i] == c.null[j]:
			return 0
		case c.null[i] == c.nullsFirst:
			return -1
		}
		return 1
	}
	if c.desc {
		i, j = j, i
	}
	switch {
	case c.keyed:
		return strings.Compare(c.texts[i], c.texts[j])
	case c.kind == text:
		return c.collation.compare(c.texts[i], c.texts[j])
	case c.kind == exact:
		return c.decimals[i].Cmp(c.decimals[j])
	}
	a, b := c.ints[i], c.ints[j]
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// makeKeys makes the keys of rows.
func (c *column) makeKeys(rows rowSet) (err error) {
	switch c.kind {
	case text:
		for at := 0; at < rows.n && err == nil; at++ {
			i := rows.at(at)
			c.texts[i], err = c.textKey(c.texts[i])
		}
	case exact:
		c.texts = sized(c.texts, len(c.decimals))
		for at := 0; at < rows.n && err == nil; at++ {
			if i := rows.at(at); !c.null[i] {
				c.texts[i], err = c.decimalKey(c.decimals[i])
			}
		}
		c.decimals = nil
	default:
		if c.hasNulls {
			c.nullsAsKeys()
		}
		return nil
	}
	c.keyed = true
	return err
}

// sortable returns c, whose keys are made, as a column of package sorter.
func (c *column) sortable() sorter.Column[int] {
	var col sorter.Column[int]
	if c.keyed {
		col = directed(c.texts, c.desc)
	} else {
		col = directed(c.ints, c.desc)
	}
	if !c.hasNulls {
		return col
	}
	isNull := func(row int) bool { return c.null[row] }
	if c.nullsFirst {
		return col.NullsFirst(isNull)
	}
	return col.NullsLast(isNull)
}

// nullsAsKeys gives nulls the least or the greatest integer, if no other row has it: keys
// without nulls are sorted faster.
func (c *column) nullsAsKeys() {
	end := int64(math.MaxInt64)
	if c.nullsFirst != c.desc {
		end = math.MinInt64
	}
	for i, null := range c.null {
		if !null && c.ints[i] == end {
			return
		}
	}
	for i, null := range c.null {
		if null {
			c.ints[i] = end
		}
	}
	c.hasNulls = false
}

func directed[K sorter.Key](keys []K, desc bool) sorter.Column[int] {
	if desc {
		return sorter.DescOf(keys)
	}
	return sorter.AscOf(keys)
}

// signedKey converts as the comparator of integers does, for which text that is no number is 0.
func signedKey(ctx *sql.Context, v any) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case int32:
		return int64(v), nil
	case int16:
		return int64(v), nil
	case int8:
		return int64(v), nil
	}
	if !scalar(v) {
		return 0, errNoKey
	}
	k, _, err := types.Int64.Convert(ctx, v)
	if err != nil {
		return 0, nil
	}
	return k.(int64), nil
}

// topBit maps unsigned integers to signed ones in order.
const topBit = math.MinInt64

func unsignedKey(ctx *sql.Context, v any) (int64, error) {
	switch v := v.(type) {
	case uint64:
		return int64(v) ^ topBit, nil
	case uint32:
		return int64(v) ^ topBit, nil
	case uint16:
		return int64(v) ^ topBit, nil
	case uint8:
		return int64(v) ^ topBit, nil
	}
	if !scalar(v) {
		return 0, errNoKey
	}
	k, _, err := types.Uint64.Convert(ctx, v)
	if err != nil {
		return 0, errNoKey
	}
	return int64(k.(uint64)) ^ topBit, nil
}

func floatKey(ctx *sql.Context, v any) (int64, error) {
	switch v := v.(type) {
	case float64:
		return floatCode(v)
	case float32:
		return floatCode(float64(v))
	}
	if !scalar(v) {
		return 0, errNoKey
	}
	k, _, err := types.Float64.Convert(ctx, v)
	if err != nil {
		return 0, errNoKey
	}
	return floatCode(k.(float64))
}

// floatCode maps floats to integers in order, −0 to 0. To the engine's comparator a NaN is above
// and below all numbers: it has no place.
func floatCode(f float64) (int64, error) {
	if f != f {
		return 0, errNoKey
	}
	code := int64(math.Float64bits(f + 0)) // -0 + 0 is 0
	if code < 0 {
		code ^= math.MaxInt64
	}
	return code, nil
}

// scalar reports whether the engine's comparators of numbers and its Convert agree about v.
// They do not about JSON.
func scalar(v any) bool {
	switch v.(type) {
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64,
		bool, string, []byte, decimal.Decimal, time.Time:
		return true
	}
	return false
}

// maxSeconds bounds instants whose microseconds fit an integer, beyond the years of SQL.
const maxSeconds = 1 << 40

// instantKey returns microseconds since 1970, of v as the engine truncates it.
func instantKey(v any, to time.Duration) (int64, error) {
	t, ok := v.(time.Time)
	if !ok {
		return 0, errNoKey
	}
	if to > 1 {
		t = t.Truncate(to)
	}
	seconds, nanoseconds := t.Unix(), int64(t.Nanosecond())
	if nanoseconds%1000 != 0 || seconds < -maxSeconds || seconds > maxSeconds {
		return 0, errNoKey
	}
	return seconds*1e6 + nanoseconds/1e3, nil
}

func spanKey(v any) (int64, error) {
	t, err := types.TimespanType_{}.ConvertToTimespan(v)
	if err != nil {
		return 0, errNoKey
	}
	return int64(t), nil
}

// wholeKey converts v to a type whose values are integers.
func wholeKey(ctx *sql.Context, t sql.Type, v any) (int64, error) {
	k, _, err := t.Convert(ctx, v)
	if err != nil {
		return 0, errNoKey
	}
	switch k := k.(type) {
	case int16:
		return int64(k), nil
	case uint64:
		return int64(k) ^ topBit, nil
	}
	return 0, errNoKey
}

// enumKey returns the number of v's name. Values that the type lacks come before all of its own.
func enumKey(ctx *sql.Context, t sql.Type, v any) (int64, error) {
	k, _, err := t.Convert(ctx, v)
	if err != nil && !types.ErrConvertingToEnum.Is(err) {
		return 0, errNoKey
	}
	switch k := k.(type) {
	case uint16:
		return int64(k), nil
	case nil:
		return -1, nil
	}
	return 0, errNoKey
}
