package types

import "bytes"

// appendNested appends a row of a nested type that is not null.
func appendNested(dst []byte, v *Vector, row int) []byte {
	switch v.typ.kind {
	case KindList:
		e := ValuesOf[ListEntry](v)[row]
		return appendElements(dst, v.children[0], e, v.typ.Elem().Type.kind != KindJSON)
	case KindArray:
		w := int64(v.typ.Width())
		return appendElements(dst, v.children[0], ListEntry{Offset: int64(row) * w, Length: w}, false)
	case KindMap:
		e := ValuesOf[ListEntry](v)[row]
		dst = append(dst, '{')
		for i := range int(e.Length) {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			// The child is a struct, which may itself be encoded.
			entry, at, ok := v.children[0].Locate(int(e.Offset) + i)
			if !ok {
				dst = append(dst, "NULL"...)
				continue
			}
			dst = appendPart(dst, entry.children[0], at)
			dst = append(dst, '=')
			dst = appendPart(dst, entry.children[1], at)
		}
		return append(dst, '}')
	case KindStruct:
		return appendStruct(dst, v, row)
	case KindUnion:
		child, at := v.variant(row)
		return AppendText(dst, v.children[child], at)
	}
	return append(dst, "NULL"...)
}

// appendElements appends [a, b]. Elements of arrays and of JSON lists are not quoted, as in DuckDB.
func appendElements(dst []byte, child *Vector, e ListEntry, quoted bool) []byte {
	dst = append(dst, '[')
	for i := range int(e.Length) {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if quoted {
			dst = appendPart(dst, child, int(e.Offset)+i)
		} else {
			dst = AppendText(dst, child, int(e.Offset)+i)
		}
	}
	return append(dst, ']')
}

// appendStruct appends {'a': 1}, or (1, 2) when the fields have no names.
func appendStruct(dst []byte, v *Vector, row int) []byte {
	fields := v.typ.Fields()
	named := false
	for _, f := range fields {
		named = named || f.Name != ""
	}
	brackets := "()"
	if named || len(fields) == 0 {
		brackets = "{}"
	}
	dst = append(dst, brackets[0])
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if named {
			dst = appendQuoted(dst, []byte(f.Name))
			dst = append(dst, ": "...)
		}
		dst = appendPart(dst, v.children[i], row)
	}
	return append(dst, brackets[1])
}

// appendPart appends a value inside a nested one, in quotes when its text could be misread there.
func appendPart(dst []byte, v *Vector, row int) []byte {
	start := len(dst)
	dst = AppendText(dst, v, row)
	if v.typ.IsNested() {
		return dst
	}
	if _, _, ok := v.Locate(row); !ok || !needsQuotes(dst[start:]) {
		return dst
	}
	text := bytes.Clone(dst[start:])
	return appendQuoted(dst[:start], text)
}

// needsQuotes reports text that reads as something else inside a nested value: empty, NULL, with white space at an end or one of
// the characters of the syntax.
func needsQuotes(text []byte) bool {
	if len(text) == 0 || isSpace(text[0]) || isSpace(text[len(text)-1]) || bytes.EqualFold(text, []byte("NULL")) {
		return true
	}
	return bytes.ContainsAny(text, `"'(),:=[]{}`)
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// appendQuoted appends text in single quotes, with a backslash before quotes and backslashes.
func appendQuoted(dst, text []byte) []byte {
	dst = append(dst, '\'')
	for _, c := range text {
		if c == '\'' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '\'')
}
