package spill

import "os"

// DefaultDir returns the directory for runs where the caller names none.
func DefaultDir() string {
	all := []string{os.TempDir(), "/var/tmp", "/tmp"}
	for _, dir := range all {
		if st, err := os.Stat(dir); err == nil && st.IsDir() && !InMemory(dir) {
			return dir
		}
	}
	return all[0]
}
