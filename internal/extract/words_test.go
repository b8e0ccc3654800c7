package extract

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// TestWords packs columns into words, which end where they are full, or where they are told to.
func TestWords(t *testing.T) {
	of := func(kinds ...sortkey.Kind) (cols []Column) {
		for _, k := range kinds {
			cols = append(cols, ColumnAs(k, nil))
		}
		return cols
	}
	for _, c := range []struct {
		kinds []sortkey.Kind
		ends  []int
		want  string // columns and bits of each word
	}{
		{[]sortkey.Kind{sortkey.Int32, sortkey.Int32, sortkey.Int8}, nil, "2:64 1:8"},
		{[]sortkey.Kind{sortkey.Int32, sortkey.Int32, sortkey.Int8}, []int{0}, "1:32 2:40"},
		{[]sortkey.Kind{sortkey.Int32, sortkey.Int32, sortkey.Int8}, []int{0, 1}, "1:32 1:32 1:8"},
		{[]sortkey.Kind{sortkey.Int8, sortkey.String, sortkey.Int8}, nil, "2:64 1:8"},
		{[]sortkey.Kind{sortkey.Int8, sortkey.String, sortkey.Int8}, []int{0}, "1:8 1:64 1:8"},
		{[]sortkey.Kind{sortkey.Int64}, []int{0}, "1:64"}, {nil, nil, ""},
	} {
		var ends func(i int) bool
		if c.ends != nil {
			ends = func(i int) bool { return slices.Contains(c.ends, i) }
		}
		words, got := WordsEnding(of(c.kinds...), sortkey.Order{}, ends), []string(nil)
		for i := range words {
			got = append(got, fmt.Sprintf("%d:%d", words[i].Columns(), words[i].Bits))
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("kinds %v, ends %v: %s, want %s", c.kinds, c.ends, all, c.want)
		}
		each := scratch.Size(1000, 8) + scratch.Size(1000, 1)
		if bytes, want := EarlyBytes(1000, words), int64(max(0, len(words)-1))*each; bytes != want {
			t.Errorf("early codes of %d words take %d bytes, want %d", len(words), bytes, want)
		}
	}
}

// TestFieldRuns compares texts of fields that are equal in runs, each text in memory of its own.
func TestFieldRuns(t *testing.T) {
	type named struct {
		Name string
		_    int
	}
	name, err := column.FieldOf(reflect.TypeFor[named](), "Name")
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"%d", "n%05d", "name %05d", "a longer name than two words %05d", "%-100d"} {
		for _, run := range []int{1, 2, 3, 7, 64, 65, 500} {
			s, want := make([]named, 700), presorted.Steps{}
			for i := range s {
				s[i].Name = strings.Clone(fmt.Sprintf(form, 99_000-i/run*7%90_000))
				if i > 0 && s[i].Name == s[i-1].Name {
					want.Ties++
				} else if i > 0 && s[i].Name < s[i-1].Name {
					want.Falls++
				} else if i > 0 {
					want.Rises++
				}
			}
			var loop parallel.Loop
			words := Words(AppendColumns(nil, []column.Spec{name.Spec()}), sortkey.Order{})
			f, ok := NewFieldSteps(cpu.PayloadOf(s), words, &loop)
			ties := make(engine.Ties, engine.TieWords(len(s)))
			if got := f.Follow(0, len(s), ties); !ok || got != want {
				t.Fatalf("runs of %d texts like %q: %v, want %v", run, fmt.Sprintf(form, 7), got, want)
			}
			for i := 1; i < len(s); i++ {
				if want.Rises == 0 && ties.Tied(i) != (s[i].Name == s[i-1].Name) {
					t.Fatalf("runs of %d texts: text %d ties: %t", run, i, ties.Tied(i))
				}
			}
		}
	}
}
