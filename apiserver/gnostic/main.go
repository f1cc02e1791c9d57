// Gnostic makes the table by which /openapi/v2 is encoded in protobuf, from gnostic's openapi_v2
// messages (github.com/google/gnostic-models), which is what kube-apiserver answers with.
//
//	go run . write      writes ../src/registry/openapi/gnostic.jsonl
//	go run . check      fails if that file is not what write would write
//	go run . compare    reads a line of JSON and then protobuf from standard input; fails unless
//	                    gnostic makes the same document of both
//
// Field numbers and types come from the published protobuf descriptor. The alternatives of a oneof
// are told apart by the published JSON schema: by its required members and constant values.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"

	openapi "github.com/google/gnostic-models/openapiv2"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	module = "github.com/google/gnostic-models"
	table  = "../src/registry/openapi/gnostic.jsonl"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gnostic:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "compare" {
		return compare(os.Stdin)
	}
	if len(args) != 1 || (args[0] != "write" && args[0] != "check") {
		return fmt.Errorf("unknown arguments %q: use write, check or compare", args)
	}
	want, err := makeTable()
	if err != nil {
		return err
	}
	if args[0] == "write" {
		return os.WriteFile(table, want, 0o644)
	}
	have, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return fmt.Errorf("%s is out of date: run `go run . write`", table)
	}
	return nil
}

// A message is one line of the table.
type message struct {
	Name string `json:"message"`
	// Its fields are alternatives, of which the last that fits is set.
	Oneof  bool    `json:"oneof,omitempty"`
	Fields []field `json:"fields"`
}

type field struct {
	Number protoreflect.FieldNumber `json:"number"`
	Type   string                   `json:"type"`
	// The member of the JSON object that the field holds; empty if it holds the whole JSON value.
	Key string `json:"key,omitempty"`
	// The field is a map of all members whose names begin so, unless another prefix is longer.
	Prefix   *string `json:"prefix,omitempty"`
	Repeated bool    `json:"repeated,omitempty"`
	// Of an alternative of a oneof: members that it needs, and their values if these are constant.
	If map[string]string `json:"if,omitempty"`
}

// A definition is what counts here of a type in the JSON schema.
type definition struct {
	Required   []string
	Properties map[string]struct{ Enum []any }
}

func makeTable() ([]byte, error) {
	definitions, err := readSchema()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	messages := openapi.File_openapiv2_OpenAPIv2_proto.Messages()
	for i := range messages.Len() {
		name := string(messages.Get(i).Name())
		switch {
		case strings.HasPrefix(name, "Named"), name == "Any":
			continue // Encoded by rules of their own.
		case name == "Default", name == "VendorExtension":
			continue // No message has a field of this type.
		}
		line := message{Name: name, Oneof: messages.Get(i).Oneofs().Len() > 0}
		fields := messages.Get(i).Fields()
		for j := range fields.Len() {
			line.Fields = append(line.Fields, newField(fields.Get(j), definitions))
		}
		if err := lines.Encode(line); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

func newField(described protoreflect.FieldDescriptor, definitions map[string]definition) field {
	f := field{
		Number:   described.Number(),
		Type:     described.Kind().String(),
		Key:      described.JSONName(),
		Repeated: described.IsList(),
	}
	if described.Message() != nil {
		f.Type = string(described.Message().Name())
	}
	if entry, isMap := strings.CutPrefix(f.Type, "Named"); isMap {
		f.Type, f.Key, f.Repeated, f.Prefix = entry, "", false, new(string)
		if described.Name() == "vendor_extension" {
			*f.Prefix = "x-"
		}
		if described.Message().Fields().ByName("value").Kind() == protoreflect.StringKind {
			f.Type = "string"
		}
	}
	switch described.Parent().Name() {
	case "TypeItem", "ItemsItem", "StringArray":
		f.Key = ""
	}
	if described.Name() == "_ref" {
		f.Key = "$ref"
	}
	if described.ContainingOneof() != nil {
		f.Key = ""
		f.If = definitions[strings.ToLower(f.Type[:1])+f.Type[1:]].conditions()
	}
	return f
}

func (d definition) conditions() map[string]string {
	conditions := map[string]string{}
	for _, name := range d.Required {
		conditions[name] = ""
	}
	for name, property := range d.Properties {
		if len(property.Enum) != 1 {
			continue
		}
		if constant, isText := property.Enum[0].(string); isText {
			conditions[name] = constant
		}
	}
	return conditions
}

func readSchema() (map[string]definition, error) {
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	path := filepath.Join(strings.TrimSpace(string(folder)), "openapiv2", "openapi-2.0.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var schema struct{ Definitions map[string]definition }
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return schema.Definitions, nil
}

func compare(in io.Reader) error {
	input := bufio.NewReader(in)
	text, err := input.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("reading a line of JSON: %w", err)
	}
	encoded, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	parsed, err := openapi.ParseDocument(text)
	if err != nil {
		return fmt.Errorf("gnostic does not parse the JSON: %w", err)
	}
	decoded := &openapi.Document{}
	if err := proto.Unmarshal(encoded, decoded); err != nil {
		return fmt.Errorf("the protobuf is not a document: %w", err)
	}
	if difference := differ("document", parsed.ProtoReflect(), decoded.ProtoReflect()); difference != "" {
		return fmt.Errorf("gnostic parses the JSON to another document than the protobuf: %s", difference)
	}
	fmt.Println(len(parsed.GetPaths().GetPath()), len(parsed.GetDefinitions().GetAdditionalProperties()))
	return nil
}

// Differ returns the first difference of two messages of one type; empty if there is none. Texts
// of YAML are equal if their values are: gnostic keeps the style of the document that it parsed.
func differ(at string, parsed, decoded protoreflect.Message) string {
	if len(decoded.GetUnknown()) > 0 {
		return at + " has an unknown field"
	}
	fields := parsed.Descriptor().Fields()
	for i := range fields.Len() {
		described := fields.Get(i)
		at := at + "." + described.JSONName()
		a, b := parsed.Get(described), decoded.Get(described)
		if parsed.Has(described) != decoded.Has(described) {
			return fmt.Sprintf("%s is %v in one and %v in the other", at, a, b)
		}
		switch {
		case !parsed.Has(described):
		case described.IsList():
			if a.List().Len() != b.List().Len() {
				return fmt.Sprintf("%s has %d and %d elements", at, a.List().Len(), b.List().Len())
			}
			for i := range a.List().Len() {
				element := fmt.Sprintf("%s[%d]", at, i)
				if d := differInValue(element, described, a.List().Get(i), b.List().Get(i)); d != "" {
					return d
				}
			}
		default:
			if d := differInValue(at, described, a, b); d != "" {
				return d
			}
		}
	}
	return ""
}

func differInValue(at string, described protoreflect.FieldDescriptor, a, b protoreflect.Value) string {
	if described.Message() != nil {
		return differ(at, a.Message(), b.Message())
	}
	equal := a.Equal(b)
	if described.FullName() == "openapi.v2.Any.yaml" {
		var parsed, decoded any
		equal = yaml.Unmarshal([]byte(a.String()), &parsed) == nil &&
			yaml.Unmarshal([]byte(b.String()), &decoded) == nil &&
			reflect.DeepEqual(parsed, decoded)
	}
	if !equal {
		return fmt.Sprintf("%s is %v and %v", at, a, b)
	}
	return ""
}
