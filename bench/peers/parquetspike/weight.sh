#!/bin/sh
# Prints the stripped size of a tiny linux/amd64 program that links arrow-go's
# arrays plus one candidate, its package count, and whether arrow/compute,
# gRPC, net/http or cgo come along. Run it in this directory; it needs only
# what the module already requires.
set -eu
dir=$(mktemp -d ./weight.XXXXXX)
trap 'rm -rf "$dir"' EXIT INT TERM PIPE

# weigh NAME IMPORTS STATEMENTS
weigh() {
	mkdir -p "$dir/$1"
	{
		echo 'package main'
		echo 'import ("fmt"; "os"'
		echo '"github.com/apache/arrow-go/v18/arrow"; "github.com/apache/arrow-go/v18/arrow/array"'
		echo '"github.com/apache/arrow-go/v18/arrow/memory"'
		printf '%s\n' "$2"
		echo ')'
		echo 'func main() {'
		echo 'fmt.Fprintln(os.Stdout, array.NewBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64).NewArray())'
		printf '%s\n' "$3"
		echo '}'
	} >"$dir/$1/main.go"
	GOOS=linux GOARCH=amd64 CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$dir/bin" "./$dir/$1"
	deps=$(go list -deps "./$dir/$1")
	cgo=$(CGO_ENABLED=1 go list -deps -f '{{if and (not .Standard) .CgoFiles}}{{.ImportPath}}{{end}}' "./$dir/$1" | grep -c . || true)
	printf '%-28s %9d bytes, %3d packages, compute %d, grpc %d, net/http %d, cgo %d\n' "$1" \
		"$(wc -c <"$dir/bin")" "$(echo "$deps" | wc -l)" "$(echo "$deps" | grep -c '/arrow/compute$' || true)" \
		"$(echo "$deps" | grep -c '^google.golang.org/grpc$' || true)" "$(echo "$deps" | grep -c '^net/http$' || true)" "$cgo"
}

codecs='"github.com/klauspost/compress/gzip"; "github.com/klauspost/compress/s2"; "github.com/klauspost/compress/zstd"'
use_codecs='d, _ := zstd.NewReader(nil); fmt.Println(d.DecodeAll(nil, nil)); fmt.Println(s2.Decode(nil, nil)); fmt.Println(gzip.NewReader(nil))'
read_go='f, err := parquet.OpenFile(nil, 0); fmt.Println(err); fmt.Println(f.RowGroups()[0].ColumnChunks()[0].Pages().ReadPage())'
read_arrow='f, err := file.NewParquetReader(nil); fmt.Println(err); fmt.Println(f.RowGroup(0).GetColumnPageReader(0))'

weigh arrays-alone '' ''
weigh own-codecs "$codecs" "$use_codecs"
weigh own-parquetgo-format "$codecs; \"github.com/parquet-go/parquet-go/encoding/thrift\"; \"github.com/parquet-go/parquet-go/format\"" \
	"$use_codecs; var m format.FileMetaData; fmt.Println(thrift.Unmarshal(&thrift.CompactProtocol{}, nil, &m), m.NumRows)"
weigh parquetgo-read '"github.com/parquet-go/parquet-go"' "$read_go"
weigh parquetgo-read-write '"github.com/parquet-go/parquet-go"' "$read_go; w := parquet.NewWriter(os.Stdout, f.Schema()); fmt.Println(w.WriteRows(nil)); fmt.Println(w.Close())"
weigh arrow-file-read '"github.com/apache/arrow-go/v18/parquet/file"' "$read_arrow"
weigh arrow-file-read-write '"github.com/apache/arrow-go/v18/parquet/file"' "$read_arrow; w := file.NewParquetWriter(os.Stdout, nil); fmt.Println(w.AppendRowGroup().NextColumn()); fmt.Println(w.Close())"
