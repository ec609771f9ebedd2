package asm

import (
	"testing"

	"golang.org/x/sys/unix"
)

// newArena gives size bytes, rounded up to pages, between two pages that fault on any access.
func newArena(t testing.TB, size int) *arena {
	page := unix.Getpagesize()
	size = (size + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(m) })
	for _, guard := range [][]byte{m[:page], m[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return &arena{m[page : page+size : page+size]}
}
