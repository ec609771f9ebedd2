package main

import "encoding/binary"

// A probe tells what the memory gives: the bytes of a kernel moved with nothing computed. Kernels that mostly read are held
// against read, those that write as many bytes as they read against copy.
type probe string

const (
	probeNone probe = ""
	probeRead probe = "read"
	probeCopy probe = "copy"
)

const (
	blockBytes = 128
	// callBytes bounds one call of assembly, which the scheduler cannot preempt.
	callBytes = 128 << 10
)

// probes holds the memory that the probes run over.
type probes struct{ src, dst []byte }

// sink keeps results of probes alive.
var sink uint64

// function gives a probe that moves about bytes bytes, reads and writes counted each, and the exact number.
func (p *probes) function(kind probe, bytes int) (run func() error, moved int) {
	if kind == probeCopy {
		bytes /= 2
	}
	n := max(blockBytes, bytes/blockBytes*blockBytes)
	if n > len(p.src) {
		p.src, p.dst = make([]byte, n), make([]byte, n)
		for i := range p.src {
			p.src[i], p.dst[i] = byte(i), 1 // touches every page
		}
	}
	src, dst := p.src[:n], p.dst[:n]
	if kind == probeCopy {
		return func() error {
			for at := 0; at < n; at += callBytes {
				end := min(n, at+callBytes)
				copyBlocks(dst[at:end], src[at:end])
			}
			return nil
		}, 2 * n
	}
	return func() error {
		for at := 0; at < n; at += callBytes {
			sink += readBlocks(src[at:min(n, at+callBytes)])
		}
		return nil
	}, n
}

// readWords is the portable form of the read probe.
func readWords(src []byte) uint64 {
	var a, b, c, d uint64
	for ; len(src) >= 32; src = src[32:] {
		a += binary.LittleEndian.Uint64(src)
		b += binary.LittleEndian.Uint64(src[8:])
		c += binary.LittleEndian.Uint64(src[16:])
		d += binary.LittleEndian.Uint64(src[24:])
	}
	return a + b + c + d
}
