package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// ask returns the fields that Kubernetes sets in a document.
func (k *kind) ask(doc document) (writes, error) {
	object, err := legacyscheme.Scheme.New(k.gvk)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text(doc)), object); err != nil {
		return nil, err
	}
	before, err := decoded(object)
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(object)
	after, err := decoded(object)
	if err != nil {
		return nil, err
	}
	out := writes{}
	k.differences(before, after, "", out)
	for path := range out {
		if p := k.at[path]; p != nil && p.time {
			delete(out, path) // The current time.
		}
	}
	return out, nil
}

func decoded(object any) (any, error) {
	bytes, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var out any
	return out, json.Unmarshal(bytes, &out)
}

// above returns the path of the innermost object that contains a place and may be absent.
func (k *kind) above(path string) string {
	for {
		cut := strings.LastIndex(path, ".")
		if cut < 0 {
			return ""
		}
		path = path[:cut]
		if p := k.at[path]; p != nil && p.object {
			return path
		}
	}
}

// shared returns the path of the innermost object that contains both places and may be absent.
func (k *kind) shared(a, b string) string {
	for {
		if a == "" || a == b || strings.HasPrefix(b, a+".") {
			return a
		}
		a = k.above(a)
	}
}

// isUnder reports whether a place is an object or inside it.
func isUnder(path, object string) bool {
	return object == "" || path == object || strings.HasPrefix(path, object+".")
}

// A trial is a document in which a place has one of its values, or none, with the fields that were set.
type trial struct {
	doc       document
	token     any
	value     any
	asked     writes
	predicted writes
}

// A learner holds the rules that were found so far.
type learner struct {
	*kind
	rules []*rule
}

func (k *kind) learn() ([]*rule, error) {
	l := &learner{kind: k}
	if err := l.learnParts(); err != nil {
		return nil, err
	}
	for _, p := range k.places {
		if err := l.learnPlace(p); err != nil {
			return nil, err
		}
	}
	for _, p := range k.places {
		if p.switches {
			if err := l.learnPairs(p); err != nil {
				return nil, err
			}
		}
	}
	// A source that is itself the target of a copy existed before that copy.
	targets := map[string]bool{}
	for _, r := range l.rules {
		targets[r.target()] = true
	}
	first := func(r *rule) int {
		if r.Each && targets[r.Copy] {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(l.rules, func(a, b *rule) int { return first(a) - first(b) })
	return l.rules, nil
}

// learnParts learns from each optional object, present and empty.
func (l *learner) learnParts() error {
	parts := []string{""}
	for _, p := range l.places {
		if p.object {
			parts = append(parts, p.path)
		}
	}
	for _, part := range parts {
		doc := document{}
		if part != "" {
			put(doc, part, map[string]any{})
		}
		asked, err := l.ask(doc)
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
		predicted := l.predict(l.rules, doc)
		for _, target := range sorted(asked) {
			if _, known := predicted[target]; !known && isUnder(target, part) {
				l.add(&rule{In: part, Set: rest(target, part), To: asked[target]})
			}
		}
	}
	return nil
}

func rest(path, in string) string { return strings.TrimPrefix(strings.TrimPrefix(path, in), ".") }

// sorted returns the paths of the fields that are set.
func sorted(w writes) []string {
	var out []string
	for path := range w {
		out = append(out, path)
	}
	sort.Strings(out)
	return out
}

func (l *learner) add(r *rule) {
	if p := l.at[r.target()]; p != nil {
		r.Pointer = p.pointer
	}
	l.rules = append(l.rules, r)
}

// try defaults a document without a value at a place (value number -1), and with each of its values from
// `first` on.
func (l *learner) try(p *place, context document, first int) ([]trial, error) {
	var out []trial
	for at := first; at < len(p.values); at++ {
		doc := clone(context)
		if in := l.above(p.path); in != "" && get(doc, in) == nil {
			put(doc, in, map[string]any{})
		}
		one := trial{doc: doc}
		if at >= 0 {
			one.value = p.values[at]
			one.token = p.token(one.value)
			put(doc, p.path, clone(one.value))
		}
		var err error
		if one.asked, err = l.ask(doc); err != nil {
			return nil, fmt.Errorf("%s = %v: %w", p.path, one.value, err)
		}
		one.predicted = l.predict(l.rules, doc)
		out = append(out, one)
	}
	return out, nil
}

// token returns the condition for a value: the value itself only if it has a meaning.
func (p *place) token(value any) any {
	switch {
	case p.switches:
		return value
	case p.image && isLatest(value.(string)):
		return tokenLatest
	case p.image:
		return tokenTagged
	case p.pointer || p.object:
		return tokenAny
	}
	return tokenSome
}

func clone[T any](value T) T {
	var out T
	if err := json.Unmarshal([]byte(text(value)), &out); err != nil {
		panic(err)
	}
	return out
}

// learnPlace learns the rules that depend on the value at a place.
func (l *learner) learnPlace(p *place) error {
	trials, err := l.try(p, document{}, -1)
	if err != nil {
		return err
	}
	wrong := writes{}
	for _, one := range trials {
		for target := range union(one.asked, one.predicted) {
			if target != p.path && text(one.asked[target]) != text(one.predicted[target]) {
				wrong[target] = nil
			}
		}
	}
	for _, target := range sorted(wrong) {
		l.condition(p, target, trials)
	}
	return nil
}

func union(a, b writes) writes {
	out := writes{}
	for path := range a {
		out[path] = nil
	}
	for path := range b {
		out[path] = nil
	}
	return out
}

// condition makes the rules for a target depend on the value at a place.
func (l *learner) condition(p *place, target string, trials []trial) {
	in := l.shared(target, p.path)
	if isUnder(target, p.path) {
		in = p.path
	}
	path := strings.TrimSuffix(p.path, "[]")
	if l.copies(p, target, trials, in) {
		return
	}
	outcomes, order := map[string][]any{}, []string{}
	for _, one := range trials {
		outcome := text(one.asked[target])
		if _, known := outcomes[outcome]; !known {
			order = append(order, outcome)
		}
		tokens := []any{one.token}
		if one.token == nil {
			tokens = append(tokens, p.zeros...)
		}
		outcomes[outcome] = appendNew(outcomes[outcome], tokens)
	}
	if len(order) > 2 && !p.switches && !p.image {
		return // Computed from the value, which no rule can express.
	}
	for _, r := range l.rules {
		if r.target() == target && r.Copy == "" && r.holds(trials[0].doc) {
			if tokens := outcomes[text(r.To)]; len(tokens) > 0 {
				if r.If == nil {
					r.If = map[string][]any{}
				}
				r.If[path] = tokens
			}
		}
	}
	for _, outcome := range order {
		if outcome == "null" || l.says(target, outcome) && text(trials[0].asked[target]) == outcome {
			continue
		}
		var to any
		if err := json.Unmarshal([]byte(outcome), &to); err != nil {
			panic(err)
		}
		l.add(&rule{In: in, Set: rest(target, in), To: to, If: map[string][]any{path: outcomes[outcome]}})
	}
}

// says reports whether a rule sets a target to a value.
func (l *learner) says(target, value string) bool {
	for _, r := range l.rules {
		if r.target() == target && text(r.To) == value {
			return true
		}
	}
	return false
}

func appendNew(list []any, values []any) []any {
	for _, value := range values {
		if !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	return list
}

// copies adds a rule if the target is set to the value at the place.
func (l *learner) copies(p *place, target string, trials []trial, in string) bool {
	if len(trials) < 3 || p.switches || p.object {
		return false
	}
	element := elementOf(trials[1].asked[target])
	for _, one := range trials[1:3] {
		copied := one.value
		if element != "" {
			copied = []any{document{element: one.value}}
		}
		if text(one.asked[target]) != text(copied) {
			return false
		}
	}
	r := &rule{In: in, Set: rest(target, in), Copy: p.path, Element: element}
	if p.isMap {
		r.Each = l.copiesEach(p, target, nil)
	}
	// Precedes the rule for an absent source.
	l.add(r)
	l.rules = append(l.rules[len(l.rules)-1:], l.rules[:len(l.rules)-1]...)
	return true
}

// elementOf returns the only field of the only object of a list, or "" for any other value.
func elementOf(value any) string {
	list, _ := value.([]any)
	if len(list) != 1 {
		return ""
	}
	object, _ := list[0].(map[string]any)
	if len(object) != 1 {
		return ""
	}
	for field := range object {
		return field
	}
	return ""
}

// exclude adds the condition that a place has another value to the rules that set a target here.
func (l *learner) exclude(target string, doc document, p *place, value any) {
	for _, r := range l.rules {
		if r.target() != target || !r.holds(doc) {
			continue
		}
		if r.If == nil {
			r.If = map[string][]any{}
		}
		tokens := r.If[p.path]
		if tokens == nil {
			tokens = append(append([]any{nil}, p.zeros...), p.values...)
		}
		r.If[p.path] = slices.DeleteFunc(slices.Clone(tokens), func(one any) bool { return one == value })
	}
}

// copiesEach reports whether a map receives its missing keys individually, or all or none.
func (l *learner) copiesEach(p *place, target string, context map[string]any) bool {
	doc := document{}
	for path, value := range context {
		put(doc, path, value)
	}
	put(doc, p.path, clone(p.values[0]))
	other := clone(p.values[0]).(map[string]any)
	other["memory"] = other["cpu"]
	delete(other, "cpu")
	put(doc, target, other)
	asked, err := l.ask(doc)
	return err == nil && asked[target] != nil
}

// learnPairs learns from a bool or an enumeration together with each place beside or below it.
func (l *learner) learnPairs(p *place) error {
	in := l.above(p.path)
	for _, value := range p.values {
		context := document{}
		put(context, p.path, value)
		for _, other := range l.places {
			if other == p || !isUnder(other.path, in) {
				continue
			}
			trials, err := l.try(other, context, 0)
			if err != nil {
				return err
			}
			l.pair(p, value, other, trials)
		}
	}
	return nil
}

// pair adds rules for fields that are set only if both values are present, and removes wrong ones.
func (l *learner) pair(p *place, value any, other *place, trials []trial) {
	for _, one := range trials {
		for _, target := range sorted(one.predicted) {
			if _, asked := one.asked[target]; !asked && target != p.path && target != other.path {
				l.exclude(target, one.doc, p, value)
			}
		}
		for _, target := range sorted(one.asked) {
			if _, known := one.predicted[target]; known || target == p.path || target == other.path {
				continue
			}
			in := l.shared(target, other.path)
			if isUnder(target, other.path) && other.object {
				in = other.path
			}
			r := &rule{In: in, Set: rest(target, in), If: map[string][]any{p.path: {value}}}
			if text(one.asked[target]) == text(one.value) && !other.switches && !other.object {
				r.Copy = other.path
				r.Each = other.isMap && l.copiesEach(other, target, document{p.path: value})
			} else {
				r.To = one.asked[target]
				if in != other.path {
					r.If[strings.TrimSuffix(other.path, "[]")] = []any{one.token}
				}
			}
			l.merge(p.path, r)
		}
	}
}

// merge adds a rule, or adds its condition at a path to an otherwise equal rule.
func (l *learner) merge(path string, r *rule) {
	l.add(r)
	l.rules = l.rules[:len(l.rules)-1]
	for _, known := range l.rules {
		if known.If == nil || known.If[path] == nil {
			continue
		}
		a, b := *known, *r
		a.If, b.If = without(a.If, path), without(b.If, path)
		if text(a) == text(b) {
			known.If[path] = appendNew(known.If[path], r.If[path])
			return
		}
	}
	l.rules = append(l.rules, r)
}

func without(conditions map[string][]any, path string) map[string][]any {
	out := map[string][]any{}
	for one, tokens := range conditions {
		if one != path {
			out[one] = tokens
		}
	}
	return out
}
