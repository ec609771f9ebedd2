//go:build !linux

package asm

import "testing"

// newArena gives plain memory where guard pages are not set up.
func newArena(t testing.TB, size int) *arena { return &arena{make([]byte, size)} }
