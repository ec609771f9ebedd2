package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
	// Looked at before it is opened: to open a named pipe would wait for its writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fileError(path, err)
	case info.IsDir():
		return nil, types.Errorf(types.CodeWrongObjectType, "%q is a directory, not a file", path).
			WithHint("Name the files in it: '%s'.", filepath.Join(path, "*"))
	case !info.Mode().IsRegular():
		return nil, types.Errorf(types.CodeWrongObjectType, "%q is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, fileError(path, err)
	}
	return &localFile{file: f, size: info.Size(), path: path}, nil
}

// fileError turns an error of the operating system into one with a code.
func fileError(path string, err error) error {
	code := types.CodeIO
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return types.Errorf(types.CodeUndefinedFile, "file %q does not exist", path).WithCause(err)
	case errors.Is(err, fs.ErrPermission):
		code = types.CodeAccessDenied
	}
	cause := err
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		path, cause = p.Path, p.Err
	}
	return types.Errorf(code, "cannot read file %q: %v", path, cause).WithCause(err)
}

func (f *localFile) ReadAt(ctx context.Context, p []byte, offset int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.file.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		err = fileError(f.path, err)
	}
	return n, err
}

func (f *localFile) Size() int64  { return f.size }
func (f *localFile) Path() string { return f.path }

func (f *localFile) Close() error {
	if err := f.file.Close(); err != nil {
		return fileError(f.path, err)
	}
	return nil
}

// Glob matches files, not directories nor what Create leaves behind when the process is killed; ** as a part of the path stands for any number of directories, links to directories not followed. An
// unreadable directory below ** is an error: files could be missing unnoticed.
func (LocalFiles) Glob(ctx context.Context, pattern string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, types.Errorf(types.CodeInvalidParameter, "malformed file pattern %q", pattern).WithCause(err)
	}
	if strings.Contains(pattern, "**") {
		return globTree(ctx, pattern)
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, types.Errorf(types.CodeInvalidParameter, "malformed file pattern %q", pattern).WithCause(err)
	}
	hidden := !isTemporary(pattern)
	paths = slices.DeleteFunc(paths, func(p string) bool { return hidden && isTemporary(p) || isDirectory(p) })
	sort.Strings(paths)
	return paths, nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// globTree walks from the last directory before the first pattern and matches the rest part by part.
func globTree(ctx context.Context, pattern string) ([]string, error) {
	parts := strings.Split(filepath.ToSlash(pattern), "/")
	fixed := 0
	for fixed < len(parts) && !strings.ContainsAny(parts[fixed], `*?[\`) {
		fixed++
	}
	root := strings.Join(parts[:fixed], "/")
	if root == "" {
		root = "."
		if fixed > 0 {
			root = "/"
		}
	}
	// Two ** in a row mean the same as one, and would be tried in all combinations.
	wanted := slices.CompactFunc(slices.Clone(parts[fixed:]), func(a, b string) bool { return a == "**" && b == "**" })
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // no such root, or removed meanwhile
		case err == nil:
			err = ctx.Err()
		}
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if !isTemporary(path) && matchParts(wanted, strings.Split(filepath.ToSlash(relative), "/")) && !(entry.Type()&fs.ModeSymlink != 0 && isDirectory(path)) {
			found = append(found, path)
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
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

// MakeDirectory makes a directory and those above it.
func (LocalFiles) MakeDirectory(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return writeError(path, err)
	}
	return nil
}

// localAtomicFile is a temporary file that is to be renamed.
type localAtomicFile struct {
	temp   *os.File
	path   string // as it was named
	target string // where links of that name lead
	closed bool
	err    error // of Close
}

// Create writes into a temporary file beside the path and renames it over the path on Commit. A file that is replaced hands its permissions on; a link
// stays one.
func (LocalFiles) Create(ctx context.Context, path string) (AtomicFile, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	target := path
	old, err := os.Stat(path)
	switch {
	case err != nil:
		old = nil // nothing there, or nothing to be known of it: writing beside it tells
	case old.IsDir():
		return nil, types.Errorf(types.CodeWrongObjectType, "cannot write file %q: it is a directory", path)
	case !old.Mode().IsRegular():
		return nil, types.Errorf(types.CodeWrongObjectType, "cannot write file %q: it is not a regular file", path) // and would become one
	default:
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return nil, writeError(path, err)
		}
	}
	for {
		// Not os.CreateTemp, whose files only their owner may read: a file that the user asked for gets the usual permissions.
		name := filepath.Join(filepath.Dir(target), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(target), rand.Uint32()))
		temp, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return nil, writeError(path, err)
		}
		f := &localAtomicFile{temp: temp, path: path, target: target}
		if old != nil {
			if err := temp.Chmod(old.Mode().Perm()); err != nil {
				return nil, errors.Join(writeError(path, err), f.Abort())
			}
		}
		return f, nil
	}
}

// isTemporary says whether a path is one of those that Create writes to before Commit.
func isTemporary(path string) bool {
	name, ok := strings.CutSuffix(filepath.Base(path), ".tmp")
	at := strings.LastIndexByte(name, '.')
	return ok && at > 1 && name[0] == '.' && len(name)-at-1 == 8 && strings.Trim(name[at+1:], "0123456789abcdef") == ""
}

// writeError is fileError for a file being written.
func writeError(path string, err error) error {
	e := fileError(path, err).(*types.Error)
	cause := err // without the name of the temporary file
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		cause = p.Err
	case errors.As(err, &l):
		cause = l.Err
	}
	e.Message = fmt.Sprintf("cannot write file %q: %v", path, cause)
	return e
}

func (f *localAtomicFile) Write(p []byte) (int, error) {
	n, err := f.temp.Write(p)
	if err != nil {
		err = writeError(f.path, err)
	}
	return n, err
}

func (f *localAtomicFile) Close() error {
	if f.closed {
		return f.err
	}
	f.closed = true
	err := f.temp.Sync()
	if closeErr := f.temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		f.err = writeError(f.path, err)
	}
	return f.err
}

func (f *localAtomicFile) Commit() error {
	err := f.Close()
	if err == nil {
		if err = os.Rename(f.temp.Name(), f.target); err != nil {
			err = writeError(f.path, err)
		}
	}
	if err != nil {
		os.Remove(f.temp.Name())
		return err
	}
	// The rename itself is durable only when the directory is; where directories cannot be synced this is left out.
	if dir, err := os.Open(filepath.Dir(f.target)); err == nil {
		_ = dir.Sync()
		dir.Close()
	}
	return nil
}

func (f *localAtomicFile) Abort() error {
	if !f.closed {
		f.temp.Close()
	}
	if err := os.Remove(f.temp.Name()); err != nil {
		return writeError(f.path, err)
	}
	return nil
}
