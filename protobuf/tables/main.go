// Tables generates the tables of informer-protobuf by reflection over Kubernetes' API types.
//
//	go run . write            writes ../src/tables/generated.rs, tables.txt (for tests) and ../tests/data/objects.jsonl
//	go run . check            fails if the files differ from the output of write
//	go run . objects SEED N   prints N generated objects of each kind, one a line, in both encodings
package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	if len(args) == 3 && args[0] == "objects" {
		seed, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return err
		}
		count, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return writeObjects(os.Stdout, scheme, seed, count, nil)
	}
	if len(args) != 1 || (args[0] != "write" && args[0] != "check") {
		return fmt.Errorf("usage: go run . write | check | objects SEED COUNT")
	}
	m, err := newModel(scheme)
	if err != nil {
		return err
	}
	tables, err := m.rust()
	if err != nil {
		return err
	}
	var objects bytes.Buffer
	if err := writeObjects(&objects, scheme, 1, 1, checkedIn); err != nil {
		return err
	}
	files := map[string][]byte{
		"../src/tables/generated.rs":  tables,
		"tables.txt":                  m.text(),
		"../tests/data/objects.jsonl": objects.Bytes(),
	}
	for path, want := range files {
		if args[0] == "write" {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				return err
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Equal(have, want) {
			return fmt.Errorf("%s is out of date: run `go run . write`", path)
		}
	}
	return nil
}
