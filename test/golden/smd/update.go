package main

import (
	"encoding/json"
	"fmt"
)

// changed returns the object that a client might send in a PUT or POST, as plain data: the live one with some changes.
func (s *sequence) changed() map[string]any {
	var body map[string]any
	must(json.Unmarshal(encode(s.convert(s.live, s.version)), &body))
	metadata := body["metadata"].(map[string]any)
	metadata["name"] = "x"
	spec := body["spec"].(map[string]any)
	for range 1 + s.random.Intn(3) {
		s.change(metadata, spec)
	}
	s.sendManagedFields(metadata)
	return s.canonical(body)
}

func (s *sequence) change(metadata, spec map[string]any) {
	switch s.kindOfChange() {
	case 0:
		s.changeMap(metadata, "labels", s.labelKeys()...)
	case 1:
		s.changeMap(metadata, "annotations", "k", "l")
	case 2:
		metadata["finalizers"] = s.finalizers()
		// As for owners: duplicates are kept here as well.
		if len(s.versions) == 1 && s.chance(0.15) {
			metadata["finalizers"] = []any{"example.com/1", "example.com/1"}
		}
	case 3:
		metadata["ownerReferences"] = s.owners()
	case 4:
		s.annotateLastApplied(metadata, spec)
	default:
		s.resource.change(s, spec)
	}
}

func changeLease(s *sequence, spec map[string]any) {
	switch s.random.Intn(5) {
	case 0, 1:
		spec["holderIdentity"] = s.oneOf("a", "b", "c")
	case 2:
		spec["leaseDurationSeconds"] = 15 + s.random.Intn(3)
	case 3:
		spec["renewTime"] = times[s.random.Intn(2)]
	case 4:
		delete(spec, s.oneOf("holderIdentity", "leaseDurationSeconds", "renewTime", "leaseTransitions"))
	}
}

func changeCandidate(s *sequence, spec map[string]any) {
	switch s.random.Intn(4) {
	case 0:
		spec["leaseName"] = s.oneOf("l", "m")
	case 1:
		spec["binaryVersion"] = s.oneOf("1.0.0", "3.0.0")
	case 2:
		spec["renewTime"] = times[s.random.Intn(2)]
	case 3:
		delete(spec, s.oneOf("leaseName", "binaryVersion", "renewTime", "emulationVersion"))
	}
}

func (s *sequence) kindOfChange() int {
	if s.crowded && s.chance(0.7) {
		return 0
	}
	return s.random.Intn(10)
}

func (s *sequence) labelKeys() []string {
	if s.crowded {
		return []string{fmt.Sprintf("l%d", s.random.Intn(40)), fmt.Sprintf("l%d", s.random.Intn(40))}
	}
	return []string{"a", "b"}
}

func (s *sequence) changeMap(metadata map[string]any, name string, keys ...string) {
	values, _ := metadata[name].(map[string]any)
	if values == nil || s.chance(0.1) {
		values = map[string]any{}
		metadata[name] = values
	}
	for _, key := range keys {
		if s.chance(0.5) {
			values[key] = s.oneOf("1", "2", "3")
		} else if s.chance(0.3) {
			delete(values, key)
		}
	}
}

// annotateLastApplied does what kubectl's client-side apply does.
func (s *sequence) annotateLastApplied(metadata, spec map[string]any) {
	values, _ := metadata["annotations"].(map[string]any)
	if values == nil {
		values = map[string]any{}
		metadata["annotations"] = values
	}
	applied := map[string]any{"apiVersion": s.version.String(), "kind": s.kind, "metadata": map[string]any{"name": "x"}, "spec": spec}
	values[lastApplied] = string(encode(applied))
	if s.chance(0.1) {
		values[lastApplied] = "{not json"
	}
}

// sendManagedFields sends the list unchanged, omits, resets or edits it.
func (s *sequence) sendManagedFields(metadata map[string]any) {
	switch choice := s.random.Float64(); {
	case choice < 0.55, s.crowded && choice > 0.86:
	case choice < 0.85:
		delete(metadata, "managedFields")
	case choice < 0.88:
		metadata["managedFields"] = []any{}
	case choice < 0.91:
		metadata["managedFields"] = []any{map[string]any{}}
	default:
		metadata["managedFields"] = s.editedEntries()
	}
}

func (s *sequence) editedEntries() []any {
	entries := []any{}
	for range 1 + s.random.Intn(3) {
		entry := map[string]any{
			"manager": s.oneOf("ma", "mb", "edited"), "operation": s.oneOf("Apply", "Update", "Update"),
			"apiVersion": s.versions[s.random.Intn(len(s.versions))].String(), "fieldsType": "FieldsV1", "fieldsV1": s.editedFields(),
		}
		if s.chance(0.5) {
			entry["time"] = "2019-01-01T00:00:00Z"
		}
		if s.chance(0.1) {
			entry["subresource"] = "status"
		}
		if s.chance(0.1) {
			entry["apiVersion"] = "coordination.k8s.io/v9"
		}
		if s.chance(0.05) {
			delete(entry, s.oneOf("operation", "apiVersion", "fieldsType", "fieldsV1", "manager"))
		}
		entries = append(entries, entry)
	}
	return entries
}

func (s *sequence) editedFields() map[string]any {
	leaf := map[string]any{}
	choices := []map[string]any{
		{"f:spec": map[string]any{"f:holderIdentity": leaf, "f:noSuchField": leaf}},
		{"f:spec": map[string]any{".": leaf, "f:leaseDurationSeconds": leaf, "f:renewTime": map[string]any{"f:x": leaf}}},
		{"f:spec": map[string]any{"f:leaseName": leaf, "f:binaryVersion": leaf}},
		{"f:metadata": map[string]any{"f:labels": map[string]any{".": leaf, "f:a": leaf}, "f:annotations": leaf}},
		{"f:metadata": map[string]any{"f:ownerReferences": map[string]any{`k:{"uid":"<u1>"}`: map[string]any{".": leaf, "f:name": leaf}}}},
		{"f:metadata": map[string]any{"f:finalizers": map[string]any{`v:"example.com/2"`: leaf, `v: "example.com/1"`: leaf, "i:3": leaf}}},
		{"f:metadata": map[string]any{"f:name": leaf, "z:unknown": leaf}, "f:spec": map[string]any{"z:unknown": leaf}},
		{"bad": leaf},
		{},
	}
	return choices[s.random.Intn(len(choices))]
}

// canonical returns the object as a decoder would, except for managedFields, where an empty list has a meaning.
func (s *sequence) canonical(body map[string]any) map[string]any {
	decoded := s.empty(s.version)
	must(json.Unmarshal(encode(body), decoded))
	decoded.SetManagedFields(nil)
	var result map[string]any
	must(json.Unmarshal(encode(decoded), &result))
	if sent, ok := body["metadata"].(map[string]any)["managedFields"]; ok {
		result["metadata"].(map[string]any)["managedFields"] = sent
	}
	return result
}
