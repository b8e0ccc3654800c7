package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// workFolder is a folder of files that have a name while a sort goes on. There is none before the first of them.
type workFolder struct {
	parent string
	path   string
}

// file returns the path of a file of a name.
func (w *workFolder) file(name string) (path string, err error) {
	if w.path == "" {
		if w.path, err = os.MkdirTemp(w.parent, ".filesort-*"); err != nil {
			return "", err
		}
	}
	return filepath.Join(w.path, name), nil
}

func (w *workFolder) remove() error {
	if w.path == "" {
		return nil
	}
	return os.RemoveAll(w.path)
}

// seekable returns where the inputs can be read from any place. Standard input and those that can be opened once only
// are copied to the folder.
func (cmd *command) seekable(ctx context.Context, stdin io.Reader, folder *workFolder) (places []string, err error) {
	for i, name := range cmd.files {
		info, err := os.Stat(name)
		if name != "-" && err != nil {
			return nil, err
		}
		if name != "-" && info.Mode().IsRegular() && stored(info) {
			if _, descriptor, err := follow(name); err == nil && !descriptor {
				places = append(places, name)
				continue
			}
		}
		path, err := folder.file(fmt.Sprint(i))
		if err != nil {
			return nil, err
		}
		if err := copyInput(ctx, path, name, stdin); err != nil {
			return nil, fmt.Errorf("copying %s, which is read from its end: %w", nameOf(name), err)
		}
		places = append(places, path)
	}
	return places, nil
}

// copyInput copies an input to a new file.
func copyInput(ctx context.Context, path, name string, stdin io.Reader) error {
	in, err := openInput(name, stdin, "none", true)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, readerOf(ctx, in))
	return errors.Join(err, f.Close())
}

// readerOf returns a reader that ends with the error of ctx, also while r waits for more.
func readerOf(ctx context.Context, r io.Reader) io.Reader {
	type result struct {
		text []byte
		err  error
	}
	results := make(chan result)
	go func() { // ends after r, or after ctx and one more result of r
		for {
			text := make([]byte, parquetBuffer)
			n, err := r.Read(text)
			select {
			case results <- result{text[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var last result
	return reading(func(p []byte) (int, error) {
		if len(last.text) == 0 && last.err == nil {
			select {
			case last = <-results:
			case <-ctx.Done():
				last.err = ctx.Err()
			}
		}
		n := copy(p, last.text)
		if last.text = last.text[n:]; len(last.text) > 0 {
			return n, nil
		}
		return n, last.err
	})
}

type reading func(p []byte) (int, error)

func (r reading) Read(p []byte) (int, error) { return r(p) }
