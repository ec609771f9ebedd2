package arrays

import "testing"

// A target for each verb: random columns from a seed against the slow reference.

func fuzzVerb(f *testing.F, name string) {
	for _, verb := range testedVerbs {
		if verb.name != name {
			continue
		}
		for seed := range uint64(4) {
			f.Add(seed)
		}
		f.Fuzz(func(t *testing.T, seed uint64) { checkVerb(t, verb, seed) })
		return
	}
	f.Fatalf("no verb %s", name)
}

func FuzzMask(f *testing.F)             { fuzzVerb(f, "Mask") }
func FuzzWithValidity(f *testing.F)     { fuzzVerb(f, "WithValidity") }
func FuzzTake(f *testing.F)             { fuzzVerb(f, "Take") }
func FuzzFilter(f *testing.F)           { fuzzVerb(f, "Filter") }
func FuzzIsNull(f *testing.F)           { fuzzVerb(f, "IsNull") }
func FuzzIsDistinct(f *testing.F)       { fuzzVerb(f, "IsDistinct") }
func FuzzCompare(f *testing.F)          { fuzzVerb(f, "Compare") }
func FuzzCoalesce(f *testing.F)         { fuzzVerb(f, "Coalesce") }
func FuzzFillForward(f *testing.F)      { fuzzVerb(f, "FillForward") }
func FuzzFillBackward(f *testing.F)     { fuzzVerb(f, "FillBackward") }
func FuzzIfElse(f *testing.F)           { fuzzVerb(f, "IfElse") }
func FuzzCaseWhen(f *testing.F)         { fuzzVerb(f, "CaseWhen") }
func FuzzNullIf(f *testing.F)           { fuzzVerb(f, "NullIf") }
func FuzzConcat(f *testing.F)           { fuzzVerb(f, "Concat") }
func FuzzHash(f *testing.F)             { fuzzVerb(f, "Hash") }
func FuzzUnique(f *testing.F)           { fuzzVerb(f, "Unique") }
func FuzzSortIndices(f *testing.F)      { fuzzVerb(f, "SortIndices") }
func FuzzDictionaryEncode(f *testing.F) { fuzzVerb(f, "DictionaryEncode") }
func FuzzRunEndEncode(f *testing.F)     { fuzzVerb(f, "RunEndEncode") }
func FuzzDecode(f *testing.F)           { fuzzVerb(f, "Decode") }
func FuzzCast(f *testing.F)             { fuzzVerb(f, "Cast") }
