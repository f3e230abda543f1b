package golden

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"

	"github.com/skillhand/skillhand/internal/files"
)

// A JUnitCase is one test in a JUnit report.
type JUnitCase struct {
	Class, Name string
	DurationMS  float64
	Failure     string // the reason in one line; "" if the test passed
	Detail      string // details of the failure
	Skipped     string // why there is no verdict, or ""
}

// WriteCases writes cases to a JUnit file, as CI systems read it.
func WriteCases(file, suite string, cases []JUnitCase) error {
	type message struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Seconds string   `xml:"time,attr"`
		Failure *message `xml:"failure,omitempty"`
		Skipped *message `xml:"skipped,omitempty"`
	}
	doc := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Skipped  int        `xml:"skipped,attr,omitempty"`
		Cases    []testcase `xml:"testcase"`
	}{Name: suite, Tests: len(cases)}
	for _, c := range cases {
		t := testcase{Class: c.Class, Name: c.Name, Seconds: fmt.Sprintf("%.3f", c.DurationMS/1000)}
		switch {
		case c.Skipped != "":
			doc.Skipped++
			t.Skipped = &message{Message: c.Skipped}
		case c.Failure != "":
			doc.Failures++
			t.Failure = &message{Message: c.Failure, Text: c.Detail}
		}
		doc.Cases = append(doc.Cases, t)
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	err = files.Write(file, append([]byte(xml.Header), append(text, '\n')...), 0o644)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", file, wrong.Err) // name the report, not the temporary file
	}
	return err
}
