package claude_test

import (
	"fmt"

	"github.com/skillhand/skillhand/claude"
)

// A program that has only an error message can find out what to do about the error.
func ExampleClassify() {
	for _, text := range []string{"HTTP 429", "connect ECONNREFUSED 127.0.0.1:443", "Invalid API key", "Something broke"} {
		category, kind := claude.Classify(text)
		fmt.Println(category, kind)
	}
	// Output:
	// rate-limit rate-limited
	// network connection
	// auth auth
	// logic crashed
}

func ExampleExtractJSON() {
	value, ok := claude.ExtractJSON("You sent:\n```\n{\"in\": 1}\n```\nResult:\n```json\n{\"out\": 2}\n```\n")
	fmt.Println(string(value), ok)
	// Output: {"out": 2} true
}

func ExampleBuildArgs() {
	args, err := claude.BuildArgs(claude.Request{Model: "opus", AllowedTools: []string{"Read"}})
	fmt.Println(args, err)
	// Output: [-p --allowedTools Read --output-format stream-json --verbose --model opus] <nil>
}
