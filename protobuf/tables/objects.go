package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"sigs.k8s.io/randfill"
)

// writeObjects prints objects with random content, in the form in which an API server returns them after
// reading them from etcd: {"protobuf": base64, "json": {...}}.
// If wanted is set, prints only these kinds.
func writeObjects(out io.Writer, scheme *runtime.Scheme, seed int64, count int, wanted map[string]bool) error {
	m, err := newModel(scheme)
	if err != nil {
		return err
	}
	codecs := serializer.NewCodecFactory(scheme)
	funcs := fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, schemaFuncs)
	fill := fuzzer.FuzzerFor(funcs, rand.NewSource(seed), codecs)
	pb := protobuf.NewSerializer(scheme, scheme)
	js := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, scheme, scheme, jsonserializer.SerializerOptions{})
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, k := range m.kinds {
		if k.kind == "WatchEvent" || k.kind == "List" {
			continue // A list of raw objects, which cannot be filled.
		}
		if wanted != nil && !wanted[k.apiVersion+" "+k.kind] {
			continue
		}
		gvk := schema.FromAPIVersionAndKind(k.apiVersion, k.kind)
		for range count {
			object, err := scheme.New(gvk)
			if err != nil {
				return err
			}
			fill.Fill(object)
			object.GetObjectKind().SetGroupVersionKind(gvk)
			var bytesOut, jsonOut bytes.Buffer
			if err := pb.Encode(object, &bytesOut); err != nil {
				return fmt.Errorf("%s: %w", gvk, err)
			}
			stored := reflect.New(k.message).Interface().(runtime.Object)
			if stored, _, err = pb.Decode(bytesOut.Bytes(), &gvk, stored); err != nil {
				return fmt.Errorf("%s: %w", gvk, err)
			}
			stored.GetObjectKind().SetGroupVersionKind(gvk)
			if err := js.Encode(stored, &jsonOut); err != nil {
				return fmt.Errorf("%s: %w", gvk, err)
			}
			// Decoded again from the stored form, in which nil and empty may have changed.
			bytesOut.Reset()
			if err := pb.Encode(stored, &bytesOut); err != nil {
				return fmt.Errorf("%s: %w", gvk, err)
			}
			line := map[string]any{
				"protobuf": base64.StdEncoding.EncodeToString(bytesOut.Bytes()),
				"json":     json.RawMessage(jsonOut.Bytes()),
			}
			if err := lines.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkedIn lists the kinds with objects in tests/data, which tests use without Go.
var checkedIn = map[string]bool{
	"admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration": true,
	"apiextensions.k8s.io/v1 CustomResourceDefinition":               true,
	"apiregistration.k8s.io/v1 APIService":                           true,
	"apps/v1 ControllerRevision":                                     true,
	"apps/v1 DaemonSet":                                              true,
	"apps/v1 Deployment":                                             true,
	"apps/v1 StatefulSet":                                            true,
	"authentication.k8s.io/v1 TokenReview":                           true,
	"autoscaling/v2 HorizontalPodAutoscaler":                         true,
	"batch/v1 CronJob":                                               true,
	"certificates.k8s.io/v1 CertificateSigningRequest":               true,
	"coordination.k8s.io/v1 Lease":                                   true,
	"discovery.k8s.io/v1 EndpointSlice":                              true,
	"events.k8s.io/v1 Event":                                         true,
	"meta.k8s.io/v1 PartialObjectMetadata":                           true,
	"networking.k8s.io/v1 Ingress":                                   true,
	"networking.k8s.io/v1 NetworkPolicy":                             true,
	"policy/v1 PodDisruptionBudget":                                  true,
	"rbac.authorization.k8s.io/v1 ClusterRole":                       true,
	"resource.k8s.io/v1 ResourceClaim":                               true,
	"v1 APIResourceList":                                             true,
	"v1 ConfigMap":                                                   true,
	"v1 Node":                                                        true,
	"v1 PersistentVolume":                                            true,
	"v1 Pod":                                                         true,
	"v1 PodList":                                                     true,
	"v1 Secret":                                                      true,
	"v1 Service":                                                     true,
	"v1 Status":                                                      true,
}

// maxSchemaDepth bounds the nesting of schemas, which are recursive in a dozen fields: without it, some
// objects would be infinite.
const maxSchemaDepth = 2

func schemaFuncs(serializer.CodecFactory) []any {
	depth := 0
	return []any{
		func(s *apiextensionsv1.JSONSchemaProps, c randfill.Continue) {
			if depth == maxSchemaDepth {
				s.Type = c.String(0)
				return
			}
			depth++
			c.FillNoCustom(s)
			depth--
			if s.Ref != nil && *s.Ref == "" {
				s.Ref = nil
			}
		},
		func(s *apiextensionsv1.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Bool() {
				s.Schema = &apiextensionsv1.JSONSchemaProps{}
				c.Fill(s.Schema)
			} else {
				s.JSONSchemas = make([]apiextensionsv1.JSONSchemaProps, 2)
				c.Fill(&s.JSONSchemas[0])
			}
		},
		func(s *apiextensionsv1.JSONSchemaPropsOrBool, c randfill.Continue) {
			if c.Bool() {
				s.Allows = true
				s.Schema = &apiextensionsv1.JSONSchemaProps{}
				c.Fill(s.Schema)
			} else {
				s.Allows = c.Bool()
			}
		},
		func(s *apiextensionsv1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				s.Schema = &apiextensionsv1.JSONSchemaProps{}
				c.Fill(s.Schema)
			} else {
				s.Property = []string{c.String(0), "b"}
			}
		},
		func(j *apiextensionsv1.JSON, c randfill.Continue) {
			texts := []string{`true`, `-7`, `1.5`, `"text"`, `[1,"a",null]`, `{"a":{"b":[]}}`}
			j.Raw = []byte(texts[c.Intn(len(texts))])
		},
	}
}
