//go:build amd64 && !purego && !noasm

package asm

import (
	"reflect"
	"slices"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

func TestGateFeatures(t *testing.T) {
	var names []string
	for _, f := range avx2Features {
		names = append(names, f.String())
	}
	if !slices.Equal(names, gatedSets) {
		t.Errorf("the code asks for %v, the test of the assembly assumes %v", names, gatedSets)
	}
}

func TestFastPEXT(t *testing.T) {
	for _, c := range []struct {
		vendor cpuid.Vendor
		family int
		want   bool
	}{
		{cpuid.Intel, 6, true},
		{cpuid.AMD, 0x15, false}, // Excavator
		{cpuid.AMD, 0x17, false}, // Zen, Zen 2
		{cpuid.Hygon, 0x18, false},
		{cpuid.AMD, 0x19, true}, // Zen 3, Zen 4
		{cpuid.AMD, 0x1a, true}, // Zen 5
	} {
		if got := hasFastPEXT(c.vendor, c.family); got != c.want {
			t.Errorf("%v family %#x: %v, want %v", c.vendor, c.family, got, c.want)
		}
	}
	pointer := func(f any) uintptr { return reflect.ValueOf(f).Pointer() }
	if pointer(avx2Table(false).filterBits) != pointer(generic.filterBits) {
		t.Error("a CPU with slow PEXT does not get the portable filterBits")
	}
	if pointer(avx2Table(true).filterBits) == pointer(generic.filterBits) {
		t.Error("a CPU with fast PEXT gets the portable filterBits")
	}
}
