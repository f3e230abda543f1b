package eval

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
)

// Remember adds a line for each skill to the history. failure is the error that ended the trials,
// or nil.
func (s *Summary) Remember(h here.Here, failure error) error {
	if h.Env.Get("SKILLHAND_HISTORY") == "off" || s.Trials == 0 {
		return nil
	}
	var faults []error
	for _, k := range s.Skills {
		r := activity.Record{
			Time: time.Now(), Kind: activity.Ask, Skill: k.Skill, Label: activity.Try,
			Project: files.Real(files.Around(h.Dir)), OK: failure == nil,
			DurationMS: s.DurationMS, InputHash: activity.Hash("try", k.Skill, strings.TrimSpace(s.Results)),
		}
		for _, c := range k.Cases {
			for _, a := range c.Arms {
				r.CostUSD += a.CostUSD
			}
		}
		if e, ok := errors.AsType[*claude.Error](failure); ok {
			r.Category, r.Detail = string(e.Category), string(e.Kind)
		}
		if err := (activity.Store{Dir: h.HistoryDir()}).Append(r); err != nil {
			faults = append(faults, fmt.Errorf("the history: %w", err))
		}
	}
	return errors.Join(faults...)
}

// LastCost returns the total cost of the latest trials of a skill in this project, by the history.
func LastCost(h here.Here, skill string) (usd float64, known bool) {
	found, err := (activity.Store{Dir: h.HistoryDir()}).Read(activity.Query{Kind: activity.Ask, Skill: skill,
		Project: files.Real(files.Around(h.Dir))})
	for _, r := range found.Records {
		if r.Label == activity.Try && r.CostUSD > 0 {
			usd, known = r.CostUSD, err == nil
		}
	}
	return usd, known
}
