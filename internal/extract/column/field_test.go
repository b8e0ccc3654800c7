package column

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/stream"
)

// TestFieldOf finds fields by names and tags, and describes those that it does not find.
func TestFieldOf(t *testing.T) {
	type inner struct {
		ID   int32 `json:"id,omitempty" db:"ident"`
		Twin int32 `json:"twin"`
		Same int32 `db:"twin"`
	}
	type base struct{ Deep *inner }
	type flagged struct {
		Value string
		Valid bool
	}
	type loop *loop
	type outer struct {
		pad  byte
		Base base
		*inner
		Name  string `json:",omitempty"`
		Opt   flagged
		Loop  loop
		Chan  chan int
		Pairs []byte `xml:"p"`
		Three struct {
			Value string
			Valid bool
			More  int
		}
		Named struct {
			Value string
			Other bool
		}
		Typed struct {
			Value string
			Valid int
		}
		Odd struct {
			Value chan int
			Valid bool
		}
	}
	id := int32(7)
	e := outer{Base: base{&inner{ID: id}}, inner: &inner{ID: 8}, Name: "n", Opt: flagged{"o", true}}
	for name, want := range map[string]any{"Base.Deep.ID": int32(7), "Base.Deep.id": int32(7), "Base.Deep.ident": int32(7), "ID": int32(8), "id": int32(8), "Name": "n", "Opt": "o", "p": []byte(nil), "Opt.Value": "o", "Opt.Valid": true} {
		f, err := FieldOf(reflect.TypeFor[outer](), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := reflect.NewAt(reflect.TypeOf(want), f.address(unsafe.Pointer(&e))).Elem().Interface()
		if !reflect.DeepEqual(got, want) || f.Nullable() != (strings.Contains(name, "Deep") || strings.EqualFold(name, "id") || name == "Opt") {
			t.Errorf("%s is %v, nullable %t", name, got, f.Nullable())
		}
	}
	for name, want := range map[string]string{
		"None":      "has no field \"None\"; it has pad, Base, inner, ID,",
		"twin":      "\"twin\" is in the tags of Twin and of Same",
		"Name.More": "string is no struct",
		"Base":      "base is no key",
		"Chan":      "a chan int is no key",
		"Loop":      "is no key",
		"Three":     "is no key", "Named": "is no key", "Typed": "is no key", "Odd": "is no key",
		"omitempty": "has no field",
	} {
		if _, err := FieldOf(reflect.TypeFor[outer](), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	for tag, want := range map[reflect.StructTag][]string{``: nil, `a`: nil, `a:b`: nil, `a:"b"`: {"b"}, `a:"b,c" d:",e" f:"g"`: {"b", "g"}, `a:"b" c`: {"b"}, `a:"b`: nil, "a:`b`": {"b"}} {
		if got := tagNames(tag); !slices.Equal(got, want) {
			t.Errorf("names in %s are %q", tag, got)
		}
	}
	var none outer
	for _, name := range []string{"Base.Deep.ID", "ID", "Opt"} {
		f, _ := FieldOf(reflect.TypeFor[outer](), name)
		if !f.IsNull(unsafe.Pointer(&none)) || f.IsNull(unsafe.Pointer(&e)) {
			t.Errorf("%s: null", name)
		}
	}
}

// TestFieldUpTo finds the one element of up to 64, at each place, that does not come after another, in both directions, and that at its
// bound if elements before it are asked for.
func TestFieldUpTo(t *testing.T) {
	type element struct {
		pad byte
		key int32
	}
	f, err := FieldOf(reflect.TypeFor[element](), "key")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 7, 8, 9, 16, 17, 63, 64} {
		for place := range n {
			for _, desc := range []bool{false, true} {
				s := make([]element, n)
				for i := range s {
					if s[i].key = 1000 + int32(i); desc {
						s[i].key = -s[i].key
					}
				}
				s[place].key = 0
				for _, c := range []struct {
					than   int32
					before bool
					want   int
				}{{0, false, 1}, {0, true, 0}, {1, true, 1}, {-1, false, 0}} {
					than := element{key: c.than}
					if desc {
						than.key = -than.key
					}
					var masks [1]uint64
					count, ok := f.UpTo(masks[:], stream.RawOf(s), unsafe.Pointer(&than), desc, c.before, 99)
					if !ok || count != c.want || masks[0] != uint64(c.want)<<place {
						t.Fatalf("%d elements, descending %t, up to %d, before it %t: %b, want that at %d", n, desc, than.key, c.before, masks[0], place)
					}
				}
			}
		}
	}
}
