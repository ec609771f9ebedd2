package sql

import "strings"

// quoteIdent writes a name between double quotes.
func quoteIdent(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// quoteString writes a string literal.
func quoteString(s string) string {
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// literalText writes a literal.
func literalText(l *Literal) string {
	switch l.Kind {
	case NullLiteral:
		return "NULL"
	case StringLiteral:
		return quoteString(l.Text)
	case BlobLiteral:
		const digits = "0123456789abcdef"
		var b strings.Builder
		b.WriteString("x'")
		for i := 0; i < len(l.Text); i++ {
			b.WriteByte(digits[l.Text[i]>>4])
			b.WriteByte(digits[l.Text[i]&15])
		}
		b.WriteByte('\'')
		return b.String()
	case BitLiteral:
		return "b'" + l.Text + "'"
	}
	return l.Text
}

// typeText writes a type.
func typeText(t *TypeName) string {
	var b strings.Builder
	writeType(&b, t)
	return b.String()
}

func writeType(b *strings.Builder, t *TypeName) {
	switch {
	case t.Elem != nil:
		writeType(b, t.Elem)
		b.WriteByte('[')
		if t.Name == "array" {
			b.WriteString(number(t.Size))
		}
		b.WriteByte(']')
		return
	case t.Name == "enum" && len(t.Labels) > 0:
		b.WriteString("enum(")
		for i, l := range t.Labels {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quoteString(l))
		}
		b.WriteByte(')')
		return
	case len(t.Fields) > 0:
		b.WriteString(t.Name)
		b.WriteByte('(')
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			if t.Name != "map" {
				b.WriteString(identText(f.Name))
				b.WriteByte(' ')
			}
			writeType(b, f.Type)
		}
		b.WriteByte(')')
		return
	}
	for _, q := range t.Qualifier {
		b.WriteString(identText(q))
		b.WriteByte('.')
	}
	// The modifiers stand behind the first word: timestamp(3) with time zone.
	first, rest, _ := strings.Cut(t.Name, " ")
	if t.Quoted {
		first, rest = quoteIdent(t.Name), ""
	}
	if t.Name == "double precision" || strings.HasSuffix(t.Name, " varying") {
		first, rest = t.Name, ""
	}
	b.WriteString(first)
	if t.Unit != "" {
		b.WriteByte(' ')
		b.WriteString(t.Unit)
	}
	for i, m := range t.Modifiers {
		b.WriteString([]string{"(", ", "}[min(i, 1)])
		b.WriteString(number(m))
	}
	if len(t.Modifiers) > 0 {
		b.WriteByte(')')
	}
	if rest != "" {
		b.WriteByte(' ')
		b.WriteString(rest)
	}
}
