package web_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/web"
)

// A site listens only on this machine, and its address admits one browser.
func ExampleListen() {
	h, err := here.From(os.TempDir(), []string{"HOME=" + os.TempDir()})
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := web.Listen(&web.Site{Runtime: &skillhand.Runtime{Here: h}}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.HasPrefix(server.Address, "http://127.0.0.1:"), strings.Contains(server.Address, "/?"))
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_ = server.Serve(ctx) // it ends with the context
	// Output: true true
}
