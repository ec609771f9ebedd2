package scalar

import (
	"crypto/rand"
	random "math/rand/v2"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file is functions that are about more than values: chance, errors, and how vectors are encoded.

func registerSystem(set *expr.Set) {
	volatile := func(name string, result types.Type, kernel expr.Kernel) func([]expr.Arg) (*expr.Function, error) {
		return func(args []expr.Arg) (*expr.Function, error) {
			if len(args) != 0 {
				return nil, nil
			}
			return &expr.Function{Name: name, Result: result, Nulls: expr.NullNever, Volatile: true, Kernel: kernel}, nil
		}
	}
	set.MustAdd(
		&expr.Family{
			Name: "random",
			Bind: volatile("random", types.Double, func(env *kernels.Env, out types.Type, _ []*types.Vector) (*types.Vector, error) {
				dst := types.Alloc[float64](env.Pool, env.Rows)
				for i := range dst {
					dst[i] = random.Float64()
				}
				return types.NewFixed(out, dst, nil), nil
			}),
			Signatures: []string{"random() -> DOUBLE"}, Description: "A random number from 0 up to but without 1, another one in each row.", Example: "random() < 1 = true",
		},
		&expr.Family{
			Name: "uuid", Aliases: []string{"gen_random_uuid", "uuidv4"},
			Bind: volatile("uuid", types.UUID, func(env *kernels.Env, out types.Type, _ []*types.Vector) (*types.Vector, error) {
				values := make([]any, env.Rows)
				for i := range values {
					var id types.UUIDValue
					if _, err := rand.Read(id[:]); err != nil {
						return nil, err
					}
					id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4 of RFC 9562
					values[i] = id
				}
				return types.FromValues(env.Pool, out, values)
			}),
			Signatures: []string{"uuid() -> UUID"}, Description: "A random UUID of version 4, another one in each row.", Example: "length(uuid()::VARCHAR) = 36",
		},
		&expr.Family{
			Name: "error",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 || !casts(args[0], types.Varchar) {
					return nil, nil
				}
				return &expr.Function{
					Name: "error", Args: []types.Type{types.Varchar}, Result: types.Null, Nulls: expr.NullCustom, CanFail: true,
					Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
						s, n := textOf(env, args[0]), args[0].Len()
						_, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
							return false, types.Errorf(types.CodeRaised, "%s", s.at(i))
						})
						return types.NewNull(out, n), err
					},
				}, nil
			},
			Signatures: []string{"error(message VARCHAR)"}, Description: "Fails with a message where it is evaluated; NULL for a NULL message.", Example: "CASE WHEN true THEN 1 ELSE error('no') END = 1",
		},
		&expr.Family{
			Name: "encoding",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 {
					return nil, nil
				}
				return &expr.Function{
					Name: "encoding", Args: []types.Type{args[0].Type}, Result: types.Varchar, Nulls: expr.NullNever, Encoded: true,
					Kernel: func(_ *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
						name, err := types.NewValue(types.Varchar, args[0].Encoding().String())
						if err != nil {
							return nil, err
						}
						return types.NewConstant(name, args[0].Len()), nil
					},
				}, nil
			},
			Signatures: []string{"encoding(x ANY) -> VARCHAR"}, Description: "How a value's batch is encoded where the function is evaluated: plain, constant, dictionary or run_end.", Example: "encoding(1) = constant",
		},
		encoder("dictionary_encode", "The values as a dictionary: each different one once, and a number for each row.", "dictionary_encode('a') = a", types.Dictionary, kernelOf(kernels.DictionaryEncode)),
		encoder("run_end_encode", "The values as runs: each stretch of equal values once.", "run_end_encode('a') = a", types.RunEnd, kernelOf(kernels.RunEndEncode)),
		&expr.Family{
			Name: "decode",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) == 1 && args[0].Type.Kind() == types.KindBlob {
					return &expr.Function{
						Name: "decode", Args: []types.Type{types.Blob}, Result: types.Varchar, CanFail: true,
						Kernel: decodeBytes,
					}, nil
				}
				return bindEncoder("decode", types.Plain, kernelOf(kernels.Decode), args)
			},
			Signatures: []string{"decode(b BLOB) -> VARCHAR", "decode(x ANY)"}, Description: "The text that bytes are in UTF-8; of other types the same value without dictionary or runs.", Example: "decode('abc'::BLOB) = abc",
		},
	)
}

func encoder(name, description, example string, encoding types.Encoding, encode func(*kernels.Env, *types.Vector) (*types.Vector, error)) *expr.Family {
	return &expr.Family{
		Name:       name,
		Bind:       func(args []expr.Arg) (*expr.Function, error) { return bindEncoder(name, encoding, encode, args) },
		Signatures: []string{name + "(x ANY)"}, Description: description, Example: example,
	}
}

// bindEncoder binds a function that changes the encoding of its argument and nothing else.
func bindEncoder(name string, encoding types.Encoding, encode func(*kernels.Env, *types.Vector) (*types.Vector, error), args []expr.Arg) (*expr.Function, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t := args[0].Type
	return &expr.Function{
		Name: name, Args: []types.Type{t}, Result: t, Encoded: true, Encoding: encoding,
		Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			return encode(env, args[0])
		},
	}, nil
}

func kernelOf(f func(*kernels.Env, *types.Vector) *types.Vector) func(*kernels.Env, *types.Vector) (*types.Vector, error) {
	return func(env *kernels.Env, v *types.Vector) (*types.Vector, error) { return f(env, v), nil }
}

// decodeBytes gives bytes as text, which they must be.
func decodeBytes(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	s := textOf(env, args[0])
	return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
		if !utf8.Valid(s.at(i)) {
			return types.Errorf(types.CodeInvalidUTF8, "the bytes are no UTF-8")
		}
		b.Append(s.at(i))
		return nil
	})
}
