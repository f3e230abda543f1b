package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/skillhand/skillhand/internal/files"
)

// Gates says for which skills the user switched gates on. Skills are known by the real paths of their
// folders.
type Gates struct {
	All bool     `json:"all"`           // every skill, but those of Off
	On  []string `json:"on,omitempty"`  // further ones
	Off []string `json:"off,omitempty"` // never
}

// Any reports whether a gate may be on.
func (g Gates) Any() bool { return g.All || len(g.On) > 0 }

// Has reports whether the gate of the skill in a folder is on.
func (g Gates) Has(folder string) bool {
	return slices.Contains(g.On, folder) || g.All && !slices.Contains(g.Off, folder)
}

func (s Store) gates() string { return filepath.Join(s.Dir, "gates.json") }

// Gates returns which gates are on. Without a file none is.
func (s Store) Gates() (g Gates, err error) {
	text, err := os.ReadFile(s.gates())
	if errors.Is(err, fs.ErrNotExist) {
		return g, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &g)
	}
	if err != nil {
		return Gates{}, fmt.Errorf("%s: %w", s.gates(), files.Cause(err))
	}
	return g, nil
}

// SetGate switches the gate of the skill in a folder; folder "" means the gates of all skills.
func (s Store) SetGate(folder string, on bool) error {
	g, err := s.Gates()
	if err != nil && folder != "" {
		return err
	}
	switch {
	case folder == "":
		g = Gates{All: on}
	default:
		if folder, err = realDir(folder); err != nil {
			return err
		}
		not := func(f string) bool { return f == folder }
		g.On, g.Off = slices.DeleteFunc(g.On, not), slices.DeleteFunc(g.Off, not)
		if on && !g.All {
			g.On = append(g.On, folder)
		}
		if !on && g.All {
			g.Off = append(g.Off, folder)
		}
	}
	text, err := json.Marshal(g)
	if err == nil {
		err = files.MakeState(s.Dir)
	}
	if err != nil {
		return err
	}
	return files.Write(s.gates(), append(text, '\n'), 0o600)
}

// GateOn reports whether the user switched on the gate of the skill in a folder. A store that a project may
// have brought along says nothing.
func (p Policy) GateOn(folder string) (bool, error) {
	real, err := realPath(folder)
	if err != nil {
		return false, err
	}
	g, err := p.Store.Gates()
	if err != nil || !g.Has(real) {
		return false, err
	}
	near := []string{Root(real)}
	if p.Near != nil {
		near = append(near, p.Near()...)
	}
	if err := p.Store.believable(real, p.Home, near); err != nil {
		return false, err
	}
	return true, onlyOurs(p.Store.gates())
}
