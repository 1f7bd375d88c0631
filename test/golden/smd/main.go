// Writes vectors.jsonl: one line per sequence of random applies and updates of one object by several managers, with the results of
// Kubernetes' field manager. Most sequences concern a Lease, some a LeaseCandidate in two versions.
// src/apimachinery/managedfields/golden.spec.ts replays them.
//
//	go run . > vectors.jsonl
package main

import (
	"encoding/json"
	"flag"
	"os"
)

func main() {
	leases := flag.Int("leases", 60, "how many sequences of a Lease")
	candidates := flag.Int("candidates", 20, "how many sequences of a LeaseCandidate")
	steps := flag.Int("steps", 7, "steps of a sequence")
	seed := flag.Int64("seed", 500, "seed of the first sequence")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for i := range *leases {
		must(out.Encode(newSequence(lease, *seed+int64(i)).run(*steps)))
	}
	for i := range *candidates {
		must(out.Encode(newSequence(candidate, *seed+int64(i)).run(*steps)))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
