package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrNoError says that a detail came before the error it belongs to.
var ErrNoError = errors.New("no error comes before it")

// AddDeliverable adds a file or folder.
func (r *Report) AddDeliverable(path string) error {
	if path == "" {
		return errors.New("the path is empty")
	}
	r.Deliverables = append(r.Deliverables, path)
	return nil
}

// AddMetric adds a metric, written as name=number.
func (r *Report) AddMetric(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New("want name=number")
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || strings.ContainsAny(value, "_xX") {
		return fmt.Errorf("%q is not a finite number", value)
	}
	r.setMetric(name, n)
	return nil
}

func (r *Report) setMetric(name string, value float64) {
	if r.Metrics == nil {
		r.Metrics = map[string]float64{}
	}
	r.Metrics[strings.ToValidUTF8(name, "\ufffd")] = value
}

// AddError adds an error, written as CODE=message.
func (r *Report) AddError(text string) error {
	code, message, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("want CODE=message")
	}
	e := Error{Code: code, Message: message}
	if faults := (Report{Errors: []Error{e}}).Check(); len(faults) > 0 {
		return errors.New(faults[0].Message)
	}
	r.Errors = append(r.Errors, e)
	return nil
}

// AddContext adds a detail to the last error, written as key=value.
func (r *Report) AddContext(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return errors.New("want key=value")
	}
	if len(r.Errors) == 0 {
		return ErrNoError
	}
	last := &r.Errors[len(r.Errors)-1]
	context := map[string]string{}
	if last.Context != nil {
		if err := json.Unmarshal(last.Context, &context); err != nil {
			return err
		}
	}
	context[strings.ToValidUTF8(key, "\ufffd")] = value
	written, err := json.Marshal(context)
	last.Context = written
	return err
}

// Began sets the report's execution_time_ms. start is in milliseconds since 1970.
func (r *Report) Began(start string, now time.Time) error {
	ms, err := strconv.ParseInt(start, 10, 64)
	if err != nil {
		return errors.New("want milliseconds since 1970")
	}
	if ms > now.Unix()/2 && ms <= now.Unix() { // in seconds a recent year, in milliseconds a day in January 1970
		return errors.New("looks like seconds, want milliseconds since 1970, as date +%s%3N prints them")
	}
	elapsed := now.UnixMilli() - ms
	if elapsed < 0 || ms < 0 {
		return errors.New("is not in the past, want milliseconds since 1970")
	}
	r.setMetric("execution_time_ms", float64(elapsed))
	return nil
}
