#!/bin/sh
# Fails if the committed assembly is not what the generator writes.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for verb in compare filter sum minmax bits gather cast take runs; do
	# The first line of a file quotes the command with its paths; it is not compared.
	go run . -verb "$verb" -out "$out/$verb.s" -stubs "$out/$verb.go" -pkg asm
	for pair in "$verb.s ${verb}_amd64.s" "$verb.go stubs_${verb}_amd64.go"; do
		set -- $pair
		tail -n +2 "$out/$1" >"$out/new"
		tail -n +2 "../$2" >"$out/old"
		if ! diff -u "$out/old" "$out/new"; then
			echo "kernels/asm/$2 is not what kernels/asm/_gen writes: run go generate ./kernels/asm" >&2
			exit 1
		fi
	done
done
