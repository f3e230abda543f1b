package proc

// The system ends a program's job when we are killed: nobody else need see to it.
func openGuard()       {}
func guardProgram(int) {}
func closeGuard(int)   {}
