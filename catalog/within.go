package catalog

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/types"
)

// FilesWithin is the file system of the operating system with only what lies in some directories; without directories it has no files at all. It is
// for statements of people who must not read or write whatever the program may. Anything else is an error with CodeAccessDenied, whether it exists or not.
//
// Symbolic links are followed before the directories are compared, so none leads out. Someone who can change the directories while a statement
// runs can: the check comes before the use.
func FilesWithin(directories ...string) (FileSystem, error) {
	w := &filesWithin{}
	for _, d := range directories {
		real, err := filepath.Abs(d)
		if err == nil {
			real, err = filepath.EvalSymlinks(real)
		}
		if err != nil {
			return nil, fileError(d, err)
		}
		if !isDirectory(real) {
			return nil, types.Errorf(types.CodeWrongObjectType, "%q is not a directory", d)
		}
		w.roots = append(w.roots, real)
	}
	return w, nil
}

type filesWithin struct {
	local LocalFiles
	roots []string // absolute, without links
}

// real gives the path without links that a path leads to, of which the last parts need not exist, when it lies in one of the directories.
func (w *filesWithin) real(path string) (string, error) {
	denied := types.Errorf(types.CodeAccessDenied, "access to %q is not allowed", path).WithHint("%s", w.hint())
	existing, err := filepath.Abs(path)
	if err != nil {
		return "", denied
	}
	rest := ""
	for {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			real = filepath.Join(real, rest)
			if slices.ContainsFunc(w.roots, func(root string) bool { return lies(real, root) }) {
				return real, nil
			}
			return "", denied
		}
		parent := filepath.Dir(existing)
		if parent == existing {
			return "", denied
		}
		// A part that is a link to nowhere would be created through it, wherever it leads.
		if isLink(existing) {
			return "", denied
		}
		rest = filepath.Join(filepath.Base(existing), rest)
		existing = parent
	}
}

func (w *filesWithin) hint() string {
	if len(w.roots) == 0 {
		return "This database was opened without files."
	}
	return "Files may be below " + strings.Join(w.roots, ", ") + "."
}

// lies says whether a path is a directory or below it.
func lies(path, directory string) bool {
	relative, err := filepath.Rel(directory, path)
	return err == nil && filepath.IsLocal(relative)
}

func (w *filesWithin) Open(ctx context.Context, path string) (File, error) {
	real, err := w.real(path)
	if err != nil {
		return nil, err
	}
	f, err := w.local.Open(ctx, real)
	if err != nil {
		return nil, err
	}
	f.(*localFile).path = path
	return f, nil
}

// Glob refuses patterns that begin elsewhere, and leaves out what links and .. behind the first wildcard lead to elsewhere.
func (w *filesWithin) Glob(ctx context.Context, pattern string) ([]string, error) {
	fixed := filepath.Dir(pattern)
	if at := strings.IndexAny(pattern, `*?[`); at >= 0 {
		fixed = filepath.Dir(pattern[:at] + "x")
	}
	if _, err := w.real(fixed); err != nil {
		return nil, types.Errorf(types.CodeAccessDenied, "access to %q is not allowed", pattern).WithHint("%s", w.hint())
	}
	paths, err := w.local.Glob(ctx, pattern)
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := w.real(path)
		return err != nil
	}), err
}

func (w *filesWithin) Create(ctx context.Context, path string) (AtomicFile, error) {
	real, err := w.real(path)
	if err != nil {
		return nil, err
	}
	return w.local.Create(ctx, real)
}

func (w *filesWithin) MakeDirectory(ctx context.Context, path string) error {
	real, err := w.real(path)
	if err != nil {
		return err
	}
	return w.local.MakeDirectory(ctx, real)
}
