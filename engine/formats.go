package engine

import (
	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/csv"
	"github.com/lacunadb/lacuna/catalog/ipc"
	"github.com/lacunadb/lacuna/catalog/json"
	"github.com/lacunadb/lacuna/catalog/parquet"
)

// formats are the kinds of files that FROM 'path' reads, by the endings of their names.
var formats = []catalog.Format{parquet.Format{}, csv.Format{}, json.Format{}, ipc.Format{}}
