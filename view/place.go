package view

import (
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/history"
	"github.com/skillhand/skillhand/internal/paths"
)

// project is what the history calls the project of a place.
func project(h here.Here) string { return paths.Real(paths.Around(h.Dir)) }

func store(h here.Here) history.Store { return history.Store{Dir: h.HistoryDir()} }
