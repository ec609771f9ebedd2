package sql

import (
	"strconv"
	"strings"

	"github.com/lacunadb/lacuna/types"
)

// typeName reads a type: a name with its modifiers or fields, and any number of [] and [n].
func (r *rewriter) typeName() *TypeName {
	if !r.enter() {
		return nil
	}
	defer r.leave()
	first := r.pos
	t := r.baseType()
	for n := 0; r.err == nil; n++ {
		elem := t
		switch {
		case r.accept("[", "]"):
			t = &TypeName{Name: "list", Elem: elem}
		case r.is("[") && r.peek(1).kind == tokenInteger && r.peek(2).word == "]":
			r.pos++
			t = &TypeName{Name: "array", Elem: elem, Size: r.typeNumber()}
			r.accept("]")
		case r.is("array") && n == 0:
			r.pos++
			t = &TypeName{Name: "list", Elem: elem}
			if r.accept("[") {
				t.Name, t.Size = "array", r.typeNumber()
				r.expect("]")
			}
		default:
			return t
		}
		if n > maxDepth {
			r.failAt(types.CodeTooComplex, r.pos, "the type is nested too deeply")
		}
		t.Span = r.spanFrom(first)
	}
	return t
}

// typeNumber reads a number within a type.
func (r *rewriter) typeNumber() int {
	if r.tok().kind != tokenInteger {
		r.syntaxError(r.pos)
		return 0
	}
	n, err := strconv.ParseInt(r.tok().text, 10, 32)
	if err != nil {
		r.failAt(types.CodeInvalidParameter, r.pos, "number %s is too large for a type", excerpt(r.tok().text))
		return 0
	}
	r.pos++
	return int(n)
}

// baseType reads a type without [].
func (r *rewriter) baseType() *TypeName {
	first := r.pos
	t := &TypeName{}
	if !r.startsName() && !(r.is("union") && r.peek(1).word == "(") {
		r.syntaxError(r.pos)
		return t
	}
	word := r.tok().word
	name := r.label()
	t.Name, t.Quoted = name.Name, name.Quoted
	if !t.Quoted {
		t.Name = strings.ToLower(t.Name)
	}
	for r.is(".") {
		r.pos++
		t.Qualifier = append(t.Qualifier, name)
		name = r.label()
		t.Name, t.Quoted, word = name.Name, name.Quoted, ""
		if !t.Quoted {
			t.Name = strings.ToLower(t.Name)
		}
	}
	switch word {
	case "struct", "row", "union", "map", "enum":
		if r.is("(") {
			if word == "row" {
				t.Name = "struct"
			}
			r.nestedType(t)
		}
	case "double":
		if r.accept("precision") {
			t.Name = "double precision"
		}
	case "character", "char", "bit":
		if r.accept("varying") {
			t.Name += " varying"
		}
		r.typeModifiers(t)
	case "time", "timestamp":
		r.typeModifiers(t)
		switch {
		case r.accept("with", "time", "zone"):
			t.Name += " with time zone"
		case r.accept("with", "offset"):
			t.Name += " with offset"
		case r.accept("without", "time", "zone"):
		}
	case "interval":
		t.Unit = r.intervalUnit()
		r.typeModifiers(t)
	default:
		r.typeModifiers(t)
	}
	if r.is("unsigned") {
		r.syntaxError(r.pos)
		r.hint("The unsigned types are UTINYINT, USMALLINT, UINTEGER and UBIGINT.")
	}
	t.Span = r.spanFrom(first)
	return t
}

// typeModifiers reads (10, 2).
func (r *rewriter) typeModifiers(t *TypeName) {
	if !r.accept("(") {
		return
	}
	for {
		t.Modifiers = append(t.Modifiers, r.typeNumber())
		if !r.accept(",") {
			break
		}
	}
	r.expect(")")
}

// nestedType reads the parenthesised part of STRUCT, UNION, MAP and ENUM.
func (r *rewriter) nestedType(t *TypeName) {
	r.expect("(")
	for r.err == nil {
		start := r.pos
		switch t.Name {
		case "enum":
			if r.tok().kind != tokenString {
				r.syntaxError(r.pos)
				return
			}
			t.Labels = append(t.Labels, r.tok().text)
			r.pos++
		case "map":
			typ := r.typeName()
			t.Fields = append(t.Fields, TypeField{Span: r.spanFrom(start), Type: typ})
		default:
			name := r.label()
			typ := r.typeName()
			t.Fields = append(t.Fields, TypeField{r.spanFrom(start), name, typ})
		}
		if !r.accept(",") {
			break
		}
	}
	r.expect(")")
	if t.Name == "map" && len(t.Fields) != 2 && r.err == nil {
		r.failAt(types.CodeInvalidParameter, r.pos-1, "a map type has a key and a value type")
	}
}
