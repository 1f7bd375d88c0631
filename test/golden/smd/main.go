// Writes vectors.jsonl, one line for each sequence of random applies and updates of one Lease by several managers, with what the
// field manager of Kubernetes makes of each. src/apimachinery/managedfields/golden.spec.ts replays them.
//
//	go run . > vectors.jsonl
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
)

// Step is one write and its outcome; exactly one of Object and Error is set.
type Step struct {
	Op      string          `json:"op"`
	Manager string          `json:"manager"`
	Force   bool            `json:"force,omitempty"`
	Now     string          `json:"now"`
	Sent    json.RawMessage `json:"sent"`
	Object  json.RawMessage `json:"object,omitempty"`
	Error   *Failure        `json:"error,omitempty"`
}

// Failure is what the client is told. Causes are sorted: upstream's order over managers is random.
type Failure struct {
	Message string               `json:"message"`
	Causes  []metav1.StatusCause `json:"causes,omitempty"`
}

var gvk = coordinationv1.SchemeGroupVersion.WithKind("Lease")

func main() {
	sequences := flag.Int("sequences", 100, "how many sequences")
	steps := flag.Int("steps", 7, "steps of a sequence")
	seed := flag.Int64("seed", 1, "seed of the first sequence")
	flag.Parse()
	manager := newFieldManager()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for i := range *sequences {
		must(out.Encode(newSequence(manager, *seed+int64(i)).run(*steps)))
	}
}

func newFieldManager() *managedfields.FieldManager {
	scheme := runtime.NewScheme()
	must(coordinationv1.AddToScheme(scheme))
	converter := applyconfigurations.NewTypeConverter(scheme)
	manager, err := managedfields.NewDefaultFieldManager(converter, scheme, scheme, scheme, gvk, gvk.GroupVersion(), "", nil)
	must(err)
	return manager
}

type sequence struct {
	random  *rand.Rand
	manager *managedfields.FieldManager
	live    *coordinationv1.Lease
	// Many updaters and few applies, which brings the cap on entries into play.
	crowded bool
}

func newSequence(manager *managedfields.FieldManager, seed int64) *sequence {
	random := rand.New(rand.NewSource(seed))
	return &sequence{random: random, manager: manager, live: emptyLease(), crowded: random.Float64() < 0.05}
}

func emptyLease() *coordinationv1.Lease {
	lease := &coordinationv1.Lease{}
	lease.SetGroupVersionKind(gvk)
	return lease
}

func (s *sequence) run(count int) []Step {
	if s.crowded {
		count *= 6
	}
	steps := make([]Step, 0, count)
	for at := range count {
		steps = append(steps, s.step(at))
	}
	return steps
}

// The library reads the clock by itself. Times of a step are far in the past and in the order of the steps, so that the real
// time sorts last; it is then replaced by the step's.
func (s *sequence) step(at int) Step {
	now := time.Date(2020, 1, 1, 0, 0, at, 0, time.UTC)
	step := Step{Manager: s.oneOf("ma", "mb", "mc", "kubectl"), Now: now.Format(time.RFC3339)}
	var next runtime.Object
	var err error
	if s.chance(s.either(0.6, 0.1)) {
		step.Op = "apply"
		step.Force = s.chance(0.3)
		configuration := s.configuration()
		step.Sent = encode(configuration)
		next, err = s.manager.Apply(s.live.DeepCopy(), &unstructured.Unstructured{Object: configuration}, step.Manager, step.Force)
	} else {
		step.Op = "update"
		if s.chance(s.either(0.2, 0.95)) {
			step.Manager = fmt.Sprintf("u%d", s.random.Intn(30))
		}
		sent := s.changed()
		step.Sent = encode(sent)
		lease := emptyLease()
		must(json.Unmarshal(step.Sent, lease))
		next = s.manager.UpdateNoErrors(s.live.DeepCopy(), lease, step.Manager)
	}
	if err != nil {
		step.Error = failure(err)
		return step
	}
	s.store(next.(*coordinationv1.Lease), now)
	step.Object = encode(s.live)
	return step
}

func (s *sequence) store(next *coordinationv1.Lease, now time.Time) {
	s.live = next
	s.live.SetGroupVersionKind(gvk)
	s.live.UID = "11111111-0000-0000-0000-000000000000"
	for at := range s.live.ManagedFields {
		entry := &s.live.ManagedFields[at]
		if entry.Time != nil && entry.Time.Year() > 2020 {
			entry.Time = &metav1.Time{Time: now}
		}
	}
}

func failure(err error) *Failure {
	result := &Failure{Message: err.Error()}
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		result.Causes = status.Status().Details.Causes
		sort.Slice(result.Causes, func(i, j int) bool {
			a, b := result.Causes[i], result.Causes[j]
			return a.Message+" "+a.Field < b.Message+" "+b.Field
		})
	}
	return result
}

func (s *sequence) chance(p float64) bool { return s.random.Float64() < p }

// either is the probability for usual and for crowded sequences.
func (s *sequence) either(usual, crowded float64) float64 {
	if s.crowded {
		return crowded
	}
	return usual
}

func (s *sequence) oneOf(choices ...string) string { return choices[s.random.Intn(len(choices))] }

func encode(value any) json.RawMessage {
	data, err := json.Marshal(value)
	must(err)
	return data
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
