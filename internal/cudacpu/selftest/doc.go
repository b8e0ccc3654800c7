package selftest
