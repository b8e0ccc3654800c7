package main

func Example() {
	main()
	// Output:
	// 3  Mar  3    #105 Nightly backup is missing
	// 3  whenever  #103 Login fails for everybody
	// 2  Mar  5    #106 Dates shift by one day
	// 2  Mar  5    #104 Import stops at row 65536
	// 2  Mar  9    #102 Totals are off by a cent
	// 2  whenever  #107 Search ignores umlauts
	// 1  Mar  3    #108 Please change our address
	// 1  whenever  #101 How do I export a report?
}
