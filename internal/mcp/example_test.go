package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/mcp"
)

// An agent asks for the tools, over two streams.
func ExampleServer_Serve() {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"example","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
	h, err := here.From(os.TempDir(), []string{"HOME=" + os.TempDir()})
	if err != nil {
		fmt.Println(err)
		return
	}
	var out bytes.Buffer
	server := &mcp.Server{Runtime: &skillhand.Runtime{Here: h}}
	if err := server.Serve(context.Background(), in, &out); err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(out.String()) {
		var reply struct {
			Result struct{ Tools []struct{ Name string } }
		}
		if err := json.Unmarshal([]byte(line), &reply); err != nil {
			fmt.Println(err)
		}
		for _, tool := range reply.Result.Tools {
			fmt.Println(tool.Name)
		}
	}
	// Unordered output:
	// find_skill
	// load_skill
}
