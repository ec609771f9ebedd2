//go:build unix

package catalog_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// TestLocalOpenPipe checks that a named pipe is refused instead of waited for.
func TestLocalOpenPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	_, err := files.Open(ctx, pipe)
	wantCode(t, err, types.CodeWrongObjectType, "not a regular file")
}
