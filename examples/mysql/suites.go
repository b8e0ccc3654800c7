package main

import "example.com/sorter/examples/mysql/patch"

func compareSuites(*patch.Engine, []string) error { return nil }
