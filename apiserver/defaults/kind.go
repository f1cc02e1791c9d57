package main

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// A kind describes the objects of one kind, before any of them is defaulted.
type kind struct {
	gvk    schema.GroupVersionKind
	places []*place
	at     map[string]*place
}

// A place is a field, or the elements of a list of objects. Its path has a `[]` after each list that
// contains it: `spec.containers[].ports[].protocol`.
type place struct {
	path     string
	object   bool // contains places
	isMap    bool // from strings to scalars
	pointer  bool // Go distinguishes absent from zero
	switches bool // a bool or an enumeration
	image    bool // the name of an image
	time     bool
	values   []any // candidates; an object has one
	zeros    []any // values that count as absent
}

type schemas struct {
	all   map[string]map[string]any
	kinds map[schema.GroupVersionKind]string
}

// readSchemas reads the copy of the real server's OpenAPI documents, which list enumerations.
func readSchemas() (*schemas, error) {
	file, err := os.Open("../src/registry/schemas.json.gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	s := &schemas{kinds: map[schema.GroupVersionKind]string{}}
	if err := json.NewDecoder(text).Decode(&s.all); err != nil {
		return nil, err
	}
	for name, one := range s.all {
		of, _ := one["x-kubernetes-group-version-kind"].([]any)
		if len(of) != 1 {
			continue
		}
		text := func(field string) string {
			value, _ := of[0].(map[string]any)[field].(string)
			return value
		}
		gvk := schema.GroupVersionKind{Group: text("group"), Version: text("version"), Kind: text("kind")}
		s.kinds[gvk] = name
	}
	return s, nil
}

// resolve follows references.
func (s *schemas) resolve(one map[string]any) map[string]any {
	if all, ok := one["allOf"].([]any); ok && len(all) == 1 {
		return s.resolve(all[0].(map[string]any))
	}
	if to, ok := one["$ref"].(string); ok {
		return s.all[to[strings.LastIndex(to, "/")+1:]]
	}
	return one
}

func member(one map[string]any, path ...string) map[string]any {
	for _, step := range path {
		one, _ = one[step].(map[string]any)
	}
	return one
}

func newKind(gvk schema.GroupVersionKind, schemaName string, s *schemas) (*kind, error) {
	object, err := legacyscheme.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	k := &kind{gvk: gvk, at: map[string]*place{}}
	k.fields(reflect.TypeOf(object).Elem(), "", s.all[schemaName], s, nil)
	return k, nil
}

func (k *kind) add(p *place) {
	k.places = append(k.places, p)
	k.at[p.path] = p
}

// special maps the types with a JSON form of their own to sample values.
var special = map[reflect.Type][]any{
	reflect.TypeFor[metav1.Time]():          {"2001-01-01T00:00:00Z", "2002-01-01T00:00:00Z"},
	reflect.TypeFor[metav1.MicroTime]():     {"2001-01-01T00:00:00.000000Z", "2002-01-01T00:00:00.000000Z"},
	reflect.TypeFor[metav1.Duration]():      {"1s", "2s"},
	reflect.TypeFor[resource.Quantity]():    {"1", "2"},
	reflect.TypeFor[intstr.IntOrString]():   {7001.0, 7002.0},
	reflect.TypeFor[runtime.RawExtension](): {map[string]any{"kind": "a", "apiVersion": "b"}},
}

// enumerations lists the values that no schema contains.
var enumerations = map[string][]any{
	"subjects[].kind":    {"User", "Group", "ServiceAccount"},
	"spec.limits[].type": {"Pod", "Container", "PersistentVolumeClaim"},
}

var images = []any{"a", "a:latest", "a:1", "a:1@sha256:" + strings.Repeat("0", 64)}

func (k *kind) fields(t reflect.Type, path string, s map[string]any, all *schemas, within []reflect.Type) {
	for _, one := range within {
		if one == t {
			return // Recursive.
		}
	}
	within = append(within[:len(within):len(within)], t)
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-", f.Type == reflect.TypeFor[metav1.TypeMeta](), f.Type == reflect.TypeFor[metav1.ListMeta]():
			continue
		case name == "" && (f.Anonymous || strings.Contains(options, "inline")):
			k.fields(f.Type, path, s, all, within[:len(within)-1])
			continue
		}
		to := name
		if path != "" {
			to = path + "." + name
		}
		k.field(f.Type, to, all.resolve(member(s, "properties", name)), all, within)
	}
}

func (k *kind) field(t reflect.Type, path string, s map[string]any, all *schemas, within []reflect.Type) {
	p := &place{path: path}
	if t.Kind() == reflect.Pointer {
		p.pointer = true
		t = t.Elem()
	}
	if strings.HasPrefix(path, "metadata.") && path != "metadata.labels" {
		return // Set by the server.
	}
	if strings.HasSuffix(path, ".metadata") {
		// In templates, only labels have a meaning.
		k.add(&place{path: path + ".labels", isMap: true, values: mapValues("a", "b")})
		return
	}
	if values, ok := special[t]; ok {
		p.values, p.time = values, t == reflect.TypeFor[metav1.Time]()
		if t == reflect.TypeFor[intstr.IntOrString]() && !p.pointer {
			p.zeros = []any{0.0}
		}
		k.add(p)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		if p.pointer {
			p.object, p.values = true, []any{map[string]any{}}
			k.add(p)
		}
		k.fields(t, path, s, all, within)
		return
	case reflect.Slice:
		element := t.Elem()
		if element.Kind() == reflect.Pointer {
			element = element.Elem()
		}
		if _, ok := special[element]; element.Kind() == reflect.Struct && !ok {
			k.add(&place{path: path + "[]", object: true, values: []any{map[string]any{}}})
			k.fields(element, path+"[]", all.resolve(member(s, "items")), all, within)
			return
		}
		for _, value := range scalars(element, path, member(s, "items")) {
			p.values = append(p.values, []any{value})
		}
		if element.Kind() == reflect.Uint8 {
			p.values = []any{"YQ==", "Yg=="}
		}
	case reflect.Map:
		p.isMap = true
		if values, ok := special[t.Elem()]; ok {
			p.values = mapValues(values[0], values[1])
		} else if values := scalars(t.Elem(), path, nil); len(values) > 1 {
			p.values = mapValues(values[0], values[1])
		}
	default:
		p.values = scalars(t, path, s)
		_, isEnum := s["enum"]
		p.switches = t.Kind() == reflect.Bool || isEnum || enumerations[path] != nil
		p.image = t.Kind() == reflect.String && isImage(path)
		if !p.pointer {
			p.values, p.zeros = split(p.values)
			p.zeros = append(p.zeros, reflect.Zero(t).Interface())
		}
	}
	k.add(p)
}

// split separates values from zero values.
func split(values []any) (some, zeros []any) {
	for _, value := range values {
		if reflect.ValueOf(value).IsZero() {
			zeros = append(zeros, value)
		} else {
			some = append(some, value)
		}
	}
	return some, zeros
}

func mapValues(a, b any) []any {
	return []any{map[string]any{"cpu": a}, map[string]any{"cpu": b}}
}

// scalars returns values of a type: all of an enumeration, or two arbitrary ones.
func scalars(t reflect.Type, path string, s map[string]any) []any {
	if enum, ok := s["enum"].([]any); ok {
		return enum
	}
	if isImage(path) {
		return images
	}
	if values := enumerations[path]; values != nil {
		return values
	}
	switch t.Kind() {
	case reflect.Bool:
		return []any{true, false}
	case reflect.String:
		return []any{"a", "b"}
	case reflect.Int32, reflect.Int64, reflect.Int, reflect.Float64:
		return []any{7001.0, 7002.0, 0.0}
	}
	return nil
}

func isImage(path string) bool {
	return strings.HasSuffix(path, ".image") || strings.HasSuffix(path, ".image.reference")
}
