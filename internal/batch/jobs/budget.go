package jobs

import (
	"github.com/skillhand/skillhand/internal/batch"
)

// An UnlimitedError names a job that could cost more than any budget.
type UnlimitedError struct{ Job, Why string }

func (e *UnlimitedError) Error() string { return "job " + e.Job + ": " + e.Why }

// Affordable returns an error for a job whose cost has no limit, if there is a budget.
func Affordable(list batch.List, budget float64) error {
	if budget <= 0 {
		return nil
	}
	for j, err := range list.All {
		if err != nil {
			return err
		}
		if AgentOf(j.Kind) != "" && j.MaxUSD == 0 {
			return &UnlimitedError{j.ID, "set max_budget_usd, for instance in defaults"}
		}
	}
	return nil
}
