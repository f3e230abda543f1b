package jobs

import (
	"fmt"

	"github.com/skillhand/skillhand/batch"
	"github.com/skillhand/skillhand/batch/jobfile"
)

// Affordable reports jobs whose cost a budget cannot hold.
func Affordable(list batch.List, budget float64) error {
	if budget <= 0 {
		return nil
	}
	for j, err := range list.All {
		if err != nil {
			return err
		}
		if name := jobfile.AgentOf(j.Kind); name != "" && j.Kind != jobfile.Ask {
			return fmt.Errorf("job %s: %s has no option that limits what it spends: --budget-usd cannot be enforced", j.ID, name)
		} else if name != "" && j.MaxUSD == 0 {
			return fmt.Errorf("job %s: set max_budget_usd, for instance in defaults: --budget-usd cannot be enforced without it", j.ID)
		}
	}
	return nil
}
