package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

// texts are JSON and what is none, some of it only by a little.
var texts = []string{
	`null`, `true`, `false`, `nul`, `truex`, `0`, `-0`, `-`, `01`, `1.`, `.5`, `1.5`, `1e`, `1e+`, `1e-07`, `-1.5E+20`, `+1`, `NaN`, `-Infinity`,
	`""`, `"a`, `"\"`, `"\\"`, `"\u00e9\ud83d\ude00"`, `"\ud800"`, `"\ud800\u0041"`, `"\udc00"`, `"\u12"`, `"\x"`, "\"\n\"", "\"\x1f\"", `"` + strings.Repeat("x", 50) + `\n"`,
	`[]`, `[`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1,[2,{"a":[]}]]`, `{}`, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1,"b":{"c":null}}`, `{a:1}`, `{"a":1 "b":2}`, ``, ` `, `]`,
	strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
}

// loneSurrogates are taken by the standard library, which puts a replacement character in their place.
var loneSurrogates = map[string]bool{`"\ud800"`: true, `"\ud800\u0041"`: true, `"\udc00"`: true}

func TestSkipAgreesWithStandardLibrary(t *testing.T) {
	for _, text := range texts {
		s := Scanner{Text: []byte(" " + text + " "), Strict: true}
		value := s.Skip(0)
		s.Space()
		good := s.Err == "" && s.At == len(s.Text)
		if want := json.Valid([]byte(text)) && !loneSurrogates[text]; good != want {
			t.Errorf("%.60s: good %t (%s), want %t", text, good, s.Err, want)
		}
		if good && string(value) != text {
			t.Errorf("%.60s: skipped %s", text, value)
		}
	}
	s := Scanner{Text: []byte(strings.Repeat("[", 1_000_000))}
	if s.Skip(0); s.Err != "values are nested too deeply" {
		t.Errorf("got %q", s.Err)
	}
}

func TestLaxNumbers(t *testing.T) {
	for text, want := range map[string]bool{"NaN": true, "Infinity": true, "-Infinity": true, "Inf": false, "-NaN": false, "-": false} {
		s := Scanner{Text: []byte(text)}
		if s.Number(); (s.Err == "" && s.At == len(text)) != want {
			t.Errorf("%s: %q", text, s.Err)
		}
	}
}

func TestStringsRoundTrip(t *testing.T) {
	for _, text := range []string{"", "a\"b\\c/", "\x00\x01\b\f\n\r\t\x1f\x7f", "é€😀", strings.Repeat("long ", 20), "\u2028"} {
		quoted := AppendString(nil, []byte(text))
		var standard string
		if err := json.Unmarshal(quoted, &standard); err != nil || standard != text {
			t.Errorf("%q: %s means %q (%v)", text, quoted, standard, err)
		}
		s := Scanner{Text: quoted}
		inside, escaped := s.Quoted()
		back, ok := Unescape(nil, inside)
		if s.Err != "" || !ok || string(back) != text || escaped == (string(inside) == text) && len(text) > 0 {
			t.Errorf("%q: %s reads back as %q", text, quoted, back)
		}
	}
	if got := string(AppendString(nil, []byte("a\xffb"))); got != `"a`+"\ufffd"+`b"` {
		t.Errorf("got %s", got)
	}
}

func TestKey(t *testing.T) {
	for text, want := range map[string]string{`"a" : `: "a", `"\u0061":`: "a", `"a"`: "", `"a`: "", `a:`: "", `"\x":`: ""} {
		s := Scanner{Text: []byte(text)}
		name, ok := s.Key()
		if ok != (want != "") || ok && string(name) != want || !ok && s.Err == "" {
			t.Errorf("%s: %q %t %q", text, name, ok, s.Err)
		}
	}
}
