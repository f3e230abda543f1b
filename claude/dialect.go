package claude

// A Dialect drives another agent instead of the Claude CLI. It translates the agent's stream to
// that of Claude Code, so that verdict, categories and retries are the same for all agents.
type Dialect interface {
	Program() string     // the command, looked up in PATH
	Variable() string    // the environment variable for its path, if it is not in PATH
	Missing() string     // what to do if the program does not exist
	Check(Request) error // returns a *RequestError for an option that the agent does not have
	Command(Request) (args []string, stdin string)
	Reader(Request) Reader
}

// A Reader reads the stream of one run. It passes on lines as the Claude CLI would print them.
type Reader interface {
	Line(line []byte, say func([]byte))
	End(say func([]byte)) // after the program has ended
}
