package lsp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/lsp"
)

// An editor talks to the server over two streams.
func ExampleServe() {
	h, err := here.From(os.TempDir(), []string{"HOME=" + os.TempDir()})
	if err != nil {
		fmt.Println(err)
		return
	}
	in, editor := io.Pipe()
	replies, out := io.Pipe()
	go func() {
		out.CloseWithError(lsp.Serve(context.Background(), h, "v1", in, out))
	}()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	fmt.Fprintf(editor, "Content-Length: %d\r\n\r\n%s", len(hello), hello)
	header, err := bufio.NewReader(replies).ReadString('\n')
	fmt.Println(strings.HasPrefix(header, "Content-Length: "), err)
	editor.Close() // ends the server
	// Output: true <nil>
}
