package main

func Example() {
	main()
	// Output:
	//    2s  at 1h15m7.82s   /
	//  1.8s  at 43m10s       /search
	//  1.8s  at 2h34m22.11s  /
	// 1.75s  at 23m17.62s    /cart
	//  1.7s  at 34m2.05s     /search
	//  1.6s  at 58m56.59s    /cart
}
