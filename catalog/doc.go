// Package catalog holds what a database knows: tables, views and functions by name, and the contracts between queries and the places
// where rows come from: Table and Scan for sources, FileSystem for files, Format for kinds of file.
package catalog
