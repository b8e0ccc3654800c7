package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// keyMaker appends the key of a value: bytes that compare as values do. It reports whether the value is of the kind.
type keyMaker func(dst []byte, value string) (key []byte, ok bool)

// keyKind is a kind whose values are compared by keys. No column is found to be of one: -by says so.
type keyKind struct {
	make keyMaker
	with func(argument string) (keyMaker, error) // in place of make: the word has an argument
	// growth bounds the bytes of a key for each byte of its value, beyond shortKey.
	growth int64
	folds  bool // case may be folded first
}

// shortKey is the length of the key of an empty value, or of a kind of fixed length, at most.
const shortKey = 24

var keyKinds = map[kind]keyKind{
	natural:     {make: appendNatural, growth: 3, folds: true}, // of a digit: the sign of a number, its length, itself
	versionName: {make: appendName, growth: 10, folds: true},
	localText:   {with: textIn, growth: 8}, // of a few ligatures more, up to 28
	quantity:    {make: appendQuantity, growth: 2},
	monthName:   {make: appendMonth},
	ipAddress:   {make: appendAddress, growth: 1},
	uniqueID:    {make: appendUUID},
	duration:    {make: appendDuration, growth: 2},
	dated:       {with: datesAs},
}

// foldGrowth bounds the bytes of a folded text for each of its bytes.
const foldGrowth = 3

// setKey sets the maker of the keys of s, if its kind has one.
func (s *spec) setKey(argument string, given bool) error {
	k, ok := keyKinds[s.kind]
	switch {
	case given != (k.with != nil):
		if given {
			return fmt.Errorf("column %q: %v takes no =", s.name, s.kind)
		}
		return fmt.Errorf("column %q: nothing after %v=", s.name, s.kind)
	case s.fold && s.kind != text && !k.folds:
		return fmt.Errorf("column %q: fold goes with string, natural and version", s.name)
	case k.with != nil:
		s.argument = argument
		make, err := k.with(argument)
		if err != nil {
			return fmt.Errorf("column %q: %v=%s: %w", s.name, s.kind, argument, err)
		}
		k.make = make
	case !ok && s.fold:
		k = keyKind{make: func(dst []byte, value string) ([]byte, bool) { return append(dst, value...), true }, growth: 1}
	}
	if s.key, s.growth = k.make, k.growth; s.fold {
		s.key, s.growth = func(dst []byte, value string) ([]byte, bool) { return k.make(dst, folded(value)) }, foldGrowth*k.growth
	}
	return nil
}

// folded returns a text in which letters that differ in case alone are the same: by Unicode's full case folding.
func folded(value string) string {
	for i := range len(value) {
		if value[i] >= utf8.RuneSelf {
			return cases.Fold().String(value)
		}
	}
	return strings.ToLower(value)
}

// keyText returns a function that returns the key of a value as a text.
func keyText(make keyMaker) func(value string) (key string, ok bool) {
	free := sync.Pool{New: func() any { return new([]byte) }}
	return func(value string) (string, bool) {
		memory := free.Get().(*[]byte)
		defer free.Put(memory)
		var ok bool
		*memory, ok = make((*memory)[:0], value)
		return string(*memory), ok
	}
}

// kindWords returns the words of -by for all kinds.
func kindWords() string {
	words := slices.Sorted(maps.Keys(kindsByName))
	return strings.Join(words, ", ")
}
