package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/lacunadb/lacuna/types"
)

// LocalFiles is the file system of the operating system.
type LocalFiles struct{}

type localFile struct {
	file *os.File
	size int64
	path string
}

// Open opens a regular file.
func (LocalFiles) Open(ctx context.Context, path string) (File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	info, err := f.Stat()
	switch {
	case err == nil && info.IsDir():
		err = types.Errorf(types.CodeWrongObjectType, "%q is a directory, not a file", path).
			WithHint("Name the files in it: '%s'.", filepath.Join(path, "*"))
	case err == nil && !info.Mode().IsRegular():
		err = types.Errorf(types.CodeWrongObjectType, "%q is not a regular file", path)
	case err != nil:
		err = fileError(path, err)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &localFile{file: f, size: info.Size(), path: path}, nil
}

// fileError turns an error of the operating system into one with a code.
func fileError(path string, err error) error {
	code, text := types.CodeIO, "cannot read file %q: %v"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return types.Errorf(types.CodeUndefinedFile, "file %q does not exist", path).WithCause(err)
	case errors.Is(err, fs.ErrPermission):
		code = types.CodeAccessDenied
	}
	var p *fs.PathError
	cause := err
	if errors.As(err, &p) {
		cause = p.Err
	}
	return types.Errorf(code, text, path, cause).WithCause(err)
}

func (f *localFile) ReadAt(ctx context.Context, p []byte, offset int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, offset)
}

func (f *localFile) Size() int64  { return f.size }
func (f *localFile) Path() string { return f.path }
func (f *localFile) Close() error { return f.file.Close() }

// Glob matches files; ** stands for any number of directories.
func (LocalFiles) Glob(ctx context.Context, pattern string) ([]string, error) {
	if !strings.Contains(pattern, "**") {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, types.Errorf(types.CodeInvalidParameter, "malformed file pattern %q", pattern).WithCause(err)
		}
		sort.Strings(paths)
		return paths, nil
	}
	return globTree(ctx, pattern)
}

// globTree walks from the last directory before the first ** and matches the rest part by part.
func globTree(ctx context.Context, pattern string) ([]string, error) {
	parts := strings.Split(filepath.ToSlash(pattern), "/")
	fixed := 0
	for fixed < len(parts) && !strings.ContainsAny(parts[fixed], "*?[") {
		fixed++
	}
	root := strings.Join(parts[:fixed], "/")
	if root == "" {
		root = "."
		if fixed > 0 {
			root = "/"
		}
	}
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		relative, err := filepath.Rel(root, path)
		if err != nil || entry.IsDir() {
			return err
		}
		if matchParts(parts[fixed:], strings.Split(filepath.ToSlash(relative), "/")) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fileError(root, err)
	}
	sort.Strings(found)
	return found, nil
}

func matchParts(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		for i := 0; i <= len(parts); i++ {
			if matchParts(pattern[1:], parts[i:]) {
				return true
			}
		}
		return false
	}
	if len(parts) == 0 {
		return false
	}
	ok, err := filepath.Match(pattern[0], parts[0])
	return err == nil && ok && matchParts(pattern[1:], parts[1:])
}

type localAtomicFile struct {
	temp *os.File
	path string
}

// Create writes into a temporary file beside the path and renames it over the path on Commit.
func (LocalFiles) Create(ctx context.Context, path string) (AtomicFile, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, types.Errorf(types.CodeIO, "cannot create a file beside %q: %v", path, err).WithCause(err)
	}
	return &localAtomicFile{temp: temp, path: path}, nil
}

func (f *localAtomicFile) Write(p []byte) (int, error) { return f.temp.Write(p) }

func (f *localAtomicFile) Commit() error {
	// CreateTemp's mode is private to the user; a file that the user asked for gets the usual one.
	err := f.temp.Chmod(0o644)
	if err == nil {
		err = f.temp.Sync()
	}
	if closeErr := f.temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.temp.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.temp.Name())
		return types.Errorf(types.CodeIO, "cannot write file %q: %v", f.path, err).WithCause(err)
	}
	// The rename itself is durable only when the directory is; where directories cannot be synced this is left out.
	if dir, err := os.Open(filepath.Dir(f.path)); err == nil {
		_ = dir.Sync()
		dir.Close()
	}
	return nil
}

func (f *localAtomicFile) Abort() error {
	f.temp.Close()
	return os.Remove(f.temp.Name())
}
