package shell

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/internal/words"
)

// world reports which programs and files a line would find. It looks only when it is asked.
func (r *running) world() bind.World {
	return bind.World{
		Program: func(name string) bool {
			path, _ := words.Getenv(r.env, "PATH")
			for _, folder := range append(filepath.SplitList(path), systemFolders...) {
				if _, err := os.Stat(filepath.Join(r.abs(folder), name)); err == nil {
					return true
				}
			}
			t := r.resolve(name)
			return t.fn != nil || t.path != ""
		},
		File: func(path string) bool {
			if _, err := os.Lstat(r.abs(path)); err == nil || !os.IsNotExist(err) {
				return true
			}
			for _, name := range r.names(filepath.Dir(path)) {
				if strings.HasPrefix(name, filepath.Base(path)+".") {
					return true
				}
			}
			return false
		},
	}
}

// systemFolders are the folders where sudo and others look for programs, whatever PATH says.
var systemFolders = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// names lists the entries of a folder, or nothing if the folder cannot be read.
func (r *running) names(folder string) []string {
	f, err := os.Open(r.abs(folder))
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.Readdirnames(-1)
	return list
}

func (r *running) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.dir, path)
}
