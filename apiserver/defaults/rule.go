package main

import (
	"encoding/json"
	"reflect"
	"strings"
)

// A rule sets a field that is absent. Its path and its conditions refer to the object as the client sent
// it: a rule does not see the results of other rules.
type rule struct {
	// In is the path of an object that must exist; `[]` stands for each element of a list.
	In string `json:"in,omitempty"`
	// Set is the path of the field, relative to In; missing objects on the way are created.
	Set string `json:"set,omitempty"`
	// Pointer is true if a zero value counts as present.
	Pointer bool `json:"pointer,omitempty"`
	// To is the value.
	To any `json:"to,omitempty"`
	// Copy is the path of the field whose value is copied, if any.
	Copy string `json:"copy,omitempty"`
	// Element is set if the value is a list of one object that has the copied value as this field.
	Element string `json:"element,omitempty"`
	// Each is true if the missing keys of a map are added individually.
	Each bool `json:"each,omitempty"`
	// If maps paths to their permitted values; null means absent.
	If map[string][]any `json:"if,omitempty"`
	// Use applies the rules of another kind, for the value at a path of that kind, to the value at In.
	Use *use `json:"use,omitempty"`
}

type use struct {
	Kind string `json:"kind"`
	At   string `json:"at"`
}

// Tokens that a condition may contain besides values.
const (
	tokenAny    = "~any"    // any value but null
	tokenSome   = "~some"   // any value but null and zeros
	tokenLatest = "~latest" // an image without a tag, or with the tag `latest`
	tokenTagged = "~tagged" // any other image
)

func (r *rule) target() string { return join(r.In, r.Set) }

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

type document = map[string]any

// writes maps the paths of the fields that defaulting sets to their values, in a document whose lists
// have one element at most.
type writes map[string]any

// predict returns the fields that the rules set in a document.
func (k *kind) predict(rules []*rule, doc document) writes {
	out := writes{}
	for _, r := range rules {
		target := r.target()
		if _, done := out[target]; done && !r.Each {
			continue
		}
		if r.In != "" && get(doc, r.In) == nil {
			continue
		}
		current := get(doc, target)
		if isAbsent := current == nil || !r.Pointer && isZero(current); !isAbsent && !r.Each {
			continue
		}
		if !r.holds(doc) {
			continue
		}
		value := r.To
		if r.Copy != "" {
			value = get(doc, r.Copy)
			if value == nil || isZero(value) {
				continue
			}
			if r.Element != "" {
				value = []any{document{r.Element: value}}
			}
		}
		if r.Each {
			current, _ := current.(map[string]any)
			added, _ := out[target].(map[string]any)
			merged := map[string]any{}
			for key, one := range value.(map[string]any) {
				if _, known := current[key]; !known {
					merged[key] = one
				}
			}
			for key, one := range added {
				merged[key] = one
			}
			if len(merged) == 0 {
				continue
			}
			value = merged
		}
		out[target] = value
	}
	return out
}

func (r *rule) holds(doc document) bool {
	for path, tokens := range r.If {
		if !matches(get(doc, path), tokens) {
			return false
		}
	}
	return true
}

func matches(value any, tokens []any) bool {
	for _, token := range tokens {
		switch token {
		case nil:
			if value == nil {
				return true
			}
		case tokenAny:
			if value != nil {
				return true
			}
		case tokenSome:
			if !isZero(value) {
				return true
			}
		case tokenLatest, tokenTagged:
			image, _ := value.(string)
			if image != "" && isLatest(image) == (token == tokenLatest) {
				return true
			}
		default:
			if reflect.DeepEqual(token, value) {
				return true
			}
		}
	}
	return false
}

func isLatest(image string) bool {
	last := image[strings.LastIndex(image, "/")+1:]
	_, tag, tagged := strings.Cut(last, ":")
	return !strings.Contains(last, "@") && (!tagged || tag == "latest")
}

func isZero(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return value == nil || reflect.ValueOf(value).IsZero()
}

func steps(path string) []string {
	return strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")
}

// get returns the value at a path; of a list, that of its first element.
func get(doc any, path string) any {
	for _, step := range steps(path) {
		switch at := doc.(type) {
		case map[string]any:
			doc = at[step]
		case []any:
			if step != "[]" || len(at) == 0 {
				return nil
			}
			doc = at[0]
		default:
			return nil
		}
	}
	return doc
}

// put sets the value at a path, and creates missing objects on the way.
func put(doc document, path string, value any) {
	all := steps(path)
	var into any = doc
	for i, step := range all {
		var next any = map[string]any{}
		if i+1 < len(all) && all[i+1] == "[]" {
			next = []any{nil}
		}
		if i+1 == len(all) {
			next = value
		}
		switch at := into.(type) {
		case map[string]any:
			if known, ok := at[step]; ok && known != nil && i+1 < len(all) {
				next = known
			}
			at[step] = next
		case []any:
			if at[0] != nil && i+1 < len(all) {
				next = at[0]
			}
			at[0] = next
		}
		into = next
	}
}

// differences collects the fields that after has and before lacks; changed and removed fields do not
// count.
func (k *kind) differences(before, after any, path string, out writes) {
	if p := k.at[path]; p != nil && p.isMap {
		had, _ := before.(map[string]any)
		added := map[string]any{}
		for key, one := range after.(map[string]any) {
			if _, known := had[key]; !known {
				added[key] = one
			}
		}
		if len(added) > 0 {
			out[path] = added
		}
		return
	}
	switch after := after.(type) {
	case nil:
	case map[string]any:
		had, ok := before.(map[string]any)
		if !ok && len(after) == 0 {
			out[path] = after
			return
		}
		for name, one := range after {
			k.differences(had[name], one, join(path, name), out)
		}
	case []any:
		had, ok := before.([]any)
		if !ok || len(had) != len(after) {
			out[path] = after
			return
		}
		for i, one := range after {
			k.differences(had[i], one, path+"[]", out)
		}
	default:
		if before == nil || isZero(before) && !isZero(after) {
			out[path] = after
		}
	}
}

func text(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(out)
}
