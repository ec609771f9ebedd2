//go:build !(amd64 || arm64) || purego || noasm

package asm

// machineTables gives the tables with assembly: none here.
func machineTables() []*table { return nil }
