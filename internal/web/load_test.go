package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/watch"
)

// TestSlowBodies checks that a request whose body does not arrive ends its connection, and that
// this ends no event stream.
func TestSlowBodies(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello})
	p.end()
	p.ended <- <-p.ended
	var err error
	if p.server, err = Listen(p.site, 0); err != nil {
		t.Fatal(err)
	}
	p.server.readTimeout = 50 * time.Millisecond
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.server.Serve(ctx) }()
	defer func() { end(); <-ended }()

	client := p.client()
	p.get(client, "/skill/hello") // its file is watched from now on
	stream, err := client.Get(p.base() + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	news := bufio.NewScanner(stream.Body)
	hears := func() bool {
		for news.Scan() {
			if strings.HasPrefix(news.Text(), "data: ") {
				return true
			}
		}
		return false
	}
	hears() // the first event is the current number
	host := strings.TrimPrefix(p.base(), "http://")
	var all []net.Conn
	for range 200 {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /skill/hello HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nCookie: %s=%s\r\n"+
			"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nskill=",
			host, p.base(), p.server.guard.cookieName(), p.server.guard.cookie)
		all = append(all, c)
	}
	for _, c := range all {
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second)) // for the case that nothing ends it
		if _, err := io.ReadAll(c); err != nil {
			t.Fatalf("a body that did not come: %v", err)
		}
	}
	p.write("hello", hello+"more\n") // the limit has passed for the stream too
	if !hears() {
		t.Errorf("the stream of news ended: %v", news.Err())
	}
}

// TestMakingIsBounded checks that at most maxMaking pages are rendered at once, and none for a
// client that has left.
func TestMakingIsBounded(t *testing.T) {
	s := &Site{Runtime: &skillhand.Runtime{}}
	w, err := watch.New(watchOptions)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	began, release, answered := make(chan int), make(chan struct{}), make(chan int)
	look := func(ctx context.Context, i int) {
		out := httptest.NewRecorder()
		s.show(out, httptest.NewRequestWithContext(ctx, "GET", fmt.Sprint("/", i), nil), w, func(*visit) (*view, error) {
			began <- i
			<-release
			return nil, errMissing{"nothing"}
		})
		answered <- out.Body.Len()
	}
	for i := range maxMaking {
		go look(t.Context(), i)
		<-began
	}
	gone, leave := context.WithCancel(t.Context())
	for i := range 100 {
		go look(gone, maxMaking+i)
	}
	leave()
	for range 100 {
		select {
		case i := <-began:
			t.Fatalf("page %d is made with %d under way, for a client that left", i, maxMaking)
		case n := <-answered:
			if n > 0 {
				t.Error("a client that left was answered")
			}
		}
	}
	close(release)
	for range maxMaking {
		if n := <-answered; n == 0 {
			t.Error("a page was not shown")
		}
	}
}

// TestSharedPages checks that waiting requests for one address share one page. A page whose
// rendering has begun is not used for later requests. A page is not rendered if no client waits any
// more.
func TestSharedPages(t *testing.T) {
	var m making
	began, release := make(chan context.Context, 1000), make(chan struct{})
	answers := make(chan string, 1000)
	look := func(ctx context.Context, address string) {
		_, text, ok := m.share(ctx, address, func(own context.Context) (int, []byte) {
			began <- own
			select {
			case <-release:
			case <-own.Done():
			}
			return 200, fmt.Append(nil, len(began))
		})
		answers <- fmt.Sprint(ok, len(text) > 0)
	}
	waits := func(address string, n int) {
		for {
			m.mu.Lock()
			p := m.waiting[address]
			ok := p != nil && p.askers == n
			m.mu.Unlock()
			if ok {
				return
			}
			runtime.Gosched()
		}
	}
	for i := range maxMaking {
		go look(t.Context(), fmt.Sprint("/", i))
		<-began
	}
	gone, leave := context.WithCancel(t.Context())
	for range 500 {
		go look(t.Context(), "/0")
		go look(gone, "/0")
		go look(gone, "/gone")
	}
	waits("/0", 1000)
	waits("/gone", 500)
	leave()
	for range 1000 {
		if got := <-answers; got != "false false" {
			t.Fatalf("a client that left: %s", got)
		}
	}
	close(release)
	for range maxMaking + 500 {
		if got := <-answers; got != "true true" {
			t.Fatalf("a client that waited: %s", got)
		}
	}
	if n := len(began); n != 1 {
		t.Errorf("%d pages for 500 looks", n)
	}
	first, stop := context.WithCancel(t.Context())
	ended := make(chan bool)
	m.share(first, "/first", func(own context.Context) (int, []byte) {
		stop()
		<-own.Done() // no client waits for it
		close(ended)
		return 0, nil
	})
	<-ended
	if len(m.waiting) > 0 {
		t.Errorf("still waiting: %v", m.waiting)
	}
}

// TestExportIsSmall checks that an export has the lines that a page shares with its source only
// once.
func TestExportIsSmall(t *testing.T) {
	var body strings.Builder
	for i := range 60 {
		fmt.Fprintf(&body, "- step %d: read src/mod%[1]d.go and say what its function number %[1]d returns, in one line\n", i)
	}
	skills, size := map[string]string{}, 0
	for i := range 40 {
		text := fmt.Sprintf("---\nname: skill-%02d\ndescription: Reviews module %[1]d. Use it for questions about it.\n---\nSee !`git log`\n%s", i, body.String())
		skills[fmt.Sprintf("skill-%02d", i)] = text
		size += len(text)
	}
	p := newPlace(t, true, skills)
	file := filepath.Join(t.TempDir(), "site.html")
	if _, err := p.site.Export(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("SKILLHAND_SHOTS"); dir != "" {
		os.WriteFile(dir+"/export.html", text, 0o666)
	}
	if n := strings.Count(string(text), "step 42:"); n != 40 {
		t.Errorf("a line of 40 skills is there %d times", n)
	}
	if len(text) > 2*size {
		t.Errorf("%d bytes for %d of skills", len(text), size)
	}
}

// TestBlocks checks that directives are beside their output, and that common lines are beside each
// other.
func TestBlocks(t *testing.T) {
	read := func(text string) []line {
		var spans []span
		for _, at := range regexp.MustCompile(`<\d[^>]*>`).FindAllStringIndex(text, -1) {
			spans = append(spans, span{at[0], at[1], "dir", int(text[at[0]+1] - '0')})
		}
		return lines(segments(text, spans))
	}
	write := func(all []line) string {
		var texts []string
		for _, l := range all {
			texts = append(texts, l.text())
		}
		return strings.Join(texts, "/")
	}
	for _, tt := range []struct{ name, source, page, want string }{
		{"nothing", "", "", "="},
		{"front", "---\nname: a\n---\nText\nMore\n", "Text\nMore\n", "---/name: a/---= Text/More=Text/More"},
		{"a directive", "a\nsee <1> now\nb\n", "a\nsee <1 one\ntwo> now\nb\n", "a=a 1:see <1> now=see <1 one/two> now b=b"},
		{"two on a line", "<1> <2>\nb\n", "<1x\ny> <2z>\nb\n", "1:<1> <2>=<1x/y> <2z> b=b"},
		{"two outputs that share a line", "<1>\n<2>\n", "<1x><2y>\n", "1:<1>/<2>=<1x><2y>"},
		{"only later", "a\n<1>\nb\n<2>\n", "b\n<2x>\n", "a/<1>= b=b 2:<2>=<2x>"},
		{"other words", "same\nold\nlast\n", "same\nnew\nlast\n", "same=same old=new last=last"},
		{"moved", "one\ntwo\n", "two\none\n", "one= two=two =one"},
		{"blank lines are no anchors", "a\n\nb\n\nc\n", "c\n", "a//b/= c=c"},
	} {
		var got []string
		all := blocks(read(tt.source), read(tt.page))
		for _, b := range all {
			text := write(b.Source) + "=" + write(b.Page)
			if b.Made > 0 {
				text = fmt.Sprint(b.Made, ":", text)
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestBlocksLoseNothing checks for any texts that each line is on its side once and in order, also
// in an export.
func TestBlocksLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "", "long line"})
		text := func(name string) (all []line) {
			id := 0
			for i, w := range rapid.SliceOfN(word, 0, 20).Draw(t, name) {
				l := line{Number: i + 1, Segments: []segment{{Text: w}}}
				if w == "c" {
					id++
					l.Segments[0].Class, l.Segments[0].Directive = "dir", id
				}
				all = append(all, l)
			}
			return all
		}
		source, page := text("source"), text("page")
		join := func(all []line) (text string) {
			for _, l := range all {
				text += l.text() + "\n"
			}
			return text
		}
		for _, export := range []bool{false, true} {
			all := blocks(slices.Clone(source), slices.Clone(page))
			if export {
				all = foldSame(all)
			}
			left, right := "", ""
			for _, b := range all {
				left, right = left+b.Text+join(b.Source), right+b.Text+join(b.Page)
			}
			if left != join(source) || right != join(page) {
				t.Fatalf("%q and %q became %q and %q", join(source), join(page), left, right)
			}
		}
	})
}
