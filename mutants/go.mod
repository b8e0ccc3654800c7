module example.com/sorter/mutants

go 1.25.0
