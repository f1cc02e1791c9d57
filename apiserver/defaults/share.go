package main

import (
	"slices"
	"strings"
)

// templates is the kind whose rules many kinds share; the table contains them once.
const templates = "v1 PodTemplate"

// share returns the rules of a kind, with one reference to the templates in place of their rules.
func share(k *kind, kinds []*kind, all [][]*rule) []*rule {
	own := all[slices.Index(kinds, k)]
	common := map[string]bool{}
	for at, one := range kinds {
		for _, r := range all[at] {
			if name(one.gvk) == templates && name(k.gvk) != templates {
				if moved, ok := r.move("template"); ok {
					common[text(moved)] = true
				}
			}
		}
	}
	for _, path := range []string{"spec.template", "spec.jobTemplate.spec.template"} {
		var others []*rule
		found := map[string]bool{}
		for _, r := range own {
			moved, ok := r.move(path)
			if ok && common[text(moved)] {
				found[text(moved)] = true
			} else {
				others = append(others, r)
			}
		}
		if len(found) == 0 || len(found) != len(common) {
			continue // Differs, or does not exist.
		}
		r := &rule{Set: path, Use: &use{Kind: templates, At: "template"}}
		if p := k.at[path]; p != nil {
			r.In, r.Set = path, "" // The object may be absent.
		}
		return append(others, r)
	}
	return own
}

// move returns the rule relative to a path; false if the rule also depends on other values.
func (r *rule) move(path string) (rule, bool) {
	moved, ok := *r, true
	cut := func(from string) string {
		to, found := strings.CutPrefix(from, path+".")
		ok = ok && (found || from == path)
		if from == path {
			return ""
		}
		return to
	}
	if r.In == "" {
		moved.Set = cut(r.Set)
	} else {
		moved.In = cut(r.In)
	}
	if r.Copy != "" {
		moved.Copy = cut(r.Copy)
	}
	if r.If != nil {
		moved.If = map[string][]any{}
		for at, tokens := range r.If {
			moved.If[cut(at)] = tokens
		}
	}
	return moved, ok
}
