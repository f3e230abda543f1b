package words

import "slices"

// Getenv returns a variable's value in an environment and whether it is set. Of two the last counts, as in os/exec.
func Getenv(env []string, name string) (value string, set bool) {
	for _, kv := range slices.Backward(env) {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:], true
		}
	}
	return "", false
}
