package catalog

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/lacunadb/lacuna/types"
)

// Compressions are the values of a compression option of text formats: "auto" goes by the ending of the path.
var Compressions = []string{"auto", "none", "gzip", "zstd"}

// compressionEndings are the endings of compressed files.
var compressionEndings = map[string]string{".gz": "gzip", ".zst": "zstd"}

// CompressionOf gives how a file is compressed: what an option says, or for "auto" its path's ending.
func CompressionOf(path, option string) (string, error) {
	switch option = strings.ToLower(option); option {
	case "none", "uncompressed":
		return "none", nil
	case "gzip", "gz":
		return "gzip", nil
	case "zstd", "zst":
		return "zstd", nil
	case "auto", "":
		if c := compressionEndings[fileEnding(path)]; c != "" {
			return c, nil
		}
		return "none", nil
	}
	return "", types.Errorf(types.CodeInvalidParameter, "unknown compression %q", option).
		WithHint("It may be %s.", strings.Join(Compressions, ", "))
}

// NewReader reads a file from its beginning, decompressed. Memory is bounded whatever the file claims. Close does not close the file.
func NewReader(ctx context.Context, file File, compression string) (io.ReadCloser, error) {
	plain := &fileReader{ctx: ctx, file: file}
	switch compression {
	case "gzip":
		r, err := gzip.NewReader(plain)
		if err != nil {
			return nil, decompressionError(plain, err)
		}
		return &decompressor{plain, r, r.Close}, nil
	case "zstd":
		r, err := zstd.NewReader(plain, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, decompressionError(plain, err)
		}
		return &decompressor{plain, r, func() error { r.Close(); return nil }}, nil
	}
	return plain, nil
}

// fileReader reads a file one piece after the other.
type fileReader struct {
	ctx    context.Context
	file   File
	offset int64
	err    error // of the file
}

func (r *fileReader) Read(p []byte) (int, error) {
	p = p[:min(int64(len(p)), max(0, r.file.Size()-r.offset))]
	if len(p) == 0 {
		return 0, io.EOF
	}
	n, err := r.file.ReadAt(r.ctx, p, r.offset)
	r.offset += int64(n)
	switch {
	case n > 0 && (err == nil || errors.Is(err, io.EOF)):
		return n, nil
	case errors.Is(err, io.EOF):
		return 0, types.Errorf(types.CodeDataCorrupted, "the file ends at offset %d", r.offset) // it was longer when it was opened
	case err != nil:
		r.err = err
	}
	return n, err
}

func (*fileReader) Close() error { return nil }

// decompressor reads what another reader decompresses.
type decompressor struct {
	file   *fileReader
	reader io.Reader
	close  func() error
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.reader.Read(p)
	if err != nil && err != io.EOF {
		err = decompressionError(d.file, err)
	}
	return n, err
}

func (d *decompressor) Close() error { return d.close() }

func decompressionError(file *fileReader, err error) error {
	if file.err != nil {
		return file.err
	}
	return types.Errorf(types.CodeDataCorrupted, "cannot be decompressed near offset %d: %v", file.offset, err).WithCause(err)
}
