package activity

import (
	"cmp"
	"slices"
	"time"
)

// A Review sums up a period. schemas/retro-v1.schema.json describes it.
type Review struct {
	Since      time.Time  `json:"since"`
	Until      time.Time  `json:"until"`
	Total      int        `json:"total"`
	OK         int        `json:"ok"`
	Failed     int        `json:"failed"`
	Retried    int        `json:"retried,omitempty"` // failures of jobs that were retried
	DurationMS float64    `json:"duration_ms"`       // the sum of all durations
	CostUSD    float64    `json:"cost_usd"`
	Categories []Category `json:"categories"` // of failures, the most frequent first
	Skills     []Ran      `json:"skills"`     // the skill with the most failures first
	Confidence []Point    `json:"confidence"` // over time; only the parts of the period with a value
	Slowest    []Record   `json:"slowest"`
	Costliest  []Record   `json:"costliest"`
	Flaky      []Flaky    `json:"flaky"` // the input with the most changes first
	Next       []string   `json:"next"`  // what to do next
}

// A Category is one reason for failures.
type Category struct {
	Category string  `json:"category"`
	Failed   int     `json:"failed"`
	Skills   []Count `json:"skills"` // that failed for this reason, the most frequent first
}

// A Count says how often a skill failed.
type Count struct {
	Name   string `json:"name"`
	Failed int    `json:"failed"`
}

// A Ran sums up the runs of one skill, script or prompt.
type Ran struct {
	Name       string   `json:"name"`
	Total      int      `json:"total"`
	Failed     int      `json:"failed"`
	Confidence *float64 `json:"confidence"` // the mean; nil if no run reported a confidence
	DurationMS float64  `json:"duration_ms"`
	CostUSD    float64  `json:"cost_usd"`
	Category   string   `json:"category"` // the most frequent reason of its failures
}

// A Point is the mean confidence of a part of the period.
type Point struct {
	From  time.Time `json:"from"`
	Mean  float64   `json:"mean"`
	Count int       `json:"count"`
}

// A Flaky is a skill with different verdicts for the same input.
type Flaky struct {
	Name    string `json:"name"`
	Input   string `json:"input_hash"`
	Total   int    `json:"total"`
	Failed  int    `json:"failed"`
	Changes int    `json:"changes"` // how often the verdict differs from the one before
}

// Points is the number of parts of a period. Each part has its own mean confidence.
const Points = 24

// top is the number of records listed as the slowest and as the costliest.
const top = 5

// NewReview returns a review of the period from q.Since to until.
func NewReview(s Store, q Query, until time.Time) (*Review, error) {
	b := newReviewer(q.Since, until)
	if _, err := s.Each(q, b.add); err != nil {
		return nil, err
	}
	return b.review(), nil
}

// ReviewOf returns a review of records that are already read. The oldest record comes first.
func ReviewOf(records []Record, since, until time.Time) *Review {
	b := newReviewer(since, until)
	for i := range slices.Backward(records) {
		b.add(&records[i])
	}
	return b.review()
}

// A reviewer adds up records. The latest record comes first.
type reviewer struct {
	sum        Review
	skills     map[string]*skillSum
	categories map[string]map[string]int // failures, by category and name
	reasons    map[reason]map[string]int // failures, by reason and name
	points     [Points]sum
	inputs     map[[2]string]*inputSum // by name and input
}

type sum struct {
	total float64
	count int
}

type skillSum struct {
	skill      Ran
	confidence sum
	succeeded  sum // as confidence, but only of successes
	categories map[string]int
}

type inputSum struct {
	flaky Flaky
	later bool // the verdict of the next later record
}

func newReviewer(since, until time.Time) *reviewer {
	return &reviewer{
		sum:    Review{Since: since, Until: until},
		skills: map[string]*skillSum{}, categories: map[string]map[string]int{},
		reasons: map[reason]map[string]int{}, inputs: map[[2]string]*inputSum{},
	}
}

func (b *reviewer) add(r *Record) {
	if r.Time.After(b.sum.Until) {
		return
	}
	name := r.Name()
	s := b.skills[name]
	if s == nil {
		s = &skillSum{skill: Ran{Name: name}, categories: map[string]int{}}
		b.skills[name] = s
	}
	b.sum.Total++
	s.skill.Total++
	b.sum.DurationMS += r.DurationMS
	s.skill.DurationMS += r.DurationMS
	b.sum.CostUSD += r.CostUSD
	s.skill.CostUSD += r.CostUSD
	if r.OK {
		b.sum.OK++
	} else {
		b.sum.Failed++
		if r.Retried {
			b.sum.Retried++
		}
		s.skill.Failed++
		category := cmp.Or(r.Category, "unknown")
		s.categories[category]++
		addFailure(b.categories, category, name)
		addFailure(b.reasons, reason{category, r.Detail}, name)
	}
	if r.Confidence != nil {
		s.confidence.add(*r.Confidence)
		if r.OK {
			s.succeeded.add(*r.Confidence)
		}
		b.points[b.point(r.Time)].add(*r.Confidence)
	}
	b.sum.Slowest = keepTop(b.sum.Slowest, r, func(r *Record) float64 { return r.DurationMS })
	b.sum.Costliest = keepTop(b.sum.Costliest, r, func(r *Record) float64 { return r.CostUSD })
	b.input(name, r)
}

func addFailure[K comparable](counts map[K]map[string]int, key K, name string) {
	if counts[key] == nil {
		counts[key] = map[string]int{}
	}
	counts[key][name]++
}

func (s *sum) add(v float64) { s.total += v; s.count++ }
func (s *sum) mean() float64 { return s.total / float64(s.count) }

// point returns the index of the part of the period that contains a time.
func (b *reviewer) point(t time.Time) int {
	whole := b.sum.Until.Sub(b.sum.Since)
	if whole <= 0 {
		return 0
	}
	return min(Points-1, max(0, int(float64(t.Sub(b.sum.Since))/float64(whole)*Points)))
}

// keepTop returns the records with the highest values, without values of 0.
func keepTop(kept []Record, r *Record, value func(*Record) float64) []Record {
	v := value(r)
	if v <= 0 || len(kept) == top && v <= value(&kept[top-1]) {
		return kept
	}
	at := 0
	for at < len(kept) && v <= value(&kept[at]) {
		at++
	}
	kept = slices.Insert(kept, at, *r)
	return kept[:min(len(kept), top)]
}

// input notes the verdict about an input. Records come in reverse order, but the number of changes
// is the same in both directions.
func (b *reviewer) input(name string, r *Record) {
	if r.InputHash == "" {
		return
	}
	key := [2]string{name, r.InputHash}
	in := b.inputs[key]
	if in == nil {
		in = &inputSum{flaky: Flaky{Name: name, Input: r.InputHash}, later: r.OK}
		b.inputs[key] = in
	}
	in.flaky.Total++
	if !r.OK {
		in.flaky.Failed++
	}
	if r.OK != in.later {
		in.flaky.Changes++
		in.later = r.OK
	}
}

// review returns the review of all records. No list is nil, so that no list is null in JSON.
func (b *reviewer) review() *Review {
	v := b.sum
	v.Slowest, v.Costliest = append([]Record{}, v.Slowest...), append([]Record{}, v.Costliest...)
	v.Categories, v.Skills, v.Confidence, v.Flaky = []Category{}, []Ran{}, []Point{}, []Flaky{}
	for category, names := range b.categories {
		c := Category{Category: category, Skills: frequent(names)}
		for _, n := range names {
			c.Failed += n
		}
		v.Categories = append(v.Categories, c)
	}
	slices.SortFunc(v.Categories, func(a, b Category) int {
		return cmp.Or(cmp.Compare(b.Failed, a.Failed), cmp.Compare(a.Category, b.Category))
	})
	for _, s := range b.skills {
		if s.confidence.count > 0 {
			mean := s.confidence.mean()
			s.skill.Confidence = &mean
		}
		if s.skill.Failed > 0 {
			s.skill.Category = frequent(s.categories)[0].Name
		}
		v.Skills = append(v.Skills, s.skill)
	}
	slices.SortFunc(v.Skills, func(a, b Ran) int {
		return cmp.Or(cmp.Compare(b.Failed, a.Failed), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
	for i, p := range b.points {
		if p.count > 0 {
			from := b.sum.Since.Add(b.sum.Until.Sub(b.sum.Since) / Points * time.Duration(i))
			v.Confidence = append(v.Confidence, Point{From: from, Mean: p.mean(), Count: p.count})
		}
	}
	for _, in := range b.inputs {
		if in.flaky.Changes > 0 {
			v.Flaky = append(v.Flaky, in.flaky)
		}
	}
	slices.SortFunc(v.Flaky, func(a, b Flaky) int {
		return cmp.Or(cmp.Compare(b.Changes, a.Changes), cmp.Compare(b.Total, a.Total),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Input, b.Input))
	})
	v.Next = b.next(&v)
	return &v
}

// frequent returns names with their counts, the most frequent first.
func frequent(counts map[string]int) []Count {
	var all []Count
	for name, n := range counts {
		all = append(all, Count{name, n})
	}
	slices.SortFunc(all, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Failed, a.Failed), cmp.Compare(a.Name, b.Name)) })
	return all
}
