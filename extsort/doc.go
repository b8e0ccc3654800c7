// Package extsort sorts more elements than memory holds.
package extsort
