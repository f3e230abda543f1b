package jobs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/skillhand/skillhand/batch"
	"github.com/skillhand/skillhand/batch/jobfile"
	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/trust"
)

// Trusted returns the jobs of a file in a folder as they may be done. If nobody trusted that folder
// the error names those that must not be done: all that run or allow something. Plain asks remain,
// and get no tools.
func Trusted(policy trust.Policy, dir string, file *jobfile.File) (batch.List, error) {
	refused, all := policy.May(dir), file.Jobs.All // which the caller may replace by what this returns
	if refused == nil {
		return file.Jobs, nil
	}
	tame := func(j batch.Job) (batch.Job, string, error) {
		var spec jobfile.Spec
		if err := json.Unmarshal(j.Payload, &spec); err != nil {
			return j, "", fmt.Errorf("job %s: %w", j.ID, err)
		}
		spec.NoTools = true
		payload, err := json.Marshal(spec)
		j.Payload = payload
		return j, needsTrust(spec, dir), err
	}
	const most = 5
	var faults []error
	more := 0
	for j, err := range all {
		why := ""
		if err == nil {
			_, why, err = tame(j)
		}
		switch {
		case err != nil:
			return batch.List{}, err
		case why == "":
		case len(faults) < most:
			faults = append(faults, fmt.Errorf("job %s: %s", j.ID, why))
		default:
			more++
		}
	}
	if more > 0 {
		faults = append(faults, fmt.Errorf("and %d more", more))
	}
	if faults != nil {
		return batch.List{}, errors.Join(append(faults, refused)...)
	}
	return batch.List{Sum: file.Jobs.Sum, All: func(yield func(batch.Job, error) bool) {
		for j, err := range all {
			if err == nil {
				j, _, err = tame(j)
			}
			if !yield(j, err) {
				return
			}
		}
	}}, nil
}

// needsTrust says why a job must not be done in a folder that nobody trusted; "" if it may.
func needsTrust(spec jobfile.Spec, dir string) string {
	switch {
	case spec.Run != "":
		return "runs " + spec.Run
	case spec.Skill != "":
		return "loads the skill " + spec.Skill
	case len(spec.AllowedTools) > 0:
		return "has allowed_tools"
	case jobfile.KindOf(spec.Agent) != jobfile.Ask:
		return "asks " + spec.Agent + ", which has no option to go without tools"
	case !paths.Inside(paths.Real(dir), paths.Real(spec.Dir)):
		return "has a cwd outside the folder of its file"
	}
	return ""
}
