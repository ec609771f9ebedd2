package ipc

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codecs (Message.fbs, CompressionType).
const (
	codecNone = -1
	codecLZ4  = 0
	codecZstd = 1
)

// maxBufferBytes bounds what a buffer may claim to be when decompressed.
const maxBufferBytes = 4 << 30

var zstdReaders = sync.Pool{New: func() any {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		panic(err) // the options are right
	}
	return r
}}

var lz4Readers = sync.Pool{New: func() any { return lz4.NewReader(nil) }}

// decompressedSize gives the bytes that a compressed buffer, which begins with their number, takes beside its own; -1 stands for a buffer that is not
// compressed after all.
func decompressedSize(codec int, raw []byte) (int64, error) {
	if len(raw) < 8 {
		return 0, corrupt("a compressed buffer of %d bytes", len(raw))
	}
	size, raw := int64(binary.LittleEndian.Uint64(raw)), raw[8:]
	if size == -1 {
		return 0, nil
	}
	// What so few bytes can become: LZ4 copies at most 255 bytes for each, zstd at most 128 KiB for four. Nothing is allocated for a claim beyond.
	most := int64(len(raw))*255 + 64
	if codec == codecZstd {
		most = int64(len(raw))<<15 + 64
	}
	if size < 0 || size > min(most, maxBufferBytes) {
		return 0, corrupt("a compressed buffer of %d bytes claims to hold %d", len(raw), size)
	}
	return size, nil
}

// decompress gives the bytes of a compressed buffer, whose claim has been checked and reserved.
func decompress(codec int, raw []byte) ([]byte, error) {
	size, raw := int64(binary.LittleEndian.Uint64(raw)), raw[8:]
	if size == -1 {
		return raw, nil
	}
	out := make([]byte, size)
	var reader io.Reader
	if codec == codecZstd {
		r := zstdReaders.Get().(*zstd.Decoder)
		defer zstdReaders.Put(r)
		if err := r.Reset(bytes.NewReader(raw)); err != nil {
			return nil, corrupt("a compressed buffer: %v", err)
		}
		reader = r
	} else {
		r := lz4Readers.Get().(*lz4.Reader)
		defer lz4Readers.Put(r)
		r.Reset(bytes.NewReader(raw))
		reader = r
	}
	if _, err := io.ReadFull(reader, out); err != nil {
		return nil, corrupt("a compressed buffer: %v", err)
	}
	if n, _ := reader.Read(make([]byte, 1)); n > 0 {
		return nil, corrupt("a compressed buffer holds more than the %d bytes that it claims", size)
	}
	return out, nil
}
