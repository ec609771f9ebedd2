package mem_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/types"
)

// keyedStore makes a store of a number and a text, the number a primary key and both together a second key.
func keyedStore(memory catalog.Memory) *mem.Store {
	schema := types.Schema{{Name: "n", Type: types.BigInt}, {Name: "s", Type: types.Varchar, Nullable: true}}
	return mem.NewStore(schema, catalog.Definition{Keys: []catalog.Key{
		{Name: "n_key", Columns: []int{0}, Primary: true}, {Name: "s_key", Columns: []int{1, 0}},
	}}, memory)
}

func keyedRows(t testing.TB, numbers ...int64) []*types.Vector {
	t.Helper()
	texts := make([]any, len(numbers))
	for i, n := range numbers {
		if n%5 != 0 {
			texts[i] = fmt.Sprintf("a text that is longer than twelve bytes %d", n/3)
		}
	}
	s, err := types.FromValues(nil, types.Varchar, texts)
	if err != nil {
		t.Fatal(err)
	}
	return []*types.Vector{types.NewFixed(types.BigInt, numbers, nil), s}
}

// TestKeysAgainstReference makes random changes, which fail exactly when a number would be there twice, and then change nothing.
func TestKeysAgainstReference(t *testing.T) {
	memory := newBudget()
	s := keyedStore(memory)
	rng := rand.New(rand.NewPCG(3, 4))
	present := map[int64]bool{}
	failures := 0
	for range 400 {
		// The rows as they are numbered now.
		unlock, err := s.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w := s.Write()
		next := map[int64]bool{}
		for n := range present {
			next[n] = true
		}
		stored, rows := numbered(t, s)
		var removed []int64
		for i, n := range stored {
			if rng.IntN(3) == 0 {
				removed = append(removed, rows[i])
				delete(next, n)
			}
		}
		w.Remove(removed)
		duplicate := false
		for place := range 1 + rng.IntN(3) {
			var numbers []int64
			for range rng.IntN(20) {
				n := rng.Int64N(400)
				duplicate = duplicate || next[n]
				next[n] = true
				numbers = append(numbers, n)
			}
			if err := w.Add(types.Sequence(place), keyedRows(t, numbers...), len(numbers)); err != nil {
				t.Fatal(err)
			}
		}
		limited := rng.IntN(10) == 0
		if limited {
			memory.limit.Store(memory.used.Load())
		}
		err = w.Commit()
		memory.limit.Store(1 << 40)
		w.Close()
		unlock()
		var e *types.Error
		switch {
		case err == nil && !duplicate:
			present = next
		case limited && errors.Is(err, types.ErrOutOfMemory):
		case duplicate && errors.As(err, &e) && e.Code == types.CodeUniqueViolation:
			failures++
		default:
			t.Fatalf("duplicate %t: %v", duplicate, err)
		}
		stored, _ = numbered(t, s)
		if len(stored) != len(present) {
			t.Fatalf("%d rows, want %d", len(stored), len(present))
		}
		for _, n := range stored {
			if !present[n] {
				t.Fatalf("%d is there", n)
			}
		}
	}
	if failures < 20 || failures > 380 {
		t.Errorf("%d changes failed: the test does not try both", failures)
	}
	s.Release()
	if used := memory.used.Load(); used != 0 {
		t.Errorf("%d bytes are left", used)
	}
}

// TestKeysConcurrently lets writers race for the same numbers: each is in the table once.
func TestKeysConcurrently(t *testing.T) {
	s := keyedStore(newBudget())
	defer s.Release()
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for n := range int64(200) {
				w := s.Write()
				if err := w.Add(0, keyedRows(t, n), 1); err != nil {
					t.Error(err)
				}
				_ = w.Commit()
				w.Close()
			}
		})
	}
	writers.Wait()
	if stored, _ := numbered(t, s); len(stored) != 200 {
		t.Errorf("%d rows, want 200", len(stored))
	}
	if distinct := s.Statistics().Columns[0]; distinct.Distinct != 200 || distinct.DistinctConfidence != catalog.Exact {
		t.Errorf("%d distinct values are known, want 200", distinct.Distinct)
	}
}

// numbered gives the numbers in a store and the rows that they are in.
func numbered(t testing.TB, s *mem.Store) (numbers, rows []int64) {
	t.Helper()
	numbers, _ = selectedNumbers(t, s.Current(), catalog.ScanRequest{Columns: []catalog.ColumnPath{{Column: 0}}, Limit: -1, BatchRows: 64})
	rows, _ = selectedNumbers(t, s.Current(), catalog.ScanRequest{Columns: []catalog.ColumnPath{{Column: 2}}, Limit: -1, BatchRows: 64})
	return numbers, rows
}
