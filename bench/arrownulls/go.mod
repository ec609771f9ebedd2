module github.com/lacunadb/lacuna/bench/arrownulls

go 1.26.0

require (
	github.com/apache/arrow-go/v18 v18.8.0
	github.com/lacunadb/lacuna v0.0.0-00010101000000-000000000000
)

require (
	github.com/goccy/go-json v0.10.6 // indirect
	github.com/google/flatbuffers v25.12.19+incompatible // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20260112195511-716be5621a96 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/lacunadb/lacuna => ../..
