package schemas_test

import (
	"encoding/json"
	"fmt"

	"github.com/skillhand/skillhand/schemas"
)

// Validators take the schemas as they are; this one prints what a document is called.
func Example() {
	text, err := schemas.Files.ReadFile("doctor-v1.schema.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	var schema struct{ Title string }
	fmt.Println(json.Unmarshal(text, &schema), schema.Title)
	// Output:
	// <nil> What skillhand doctor --json prints
}
