package skillhand

import (
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/history"
	"github.com/skillhand/skillhand/trust"
)

// What package here replaces, until its last caller is gone.

func StateDir(env []string) string {
	h, err := here.From("", env)
	if err != nil {
		return "/dev/null/no-home-folder"
	}
	return h.State
}

func History(env []string) history.Store {
	return history.Store{Dir: here.Here{State: StateDir(env)}.HistoryDir()}
}

func Project(dir string) string { return here.Real(here.Around(dir)) }

func SessionOf(env []string) string {
	h, _ := here.From("", env)
	return h.Session
}

func Place(file string) string { return trust.Place(file) }
