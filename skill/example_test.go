package skill_test

import (
	"fmt"

	"github.com/skillhand/skillhand/skill"
)

func ExampleParse() {
	s := skill.Parse("skills/status/SKILL.md", []byte("Branch: !`git branch --show-current`\n\nNever run `rm $0`.\n"))
	for _, p := range s.Parts {
		switch p.Kind {
		case skill.Directive:
			fmt.Printf("%s:%d: runs %s\n", s.File, p.Line, p.Command[0].Source)
		case skill.Variable:
			fmt.Printf("%s:%d: argument %s, in code: %t\n", s.File, p.Line, p.Name, p.InCode)
		}
	}
	// Output:
	// skills/status/SKILL.md:1: runs git branch --show-current
	// skills/status/SKILL.md:3: argument 0, in code: true
}

func ExampleSkill_Sections() {
	s := skill.Parse("skills/status/SKILL.md", []byte("<skill>\nRead the state below.\n</skill>\n\n<output>\n!`git "+
		"status --short`\n</output>\n"))
	sections, err := s.Sections()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range sections.Output.Of(s.Parts) {
		fmt.Print(p.Source)
	}
	// Output:
	// <output>
	// !`git status --short`
	// </output>
}
