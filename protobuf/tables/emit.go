package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"sort"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// text returns the model in a form for readers, whose diffs show the meaning of a change.
func (m *model) text() []byte {
	var out bytes.Buffer
	for _, t := range m.sorted() {
		fmt.Fprintf(&out, "message %s\n", fullName(t))
		for _, f := range m.messages[t] {
			name := f.name
			if f.flags&flagInline != 0 {
				name = "-"
			}
			fmt.Fprintf(&out, "  %d %s %s%s%s", f.number, name, map[bool]string{true: "map of "}[f.flags&flagMap != 0],
				map[bool]string{true: "list of "}[f.flags&flagRepeated != 0], shapeNames[f.shape])
			if f.shape == shapeMessage {
				out.WriteString(fullName(f.target))
			}
			for _, flag := range []struct {
				bit  uint8
				name string
			}{{flagPointer, "pointer"}, {flagOmit, "omitempty"}, {flagInline, "inline"}} {
				if f.flags&flag.bit != 0 {
					out.WriteString(" " + flag.name)
				}
			}
			out.WriteByte('\n')
		}
	}
	for _, k := range m.kinds {
		fmt.Fprintf(&out, "kind %s %s %s\n", k.apiVersion, k.kind, fullName(k.message))
	}
	return out.Bytes()
}

// tables returns the model as the files of src/tables; src/tables.rs documents their layout.
func (m *model) tables() (map[string][]byte, error) {
	messages := m.sorted()
	ids := map[reflect.Type]int{}
	for id, t := range messages {
		ids[t] = id
	}
	names := m.names()
	starts := []uint16{
		uint16(ids[reflect.TypeFor[metav1.ObjectMeta]()]),
		uint16(ids[reflect.TypeFor[apiextensionsv1.JSONSchemaProps]()]),
	}
	var fields []uint64
	for _, t := range messages {
		starts = append(starts, uint16(len(fields)))
		for _, f := range m.messages[t] {
			fields = append(fields, names.at(f.name)|uint64(f.number)<<56|uint64(f.shape)<<48|
				uint64(f.flags)<<40|uint64(ids[f.target])<<24)
		}
	}
	starts = append(starts, uint16(len(fields)))
	var versions, kinds []uint64
	last := ""
	for _, k := range m.kinds {
		if k.apiVersion != last {
			last = k.apiVersion
			versions = append(versions, names.at(k.apiVersion)|uint64(len(kinds))<<24)
		}
		kinds = append(kinds, names.at(k.kind)|uint64(ids[k.message])<<24)
	}
	versions = append(versions, uint64(len(kinds))<<24)
	if len(names.text) > 1<<16 || len(fields) > 1<<16 {
		return nil, fmt.Errorf("the tables have grown out of 16 bits")
	}

	return map[string][]byte{
		"messages.bin":     numbers(starts),
		"fields.bin":       numbers(fields),
		"api_versions.bin": numbers(versions),
		"kinds.bin":        numbers(kinds),
		"names.txt":        []byte(names.text),
	}, nil
}

func numbers(values any) []byte {
	// Writing to a buffer cannot fail.
	var out bytes.Buffer
	binary.Write(&out, binary.LittleEndian, values)
	return out.Bytes()
}

func (m *model) sorted() []reflect.Type {
	var out []reflect.Type
	for t := range m.messages {
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return fullName(out[i]) < fullName(out[j]) })
	return out
}

// fullName returns the short name of a type, such as core/v1.Pod.
func fullName(t reflect.Type) string {
	path := t.PkgPath()
	for _, prefix := range []string{"k8s.io/api/", "k8s.io/apimachinery/pkg/apis/", "k8s.io/apiextensions-apiserver/pkg/apis/", "k8s.io/kube-aggregator/pkg/apis/"} {
		path = strings.TrimPrefix(path, prefix)
	}
	return path + "." + t.Name()
}

// nameTable holds every name once; a name may be a substring of another one.
type nameTable struct{ text string }

func (m *model) names() *nameTable {
	unique := map[string]bool{}
	for _, fields := range m.messages {
		for _, f := range fields {
			unique[f.name] = true
		}
	}
	for _, k := range m.kinds {
		unique[k.apiVersion], unique[k.kind] = true, true
	}
	var all []string
	for name := range unique {
		all = append(all, name)
	}
	sort.Slice(all, func(i, j int) bool {
		if len(all[i]) != len(all[j]) {
			return len(all[i]) > len(all[j])
		}
		return all[i] < all[j]
	})
	var out strings.Builder
	for _, name := range all {
		if !strings.Contains(out.String(), name) {
			out.WriteString(name)
		}
	}
	return &nameTable{out.String()}
}

// at returns the position of a name: its length in the lowest byte, its offset above.
func (n *nameTable) at(name string) uint64 {
	return uint64(strings.Index(n.text, name))<<8 | uint64(len(name))
}
