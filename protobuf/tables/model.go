package main

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A shape is the form of one value of a field, in bytes and in JSON.
type shape uint8

const (
	shapeMessage shape = iota
	shapeString
	shapeBool
	shapeInt32
	shapeInt64
	shapeDouble
	shapeBytes
	shapeTime
	shapeMicroTime
	shapeQuantity
	shapeIntOrString
	shapeJSON
	shapeRawExtension
	shapeItems
	shapeSchemaOrArray
	shapeSchemaOrBool
	shapeSchemaOrStrings
)

// The names are those of `Shape` in src/tables.rs.
var shapeNames = [...]string{
	"Message", "String", "Bool", "Int32", "Int64", "Double", "Bytes", "Time", "MicroTime", "Quantity",
	"IntOrString", "Json", "RawExtension", "Items", "SchemaOrArray", "SchemaOrBool", "SchemaOrStrings",
}

const (
	flagRepeated = 1 << iota // a slice
	flagMap                  // a map with strings as keys
	flagInline               // its message's fields are members of the parent in JSON
	flagPointer              // Go distinguishes absent from zero
	flagOmit                 // JSON omits an empty value
)

// The names in tables.txt.
var textNames = [...]string{
	"", "string", "bool", "int32", "int64", "double", "bytes", "time", "microTime", "quantity",
	"intOrString", "json", "rawExtension", "items", "schemaOrArray", "schemaOrBool", "schemaOrStrings",
}

// The names are those of the constants in src/tables.rs.
var flagNames = [...]string{"REPEATED", "MAP", "INLINE", "POINTER", "OMIT"}

// special maps the types with a JSON form of their own to their shapes.
var special = map[reflect.Type]shape{
	reflect.TypeFor[metav1.Time]():                                  shapeTime,
	reflect.TypeFor[metav1.MicroTime]():                             shapeMicroTime,
	reflect.TypeFor[metav1.FieldsV1]():                              shapeJSON,
	reflect.TypeFor[resource.Quantity]():                            shapeQuantity,
	reflect.TypeFor[intstr.IntOrString]():                           shapeIntOrString,
	reflect.TypeFor[runtime.RawExtension]():                         shapeRawExtension,
	reflect.TypeFor[apiextensionsv1.JSON]():                         shapeJSON,
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       shapeSchemaOrArray,
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        shapeSchemaOrBool,
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): shapeSchemaOrStrings,
}

type field struct {
	number int
	name   string
	shape  shape
	target reflect.Type // of messages and schemas
	flags  uint8
}

type kind struct {
	apiVersion, kind string
	message          reflect.Type
}

type model struct {
	messages map[reflect.Type][]field
	kinds    []kind
}

// marshaler is the interface of messages in Go's generated protobuf code.
type marshaler interface{ Marshal() ([]byte, error) }

func isMessage(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[marshaler]())
}

// metaKinds lists the kinds that are registered in every group; the tables have them in v1 only.
var metaKinds = map[string]bool{
	"CreateOptions": true, "DeleteOptions": true, "GetOptions": true, "ListOptions": true,
	"PatchOptions": true, "UpdateOptions": true, "WatchEvent": true,
}

func isServed(gvk schema.GroupVersionKind, t reflect.Type) bool {
	if gvk.Version == "" || gvk.Version == runtime.APIVersionInternal || !isMessage(t) {
		return false
	}
	return gvk.Group == "" || !metaKinds[gvk.Kind]
}

func newModel(scheme *runtime.Scheme) (*model, error) {
	m := &model{messages: map[reflect.Type][]field{}}
	for gvk, t := range scheme.AllKnownTypes() {
		if !isServed(gvk, t) {
			continue
		}
		m.kinds = append(m.kinds, kind{gvk.GroupVersion().String(), gvk.Kind, t})
		if err := m.add(t); err != nil {
			return nil, err
		}
	}
	sort.Slice(m.kinds, func(i, j int) bool {
		a, b := m.kinds[i], m.kinds[j]
		if a.apiVersion != b.apiVersion {
			return a.apiVersion < b.apiVersion
		}
		return a.kind < b.kind
	})
	return m, nil
}

func (m *model) add(t reflect.Type) error {
	if _, known := m.messages[t]; known {
		return nil
	}
	if t.Kind() != reflect.Struct || !isMessage(t) {
		return fmt.Errorf("%s is not a message", t)
	}
	m.messages[t] = nil // ends recursion
	var fields []field
	for i := range t.NumField() {
		f, ok, err := newField(t.Field(i))
		if err != nil {
			return fmt.Errorf("%s.%s: %w", t, t.Field(i).Name, err)
		}
		if !ok {
			continue
		}
		fields = append(fields, f)
		if f.target != nil {
			if err := m.add(f.target); err != nil {
				return err
			}
		}
	}
	sort.Slice(fields, func(i, j int) bool { return fields[i].number < fields[j].number })
	m.messages[t] = fields
	return nil
}

// newField reads the tags of one field; false if the field belongs to no message.
func newField(f reflect.StructField) (field, bool, error) {
	tag, ok := f.Tag.Lookup("protobuf")
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !ok || tag == "-" {
		if f.Type == reflect.TypeFor[metav1.TypeMeta]() || tag == "-" || name == "-" {
			return field{}, false, nil
		}
		return field{}, false, fmt.Errorf("has no protobuf tag")
	}
	if name == "-" {
		return field{}, false, fmt.Errorf("has no JSON name")
	}
	number, err := strconv.Atoi(strings.Split(tag, ",")[1])
	if err != nil || number < 1 || number > 255 {
		return field{}, false, fmt.Errorf("has the number of %q", tag)
	}
	out := field{number: number, name: name}
	isInline := name == "" && (f.Anonymous || options == "inline")
	if name == "" {
		out.name = f.Name
	}
	for option := range strings.SplitSeq(options, ",") {
		// omitempty never omits a struct.
		if option == "omitzero" || option == "omitempty" && f.Type.Kind() != reflect.Struct {
			out.flags |= flagOmit
		}
	}
	if f.Type.Kind() == reflect.Struct && out.flags != 0 && f.Type != reflect.TypeFor[metav1.Time]() {
		// The bytes show that a struct is zero only if they are empty then.
		return field{}, false, fmt.Errorf("is a struct with omitzero")
	}
	t, err := out.container(f.Type)
	if err != nil {
		return field{}, false, err
	}
	if out.shape, out.target, err = newShape(t); err != nil {
		return field{}, false, err
	}
	if isInline {
		if out.shape != shapeMessage || out.flags != 0 {
			return field{}, false, fmt.Errorf("cannot be inlined")
		}
		out.flags |= flagInline
		out.name = ""
	}
	return out, true, nil
}

// container sets the flags of pointers, slices and maps, and returns the type of their values.
func (f *field) container(t reflect.Type) (reflect.Type, error) {
	switch {
	case t.Kind() == reflect.Pointer:
		f.flags |= flagPointer
		return t.Elem(), nil
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		f.flags |= flagMap
		return t.Elem(), nil
	case t.Kind() == reflect.Map:
		return nil, fmt.Errorf("has keys of %s", t.Key())
	case t.Kind() == reflect.Slice && isMessage(t):
		f.flags |= flagPointer // a message with items: nil is absent
		return t, nil
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		f.flags |= flagRepeated
		t = t.Elem()
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		return t, nil
	case t.Kind() == reflect.Slice:
		f.flags |= flagPointer // bytes: nil is absent
	}
	return t, nil
}

func newShape(t reflect.Type) (shape, reflect.Type, error) {
	if s, ok := special[t]; ok {
		if s >= shapeSchemaOrArray {
			return s, reflect.TypeFor[apiextensionsv1.JSONSchemaProps](), nil
		}
		return s, nil, nil
	}
	switch t.Kind() {
	case reflect.String:
		return shapeString, nil, nil
	case reflect.Bool:
		return shapeBool, nil, nil
	case reflect.Int32:
		return shapeInt32, nil, nil
	case reflect.Int64:
		return shapeInt64, nil, nil
	case reflect.Float64:
		return shapeDouble, nil, nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return shapeBytes, nil, nil
		}
		if t.Elem().Kind() == reflect.String && isMessage(t) {
			return shapeItems, nil, nil
		}
	case reflect.Struct:
		// A JSON form of its own would need a shape.
		if _, ok := reflect.New(t).Interface().(interface{ MarshalJSON() ([]byte, error) }); !ok {
			return shapeMessage, t, nil
		}
	}
	return 0, nil, fmt.Errorf("has the unknown type %s", t)
}
