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
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand"
)

// TestSlowBodies: a body that does not come ends its connection, and no stream of news ends with it.
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
	p.get(client, "/preview?skill=hello") // its file is watched from now on
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
	hears() // where things stand
	host := strings.TrimPrefix(p.base(), "http://")
	var all []net.Conn
	for range 200 {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /preview HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nCookie: %s=%s\r\n"+
			"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nskill=",
			host, p.base(), p.server.guard.cookieName(), p.server.guard.cookie)
		all = append(all, c)
	}
	for _, c := range all {
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second)) // or nothing ends it
		if _, err := io.ReadAll(c); err != nil {
			t.Fatalf("a body that did not come: %v", err)
		}
	}
	p.write("hello", hello+"more\n") // the limit has passed for the stream too
	if !hears() {
		t.Errorf("the stream of news ended: %v", news.Err())
	}
}

// TestMakingIsBounded: no more pages are made at once than maxMaking, and none for a client that left.
func TestMakingIsBounded(t *testing.T) {
	s := &Site{Runtime: &skillhand.Runtime{}}
	began, release, answered := make(chan int), make(chan struct{}), make(chan int)
	look := func(ctx context.Context, i int) {
		out := httptest.NewRecorder()
		s.show(out, &visit{site: s, ctx: ctx, link: address}, func(*visit) (*view, error) {
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

// TestExportIsSmall: what a page has in common with its source is in an export once.
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
	if n := strings.Count(string(text), "step 42:"); n != 40 {
		t.Errorf("a line of 40 skills is there %d times", n)
	}
	if len(text) > 5*size/2 {
		t.Errorf("%d bytes for %d of skills", len(text), size)
	}
}

// TestFoldSame: only whole plain lines that follow each other in both texts become a reference.
func TestFoldSame(t *testing.T) {
	long := strings.Repeat("x", minSame)
	source := lines(segments("head\n"+long+"1\n"+long+"2\n\n$V\n"+long+"3\n", []span{{5 + 2*minSame + 5, 5 + 2*minSame + 7, "var", 0}}))
	for _, tt := range []struct {
		page []segment
		want string
	}{
		{[]segment{{Text: "head\n" + long + "1\n" + long + "2\n\nvalue\n" + long + "3\n"}}, "[1 4] value [6 6]"},
		{[]segment{{Text: "a "}, {Text: "b", Class: "out"}, {Text: long + "1\n"}}, "a b " + long + "1"}, // part of a line
		{[]segment{{Text: long + "2\n" + long + "1\n"}}, "[3 3] " + long + "1"},                         // another order
		{[]segment{{Text: long + "3"}}, long + "3"},                                                     // no end of the line
		{[]segment{{Text: "head\n"}}, "head"},
		{nil, ""},
	} {
		var got []string
		for _, s := range foldSame(tt.page, source) {
			if s.Same != "" {
				s.Text = "[" + s.Same + "]"
			}
			got = append(got, strings.TrimSpace(s.Text))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%.90v folds to %s, want %s", tt.page, got, tt.want)
		}
	}
}
