package main

import (
	"example.com/sorter/examples/mysql/patch"
	"fmt"
)

func main() { fmt.Println(patch.Make()) }
