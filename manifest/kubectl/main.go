// Reads manifests as kubectl does, for the comparison in ../tests/kubectl.rs.
//
// Standard input is a JSON array of texts. The program prints a line of JSON for each text: its
// documents, or the error that kubectl reports.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

type result struct {
	Documents []json.RawMessage `json:"documents"`
	Error     string            `json:"error,omitempty"`
}

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines := json.NewEncoder(os.Stdout)
	for _, text := range texts {
		if err := lines.Encode(read(text)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// read does what the StreamVisitor of k8s.io/cli-runtime does with a file.
func read(text string) result {
	documents := []json.RawMessage{}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); errors.Is(err, io.EOF) {
			return result{Documents: documents}
		} else if err != nil {
			return result{Error: err.Error()}
		}
		raw = bytes.TrimSpace(raw)
		if len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
			documents = append(documents, raw)
		}
	}
}
