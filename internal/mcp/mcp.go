// Package mcp answers one question: how do agents that run no directives
// themselves get skills as they should be read? It serves them over the Model
// Context Protocol: as tools, prompts and resources, and by the extension
// io.modelcontextprotocol/skills.
//
// The server reads files when a client asks for them, so no answer is out of date. It also notifies
// clients when files change.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/internal/trust"
)

// A Server serves the skills that are visible from one folder.
type Server struct {
	Runtime  *skillhand.Runtime
	Version  string
	AllowRun bool // offer run_skill, which runs a skill's script

	// Warn, if not nil, receives problems that do not stop the server.
	Warn func(text string)
}

// instructions is the text that a host may show to its model beside the tools.
const instructions = "Skills are instructions for tasks, written by this user or for this project. " +
	"Before you begin a task that one of them covers, call load_skill and follow what it returns: its text is current, its output was made just now."

// maxPages limits how many pages are made at the same time, because each may start processes.
var maxPages = min(16, 4*runtime.NumCPU())

// Serve talks to one client until the client goes away or ctx ends. When Serve returns, nothing
// that the client started is still running.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	sv, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer sv.close()
	sv.conn = newConn(ctx, in, out)
	session, err := sv.sdk.Connect(ctx, &transport{conn: sv.conn}, nil)
	if err != nil {
		return err
	}
	err = session.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("stdin: ends in the middle of a message")
	}
	return err
}

// A serving is a Server at work: its folder is known and its files are watched.
type serving struct {
	server  *Server
	runtime skillhand.Runtime
	here    here.Here
	policy  trust.Policy
	hide    *redact.Redactor // removes secrets of the environment from files
	sdk     *sdk.Server
	conn    *conn           // to the only client; nil if there are several
	end     context.Context // when it ends, every call ends

	requests sync.Map // the contexts of HTTP requests, by the value of requestHeader
	fronts   fronts
	statics  statics
	pages    chan struct{} // holds a token for each page that is being made
	watching sync.Once
	stop     func()
}

// open prepares to serve. It does not look at skills yet, because the first reply must not wait for
// them.
func (s *Server) open(ctx context.Context) (*serving, error) {
	sv := &serving{server: s, runtime: *s.Runtime, end: ctx, pages: make(chan struct{}, maxPages)}
	h, err := withoutSession(s.Runtime.Here)
	if err != nil {
		return nil, err
	}
	sv.runtime.Here, sv.here = h, h
	sv.runtime.Confirm = nil // there is nobody to ask
	sv.runtime.Stdin = nil   // it belongs to the client
	sv.policy = sv.runtime.Policy(h)
	sv.hide = redact.New(h.Env)
	caps := &sdk.ServerCapabilities{
		Tools:     &sdk.ToolCapabilities{ListChanged: true},
		Prompts:   &sdk.PromptCapabilities{ListChanged: true},
		Resources: &sdk.ResourceCapabilities{ListChanged: true},
	}
	caps.AddExtension(extension, map[string]any{"directoryRead": true})
	sv.sdk = sdk.NewServer(&sdk.Implementation{Name: "skillhand", Title: "Skills", Version: s.Version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: caps, SetCacheable: private})
	if err := sv.addMethods(); err != nil {
		return nil, err
	}
	sv.sdk.AddReceivingMiddleware(sv.answer)
	sv.changed() // nobody is connected yet; this only makes the SDK know the tools
	return sv, nil
}

func (sv *serving) close() {
	sv.watching.Do(func() {}) // from now on it is too late to start watching
	if sv.stop != nil {
		sv.stop()
	}
}

// listed starts to watch the files, once a client has a list that can become outdated.
func (sv *serving) listed() {
	sv.watching.Do(func() { sv.stop = sv.watch(sv.end) })
}

// withoutSession returns h without its session, so that every page is whole. A server does not
// notice a compaction and does not know which agent reads.
func withoutSession(h here.Here) (here.Here, error) {
	h, err := h.Complete()
	if err != nil {
		return h, err
	}
	h.Session = ""
	h.Env = h.Env.Without(here.SessionVariables()...)
	return h, nil
}

// private marks a result as private, because the lists and pages belong to one user.
func private(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { *c = cacheable }

var cacheable = sdk.Cacheable{CacheScope: "private"}

// answer answers the requests that depend on files. The SDK answers the others.
func (sv *serving) answer(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		ctx, done := sv.connected(ctx, req)
		defer done()
		if strings.HasSuffix(method, "/list") {
			sv.listed()
			made, err := sv.turn(ctx)
			if err != nil {
				return nil, err
			}
			defer made()
		}
		switch p := req.GetParams().(type) {
		case *sdk.ListToolsParams:
			return &sdk.ListToolsResult{Tools: sv.tools(), Cacheable: cacheable}, nil
		case *sdk.ListPromptsParams:
			return &sdk.ListPromptsResult{Prompts: sv.prompts(hostOf(req)), Cacheable: cacheable}, nil
		case *sdk.GetPromptParams:
			return sv.prompt(ctx, p)
		case *sdk.ListResourcesParams:
			return &sdk.ListResourcesResult{Resources: sv.resources(), Cacheable: cacheable}, nil
		case *sdk.ListResourceTemplatesParams:
			return &sdk.ListResourceTemplatesResult{ResourceTemplates: templates(), Cacheable: cacheable}, nil
		case *sdk.ReadResourceParams:
			return sv.readResource(ctx, p)
		}
		return next(ctx, method, req)
	}
}

// hostOf returns the name that the client gives itself, or "".
func hostOf(req sdk.Request) string {
	if r, ok := req.(interface{ ClientInfo() *sdk.Implementation }); ok {
		if host := r.ClientInfo(); host != nil {
			return host.Name
		}
	}
	return ""
}

// turn waits until a page or a list may be made. While the client does not read its answers, turn
// makes it wait.
func (sv *serving) turn(ctx context.Context) (done func(), err error) {
	select {
	case sv.pages <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	done = func() { <-sv.pages }
	if sv.conn != nil {
		if err := sv.conn.awaitReader(ctx); err != nil {
			done()
			return nil, err
		}
	}
	return done, nil
}

func (sv *serving) warn(format string, args ...any) {
	if sv.server.Warn != nil {
		sv.server.Warn(fmt.Sprintf(format, args...))
	}
}

// invalid returns the protocol's error for an invalid request.
func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
