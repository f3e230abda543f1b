package page

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/skill"
)

// A finding is what check says about a line.
type finding struct{ Rule, Severity, Message, Help, Fix string }

// findings are what check finds in files, by their paths; why it could not look, if so.
// A project's own configuration counts, as it does for skillhand check.
func (v *visit) findings(paths ...string) (map[string][]*check.Finding, error) {
	found := map[string][]*check.Finding{}
	if len(paths) == 0 {
		return found, nil
	}
	finder := check.Finder{Dir: v.Runtime.Dir, Home: v.Runtime.Home}
	opt := check.Options{}
	if top := skill.Top(v.Runtime.Dir); top != "" {
		file := filepath.Join(top, check.ConfigName)
		src, err := skill.ReadFile(file)
		if err == nil {
			conf, err := check.ParseConfig(file, src)
			if err != nil {
				return found, err
			}
			opt = check.Options{Agents: conf.Agents, Rules: conf.Rules, As: conf.As}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return found, err
		}
	}
	files, err := finder.Find(paths)
	if err != nil {
		return found, err
	}
	names := map[string]string{}
	for _, f := range files {
		names[f.Name] = f.Path
	}
	for _, f := range check.Run(v.ctx, files, opt).Findings {
		found[names[f.File]] = append(found[names[f.File]], f)
	}
	return found, nil
}

// margin are the findings of one file, by lines.
func (l *look) margin(p *preview) map[int][]finding {
	lines := map[int][]finding{}
	all, err := l.findings(l.src.File)
	if err != nil {
		p.Warnings = append(p.Warnings, "check: "+err.Error())
	}
	for _, list := range all {
		for _, f := range list {
			one := finding{Rule: f.Rule + " " + f.Name, Severity: string(f.Severity), Message: f.Message, Help: f.Help}
			if f.Fix != nil {
				one.Fix = f.Fix.Title
				if one.Help == one.Fix {
					one.Help = ""
				}
			}
			lines[f.Range.Line] = append(lines[f.Range.Line], one)
		}
	}
	return lines
}
