package catalog

import (
	"context"
	"io"
)

// FileSystem is the one way to files, so that a store other than the local disk can be plugged in. Safe for concurrent use. Errors are
// *types.Error with the path in their message.
type FileSystem interface {
	// Open opens a file for reading. A directory is an error.
	Open(ctx context.Context, path string) (File, error)
	// Glob gives the paths that match a pattern of *, ?, [...] and **, sorted; none is no error.
	Glob(ctx context.Context, pattern string) ([]string, error)
	// Create starts a file that appears under its path, whole and synced, only when Commit returns.
	Create(ctx context.Context, path string) (AtomicFile, error)
	// MakeDirectory makes a directory and those above it; one that is there already is no error.
	MakeDirectory(ctx context.Context, path string) error
}

// File is a file open for reading. Safe for concurrent use. It is never mapped into memory: a file that is truncated under a mapping
// would kill the process.
type File interface {
	// ReadAt is io.ReaderAt with a context.
	ReadAt(ctx context.Context, p []byte, offset int64) (int, error)
	// Size gives the length in bytes at opening time.
	Size() int64
	Path() string
	Close() error
}

// AtomicFile is a file being written. Exactly one of Commit and Abort ends it.
type AtomicFile interface {
	io.Writer
	// Close ends the writing: what was written is durable, not to be seen yet, and takes nothing of what the system has few of, such as open files.
	// Commit does it where it was not called. After an error the file can only be aborted.
	Close() error
	// Commit makes the file durable under its path, replacing what stood there.
	Commit() error
	// Abort removes what was written.
	Abort() error
}
