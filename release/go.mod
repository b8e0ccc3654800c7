module example.com/sorter/release

go 1.26.0

require golang.org/x/mod v0.43.0

require golang.org/x/tools v0.52.0
