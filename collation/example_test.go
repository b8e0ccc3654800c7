package collation_test

import (
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
