package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
)

// Find returns the batch that a name means in a folder. That is a batch of this folder or of a
// folder above or below it, or a batch that is identified by its name alone. NAME@ID means a
// certain batch.
func Find(ctx context.Context, db *batch.DB, name, dir string) (*batch.Status, error) {
	found, err := db.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	if at := strings.LastIndex(name, "@"); at >= 0 && len(found) == 0 {
		if id, err := strconv.ParseInt(name[at+1:], 10, 64); err == nil {
			if s, err := db.Status(ctx, id); err == nil && s.Name == name[:at] {
				return s, nil
			}
		}
	}
	current := slices.DeleteFunc(slices.Clone(found), func(s batch.Status) bool { return s.Old })
	if s := nearest(current, files.Real(dir)); s != nil {
		return s, nil
	}
	if file := files.In(dir, name); len(found) == 0 && files.IsFile(file) {
		return ofFile(ctx, db, name, file)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: %w: see skillhand batch list", name, batch.ErrNoBatch)
	}
	text := fmt.Sprintf("%s: no such batch in this folder; elsewhere:", name)
	for _, s := range found {
		text += fmt.Sprintf("\n  %s@%d  %s", s.Name, s.ID, s.Folder)
	}
	return nil, errors.New(text)
}

// Called returns the name of a batch from here: NAME@ID if it was started over, or belongs to
// another folder.
func Called(s *batch.Status) string {
	name := term.Flat(s.Name)
	if dir, err := os.Getwd(); s.Old || err == nil && nearest([]batch.Status{*s}, files.Real(dir)) == nil {
		name += fmt.Sprintf("@%d", s.ID)
	}
	return name
}

func ofFile(ctx context.Context, db *batch.DB, name, path string) (*batch.Status, error) {
	file, err := Open(path, nil, nil) // only for its name
	if err != nil {
		return nil, fmt.Errorf("%s: %w: see skillhand batch list", name, batch.ErrNoBatch)
	}
	defer file.Close()
	found, err := db.Find(ctx, file.Name)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(s batch.Status) bool { return s.Old })
	if s := nearest(found, files.Real(file.Dir)); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("%s: %w yet: skillhand batch run %s starts it", name, batch.ErrNoBatch, words.Quote(name))
}

// nearest returns the batch whose file is in a folder, else the only batch whose file is above or
// below it. A batch without a folder is near everywhere.
func nearest(all []batch.Status, dir string) *batch.Status {
	var best *batch.Status
	for i, s := range all {
		near := s.Folder == "" || s.ByName || s.Folder == dir
		if near && (best == nil || s.Folder == dir) {
			best = &all[i]
		}
	}
	if best != nil {
		return best
	}
	var below []int
	for i, s := range all {
		if files.Inside(dir, s.Folder) || files.Inside(s.Folder, dir) {
			below = append(below, i)
		}
	}
	if len(below) == 1 {
		return &all[below[0]]
	}
	return nil
}

// StartOver prepares a batch to start over, under the same name. It cancels the remaining jobs of
// the old batch.
func StartOver(ctx context.Context, db *batch.DB, name batch.Name) error {
	found, err := db.Find(ctx, name.Name)
	if err != nil {
		return err
	}
	for _, s := range found {
		if !s.Old && s.Left() > 0 && (name.ByName || s.Folder == name.Folder) {
			if _, err := db.Cancel(ctx, s.ID, nil); err != nil {
				return err
			}
		}
	}
	_, err = db.Renew(ctx, name)
	return err
}
