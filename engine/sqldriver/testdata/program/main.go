// Command program reads a Parquet file with database/sql and Lacuna.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"os"

	_ "github.com/lacunadb/lacuna/engine/sqldriver"
)

func main() {
	db, err := sql.Open("lacuna", "")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`
		SELECT n_regionkey, count(*), max(n_name)
		FROM '`+os.Args[1]+`' WHERE n_nationkey < ?
		GROUP BY ALL ORDER BY 1`, 20)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var region, nations int
		var last string
		if err := rows.Scan(&region, &nations, &last); err != nil {
			log.Fatal(err)
		}
		fmt.Println(region, nations, last)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
}
