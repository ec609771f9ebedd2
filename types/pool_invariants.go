//go:build invariants

package types

// poisonEnabled makes Release overwrite buffers; see Pool.
const poisonEnabled = true
