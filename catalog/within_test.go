package catalog_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// TestFilesWithin tries every way out of a directory that a path has.
func TestFilesWithin(t *testing.T) {
	dir := t.TempDir()
	root, outside := filepath.Join(dir, "root"), filepath.Join(dir, "root2")
	inner := write(t, filepath.Join(root, "sub", "in.csv"), "a\n1\n")
	secret := write(t, filepath.Join(outside, "secret.csv"), "a\n2\n")
	t.Chdir(root)
	refused := []string{
		secret, "../root2/secret.csv", "sub/../../root2/secret.csv", root + "/../root2/secret.csv",
		filepath.Join(outside, "missing.csv"), "/missing.csv", dir,
	}
	allowed := []string{inner, "sub/in.csv", "./sub/../sub/in.csv", "../root/sub/in.csv"}
	if runtime.GOOS != "windows" { // where links take a privilege
		for name, target := range map[string]string{
			"link.csv": secret, "linked": outside, "dangling.csv": filepath.Join(outside, "new.csv"), "inside.csv": inner, "up": "..", "chain": "up",
		} {
			if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		refused = append(refused, "link.csv", "linked/secret.csv", "linked/missing.csv", "dangling.csv", "up/root2/secret.csv", "chain/root2/secret.csv", "linked/new/deep.csv")
		allowed = append(allowed, "inside.csv", "up/root/sub/in.csv")
	}
	within, err := catalog.FilesWithin(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range allowed {
		f, err := within.Open(ctx, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if f.Path() != path || f.Size() != 4 {
			t.Errorf("%s: opened %s of %d bytes", path, f.Path(), f.Size())
		}
		f.Close()
	}
	nothing, err := catalog.FilesWithin()
	if err != nil {
		t.Fatal(err)
	}
	for fsys, paths := range map[catalog.FileSystem][]string{within: refused, nothing: slices.Concat(refused, allowed)} {
		for _, path := range paths {
			_, err := fsys.Open(ctx, path)
			wantCode(t, err, types.CodeAccessDenied, path)
			_, err = fsys.Create(ctx, path)
			wantCode(t, err, types.CodeAccessDenied, path)
			wantCode(t, fsys.MakeDirectory(ctx, path), types.CodeAccessDenied, path)
		}
		_, err := fsys.Glob(ctx, outside+"/*.csv")
		wantCode(t, err, types.CodeAccessDenied, "root2/*.csv")
		_, err = fsys.Glob(ctx, secret)
		wantCode(t, err, types.CodeAccessDenied, "secret.csv")
	}
	for pattern, want := range map[string][]string{
		"*/*.csv": {"sub/in.csv"}, "**/in.csv": {"sub/in.csv"}, "su[b]/../../root2/*.csv": {}, "*.csv": {"inside.csv"}, "*/none": {},
	} {
		if runtime.GOOS == "windows" && pattern == "*.csv" {
			continue
		}
		if got, err := within.Glob(ctx, filepath.FromSlash(pattern)); err != nil || !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%s: %v, %v, want %v", pattern, got, err, want)
		}
	}
	f, err := within.Create(ctx, "sub/new.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "sub", "new.csv")); err != nil {
		t.Error(err)
	}
	if err := within.MakeDirectory(ctx, "a/b/c"); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside there are %v, %v", entries, err)
	}
	_, err = catalog.FilesWithin(filepath.Join(dir, "missing"))
	wantCode(t, err, types.CodeUndefinedFile, "missing")
	_, err = catalog.FilesWithin(inner)
	wantCode(t, err, types.CodeWrongObjectType, "in.csv")
}
