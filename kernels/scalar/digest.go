package scalar

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file is hashes of texts, and texts and bytes written as other texts: hexadecimal, binary, base64, URLs.

func registerDigest(set *expr.Set) {
	for _, f := range []struct {
		name, what, example string
		sum                 func(dst, s []byte) []byte
	}{
		{"md5", "MD5", "md5('a') = 0cc175b9c0f1b6a831c399e269772661", func(dst, s []byte) []byte { x := md5.Sum(s); return hex.AppendEncode(dst, x[:]) }},
		{"sha1", "SHA-1", "sha1('a') = 86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", func(dst, s []byte) []byte { x := sha1.Sum(s); return hex.AppendEncode(dst, x[:]) }},
		{"sha256", "SHA-256", "sha256('a') = ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
			func(dst, s []byte) []byte { x := sha256.Sum256(s); return hex.AppendEncode(dst, x[:]) }},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name, Bind: anyOf(appendText(f.name, types.Varchar, f.sum, types.Varchar), appendText(f.name, types.Varchar, f.sum, types.Blob)),
			Signatures: []string{f.name + "(s VARCHAR) -> VARCHAR", f.name + "(s BLOB) -> VARCHAR"}, Description: "The " + f.what + " hash, in hexadecimal digits.", Example: f.example,
		})
	}
	upperHex := func(dst, s []byte) []byte {
		for _, c := range s {
			dst = append(dst, "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
		return dst
	}
	set.MustAdd(
		&expr.Family{
			Name: "hex", Aliases: []string{"to_hex"},
			Bind:       anyOf(appendText("hex", types.Varchar, upperHex, types.Varchar), appendText("hex", types.Varchar, upperHex, types.Blob), inBase("hex", 16)),
			Signatures: []string{"hex(s VARCHAR)", "hex(b BLOB)", "hex(x BIGINT)"}, Description: "The bytes of a text, or a number, in hexadecimal digits; a negative number in two's complement.",
			Example: "hex('abc') = 616263",
		},
		&expr.Family{
			Name: "unhex", Aliases: []string{"from_hex"}, Bind: decodeText("unhex", types.Blob, unhex),
			Signatures: []string{"unhex(s VARCHAR) -> BLOB"}, Description: "The bytes that hexadecimal digits say.", Example: "unhex('616263') = abc",
		},
		&expr.Family{
			Name: "bin", Aliases: []string{"to_binary"},
			Bind: anyOf(appendText("bin", types.Varchar, func(dst, s []byte) []byte {
				for _, c := range s {
					for bit := 7; bit >= 0; bit-- {
						dst = append(dst, '0'+c>>bit&1)
					}
				}
				return dst
			}, types.Varchar), inBase("bin", 2)),
			Signatures: []string{"bin(s VARCHAR)", "bin(x BIGINT)"}, Description: "The bytes of a text, or a number, in binary digits.", Example: "bin(5) = 101",
		},
		&expr.Family{
			Name: "unbin", Aliases: []string{"from_binary"}, Bind: decodeText("unbin", types.Blob, unbin),
			Signatures: []string{"unbin(s VARCHAR) -> BLOB"}, Description: "The bytes that binary digits say.", Example: "unbin('01100001') = a",
		},
		&expr.Family{
			Name: "to_base64", Aliases: []string{"base64"},
			Bind:       appendText("to_base64", types.Varchar, func(dst, s []byte) []byte { return base64.StdEncoding.AppendEncode(dst, s) }, types.Blob),
			Signatures: []string{"to_base64(b BLOB) -> VARCHAR"}, Description: "The bytes in base64.", Example: "to_base64('abc'::BLOB) = YWJj",
		},
		&expr.Family{
			Name: "from_base64",
			Bind: decodeText("from_base64", types.Blob, func(dst, s []byte) ([]byte, *types.Error) {
				dst, err := base64.StdEncoding.AppendDecode(dst, s)
				if err != nil {
					return nil, types.Errorf(types.CodeInvalidText, "%q is not base64", s)
				}
				return dst, nil
			}),
			Signatures: []string{"from_base64(s VARCHAR) -> BLOB"}, Description: "The bytes that base64 says.", Example: "from_base64('YWJj') = abc",
		},
		&expr.Family{
			Name: "encode", Bind: appendText("encode", types.Blob, func(dst, s []byte) []byte { return append(dst, s...) }, types.Varchar),
			Signatures: []string{"encode(s VARCHAR) -> BLOB"}, Description: "The bytes of a text.", Example: "encode('aé') = a\\xC3\\xA9",
		},
		&expr.Family{
			Name: "url_encode",
			Bind: appendText("url_encode", types.Varchar, func(dst, s []byte) []byte {
				for _, c := range s {
					if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == '~' {
						dst = append(dst, c)
					} else {
						dst = append(dst, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
					}
				}
				return dst
			}, types.Varchar),
			Signatures: []string{"url_encode(s VARCHAR)"}, Description: "The text with % and two digits for each byte that a URL gives a meaning.", Example: "url_encode('a b/c') = a%20b%2Fc",
		},
		&expr.Family{
			Name: "url_decode",
			Bind: decodeText("url_decode", types.Varchar, func(dst, s []byte) ([]byte, *types.Error) {
				for i := 0; i < len(s); i++ {
					if s[i] == '%' && i+2 < len(s) {
						if x, err := strconv.ParseUint(string(s[i+1:i+3]), 16, 8); err == nil {
							dst = append(dst, byte(x))
							i += 2
							continue
						}
					}
					dst = append(dst, s[i])
				}
				if !utf8.Valid(dst) {
					return nil, types.Errorf(types.CodeInvalidUTF8, "%q decodes to bytes that are no UTF-8", s)
				}
				return dst, nil
			}),
			Signatures: []string{"url_decode(s VARCHAR)"}, Description: "The text that url_encode was given.", Example: "url_decode('a%20b') = a b",
		},
		&expr.Family{
			Name: "to_base",
			Bind: anyOf(
				fixed("to_base", types.Varchar, expr.NullStrict, true, toBase, types.BigInt, types.Integer),
				fixed("to_base", types.Varchar, expr.NullStrict, true, toBase, types.BigInt, types.Integer, types.Integer),
			),
			Signatures: []string{"to_base(x BIGINT, radix INTEGER)", "to_base(x BIGINT, radix INTEGER, digits INTEGER)"}, Description: "A number that is not negative in digits of a radix from 2 to 36, with zeros in front up to so many digits.",
			Example: "to_base(255, 16, 4) = 00FF",
		},
	)
}

// appendText binds a function of one text or byte string that cannot fail: f appends the result.
func appendText(name string, result types.Type, f func(dst, s []byte) []byte, argument types.Type) func([]expr.Arg) (*expr.Function, error) {
	kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		s := textOf(env, args[0])
		var dst []byte
		return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
			if len(s.at(i)) > maxText/8 {
				return tooLong()
			}
			dst = f(dst[:0], s.at(i))
			b.Append(dst)
			return nil
		})
	}
	return fixed(name, result, expr.NullStrict, true, kernel, argument)
}

// decodeText binds a function of one text that fails on some.
func decodeText(name string, result types.Type, f func(dst, s []byte) ([]byte, *types.Error)) func([]expr.Arg) (*expr.Function, error) {
	kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		s := textOf(env, args[0])
		var scratch []byte
		return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
			dst, err := f(scratch[:0], s.at(i))
			if err != nil {
				return err
			}
			scratch = dst
			b.Append(dst)
			return nil
		})
	}
	return fixed(name, result, expr.NullStrict, true, kernel, types.Varchar)
}

func unhex(dst, s []byte) ([]byte, *types.Error) {
	if len(s)%2 == 1 { // a digit is missing in front
		s = append([]byte{'0'}, s...)
	}
	dst, err := hex.AppendDecode(dst, s)
	if err != nil {
		return nil, types.Errorf(types.CodeInvalidText, "%q has characters that are no hexadecimal digits", s)
	}
	return dst, nil
}

func unbin(dst, s []byte) ([]byte, *types.Error) {
	for len(s) > 0 {
		n := (len(s)-1)%8 + 1
		x, err := strconv.ParseUint(string(s[:n]), 2, 8)
		if err != nil {
			return nil, types.Errorf(types.CodeInvalidText, "%q has characters that are no binary digits", s)
		}
		dst, s = append(dst, byte(x)), s[n:]
	}
	return dst, nil
}

// inBase binds the digits of an integer, of a negative one in two's complement.
func inBase(name string, base int) func([]expr.Arg) (*expr.Function, error) {
	return func(args []expr.Arg) (*expr.Function, error) {
		if len(args) != 1 || !args[0].Type.IsInteger() {
			return nil, nil
		}
		t := types.BigInt
		switch args[0].Type.Kind() {
		case types.KindHugeInt, types.KindUBigInt:
			t = types.HugeInt
		}
		return &expr.Function{
			Name: name, Args: []types.Type{t}, Result: types.Varchar,
			Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				digits := func(b *kernels.ViewBuilder, text string) {
					dst := []byte(text)
					for i, c := range dst {
						if c >= 'a' {
							dst[i] = c - 'a' + 'A'
						}
					}
					b.Append(dst)
				}
				if t.Kind() == types.KindBigInt {
					x := columnOf[int64](env, args[0])
					return mapText(env, out, args, func(i int, b *kernels.ViewBuilder) { digits(b, strconv.FormatUint(uint64(x.at(i)), base)) }), nil
				}
				x := columnOf[types.Int128](env, args[0])
				return mapText(env, out, args, func(i int, b *kernels.ViewBuilder) {
					v := x.at(i)
					wide := new(big.Int).Lsh(new(big.Int).SetUint64(uint64(v.Hi)), 64)
					digits(b, wide.Or(wide, new(big.Int).SetUint64(v.Lo)).Text(base))
				}), nil
			},
		}, nil
	}
}

func toBase(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	x, radix := columnOf[int64](env, args[0]), columnOf[int32](env, args[1])
	length := column[int32]{values: []int32{0}}
	if len(args) == 3 {
		length = columnOf[int32](env, args[2])
	}
	return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
		switch {
		case x.at(i) < 0:
			return types.Errorf(types.CodeInvalidParameter, "to_base takes no negative number, such as %d", x.at(i))
		case radix.at(i) < 2 || radix.at(i) > 36:
			return types.Errorf(types.CodeInvalidParameter, "radix %d is not from 2 to 36", radix.at(i))
		case length.at(i) < 0 || length.at(i) > 64:
			return types.Errorf(types.CodeInvalidParameter, "%d digits are not from 0 to 64", length.at(i))
		}
		text := []byte(strconv.FormatInt(x.at(i), int(radix.at(i))))
		var dst []byte
		for range int(length.at(i)) - len(text) {
			dst = append(dst, '0')
		}
		b.Append(appendUpper(dst, text))
		return nil
	})
}
