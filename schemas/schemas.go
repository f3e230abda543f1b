// Package schemas holds the JSON Schemas of everything that skillhand prints as JSON.
package schemas

import "embed"

// Files has each schema by its file name, such as load-v1.schema.json.
//
//go:embed *.schema.json
var Files embed.FS
