package check

import (
	"net/url"
	"path"
	"strings"
)

// The parts of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]int    `json:"properties"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifRule struct {
		ID         string         `json:"id"`
		Name       string         `json:"name"`
		Short      sarifText      `json:"shortDescription"`
		Help       sarifText      `json:"help"`
		HelpURI    string         `json:"helpUri"`
		Default    sarifLevel     `json:"defaultConfiguration"`
		Properties map[string]any `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

func level(s Severity) string {
	if s == Info {
		return "note"
	}
	return string(s)
}

func newSarifRule(r *Rule) sarifRule {
	s := sarifRule{ID: r.ID, Name: r.Name, Short: sarifText{Text: r.Summary}, HelpURI: r.Link(), Default: sarifLevel{level(r.Severity)}}
	s.Help = sarifText{Text: r.Summary, Markdown: r.Doc()}
	s.Properties = map[string]any{"tags": []string{family(r.ID), "agent-skills"}}
	if strings.HasPrefix(r.ID, "SK7") {
		s.Properties["tags"] = []string{"security", "agent-skills"}
		s.Properties["security-severity"] = map[Severity]string{Error: "8.0", Warning: "5.0", Info: "2.0"}[r.Severity]
	}
	return s
}

// family returns what the rules of a hundred are about.
func family(id string) string {
	names := []string{"files", "frontmatter", "references", "shell", "permissions", "budget", "plugin", "security", "dialect"}
	if len(id) > 2 && '0' <= id[2] && int(id[2]-'0') < len(names) {
		return names[id[2]-'0']
	}
	return "files"
}

func newSarifResult(f *Finding, rule int) sarifResult {
	text := f.Message
	if f.Help != "" {
		text += ". To fix it: " + f.Help
	}
	r := sarifResult{
		RuleID:       f.Rule,
		RuleIndex:    rule,
		Level:        level(f.Severity),
		Message:      sarifText{Text: text},
		Fingerprints: map[string]string{"primaryLocationLineHash": f.Fingerprint},
	}
	var at sarifPhysical
	at.Artifact.URI = (&url.URL{Path: f.File}).EscapedPath()
	if !path.IsAbs(f.File) {
		at.Artifact.Base = "%SRCROOT%"
	} else {
		at.Artifact.URI = "file://" + at.Artifact.URI
	}
	at.Region = sarifRegion{f.Range.Line, f.Range.Column, f.Range.EndLine, f.Range.EndColumn}
	r.Locations = []sarifLocation{{at}}
	return r
}
