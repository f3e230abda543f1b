package mcp

import (
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func benchPlace(b *testing.B, n int) *serving {
	p := newPlace(b)
	for i := range n {
		p.skill(fmt.Sprintf("skill-%d", i), "description: Does it.", strings.Repeat("A line of instructions.\n", 200))
	}
	sv, err := p.server().open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(sv.close)
	return sv
}

func BenchmarkCatalogue(b *testing.B) {
	sv := benchPlace(b, 300)
	for b.Loop() {
		sv.tools()
	}
}

func BenchmarkLoad(b *testing.B) {
	sv := benchPlace(b, 3)
	req := &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{Name: "load_skill", Arguments: []byte(`{"name":"skill-1"}`)}}
	for b.Loop() {
		if res, err := sv.loadSkill(b.Context(), req); err != nil || res.IsError {
			b.Fatal(res, err)
		}
	}
}
