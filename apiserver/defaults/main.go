// Defaults generates the table of the defaults of the built-in kinds, by calling the defaulting
// functions of Kubernetes.
//
//	go run . write            writes ../src/registry/defaults.jsonl
//	go run . check            fails if the file differs from the output of write
//	go run . objects SEED N   prints N objects of each kind, one a line, before and after defaulting
//
// The functions are published as code (k8s.io/kubernetes), not as data. The program calls them with an
// empty object, with each optional part of it, with each field set to each of its values, and with each
// pair of a switch (a bool, an enumeration) and a place beside or below it. A result that the rules
// found so far do not predict becomes a rule. `objects` prints other objects, for which a test compares
// the rules with the functions.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/lifecycle/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
)

const table = "../src/registry/defaults.jsonl"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "defaults:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	kinds, err := newKinds()
	if err != nil {
		return err
	}
	if len(args) == 3 && args[0] == "objects" {
		seed, err := strconv.ParseUint(args[1], 10, 64)
		if err != nil {
			return err
		}
		count, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return writeObjects(os.Stdout, kinds, seed, count)
	}
	if len(args) != 1 || (args[0] != "write" && args[0] != "check") {
		return fmt.Errorf("usage: go run . write | check | objects SEED COUNT")
	}
	want, err := makeTable(kinds)
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

// newKinds returns the kinds of the table: those with a schema in the OpenAPI documents, which are the
// kinds that kube-apiserver serves.
func newKinds() ([]*kind, error) {
	schemas, err := readSchemas()
	if err != nil {
		return nil, err
	}
	var kinds []*kind
	for gvk, t := range legacyscheme.Scheme.AllKnownTypes() {
		name, served := schemas.kinds[gvk]
		if _, isObject := t.FieldByName("ObjectMeta"); !served || !isObject {
			continue
		}
		k, err := newKind(gvk, name, schemas)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", gvk, err)
		}
		kinds = append(kinds, k)
	}
	sort.Slice(kinds, func(i, j int) bool { return name(kinds[i].gvk) < name(kinds[j].gvk) })
	return kinds, nil
}

func name(gvk schema.GroupVersionKind) string {
	return gvk.GroupVersion().String() + " " + gvk.Kind
}

func makeTable(kinds []*kind) ([]byte, error) {
	all := make([][]*rule, len(kinds))
	errors := make([]error, len(kinds))
	var work sync.WaitGroup
	for at, k := range kinds {
		work.Go(func() { all[at], errors[at] = k.learn() })
	}
	work.Wait()
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	for at, k := range kinds {
		if errors[at] != nil {
			return nil, fmt.Errorf("%s: %w", k.gvk, errors[at])
		}
		rules := share(k, kinds, all)
		if len(rules) == 0 {
			continue
		}
		if err := lines.Encode(map[string]string{"kind": name(k.gvk)}); err != nil {
			return nil, err
		}
		for _, r := range rules {
			if err := lines.Encode(r); err != nil {
				return nil, err
			}
		}
	}
	return out.Bytes(), nil
}
