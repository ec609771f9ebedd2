package parquet

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Codecs.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecZstd   = 6
)

var codecNames = []string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// maxPageBytes bounds what a page may claim to be when decompressed. Writers make pages of a megabyte, or one page a row group.
const maxPageBytes = 1 << 30

// checkCodec gives an error for a codec that cannot be read.
func checkCodec(codec int64) error {
	switch {
	case codec == codecNone || codec == codecSnappy || codec == codecGzip || codec == codecZstd:
		return nil
	case codec >= 0 && codec < int64(len(codecNames)):
		return unsupported("compression %s is not supported", codecNames[codec])
	}
	return unsupported("compression codec number %d is unknown", codec)
}

// mostBytes bounds what n compressed bytes can become: a page header that claims more is corrupt, and nothing is allocated for it.
// Snappy copies at most 64 bytes with 3, deflate at most 258 with 2 bits, zstd at most 128 KiB with 4 bytes.
func mostBytes(codec, n int64) int64 {
	most := n
	switch codec {
	case codecSnappy:
		most = n*22 + 64
	case codecGzip:
		most = n*1032 + 64
	case codecZstd:
		most = n<<15 + 64
	}
	return min(most, maxPageBytes)
}

// decompress fills dst from src. Data of any other size are corrupt.
func decompress(codec int64, dst, src []byte) error {
	switch codec {
	case codecNone:
		if len(src) != len(dst) {
			return corrupt("an uncompressed page of %d bytes claims %d", len(src), len(dst))
		}
		copy(dst, src)
		return nil
	case codecSnappy:
		n, err := s2.DecodedLen(src)
		if err == nil && n == len(dst) {
			_, err = s2.Decode(dst, src)
		} else if err == nil {
			return corrupt("a page of %d bytes claims %d", n, len(dst))
		}
		return decompressed(err)
	case codecZstd:
		decoder, err := zstdDecoder()
		if err != nil {
			return err
		}
		out, err := decoder.DecodeAll(src, dst[:0:len(dst)])
		if err == nil && len(out) != len(dst) {
			return corrupt("a page of %d bytes claims %d", len(out), len(dst))
		}
		return decompressed(err)
	case codecGzip:
		return gunzip(dst, src)
	}
	return checkCodec(codec)
}

func decompressed(err error) error {
	if err != nil {
		return corrupt("a page does not decompress: %v", err).WithCause(err)
	}
	return nil
}

// zstdDecoder gives the decoder that all scans share: it keeps a state for each core. Its output never outgrows the buffer given.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxPageBytes))
})

// gzipReaders keeps states of about 40 KB for further pages.
var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

func gunzip(dst, src []byte) error {
	r := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(r)
	if err := r.Reset(bytes.NewReader(src)); err != nil {
		return decompressed(err)
	}
	if _, err := io.ReadFull(r, dst); err != nil {
		return decompressed(err)
	}
	var more [1]byte
	switch n, err := r.Read(more[:]); {
	case n > 0:
		return corrupt("a page has more than the %d bytes that it claims", len(dst))
	case err != io.EOF:
		return decompressed(err)
	}
	return nil
}
