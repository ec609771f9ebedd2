package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lacunadb/lacuna/engine"
)

func ExampleOpen() {
	db, err := engine.Open(engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	result, err := db.Query(context.Background(), `
		SELECT l_returnflag, count(*) AS n, sum(l_quantity) AS qty
		FROM 'testdata/tpch/lineitem.parquet'
		WHERE l_shipdate >= $since
		GROUP BY ALL ORDER BY 1`, engine.Named("since", "1995-01-01"))
	if err != nil {
		log.Fatal(err)
	}
	for batch, err := range result.All() { // Arrow record batches, as they are made
		if err != nil {
			log.Fatal(err)
		}
		for i := range int(batch.NumRows()) {
			fmt.Println(batch.Column(0).ValueStr(i), batch.Column(1).ValueStr(i), batch.Column(2).ValueStr(i))
		}
	}
	// Output:
	// A 1816 46566
	// N 30397 774222
	// R 1757 45318
}
