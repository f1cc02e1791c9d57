package main

import (
	"encoding/json"
	"io"
	"math/rand/v2"

	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// writeObjects prints objects with values at some of their places, before and after defaulting.
func writeObjects(out io.Writer, kinds []*kind, seed uint64, count int) error {
	random := rand.New(rand.NewPCG(seed, 0))
	lines := json.NewEncoder(out)
	for _, k := range kinds {
		for range count {
			doc := document{}
			for range 1 + random.IntN(12) {
				p := k.places[random.IntN(len(k.places))]
				if len(p.values) == 0 || get(doc, p.path) != nil {
					continue
				}
				put(doc, p.path, clone(p.values[random.IntN(len(p.values))]))
			}
			object, err := legacyscheme.Scheme.New(k.gvk)
			if err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(text(doc)), object); err != nil {
				return err
			}
			before, err := decoded(object)
			if err != nil {
				return err
			}
			legacyscheme.Scheme.Default(object)
			after, err := decoded(object)
			if err != nil {
				return err
			}
			changed := writes{}
			if k.differences(after, before, "", changed); len(changed) > 0 {
				continue // Kubernetes removes a field, which no rule can express.
			}
			line := map[string]any{"kind": name(k.gvk), "before": before, "after": after}
			if err := lines.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}
