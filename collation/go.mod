module example.com/sorter/collation

go 1.25.0

require (
	example.com/sorter v0.0.0
	golang.org/x/text v0.41.0
)

require golang.org/x/exp v0.0.0-20240719175910-8a7402abbf56 // indirect

replace example.com/sorter => ../
