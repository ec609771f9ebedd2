package catalog_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

var (
	ctx   = context.Background()
	files = catalog.LocalFiles{}
)

// wantCode checks that an error has a code and names what it is about.
func wantCode(t *testing.T, err error, code types.Code, mentions string) {
	t.Helper()
	var e *types.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Message, mentions) {
		t.Errorf("got %v, want an error of code %s about %q", err, code, mentions)
	}
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLocalOpen(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a.txt"), "0123456789")
	f, err := files.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Size() != 10 || f.Path() != path {
		t.Errorf("size %d, path %s", f.Size(), f.Path())
	}
	b := make([]byte, 4)
	if n, err := f.ReadAt(ctx, b, 3); n != 4 || err != nil || string(b) != "3456" {
		t.Errorf("read %q, %v", b[:n], err)
	}
	if n, err := f.ReadAt(ctx, b, 8); n != 2 || err != io.EOF {
		t.Errorf("a read past the end gives %d bytes and %v", n, err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := f.ReadAt(canceled, b, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled read: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	_, err = f.ReadAt(ctx, b, 0)
	wantCode(t, err, types.CodeIO, "a.txt")
	wantCode(t, f.Close(), types.CodeIO, "a.txt")

	_, err = files.Open(ctx, filepath.Join(dir, "missing"))
	wantCode(t, err, types.CodeUndefinedFile, "missing")
	if !errors.Is(err, os.ErrNotExist) {
		t.Error("the cause is lost")
	}
	_, err = files.Open(ctx, dir)
	wantCode(t, err, types.CodeWrongObjectType, "is a directory")
	_, err = files.Open(ctx, filepath.Join(path, "below"))
	wantCode(t, err, types.CodeIO, "not a directory")
	_, err = files.Open(ctx, "a\x00b")
	wantCode(t, err, types.CodeIO, "invalid argument")
}

func TestLocalGlob(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.csv", "b.csv", "b.txt", "x/a.csv", "x/y/c.csv", "x/y/z/d.csv", "deep.csv/inner.csv", "[1].csv"} {
		write(t, filepath.Join(dir, name), "")
	}
	if err := os.Symlink(filepath.Join(dir, "x"), filepath.Join(dir, "link.csv")); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]string{
		"*.csv":         "[1].csv a.csv b.csv",
		"?.csv":         "a.csv b.csv",
		"[ab].*":        "a.csv b.csv b.txt",
		`\[1].csv`:      "[1].csv",
		"*.parquet":     "",
		"missing/*":     "",
		"x/*":           "x/a.csv",
		"*/*.csv":       "deep.csv/inner.csv link.csv/a.csv x/a.csv",
		"**/*.csv":      "[1].csv a.csv b.csv deep.csv/inner.csv x/a.csv x/y/c.csv x/y/z/d.csv",
		"x/**/*.csv":    "x/a.csv x/y/c.csv x/y/z/d.csv",
		"x/**/y/**/*":   "x/y/c.csv x/y/z/d.csv",
		"x/**":          "x/a.csv x/y/c.csv x/y/z/d.csv",
		"**/**/**/c.*":  "x/y/c.csv",
		"**/z/*":        "x/y/z/d.csv",
		"**/nothing":    "",
		"missing/**/*":  "",
		"*/**/y/**/d.*": "x/y/z/d.csv",
	} {
		got, err := files.Glob(ctx, filepath.Join(dir, "keep")[:len(dir)+1]+pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		for i := range got {
			got[i], _ = filepath.Rel(dir, got[i])
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s matches %s, want %s", pattern, text, want)
		}
	}
	for _, pattern := range []string{"[", "**/[", "x/[a-"} {
		_, err := files.Glob(ctx, pattern)
		wantCode(t, err, types.CodeInvalidParameter, pattern)
	}
	t.Chdir(dir)
	for pattern, want := range map[string]string{"*.txt": "b.txt", "**/d.csv": "x/y/z/d.csv"} {
		if got, err := files.Glob(ctx, pattern); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s relative to the working directory: %v, %v", pattern, got, err)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for _, pattern := range []string{"*", "**"} {
		if _, err := files.Glob(canceled, pattern); !errors.Is(err, context.Canceled) {
			t.Errorf("%s after cancellation: %v", pattern, err)
		}
	}
}

// left gives the names in a directory.
func left(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestLocalCreate(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "out"), "old")
	create := func(path, content string) catalog.AtomicFile {
		t.Helper()
		f, err := files.Create(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		return f
	}
	content := func() string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}

	f := create(path, "new")
	if content() != "old" {
		t.Error("the file changed before Commit")
	}
	if err := f.Commit(); err != nil || content() != "new" {
		t.Errorf("after Commit the file holds %q (%v)", content(), err)
	}
	f = create(path, "never")
	if err := f.Abort(); err != nil || content() != "new" {
		t.Errorf("after Abort the file holds %q (%v)", content(), err)
	}
	// Two writers: the last one to commit wins, whole.
	first, second := create(path, "first"), create(path, "second")
	if err := errors.Join(second.Commit(), first.Commit()); err != nil || content() != "first" {
		t.Errorf("%q, %v", content(), err)
	}
	if names := left(t, dir); names != "out" {
		t.Errorf("left behind: %s", names)
	}
	// Others may read the file as far as the user's umask lets them, as with any file the user makes.
	like := write(t, filepath.Join(dir, "like"), "")
	if err := os.Remove(like); err != nil {
		t.Fatal(err)
	}
	made, err := os.Create(like)
	if err != nil {
		t.Fatal(err)
	}
	made.Close()
	want, _ := os.Stat(like)
	if got, err := os.Stat(path); err != nil || got.Mode() != want.Mode() {
		t.Errorf("mode %v, want %v", got.Mode(), want.Mode())
	}

	_, err = files.Create(ctx, filepath.Join(dir, "missing", "out"))
	wantCode(t, err, types.CodeUndefinedFile, "out")
	_, err = files.Create(ctx, dir)
	wantCode(t, err, types.CodeWrongObjectType, "directory")
	// A directory that appears under the name meanwhile makes Commit fail and leaves nothing behind.
	late := filepath.Join(dir, "late")
	f = create(late, "x")
	if err := os.Mkdir(late, 0o755); err != nil {
		t.Fatal(err)
	}
	wantCode(t, f.Commit(), types.CodeIO, "late")
	if names := left(t, dir); names != "late like out" {
		t.Errorf("left behind: %s", names)
	}
	f = create(filepath.Join(dir, "gone"), "x")
	if err := f.Abort(); err != nil {
		t.Error(err)
	}
	if _, err := f.Write([]byte("y")); err == nil {
		t.Error("wrote after Abort")
	} else {
		wantCode(t, err, types.CodeIO, "gone")
	}
}

// TestLocalCreateOver replaces what is not an ordinary file of the usual permissions.
func TestLocalCreateOver(t *testing.T) {
	dir := t.TempDir()
	put := func(path string) error {
		f, err := files.Create(ctx, path)
		if err != nil {
			return err
		}
		if _, err := f.Write([]byte("new")); err != nil {
			return errors.Join(err, f.Abort())
		}
		return errors.Join(f.Close(), f.Commit())
	}
	private := write(t, filepath.Join(dir, "private"), "old")
	if err := errors.Join(os.Chmod(private, 0o600), put(private)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(private); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has become %v (%v)", info.Mode(), err)
	}

	link := filepath.Join(dir, "link")
	if err := os.Symlink("private", link); err != nil {
		t.Skip("no links here:", err)
	}
	write(t, private, "old")
	if err := put(link); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	text, readErr := os.ReadFile(private)
	if err != nil || info.Mode()&os.ModeSymlink == 0 || readErr != nil || string(text) != "new" {
		t.Errorf("the link is %v (%v), its file holds %q (%v)", info.Mode(), err, text, readErr)
	}

	// Not in dir, whose name may be too long for a socket.
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	socket := filepath.Join(short, "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("no sockets here:", err)
	}
	defer listener.Close()
	wantCode(t, put(socket), types.CodeWrongObjectType, "not a regular file")
	if names := left(t, short); names != "socket" {
		t.Errorf("left behind: %s", names)
	}
}

// TestLocalClosed commits and aborts files that were closed before, of which more may wait than may be open.
func TestLocalClosed(t *testing.T) {
	dir := t.TempDir()
	for i, end := range []func(catalog.AtomicFile) error{catalog.AtomicFile.Commit, catalog.AtomicFile.Abort} {
		f, err := files.Create(ctx, filepath.Join(dir, "out"+string(rune('0'+i))))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		// Patterns do not see what is not whole.
		for _, pattern := range []string{"*", "**", ".*"} {
			if got, err := files.Glob(ctx, filepath.Join(dir, pattern)); err != nil || len(got) > i {
				t.Errorf("%s gives %q (%v)", pattern, got, err)
			}
		}
		if _, err := f.Write([]byte("x")); err == nil {
			t.Error("wrote after Close")
		}
		if err := end(f); err != nil {
			t.Error(err)
		}
	}
	if names := left(t, dir); names != "out0" {
		t.Errorf("left behind: %s", names)
	}
}
