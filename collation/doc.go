// Package collation sorts text in the order of a language, and in natural order, by package sorter.
//
//	german := collation.New(language.German)
//	err := german.Sort(names)
//
//	err := sorter.By(
//		collation.Asc(german, func(p Person) string { return p.Name }),
//		sorter.Desc(func(p Person) int { return p.Age }),
//	).Sort(people)
//
// The order of a language is that of golang.org/x/text/collate. That package compares two texts by
// decoding both, once for each comparison of a sort, and its collators serve one goroutine at a time.
// Here each text becomes a key once, on all workers, and keys are sorted as byte strings.
//
// Natural order ([AscNatural]) needs no language: numbers inside of text are compared by value.
package collation
