package beamsort

// serve runs the other processes of tests.
func serve() bool { return false }
