// Package drivertest has the tests that every binding of the driver passes: on a fake driver library, which logs
// its calls and fails on demand, and on a device where this machine has one.
package drivertest
