package main

import (
	"encoding/json"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// changed makes the object that a client might send in a PUT or POST, as plain data: the live one with some changes.
func (s *sequence) changed() map[string]any {
	var object map[string]any
	must(json.Unmarshal(encode(s.live), &object))
	metadata := object["metadata"].(map[string]any)
	metadata["name"] = "x"
	spec := object["spec"].(map[string]any)
	for range 1 + s.random.Intn(3) {
		s.change(metadata, spec)
	}
	s.sendManagedFields(metadata)
	return canonical(object)
}

func (s *sequence) change(metadata, spec map[string]any) {
	switch s.kindOfChange() {
	case 0, 1:
		spec["holderIdentity"] = s.oneOf("a", "b", "c")
	case 2:
		spec["leaseDurationSeconds"] = 15 + s.random.Intn(3)
	case 3:
		spec["renewTime"] = times[s.random.Intn(2)]
	case 4:
		delete(spec, s.oneOf("holderIdentity", "leaseDurationSeconds", "renewTime", "leaseTransitions"))
	case 5:
		s.changeMap(metadata, "labels", s.labelKeys()...)
	case 6:
		s.changeMap(metadata, "annotations", "k", "l")
	case 7:
		metadata["finalizers"] = s.finalizers()
		if s.chance(0.15) {
			metadata["finalizers"] = []any{"example.com/1", "example.com/1"}
		}
	case 8:
		metadata["ownerReferences"] = s.owners()
	case 9:
		s.annotateLastApplied(metadata, spec)
	}
}

func (s *sequence) kindOfChange() int {
	if s.crowded && s.chance(0.7) {
		return 5
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
	applied := map[string]any{"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind, "metadata": map[string]any{"name": "x"}, "spec": spec}
	values[lastApplied] = string(encode(applied))
	if s.chance(0.1) {
		values[lastApplied] = "{not json"
	}
}

// sendManagedFields leaves the list as it was read, or out, or resets or edits it.
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
			"apiVersion": gvk.GroupVersion().String(), "fieldsType": "FieldsV1", "fieldsV1": s.editedFields(),
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
		{"f:metadata": map[string]any{"f:labels": map[string]any{".": leaf, "f:a": leaf}, "f:annotations": leaf}},
		{"f:metadata": map[string]any{"f:ownerReferences": map[string]any{`k:{"uid":"<u1>"}`: map[string]any{".": leaf, "f:name": leaf}}}},
		{"f:metadata": map[string]any{"f:finalizers": map[string]any{`v:"example.com/2"`: leaf, `v: "example.com/1"`: leaf, "i:3": leaf}}},
		{"f:metadata": map[string]any{"f:name": leaf, "z:unknown": leaf}, "f:spec": map[string]any{"z:unknown": leaf}},
		{"bad": leaf},
		{},
	}
	return choices[s.random.Intn(len(choices))]
}

// canonical is the object as a decoder leaves it, but for managedFields, of which an empty list has a meaning.
func canonical(object map[string]any) map[string]any {
	lease := &coordinationv1.Lease{}
	must(json.Unmarshal(encode(object), lease))
	lease.ManagedFields = nil
	var result map[string]any
	must(json.Unmarshal(encode(lease), &result))
	if sent, ok := object["metadata"].(map[string]any)["managedFields"]; ok {
		result["metadata"].(map[string]any)["managedFields"] = sent
	}
	return result
}
