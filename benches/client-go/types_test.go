package main

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// Schema of a value in a definition.
type property struct {
	Type                 string              `json:"type"`
	Format               string              `json:"format"`
	Properties           map[string]property `json:"properties"`
	Required             []string            `json:"required"`
	Items                *property           `json:"items"`
	AdditionalProperties *property           `json:"additionalProperties"`
}

func TestTypesHaveTheFieldsOfTheDefinitions(t *testing.T) {
	for file, object := range map[string]any{
		"certificates": Certificate{},
		"routes":       HTTPRoute{},
		"applications": Application{},
	} {
		for name, part := range definition(t, file).Properties {
			field := reflect.ValueOf(object).FieldByName(strings.ToUpper(name[:1]) + name[1:])
			compare(t, file+": "+name, part, field.Type())
		}
	}
}

// definition returns the schema of the only version of a definition.
func definition(t *testing.T, file string) property {
	text, err := os.ReadFile("../crds/" + file + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema property }
			}
		}
	}
	if err := yaml.Unmarshal(text, &definition); err != nil {
		t.Fatal(err)
	}
	versions := definition.Spec.Versions
	if len(versions) != 1 || len(versions[0].Schema.OpenAPIV3Schema.Properties) != 2 {
		t.Fatalf("%s: not one version with spec and status", file)
	}
	return versions[0].Schema.OpenAPIV3Schema
}

// compare compares the type of a value with its schema.
func compare(t *testing.T, path string, schema property, goType reflect.Type) {
	if goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	expected := map[string]reflect.Kind{
		"string":  reflect.String,
		"boolean": reflect.Bool,
		"integer": reflect.Int64,
		"array":   reflect.Slice,
		"object":  reflect.Struct,
	}[schema.Type]
	if schema.Format == "int32" {
		expected = reflect.Int32
	}
	if schema.AdditionalProperties != nil {
		expected = reflect.Map
	}
	if goType.Kind() != expected {
		t.Errorf("%s is %v, and %v in the definition", path, goType.Kind(), expected)
		return
	}
	switch expected {
	case reflect.Slice:
		compare(t, path+"[]", *schema.Items, goType.Elem())
	case reflect.Map:
		compare(t, path+"{}", *schema.AdditionalProperties, goType.Elem())
	case reflect.Struct:
		missing := schema.Properties
		for at := range goType.NumField() {
			field := goType.Field(at)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			part, has := schema.Properties[name]
			if !has {
				t.Errorf("%s.%s is not in the definition", path, name)
				continue
			}
			delete(missing, name)
			if isRequired := slices.Contains(schema.Required, name); isRequired == (options == "omitempty") {
				t.Errorf("%s.%s has %q, and required is %v", path, name, options, isRequired)
			}
			compare(t, path+"."+name, part, field.Type)
		}
		for name := range missing {
			t.Errorf("%s.%s is missing", path, name)
		}
	}
}

// The object is one of `informer-benches objects --world types`.
func TestThingsAreDecodedAndEncoded(t *testing.T) {
	text := `{"kind":"Thing","apiVersion":"type-000.example.com/v1","metadata":{"name":"thing-00000","namespace":"default","uid":"c5856ba4-7d07-2ba6-815b-87fc33e9af93","resourceVersion":"1000","creationTimestamp":"2026-06-14T09:52:52Z","labels":{"app.kubernetes.io/name":"thing-00000"}},"spec":{"replicas":3,"image":"registry.example.com/thing:1.4.2"},"status":{"ready":3,"phase":"Running"}}`
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var thing Thing
	if err := decoder.Decode(&thing); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&thing)
	if err != nil {
		t.Fatal(err)
	}
	if given, again := canonical(t, []byte(text)), canonical(t, again); !bytes.Equal(given, again) {
		t.Errorf("%s\nbecomes\n%s", given, again)
	}
}

// canonical returns the text with sorted members.
func canonical(t *testing.T, text []byte) []byte {
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return sorted
}
