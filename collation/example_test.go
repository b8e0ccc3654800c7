package collation_test

import (
	"bytes"
	"fmt"

	"example.com/sorter"
	"example.com/sorter/collation"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

func ExampleCollation_Sort() {
	names := []string{"Zoe", "Åsa", "Ärla", "Adam", "adam"}
	_ = collation.New(language.Swedish).Sort(names)
	fmt.Println(names)
	_ = collation.New(language.German).Sort(names)
	fmt.Println(names)
	// Output:
	// [adam Adam Zoe Åsa Ärla]
	// [adam Adam Ärla Åsa Zoe]
}

func ExampleAsc() {
	type person struct {
		name string
		age  int
	}
	people := []person{{"Özil", 35}, {"oz", 50}, {"Özil", 41}, {"Ozu", 60}}
	byName := collation.Asc(collation.New(language.German, collate.IgnoreCase), func(p person) string { return p.name })
	_ = sorter.By(byName, sorter.Desc(func(p person) int { return p.age })).Sort(people)
	fmt.Println(people)
	// Output: [{oz 50} {Özil 41} {Özil 35} {Ozu 60}]
}

func ExampleAscNatural() {
	files := []string{"v10.txt", "v9.txt", "v1.10.txt", "v1.9.txt"}
	_ = sorter.By(collation.AscNatural(func(s string) string { return s })).Sort(files)
	fmt.Println(files)
	// Output: [v1.9.txt v1.10.txt v9.txt v10.txt]
}

// The largest first: equal texts keep their input order all the same.
func ExampleDesc() {
	names := []string{"Zoe", "Åsa", "Adam", "Ärla"}
	byName := collation.Desc(collation.New(language.Swedish), func(s string) string { return s })
	_ = sorter.By(byName).Sort(names)
	fmt.Println(names)
	// Output: [Ärla Åsa Zoe Adam]
}

func ExampleDescNatural() {
	releases := []string{"v1.9", "v1.10", "v1.2"}
	_ = sorter.By(collation.DescNatural(func(s string) string { return s })).Sort(releases)
	fmt.Println(releases)
	// Output: [v1.10 v1.9 v1.2]
}

// Keys are for other stores, such as an index on disk: bytes in the order of the texts.
func ExampleCollation_Key() {
	german := collation.New(language.German, collate.IgnoreCase)
	fmt.Println(bytes.Compare(german.Key("Özil"), german.Key("Pohl")))
	fmt.Println(bytes.Equal(german.Key("OZ"), german.Key("oz")))
	fmt.Println(bytes.Compare(collation.NaturalKey("v9"), collation.NaturalKey("v10")))
	// Output:
	// -1
	// true
	// -1
}

// A column of type []byte in the order of a language, for codes of one's own.
func ExampleCollation_AppendKey() {
	c := collation.New(language.Swedish)
	z, o := c.AppendKey(nil, "z"), c.AppendKey(nil, "ö")
	fmt.Println(bytes.Compare(z, o))
	// Output: -1
}

// Keys are made only of texts that tie in the first 16 bytes.
func ExampleCollation_Prefix() {
	c := collation.New(language.German)
	texts := []string{"Österreich", "Zypern", "Oman"}
	self := func(text string) string { return text }
	_ = sorter.By(sorter.Asc(c.Prefix), collation.Asc(c, self)).Sort(texts)
	fmt.Println(texts)
	// Output: [Oman Österreich Zypern]
}
