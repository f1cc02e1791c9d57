// Validates objects as the API server does, for the tests in ../vendors.
//
// Standard input is a JSON array of kinds, each with a schema and objects. The program prints a line
// of JSON for each kind: the faults of the schema, and for each object the object that the API server
// stores, or why the API server rejects the object.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type kind struct {
	Schema  json.RawMessage   `json:"schema"`
	Objects []json.RawMessage `json:"objects"`
}

type result struct {
	Faults  []string `json:"faults"`
	Objects []object `json:"objects"`
}

type object struct {
	Stored map[string]any `json:"stored,omitempty"`
	Error  string         `json:"error,omitempty"`
}

func main() {
	var kinds []kind
	if err := json.NewDecoder(os.Stdin).Decode(&kinds); err != nil {
		fail(err)
	}
	lines := json.NewEncoder(os.Stdout)
	for _, kind := range kinds {
		result, err := kind.validate()
		if err != nil {
			fail(err)
		}
		if err := lines.Encode(result); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (k kind) validate() (*result, error) {
	var external v1.JSONSchemaProps
	if err := json.Unmarshal(k.Schema, &external); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	result := &result{Faults: []string{}, Objects: []object{}}
	for _, fault := range schema.ValidateStructural(nil, structural) {
		result.Faults = append(result.Faults, fault.Error())
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		return nil, err
	}
	for _, raw := range k.Objects {
		var content map[string]any
		if err := utiljson.Unmarshal(raw, &content); err != nil {
			return nil, err
		}
		result.Objects = append(result.Objects, store(content, structural, validator))
	}
	return result, nil
}

// store does with an object what the API server does before it writes the object to etcd.
func store(content map[string]any, structural *schema.Structural, validator validation.SchemaValidator) object {
	if err := objectmeta.Coerce(nil, content, structural, true, true); err != nil {
		return object{Error: err.Error()}
	}
	pruning.Prune(content, structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(content, structural)
	defaulting.Default(content, structural)
	faults := field.ErrorList{}
	faults = append(faults, objectmeta.Validate(context.Background(), nil, content, structural, true)...)
	faults = append(faults, validation.ValidateCustomResource(nil, content, validator)...)
	if len(faults) > 0 {
		return object{Error: faults.ToAggregate().Error()}
	}
	return object{Stored: content}
}
