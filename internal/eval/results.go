package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
)

// Results are trials in a folder. Each has its own file, which is written as a whole or not at all,
// so finished trials are safe if the process ends.
//
//	plan                          a hash of what is tried
//	SKILL/CASE/ARM-RUN.json       a Trial that has ended
//	SKILL/CASE/ARM-RUN.jsonl      its transcript
//	prompts.json                  the prompt of each case
//	summary.json                  exists if no trial is missing
//	batch                         the name of the batch that makes them, if any
type Results struct {
	Dir string

	lock *flock.Flock
}

// OpenResults returns results that a plan has begun but not finished, or finished with fewer trials
// than the options want now. Otherwise, or if fresh is set, it returns new results. They belong to
// this process until it ends or closes them.
func (o *Options) OpenResults(root, plan string, subjects []*Subject, fresh bool) (*Results, error) {
	dir := filepath.Join(root, plan[:min(len(plan), 16)])
	if err := errors.Join(files.MakeState(root), os.MkdirAll(dir, 0o700)); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	last := 0
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			last = max(last, n)
		}
	}
	if fresh {
		last++
	}
	for n := max(last, 1); ; n++ {
		r, err := lockResults(filepath.Join(dir, fmt.Sprintf("%04d", n)))
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue // another process has them
		}
		summary := filepath.Join(r.Dir, summaryFile)
		if _, err := os.Stat(summary); err != nil {
			return r, nil
		}
		if o.moreThan(r, subjects) {
			return r, os.Remove(summary)
		}
		r.Close()
	}
}

// moreThan reports whether finished results have some of the wanted trials but not all. Run then
// makes only the missing trials.
func (o *Options) moreThan(r *Results, subjects []*Subject) bool {
	have, lacks := false, false
	for _, j := range o.listJobs(subjects) {
		_, ok := r.get(j.trial())
		have, lacks = have || ok, lacks || !ok
	}
	return have && lacks
}

// ErrNotResults is the error for a path that cannot hold the results of a plan.
var ErrNotResults = errors.New("not a folder for these results")

// OpenResultsAt returns the results in a folder, whether new or begun.
func OpenResultsAt(dir, plan string) (*Results, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: %w: it is a file", dir, ErrNotResults)
	}
	if said, err := os.ReadFile(filepath.Join(dir, "plan")); err == nil && string(said) != plan {
		return nil, fmt.Errorf("%s: %w: it contains results of another skill, other cases or other options", dir, ErrNotResults)
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, "plan")); err != nil {
			return nil, fmt.Errorf("%s: %w: it is not empty and not a folder of results", dir, ErrNotResults)
		}
	}
	r, err := lockResults(dir)
	if err == nil && r == nil {
		err = fmt.Errorf("%s: another skillhand try is using it", dir)
	}
	if err != nil {
		return nil, err
	}
	return r, files.Write(filepath.Join(dir, "plan"), []byte(plan), 0o600)
}

func lockResults(dir string) (*Results, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	r := &Results{Dir: dir, lock: flock.New(filepath.Join(dir, "lock"))}
	ours, err := r.lock.TryLock()
	if err != nil || !ours {
		return nil, err
	}
	return r, nil
}

// Close releases the results for other processes.
func (r *Results) Close() {
	if r.lock != nil {
		_ = r.lock.Unlock() // the end of the process unlocks it anyway
	}
}

// Batch returns the name of the batch that makes these trials. The first call chooses it.
func (r *Results) Batch(choose func() (string, error)) (string, error) {
	file := filepath.Join(r.Dir, "batch")
	if said, err := os.ReadFile(file); err == nil && len(said) > 0 {
		return string(said), nil
	}
	name, err := choose()
	if err != nil {
		return "", err
	}
	return name, files.Write(file, []byte(name), 0o600)
}

// plainName allows no capitals, because some disks do not distinguish them.
var plainName = words.Regexp(`^[a-z0-9_][a-z0-9._-]{0,60}$`)

// fileName returns a name that is valid in a path and unique to this name.
func fileName(name string) string {
	if plainName.Get().MatchString(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	plain := strings.Map(func(r rune) rune {
		if plainName.Get().MatchString("a" + string(r)) {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	return strings.TrimLeft(plain[:min(len(plain), 40)], "-.") + "~" + hex.EncodeToString(sum[:4])
}

// Key returns the unique key of a trial in its results: SKILL/CASE/ARM-RUN.
func (t *Trial) Key() string {
	return fmt.Sprintf("%s/%s/%s-%d", fileName(t.Skill), fileName(t.Case), fileName(string(t.Arm)), t.Run)
}

func (r *Results) base(t *Trial) string { return filepath.Join(r.Dir, filepath.FromSlash(t.Key())) }

func (r *Results) transcript(t *Trial) string { return r.base(t) + ".jsonl" }

func (r *Results) add(t *Trial) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	file := r.base(t) + ".json"
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	// Do not sync the file to the disk, which takes longer than everything else. A file that a
	// power cut damages is not valid JSON, so its trial is made again.
	if err := os.WriteFile(file+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// get returns the trial if it ended earlier.
func (r *Results) get(t Trial) (kept Trial, ok bool) {
	kept, err := readJSON[Trial](r.base(&t) + ".json")
	return kept, err == nil
}

// prompts maps skills and cases to their prompts.
type prompts map[string]map[string]string

// ask saves the prompts of the cases. When somebody judges the trials again, they show whether a
// prompt has changed.
func (r *Results) ask(subjects []*Subject) error {
	all := prompts{}
	for _, s := range subjects {
		all[s.Name] = map[string]string{}
		for _, c := range s.Cases {
			all[s.Name][c.ID] = c.Prompt
		}
	}
	return r.write(promptsFile, all)
}

func (r *Results) write(name string, doc any) error {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(r.Dir, name), append(text, '\n'), 0o600)
}

const (
	promptsFile = "prompts.json"
	summaryFile = "summary.json"
)

// readPrompts reads the prompts of the cases of results. It returns nothing if they are not saved.
func readPrompts(dir string) (prompts, error) {
	all, err := readJSON[prompts](filepath.Join(dir, promptsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return all, err
}

func readJSON[T any](file string) (doc T, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return doc, err
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return doc, fmt.Errorf("%s: %w", file, err)
	}
	return doc, nil
}

// Folders returns the folders that more trials of the results in dir would appear in, for watchers.
// Complete results have none.
func Folders(dir string) []string {
	if _, err := os.Stat(filepath.Join(dir, summaryFile)); err == nil {
		return nil
	}
	all := []string{dir}
	for _, pattern := range []string{"*", "*/*"} {
		all = append(all, slices.DeleteFunc(files.Glob(dir, pattern), func(path string) bool { return !files.IsFolder(path) })...)
	}
	return all
}

// ReadSummary reads the summary of the trials in a folder. It exists if no trial is missing.
func ReadSummary(dir string) (*Summary, error) {
	return readJSON[*Summary](filepath.Join(dir, summaryFile))
}

// ReadSoFar reads the summary of the trials in a folder. If some are missing, it sums up the
// existing trials.
func ReadSoFar(dir string) (*Summary, error) {
	if s, err := ReadSummary(dir); err == nil {
		return s, nil
	}
	trials, err := ReadResults(dir)
	if err != nil {
		return nil, err
	}
	asked, _ := readPrompts(dir) // results of older versions do not have prompts
	var subjects []*Subject
	for _, t := range Sorted(trials) {
		i := slices.IndexFunc(subjects, func(s *Subject) bool { return s.Name == t.Skill })
		if i < 0 {
			i = len(subjects)
			subjects = append(subjects, &Subject{Name: t.Skill, Names: Names{t.Skill}})
		}
		s := subjects[i]
		if !slices.ContainsFunc(s.Cases, func(c Case) bool { return c.ID == t.Case }) {
			s.Cases = append(s.Cases, Case{ID: t.Case, Prompt: asked[t.Skill][t.Case], Fires: t.Fires, Open: t.Open})
		}
	}
	sum := Summarize(subjects, trials, nil)
	for i := range sum.Skills {
		for n := range sum.Skills[i].Misses { // the descriptions are unknown here
			sum.Skills[i].Misses[n].Lacking, sum.Skills[i].Misses[n].Shared = []string{}, []string{}
		}
	}
	return sum, nil
}

// LastTries finds, in the folder of all results, the latest complete try of each skill before now,
// with the same agent and models.
func LastTries(root string, now *Summary) map[string]*Before {
	all := map[string]*Before{}
	for _, file := range files.Glob(root, "*/*/"+summaryFile) {
		info, err := os.Stat(file)
		if err != nil || filepath.Dir(file) == now.Results {
			continue
		}
		s, err := readJSON[Summary](file)
		if err != nil || s.Agent != now.Agent || !slices.Equal(s.Models, now.Models) {
			continue // perhaps of another version
		}
		for _, k := range s.Skills {
			wanted := slices.ContainsFunc(now.Skills, func(now SkillSummary) bool { return now.Skill == k.Skill })
			if old := all[k.Skill]; wanted && (old == nil || old.Made.Before(info.ModTime())) {
				all[k.Skill] = &Before{Made: info.ModTime(), Skill: k}
			}
		}
	}
	return all
}

// ErrNoResults means that a folder has no trials or does not exist.
var ErrNoResults = errors.New("no results of skillhand try")

// noResults returns why a folder has no results.
func noResults(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w: %w", dir, ErrNoResults, files.Cause(err))
	case !info.IsDir():
		return fmt.Errorf("%s: %w: not a folder", dir, ErrNoResults)
	}
	return fmt.Errorf("%s: %w", dir, ErrNoResults)
}

// CheckResults returns an error if a folder contains no trials. It does not read them.
func CheckResults(dir string) error {
	if len(files.Glob(dir, "*/*/*.json")) == 0 {
		return noResults(dir)
	}
	return nil
}

// ReadResults reads the trials in a folder, in order. The folder may have been moved.
func ReadResults(dir string) ([]Trial, error) {
	var all []Trial
	var faults []error
	for _, file := range files.Glob(dir, "*/*/*.json") {
		t, err := readJSON[Trial](file)
		if err == nil && (t.Type != "trial" || t.Case == "") {
			continue // part of a kept folder
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		t.Transcript = strings.TrimSuffix(file, ".json") + ".jsonl"
		if t.Kept = strings.TrimSuffix(file, ".json") + ".folder"; !files.IsFolder(t.Kept) {
			t.Kept = ""
		}
		all = append(all, t)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, noResults(dir)
	}
	slices.SortStableFunc(all, func(a, b Trial) int { return a.Run - b.Run })
	return all, nil
}
