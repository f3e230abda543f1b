package words

import "slices"

// Getenv returns the value of a variable in env, and whether env sets the variable. If env has the
// name twice, the last value counts, as in os/exec.
func Getenv(env []string, name string) (value string, set bool) {
	for _, kv := range slices.Backward(env) {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:], true
		}
	}
	return "", false
}
