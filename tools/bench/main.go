// Command bench measures skillhand beside a peer in the same run and prints ratios. A time on this
// machine says little; a time compared to bash says much.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == readerArgument {
		_ = serveFile(os.Args[2]) // its client has hung up
		return
	}
	if len(os.Args) == 4 && os.Args[1] == usageArgument {
		if err := runUsage(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: bench PATH-OF-SKILLHAND")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(binary string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "skillhand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	skills := map[string]string{
		"plain":     "---\ndescription: a skill\n---\n" + strings.Repeat("A line of instructions.\n", 50),
		"builtin1":  "!`list-skills`\n",
		"builtin51": strings.Repeat("!`list-skills`\n", 51),
		"echo1":     "!`echo hi`\n",
		"echo51":    strings.Repeat("!`echo hi`\n", 51),
		"launch1":   "!`launch`\n",
		"launch51":  strings.Repeat("!`launch`\n", 51),
		"sleep5":    strings.Repeat("!`sleep 1`\n", 5),

		// list-skills finds these skills. They have their own project, so that the figure does not
		// depend on the size of this repository.
		"project/.claude/skills/one":   "---\ndescription: the first\n---\n",
		"project/.claude/skills/two":   "---\ndescription: the second\n---\n",
		"project/.claude/skills/three": "---\ndescription: the third\n---\n",
	}
	all := map[string]string{"hooks/bin/launch": "#!/bin/sh\nexec skillhand builtin list-skills \"$@\"\n"}
	for name, text := range skills {
		all[name+"/SKILL.md"] = text
	}
	if err := put(dir, all); err != nil {
		return err
	}
	b := &bench{env: append(os.Environ(), "SKILLHAND_TRUST=all", "SKILLHAND_STATE_DIR="+filepath.Join(dir, "state"), "HOME="+dir,
		"CLAUDE_PLUGIN_ROOT="+dir)}
	load := func(name string) []string { return []string{binary, "load", filepath.Join(dir, name)} }

	// The two sides take turns, so that a busy moment affects both.
	b.dir = filepath.Join(dir, "project")
	t := b.medians(200, []string{"bash", "-c", ":"},
		load("plain"), load("builtin1"), load("builtin51"), load("echo1"), load("echo51"), []string{"bash", "-c", "echo hi"},
		load("launch1"), load("launch51"), []string{binary, "hook"})
	b.dir = ""
	if b.err != nil {
		return b.err
	}
	colon, plain, echo := t[0], t[1], t[6]
	builtin := (t[3] - t[2]) / 50
	embedded := (t[5] - t[4]) / 50
	launched := (t[8] - t[7]) / 50
	fmt.Printf("%-52s %10s %10s %8s  %s\n", "what", "skillhand", "peer", "ratio", "to reach")
	cost("load, no directives, whole process / bash -c :", plain, colon, "at most 3")
	cost("hook, whole process / bash -c :", t[9], colon, "at most 3")
	// The cost of a built-in is that of its work: this one asks about 90 times for the files in the
	// folders of eleven agents.
	speed("one more list-skills of three / bash -c 'echo hi'", builtin, echo, "at least 5 x cheaper")
	speed("one more launcher of list-skills / bash -c 'echo hi'", launched, echo, "at least 5 x cheaper")
	speed("one more embedded `echo hi` / bash -c 'echo hi'", embedded, echo, "at least 30 x cheaper")
	five := b.medians(1, load("sleep5"))
	cost("five directives of one second each / one second", five[0], time.Second, "little more than 1")
	if b.err != nil {
		return b.err
	}
	for _, measure := range []func(binary, dir string) error{
		b.gates, b.judgements, b.reports, b.asks, b.histories,
		func(binary, dir string) error { return b.usages(binary, dir, 64, true) },
		b.migrates, b.checks, b.mcps, b.launchers, b.tries, b.batches,
	} {
		if err := measure(binary, dir); err != nil {
			return err
		}
	}
	return inits(load("plain"), b.env)
}

// cost prints how many times as long as its peer something takes.
func cost(what string, ours, peer time.Duration, reach string) {
	row(what, ours, peer, ours, peer, reach)
}

// speed prints how many times faster than its peer something is.
func speed(what string, ours, peer time.Duration, reach string) {
	row(what, ours, peer, peer, ours, reach)
}

func row(what string, ours, peer, over, under time.Duration, reach string) {
	fmt.Printf("%-52s %10s %10s %8.2f  %s\n", what, short(ours), short(peer), float64(over)/float64(under), reach)
}

// put writes files below a folder and makes all of them executable.
func put(dir string, files map[string]string) error {
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// short rounds a time to its meaningful digits.
func short(d time.Duration) time.Duration {
	if d < 100*time.Microsecond {
		return d.Round(10 * time.Nanosecond)
	}
	return d.Round(time.Microsecond)
}

type bench struct {
	env   []string
	dir   string // the folder for commands; "" means the current folder
	stdin []byte // the input of the commands
	err   error
}

// medians runs each command n times, in turns, and returns their median times.
func (b *bench) medians(n int, commands ...[]string) []time.Duration {
	return b.withProcessor(n, commands...)[:len(commands)]
}

// withProcessor returns the median times of commands, as medians does, and then the medians of
// their processor times.
func (b *bench) withProcessor(n int, commands ...[]string) []time.Duration {
	times := make([][]time.Duration, 2*len(commands))
	for range n {
		for i, c := range commands {
			cmd := exec.Command(c[0], c[1:]...)
			cmd.Env, cmd.Dir = b.env, b.dir
			if b.stdin != nil {
				cmd.Stdin = bytes.NewReader(b.stdin)
			}
			began := time.Now()
			if err := cmd.Run(); err != nil && b.err == nil {
				b.err = fmt.Errorf("%s: %w", strings.Join(c, " "), err)
			}
			times[i] = append(times[i], time.Since(began))
			spent := time.Duration(0)
			if s := cmd.ProcessState; s != nil { // nil if it did not start
				spent = s.UserTime() + s.SystemTime()
			}
			times[len(commands)+i] = append(times[len(commands)+i], spent)
		}
	}
	medians := make([]time.Duration, len(times))
	for i := range times {
		slices.Sort(times[i])
		medians[i] = times[i][len(times[i])/2]
	}
	return medians
}

// inits prints the cost of the linked packages before main begins.
func inits(load, env []string) error {
	cmd := exec.Command(load[0], load[1:]...)
	cmd.Env = append(slices.Clone(env), "GODEBUG=inittrace=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	type pkg struct {
		name string
		ms   float64
	}
	var all []pkg
	var total float64
	for line := range strings.Lines(stderr.String()) {
		f := strings.Fields(line)
		if len(f) < 6 || f[0] != "init" {
			continue
		}
		ms, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			return fmt.Errorf("inittrace: %s: %w", line, err)
		}
		total += ms
		all = append(all, pkg{f[1], ms})
	}
	slices.SortFunc(all, func(a, b pkg) int { return int((b.ms - a.ms) * 1e6) })
	fmt.Printf("\npackage inits: %.2f ms in all, none may cost 1 ms; the dearest:\n", total)
	for _, p := range all[:min(5, len(all))] {
		fmt.Printf("  %6.3f ms  %s\n", p.ms, p.name)
	}
	return nil
}
