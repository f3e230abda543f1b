package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/batch/jobs"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/web"
)

type pageOptions struct {
	batchOptions
	port   int
	noOpen bool
	export string
	at     cli.At
}

func newPage(std *cli.Std) *cobra.Command {
	var o pageOptions
	cmd := &cobra.Command{
		Use:   "page [SKILL]",
		Short: "Look at skills and at what happened, in a browser",
		Long: `Look at skills and at what happened here, in a browser on this machine: each skill
beside the page that an agent reads, live on every save; runs and asks, sessions and
batches. With SKILL, the browser opens that skill.

Looking runs nothing. A button runs a skill's commands, in folders that you trust.
The printed address works once, in one browser. No other user of the machine can
look, and no other page in the browser. page ends on Ctrl-C, or with its terminal.`,
		Example: `  skillhand page
  skillhand page review
  skillhand page --no-open --port 8100
  skillhand page -o skills.html           # one file, to send or to keep`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPage(cmd.Context(), std, o, strings.Join(args, ""))
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.port, "port", 0, "`port` on this machine (default: any free port)")
	f.BoolVar(&o.noOpen, "no-open", false, "print the address; open no browser")
	f.StringVarP(&o.export, "output", "o", "", "write the site as one HTML `file`; serve nothing")
	o.at.Flags(cmd)
	o.dbFlag(cmd)
	cmd.ValidArgsFunction = o.at.CompleteSkills(std, true)
	return cmd
}

func runPage(ctx context.Context, std *cli.Std, o pageOptions, skill string) error {
	if o.port < 0 || o.port > 65535 {
		return cli.Usagef("--port is %d, want 0 to 65535", o.port)
	}
	h, err := o.at.Here(std.Env)
	if err != nil {
		return err
	}
	h.Session = "" // a person looks, not an agent: set no seen marks
	site := &web.Site{Named: skill, Runtime: std.Runtime(h)}
	site.Runtime.Warn = nil // the page shows warnings
	if skill != "" {
		if _, err := h.Finder().Find(skill); err != nil {
			return err
		}
	}
	batches := &jobs.Later{Options: jobs.Database(h, o.database(std))}
	defer batches.Close()
	site.Batches, site.BatchFile = func() (*batch.DB, error) { return batches.Open(ctx) }, batches.File()
	if err := cli.CheckOutput(o.export); err != nil {
		return err
	}
	if o.export != "" {
		n, err := site.Export(ctx, o.export)
		if err != nil {
			return err
		}
		if ext := strings.ToLower(filepath.Ext(o.export)); ext != ".html" && ext != ".htm" {
			std.Warn(o.export + ": the name does not end in .html, so a browser may show it as text")
		}
		return std.Print(fmt.Sprintf("%s: %s\n", o.export, term.Plural(n, "view")))
	}
	return servePage(ctx, std, o, site, skill)
}

func servePage(ctx context.Context, std *cli.Std, o pageOptions, site *web.Site, skill string) error {
	server, err := web.Listen(site, o.port)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("port %d is in use: take another, or --port 0 for any that is free", o.port)
	}
	if err != nil {
		return cli.Exit(cli.ExitMissing, err)
	}
	address := server.Address
	if skill != "" {
		address = strings.Replace(address, "/?", "/skill/"+url.PathEscape(skill)+"?", 1)
	}
	ctx.Done() // catch signals from here on: a reader of the address may stop this process
	if err := std.Print(address + "\n"); err != nil {
		return err
	}
	std.Waiting("serving the page, Ctrl-C ends it")
	if !o.noOpen {
		if err := openBrowser(address, std.Env); err != nil {
			std.Warn("no browser was opened: open the address in one")
		}
	}
	if err := server.Serve(ctx); ctx.Err() == nil {
		return err
	}
	return cli.ErrEnded
}

// openBrowser opens an address in the user's browser.
func openBrowser(address string, env []string) error {
	switch runtime.GOOS {
	case "darwin":
		return proc.Launch([]string{"open", address}, env)
	case "windows":
		return proc.Launch([]string{"rundll32", "url.dll,FileProtocolHandler", address}, env)
	}
	return proc.Launch([]string{"xdg-open", address}, env)
}
