package parquet

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codecs.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecBrotli = 4
	codecLZ4    = 5 // deprecated: blocks behind their lengths, as Hadoop has them, or one block
	codecZstd   = 6
	codecLZ4Raw = 7
)

var codecNames = []string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// maxPageBytes bounds what a page may claim to be when decompressed. Writers make pages of a megabyte, or one page a row group.
const maxPageBytes = 1 << 30

// checkCodec gives an error for a codec that cannot be read.
func checkCodec(codec int64) error {
	switch {
	case codec == codecNone || codec == codecSnappy || codec == codecGzip || codec >= codecBrotli && codec <= codecLZ4Raw:
		return nil
	case codec >= 0 && codec < int64(len(codecNames)):
		return unsupported("compression %s is not supported", codecNames[codec])
	}
	return unsupported("compression codec number %d is unknown", codec)
}

// mostBytes bounds what n compressed bytes can become: a page header that claims more is corrupt, and nothing is allocated for it.
// Snappy copies at most 64 bytes with 3, deflate at most 258 with 2 bits, LZ4 255 with one byte, zstd at most 128 KiB with 4 bytes; of brotli some bytes can
// become the 16 MiB of a meta-block.
func mostBytes(codec, n int64) int64 {
	most := n
	switch codec {
	case codecSnappy:
		most = n*22 + 64
	case codecGzip:
		most = n*1032 + 64
	case codecLZ4, codecLZ4Raw:
		most = n*255 + 64
	case codecZstd:
		most = n<<15 + 64
	case codecBrotli:
		most = n<<21 + 64
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
		r := gzipReaders.Get().(*gzip.Reader)
		defer gzipReaders.Put(r)
		if err := r.Reset(bytes.NewReader(src)); err != nil {
			return decompressed(err)
		}
		return readAll(dst, r)
	case codecBrotli:
		r := brotliReaders.Get().(*brotli.Reader)
		defer brotliReaders.Put(r)
		if err := r.Reset(bytes.NewReader(src)); err != nil {
			return decompressed(err)
		}
		return readAll(dst, r)
	case codecLZ4Raw:
		return unblock(dst, src)
	case codecLZ4:
		if unblockAll(dst, src) {
			return nil
		}
		return unblock(dst, src)
	}
	return checkCodec(codec)
}

// unblock decompresses a block of LZ4.
func unblock(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	if err == nil && n != len(dst) {
		return corrupt("a page of %d bytes claims %d", n, len(dst))
	}
	return decompressed(err)
}

// unblockAll decompresses blocks of LZ4, each behind the numbers of its bytes, big-endian; it reports false when src is not made so.
func unblockAll(dst, src []byte) bool {
	for len(src) >= 8 {
		size, length := int64(binary.BigEndian.Uint32(src)), int64(binary.BigEndian.Uint32(src[4:]))
		if src = src[8:]; size > int64(len(dst)) || length > int64(len(src)) || unblock(dst[:size], src[:length]) != nil {
			return false
		}
		dst, src = dst[size:], src[length:]
	}
	return len(dst) == 0 && len(src) == 0
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

// gzipReaders and brotliReaders keep states of some tens of KB for further pages.
var (
	gzipReaders   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	brotliReaders = sync.Pool{New: func() any { return brotli.NewReader(nil) }}
)

// readAll fills dst with all that a reader gives.
func readAll(dst []byte, r io.Reader) error {
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
