package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/trust"
)

// Trusted returns the jobs of a file in a folder as they may be done. If the folder is not trusted
// and the user does not trust it now, the error names the jobs that run or allow something. Without
// such jobs it returns the asks, without tools.
func Trusted(ctx context.Context, policy trust.Policy, dir string, file *File) (batch.List, error) {
	if policy.May(dir) == nil {
		return file.Jobs, nil
	}
	all := file.Jobs.All // the caller may replace file.Jobs by the result
	risky, err := needTrust(all, dir)
	if err != nil {
		return batch.List{}, err
	}
	if risky != nil {
		err := policy.Allow(ctx, dir, func() []string { return risky })
		if _, refused := errors.AsType[*trust.NotTrusted](err); refused {
			err = fmt.Errorf("%s\n%w", strings.Join(risky, "\n"), err)
		}
		return file.Jobs, err
	}
	return batch.List{Sum: file.Jobs.Sum, Source: file.Jobs.Source, All: func(yield func(batch.Job, error) bool) {
		for j, err := range all {
			if err == nil {
				j, err = withoutTools(j)
			}
			if !yield(j, err) {
				return
			}
		}
	}}, nil
}

// withoutTools returns a job whose agent gets no tools.
func withoutTools(j batch.Job) (batch.Job, error) {
	var spec Spec
	if err := json.Unmarshal(j.Payload, &spec); err != nil {
		return j, fmt.Errorf("job %s: %w", j.ID, err)
	}
	spec.NoTools = true
	payload, err := json.Marshal(spec)
	j.Payload = payload
	return j, err
}

// needTrust describes the jobs that must not be done in an untrusted folder: the first five, and
// how many more there are.
func needTrust(all iter.Seq2[batch.Job, error], dir string) (risky []string, err error) {
	const most = 5
	more := 0
	for j, err := range all {
		var spec Spec
		if err == nil {
			err = json.Unmarshal(j.Payload, &spec)
		}
		if err != nil {
			return nil, err
		}
		switch why := needsTrust(spec, dir); {
		case why == "":
		case len(risky) < most:
			risky = append(risky, fmt.Sprintf("job %s: %s", j.ID, why))
		default:
			more++
		}
	}
	if more > 0 {
		risky = append(risky, fmt.Sprintf("and %d more", more))
	}
	return risky, nil
}

// needsTrust returns why a job must not be done in an untrusted folder, or "" if it may.
func needsTrust(spec Spec, dir string) string {
	switch {
	case spec.Run != "":
		return "runs " + spec.Run
	case spec.Skill != "":
		return "loads the skill " + spec.Skill
	case len(spec.AllowedTools) > 0:
		return "has allowed_tools " + strings.Join(spec.AllowedTools, ", ")
	case KindOf(spec.Agent) != Ask:
		return "asks " + spec.Agent + ", which has no option to go without tools"
	case !files.Inside(files.Real(dir), files.Real(spec.Dir)):
		return "has a cwd outside the folder of its file"
	}
	return ""
}
