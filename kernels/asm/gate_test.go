package asm

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// These tests read the assembly as text, so they run on every platform.

// amd64Files are the files of the AVX2 tier.
var amd64Files = []string{"compare_amd64.s", "filter_amd64.s", "sum_amd64.s", "minmax_amd64.s", "bits_amd64.s", "gather_amd64.s", "cast_amd64.s", "take_amd64.s", "runs_amd64.s"}

// instructionSets says which feature each instruction of *_amd64.s needs; baseline ones need none. One that is not listed fails
// the test, so that a new instruction is looked up by a person.
var instructionSets = func() map[string]string {
	sets := make(map[string]string)
	for set, mnemonics := range map[string]string{
		"baseline": "NOTQ MOVQ MOVL MOVLQSX MOVW MOVB MOVBLZX MOVWLZX LEAQ ADDQ ADDL SUBQ DECQ ANDQ ANDL ORQ XORQ SHLQ SHRQ SHRL ADCQ BTQ XORL CMPQ CMPL TESTQ CMOVQEQ CMOVQNE " +
			"JA JAE JB JBE JE JEQ JZ JNZ JNE JMP RET",
		"POPCNT": "POPCNTQ POPCNTL",
		"BMI1":   "TZCNTQ BLSRQ ANDNQ",
		"BMI2":   "SHLXQ SHRXQ RORXQ PEXTQ",
		"AVX": "VMOVDQU VMOVDQA VMOVD VMOVQ VCMPPD VCMPPS VSHUFPS VADDPD VCVTPS2PD VBLENDVPD VBLENDVPS VMINPD VMINPS VMAXPD VMAXPS VZEROUPPER " +
			"VMOVUPD VSUBPD VMULPD VROUNDPD VMOVMSKPD VPTEST VCVTDQ2PD VCVTDQ2PS VCVTPD2DQY VCVTPD2PSY VCVTPS2DQ VCVTPS2PD",
		// Integer operations on 256 bits.
		"AVX2": "VPBROADCASTD VPBROADCASTQ VPCMPEQD VPCMPEQQ VPCMPGTD VPCMPGTQ VPACKSSDW VPACKSSWB VPERMD VPERMQ VPMOVMSKB " +
			"VPMOVZXBD VPMOVSXDQ VPADDD VPADDQ VPAND VPANDN VPOR VPXOR VPSLLQ VPSRLQ VPSLLVD VPMINSD VPMAXSD VPMINUD VPMAXUD " +
			"VPMOVSXBW VPMOVSXBD VPMOVSXBQ VPMOVSXWD VPMOVSXWQ VPMOVSXDQ VPMOVZXBW VPMOVZXBQ VPMOVZXWD VPMOVZXWQ VPMOVZXDQ " +
			"VPACKUSDW VPACKUSWB VPADDW VPSUBQ VPSLLD VPSRLD VPSRLW VPBLENDD VINSERTI128 " +
			"VPMINSW VPMAXSW VPMINUW VPMAXUW VPMINSB VPMAXSB VPMINUB VPMAXUB VPBROADCASTB VPBROADCASTW VPCMPEQB VPCMPEQW VPBLENDVB " +
			"VPSHUFB VPSHUFD VEXTRACTI128 VBROADCASTI128",
	} {
		for _, m := range strings.Fields(mnemonics) {
			sets[m] = set
		}
	}
	return sets
}()

// usedSets gives the instruction sets that each function of an assembly file uses.
func usedSets(t *testing.T, file string) map[string]map[string]bool {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	functions := make(map[string]map[string]bool)
	var current map[string]bool
	start := regexp.MustCompile(`^TEXT ·(\w+)\(SB\)`)
	instruction := regexp.MustCompile(`^\t([A-Z][A-Z0-9]*)\b`)
	for number, line := range strings.Split(string(text), "\n") {
		if m := start.FindStringSubmatch(line); m != nil {
			current = make(map[string]bool)
			functions[m[1]] = current
		}
		if m := instruction.FindStringSubmatch(line); m != nil {
			set, known := instructionSets[m[1]]
			if !known {
				t.Errorf("%s:%d: %s is not in instructionSets", file, number+1, m[1])
			}
			current[set] = true
		}
	}
	if len(functions) == 0 {
		t.Errorf("%s has no functions", file)
	}
	return functions
}

// gatedSets are the sets that machineTables asks of the CPU for the AVX2 tier. On amd64, TestGateFeatures compares them with
// the code. LZCNT is asked for because it comes with the others in the x86-64-v3 level, though no kernel needs it yet.
var gatedSets = []string{"AVX", "AVX2", "BMI1", "BMI2", "POPCNT", "LZCNT"}

// TestGatesCoverInstructions: assembly uses what the gate asks for, nothing else, and the gate asks for nothing idle.
func TestGatesCoverInstructions(t *testing.T) {
	idle := map[string]bool{}
	for _, set := range gatedSets {
		idle[set] = set != "LZCNT"
	}
	for _, file := range amd64Files {
		for function, sets := range usedSets(t, file) {
			for set := range sets {
				if _, gated := idle[set]; !gated && set != "baseline" {
					t.Errorf("%s uses %s, which the gate does not ask for", function, set)
				}
				idle[set] = false
			}
		}
	}
	for set, unused := range idle {
		if unused {
			t.Errorf("the gate asks for %s, which nothing uses", set)
		}
	}
}

// TestSlowPEXTIsKeptApart: only the kernel that the table replaces on CPUs with microcoded PEXT uses it.
func TestSlowPEXTIsKeptApart(t *testing.T) {
	for _, file := range amd64Files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, function := range strings.Split(string(text), "\nTEXT ")[1:] {
			slow := regexp.MustCompile(`\b(PEXT|PDEP)[QL]\b`).MatchString(function)
			if slow != strings.HasPrefix(function, "·filterBitsBMI2(") {
				t.Errorf("%s, function %d: uses PEXT or PDEP: %v", file, i, slow)
			}
		}
	}
}

// TestEveryLoadClearsUpper: a function that touches 256-bit registers ends each way out with VZEROUPPER, or later SSE code
// pays for it.
func TestEveryLoadClearsUpper(t *testing.T) {
	for _, file := range amd64Files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, function := range strings.Split(string(text), "\nTEXT ")[1:] {
			wide := regexp.MustCompile(`\bY[0-9]+\b`).MatchString(function)
			returns := strings.Count(function, "\tRET")
			cleared := len(regexp.MustCompile(`VZEROUPPER\n\tRET`).FindAllString(function, -1))
			if wide && cleared != returns {
				name, _, _ := strings.Cut(function, "(")
				t.Errorf("%s: %d of %d returns clear the upper halves", name, cleared, returns)
			}
		}
	}
}

// wordMacros are the arm64 instructions that Go's assembler lacks, by the fields of "Advanced SIMD three same" in the Arm
// Architecture Reference Manual, C4.1: 0 Q U 01110 size 1 Rm opcode 1 Rn Rd.
var wordMacros = map[string]struct{ q, u, size, opcode uint32 }{
	"CMGT2D": {q: 1, u: 0, size: 3, opcode: 0b00110}, // CMGT (register), 64-bit lanes, 128-bit vectors
}

// TestWordMacros derives each encoding from its fields and checks that no instruction is a bare number.
func TestWordMacros(t *testing.T) {
	const file = "compare_arm64.s"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	macro := regexp.MustCompile(`(?m)^#define (\w+)\(m, n, d\) WORD \$\((0x[0-9A-Fa-f]+) \| \(m\)<<16 \| \(n\)<<5 \| \(d\)\)$`)
	found := macro.FindAllStringSubmatch(string(text), -1)
	if words := strings.Count(string(text), "WORD $"); words != len(found) || len(found) != len(wordMacros) {
		t.Errorf("%s has %d WORDs, %d of them in macros of the agreed form; want %d", file, words, len(found), len(wordMacros))
	}
	for _, m := range found {
		f, known := wordMacros[m[1]]
		if !known {
			t.Errorf("macro %s is not in wordMacros", m[1])
			continue
		}
		want := f.q<<30 | f.u<<29 | 0b01110<<24 | f.size<<22 | 1<<21 | f.opcode<<11 | 1<<10
		if got, err := strconv.ParseUint(m[2], 0, 32); err != nil || uint32(got) != want {
			t.Errorf("macro %s is %s, want %#x", m[1], m[2], want)
		}
	}
}
