package main

import (
	"fmt"
	"strings"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

var times = []string{"2026-01-02T03:04:05.000006Z", "2026-01-02T03:04:06.000007Z", "2026-01-02T05:04:05.000006+02:00"}

// configuration returns what a client might apply: mostly valid, with few values so that managers conflict, sometimes invalid.
func (s *sequence) configuration() map[string]any {
	metadata := map[string]any{"name": "x"}
	if s.chance(0.4) {
		metadata["labels"] = s.textMap("a", "b", "example.com/c")
	}
	if s.chance(0.25) {
		metadata["annotations"] = s.textMap("k", "l")
	}
	if s.chance(0.3) {
		metadata["finalizers"] = s.finalizers()
	}
	if s.chance(0.3) {
		metadata["ownerReferences"] = s.owners()
	}
	object := map[string]any{"apiVersion": s.version.String(), "kind": s.kind, "metadata": metadata}
	if s.chance(0.85) {
		object["spec"] = s.spec(s)
		if s.chance(0.03) {
			object["spec"] = nil
		}
	}
	if s.chance(0.08) {
		s.spoil(object, metadata)
	}
	return object
}

func leaseSpec(s *sequence) map[string]any {
	spec := map[string]any{}
	s.maybe(spec, "holderIdentity", 0.5, func() any { return s.oneOf("a", "b", "") })
	s.maybe(spec, "leaseDurationSeconds", 0.5, func() any { return int64(s.random.Intn(2)) + 15 })
	s.maybe(spec, "leaseTransitions", 0.3, func() any { return int64(s.random.Intn(2)) })
	s.maybe(spec, "renewTime", 0.3, func() any { return s.oneOf(times...) })
	s.maybe(spec, "strategy", 0.15, func() any { return s.oneOf("OldestEmulationVersion", "example.com/s") })
	return spec
}

func candidateSpec(s *sequence) map[string]any {
	spec := map[string]any{}
	s.maybe(spec, "leaseName", 0.5, func() any { return s.oneOf("l", "m", "") })
	s.maybe(spec, "binaryVersion", 0.5, func() any { return s.oneOf("1.0.0", "2.0.0") })
	s.maybe(spec, "emulationVersion", 0.4, func() any { return s.oneOf("1.0.0", "2.0.0", "") })
	s.maybe(spec, "renewTime", 0.3, func() any { return s.oneOf(times...) })
	return spec
}

func (s *sequence) maybe(object map[string]any, name string, p float64, value func() any) {
	if !s.chance(p) {
		return
	}
	object[name] = value()
	if s.chance(0.04) {
		object[name] = nil
	}
}

func (s *sequence) textMap(keys ...string) any {
	if s.chance(0.06) {
		return nil
	}
	result := map[string]any{}
	for _, key := range keys {
		s.maybe(result, key, 0.5, func() any { return s.oneOf("1", "2") })
	}
	return result
}

func (s *sequence) finalizers() any {
	result := []any{}
	for _, at := range s.random.Perm(4)[:s.random.Intn(4)] {
		result = append(result, fmt.Sprintf("example.com/%d", at))
	}
	return result
}

func (s *sequence) owners() any {
	result := []any{}
	for _, at := range s.random.Perm(3)[:s.random.Intn(3)] {
		owner := map[string]any{"apiVersion": "v1", "kind": "Node", "name": fmt.Sprintf("n%d", at), "uid": fmt.Sprintf("<u%d>", at)}
		if s.chance(0.3) {
			owner["controller"] = s.chance(0.5)
		}
		// With several versions, upstream clears all owners if there are duplicates (two without uid); we keep them.
		if len(s.versions) == 1 && s.chance(0.1) {
			delete(owner, "uid")
			owner["name"] = "no-uid"
		}
		result = append(result, owner)
	}
	return result
}

// spoil introduces a single error; upstream reports several in random order.
func (s *sequence) spoil(object, metadata map[string]any) {
	spec := map[string]any{}
	object["spec"] = spec
	for name := range metadata {
		if name != "name" {
			delete(metadata, name)
		}
	}
	spoilers := []func(){
		func() { spec["bogus"] = "x" },
		func() { spec["leaseDurationSeconds"] = "15" },
		func() { spec["leaseDurationSeconds"] = 1.5 },
		func() { spec["leaseDurationSeconds"] = int64(4294967301) },
		func() { spec["holderIdentity"] = int64(5) },
		func() { spec["holderIdentity"] = map[string]any{} },
		func() { spec["renewTime"] = "soon" },
		func() { spec["renewTime"] = int64(5) },
		func() { object["spec"] = "x" },
		func() { object["status"] = nil },
		func() { object["kind"] = "Pod" },
		func() { object["apiVersion"] = "v1" },
		func() { metadata["managedFields"] = []any{} },
		func() { metadata["labels"] = []any{"a"} },
		func() { metadata["labels"] = map[string]any{"a": int64(1)} },
		func() { metadata["finalizers"] = []any{"example.com/1", "example.com/1"} },
		func() { metadata["finalizers"] = []any{nil} },
		func() { metadata["finalizers"] = []any{int64(1)} },
		func() { metadata["finalizers"] = "example.com/1" },
		func() { metadata["ownerReferences"] = []any{map[string]any{"uid": "u", "extra": "x"}} },
		func() { metadata["ownerReferences"] = []any{map[string]any{"uid": "u"}, map[string]any{"uid": "u"}} },
		func() { metadata["ownerReferences"] = []any{nil} },
		func() { metadata["annotations"] = map[string]any{"k": strings.Repeat("x", 20), "l": true} },
	}
	spoilers[s.random.Intn(len(spoilers))]()
}
