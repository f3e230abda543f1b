package usage

// Advice is something worth doing about a skill.
type Advice struct {
	Skill string `json:"skill"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`
}
