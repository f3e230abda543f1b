package jobs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/skillhand/skillhand/batch/jobfile"
	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/trust"
)

// Trusted reports which jobs of a file in a folder must not be done, because nobody trusted that
// folder: all that run or allow something. Plain asks remain, and get no tools.
func Trusted(policy trust.Policy, dir string, file *jobfile.File) error {
	refused := policy.May(dir)
	if refused == nil {
		return nil
	}
	var faults []error
	for i := range file.Jobs {
		j := &file.Jobs[i]
		var spec jobfile.Spec
		if err := json.Unmarshal(j.Payload, &spec); err != nil {
			return fmt.Errorf("job %s: %w", j.ID, err)
		}
		if why := needsTrust(spec, dir); why != "" {
			faults = append(faults, fmt.Errorf("job %s: %s", j.ID, why))
			continue
		}
		spec.NoTools = true
		payload, err := json.Marshal(spec)
		if err != nil {
			return fmt.Errorf("job %s: %w", j.ID, err)
		}
		j.Payload = payload
	}
	if faults == nil {
		return nil
	}
	const most = 5
	if more := len(faults) - most; more > 0 {
		faults = append(faults[:most], fmt.Errorf("and %d more", more))
	}
	return errors.Join(append(faults, refused)...)
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
