package minibash

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ownCommands are commands that are built into bash, and into the embedded shell. The planner
// decides which arguments they may get.
var ownCommands map[string]func(*walker, command, []string) int

func init() {
	// init fills the map, because walkers refer to the planner, and the planner refers to the map.
	ownCommands = map[string]func(*walker, command, []string) int{
		":":      func(*walker, command, []string) int { return 0 },
		"true":   func(*walker, command, []string) int { return 0 },
		"false":  func(*walker, command, []string) int { return 1 },
		"pwd":    func(w *walker, c command, _ []string) int { return w.print(c, w.dir+"\n") },
		"echo":   echo,
		"printf": printf,
		"exit":   exit,
		"cd":     cd,
		"test":   test,
		"[":      test,
	}
}

// print writes a command's output in one write.
func (w *walker) print(c command, s string) int {
	if s == "" {
		return 0
	}
	_, err := io.WriteString(w.out, s)
	switch {
	case err == nil || w.ended():
		return 0
	case errors.Is(err, syscall.EPIPE):
		return 128 + int(syscall.SIGPIPE)
	}
	return w.complain(1, "%s: write error: %s", c.name, errorText(err))
}

func echo(w *walker, c command, args []string) int {
	newline, escapes := true, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, option := range args[0][1:] {
			switch option {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var stop bool
		if text, stop = unescapeEcho(text); stop {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	return w.print(c, text)
}

// unescapeEcho replaces escapes as echo -e does. \c ends the output.
func unescapeEcho(s string) (text string, stop bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'c':
			return b.String(), true
		case '0':
			n, digits := number(s[i+1:], 8, 3)
			b.WriteByte(n)
			i += digits
		case 'x':
			n, digits := number(s[i+1:], 16, 2)
			if digits == 0 {
				b.WriteString(`\x`)
				continue
			}
			b.WriteByte(n)
			i += digits
		default:
			if e, ok := escape(c); ok {
				b.WriteByte(e)
			} else {
				b.WriteByte('\\')
				b.WriteByte(c)
			}
		}
	}
	return b.String(), false
}

func escape(c byte) (byte, bool) {
	if i := strings.IndexByte(`abeEfnrtv\`, c); i >= 0 {
		return "\a\b\x1b\x1b\f\n\r\t\v\\"[i], true
	}
	return 0, false
}

// number reads up to most digits and returns the byte with that number.
func number(s string, base, most int) (n byte, digits int) {
	for digits < most && digits < len(s) {
		d, err := strconv.ParseUint(s[digits:digits+1], base, 8)
		if err != nil {
			break
		}
		n = byte(int(n)*base + int(d))
		digits++
	}
	return n, digits
}

// A formatPart is text, or a verb for the next argument.
type formatPart struct {
	text string
	verb byte // 's', 'd', or 0 for text
}

// parseFormat reads a format for printf that consists only of text, plain escapes, %s, %d and %%.
func parseFormat(s string) (parts []formatPart, ok bool) {
	if strings.HasPrefix(s, "-") {
		return nil, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '\\' && c != '%' {
			b.WriteByte(c)
			continue
		}
		if i++; i == len(s) {
			return nil, false
		}
		switch {
		case c == '%' && s[i] == '%':
			b.WriteByte('%')
		case c == '%' && (s[i] == 's' || s[i] == 'd'):
			parts = append(parts, formatPart{text: b.String()}, formatPart{verb: s[i]})
			b.Reset()
		case c == '\\' && '0' <= s[i] && s[i] <= '7':
			n, digits := number(s[i:], 8, 3)
			b.WriteByte(n)
			i += digits - 1
		case c == '\\' && s[i] == 'x':
			n, digits := number(s[i+1:], 16, 2)
			if digits == 0 {
				return nil, false
			}
			b.WriteByte(n)
			i += digits
		case c == '\\' && s[i] == '"':
			b.WriteByte('"')
		case c == '\\':
			e, ok := escape(s[i])
			if !ok {
				return nil, false
			}
			b.WriteByte(e)
		default:
			return nil, false
		}
	}
	return append(parts, formatPart{text: b.String()}), true
}

// printf repeats its format until it has used all arguments.
func printf(w *walker, c command, args []string) int {
	format, ok := parseFormat(args[0])
	if !ok {
		return w.complain(1, "printf: %s: invalid format", args[0])
	}
	args = args[1:]
	var b strings.Builder
	for {
		used := false
		for _, p := range format {
			b.WriteString(p.text)
			if p.verb == 0 {
				continue
			}
			used = true
			switch {
			case len(args) > 0:
				b.WriteString(args[0])
				args = args[1:]
			case p.verb == 'd':
				b.WriteByte('0')
			}
		}
		if !used || len(args) == 0 {
			return w.print(c, b.String())
		}
	}
}

func exit(w *walker, _ command, args []string) int {
	w.exited = true
	if len(args) == 0 {
		return w.status
	}
	n, _ := strconv.Atoi(args[0])
	return n
}

// cd changes the folder as the user sees it: after a link, .. leads back to the link's folder.
func cd(w *walker, _ command, args []string) int {
	to := "/"
	if !strings.HasPrefix(args[0], "/") {
		to = w.dir
	}
	for _, name := range strings.Split(args[0], "/") {
		switch name {
		case "", ".":
			continue
		case "..":
			to = filepath.Dir(to)
			continue
		}
		to = filepath.Join(to, name)
		if _, err := os.Stat(to + "/."); err != nil { // the dot checks whether the folder may be entered
			return w.complain(1, "cd: %s: %s", args[0], errorText(err))
		}
	}
	w.old, w.dir = w.dir, to
	return 0
}

func test(w *walker, c command, args []string) int {
	if c.name == "[" {
		args = args[:len(args)-1]
	}
	// [ ! = x ] is a comparison.
	negated := len(args) > 2 && args[0] == "!" && binaryTests[args[1]] == nil
	if negated {
		args = args[1:]
	}
	holds := false
	switch len(args) {
	case 1:
		holds = args[0] != ""
	case 2:
		holds = unaryTests[args[0]](w, args[1])
	case 3:
		var err error
		if holds, err = binaryTests[args[1]](args[0], args[2]); err != nil {
			return w.complain(2, "%s: %v", c.name, err)
		}
	}
	return oneIf(holds == negated)
}

var unaryTests = map[string]func(w *walker, s string) bool{
	"-n": func(_ *walker, s string) bool { return s != "" },
	"-z": func(_ *walker, s string) bool { return s == "" },
	"-e": func(w *walker, s string) bool { return w.stat(s) != nil },
	"-f": func(w *walker, s string) bool { i := w.stat(s); return i != nil && i.Mode().IsRegular() },
	"-d": func(w *walker, s string) bool { i := w.stat(s); return i != nil && i.IsDir() },
	"-s": func(w *walker, s string) bool { i := w.stat(s); return i != nil && i.Size() > 0 },
	"-L": isLink,
	"-h": isLink,
}

func (w *walker) stat(path string) os.FileInfo {
	if path == "" {
		return nil
	}
	info, err := os.Stat(w.abs(path))
	if err != nil {
		return nil
	}
	return info
}

func isLink(w *walker, path string) bool {
	if path == "" {
		return false
	}
	info, err := os.Lstat(w.abs(path))
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

var binaryTests = map[string]func(a, b string) (bool, error){
	"=":   func(a, b string) (bool, error) { return a == b, nil },
	"==":  func(a, b string) (bool, error) { return a == b, nil },
	"!=":  func(a, b string) (bool, error) { return a != b, nil },
	"-eq": compare(func(a, b int64) bool { return a == b }),
	"-ne": compare(func(a, b int64) bool { return a != b }),
	"-lt": compare(func(a, b int64) bool { return a < b }),
	"-le": compare(func(a, b int64) bool { return a <= b }),
	"-gt": compare(func(a, b int64) bool { return a > b }),
	"-ge": compare(func(a, b int64) bool { return a >= b }),
}

func compare(holds func(a, b int64) bool) func(a, b string) (bool, error) {
	return func(a, b string) (bool, error) {
		m, err := integer(a)
		if err != nil {
			return false, err
		}
		n, err := integer(b)
		return err == nil && holds(m, n), err
	}
}

// integer reads a number as bash's test does. It ignores white space before the number, and spaces
// and tabs after it.
func integer(s string) (int64, error) {
	digits := strings.TrimRight(strings.TrimLeft(s, " \t\n\v\f\r"), " \t")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: integer expression expected", s)
	}
	return n, nil
}
