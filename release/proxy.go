package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// pack returns a module as proxies serve it.
func (r *release) pack(m *mod) ([]byte, error) {
	var b bytes.Buffer
	err := zip.CreateFromDir(&b, module.Version{Path: m.path, Version: r.version}, filepath.Join(r.dir, m.dir))
	return b.Bytes(), err
}

// sum returns the lines of go.sum that stand for a module.
func (r *release) sum(m *mod) (string, error) {
	file, err := os.CreateTemp("", "release-*.zip")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(m.zip)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", err
	}
	all, err := dirhash.HashZip(file.Name(), dirhash.Hash1)
	if err != nil {
		return "", err
	}
	own, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(filepath.Join(r.dir, m.dir, "go.mod")) })
	return fmt.Sprintf("%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", m.path, r.version, all, own), err
}

// proxy writes the modules that get a tag to a folder, which GOPROXY=file://<folder> reads.
func (r *release) proxy(dir string) error {
	for _, m := range r.published() {
		escaped, err := module.EscapePath(m.path)
		if err != nil {
			return err
		}
		at := filepath.Join(dir, escaped, "@v")
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
		own, err := os.ReadFile(filepath.Join(r.dir, m.dir, "go.mod"))
		if err != nil {
			return err
		}
		info, err := json.Marshal(struct {
			Version string
			Time    time.Time
		}{r.version, time.Now().UTC()})
		if err != nil {
			return err
		}
		for name, data := range map[string][]byte{"list": []byte(r.version + "\n"), r.version + ".info": info, r.version + ".mod": own, r.version + ".zip": m.zip} {
			if err := os.WriteFile(filepath.Join(at, name), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
