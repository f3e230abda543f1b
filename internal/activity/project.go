package activity

import (
	"path/filepath"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
)

// project returns the history's name for the project of the environment.
func project(h here.Here) string { return files.Real(files.Around(h.Dir)) }

// ProjectOf returns the history's name for the project of a folder. The folder must exist.
func ProjectOf(dir string) (string, error) {
	if err := files.CheckFolder(dir); err != nil {
		return "", err
	}
	abs, err := filepath.Abs(dir)
	return files.Real(files.Around(abs)), err
}

func store(h here.Here) Store { return Store{Dir: h.HistoryDir()} }
