package claude

// A Dialect drives another agent in the place of the Claude CLI. Its stream is put into the words
// of Claude Code's, so that verdict, categories and retries are the same for all.
type Dialect interface {
	Program() string     // the command, looked up in PATH
	Variable() string    // the environment variable with its path, if it is elsewhere
	Missing() string     // what to do if it is not there
	Check(Request) error // a *RequestError for an option that it does not have
	Command(Request) (args []string, stdin string)
	Reader(Request) Reader
}

// A Reader reads the stream of one run. It hands over lines as the Claude CLI would print them.
type Reader interface {
	Line(line []byte, say func([]byte))
	End(say func([]byte)) // after the program has ended
}
