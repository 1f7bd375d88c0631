package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"sort"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Step is one write and its outcome; exactly one of Object (in the first version) and Error is set.
type Step struct {
	Op         string          `json:"op"`
	APIVersion string          `json:"apiVersion"`
	Manager    string          `json:"manager"`
	Force      bool            `json:"force,omitempty"`
	Now        string          `json:"now"`
	Sent       json.RawMessage `json:"sent"`
	Object     json.RawMessage `json:"object,omitempty"`
	Error      *Failure        `json:"error,omitempty"`
}

// Failure is the error that the client receives. Causes are sorted, since upstream's order of managers is random.
type Failure struct {
	Message string               `json:"message"`
	Causes  []metav1.StatusCause `json:"causes,omitempty"`
}

type sequence struct {
	*resource
	random *rand.Rand
	live   object
	// The version of the step.
	version schema.GroupVersion
	// Many updaters and few applies, so that the limit on entries is reached.
	crowded bool
}

func newSequence(resource *resource, seed int64) *sequence {
	random := rand.New(rand.NewSource(seed))
	return &sequence{resource: resource, random: random, live: resource.empty(resource.hub), crowded: random.Float64() < 0.05}
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

// step runs one write. The library reads the real clock. The times of steps lie far in the past, in the order of the steps, so
// that a real time sorts last; it is then replaced by the step's time.
func (s *sequence) step(at int) Step {
	s.version = s.versions[s.random.Intn(len(s.versions))]
	now := time.Date(2020, 1, 1, 0, 0, at, 0, time.UTC)
	step := Step{APIVersion: s.version.String(), Manager: s.oneOf("ma", "mb", "mc", "kubectl"), Now: now.Format(time.RFC3339)}
	var next runtime.Object
	var err error
	if s.chance(s.either(0.6, 0.1)) {
		next, err = s.apply(&step)
	} else {
		next = s.update(&step)
	}
	if err != nil {
		step.Error = failure(err)
		return step
	}
	step.Object = s.store(next.(object), now)
	return step
}

func (s *sequence) apply(step *Step) (runtime.Object, error) {
	step.Op = "apply"
	step.Force = s.chance(0.3)
	configuration := s.configuration()
	step.Sent = encode(configuration)
	return s.managers[s.version].Apply(s.live.DeepCopyObject(), &unstructured.Unstructured{Object: configuration}, step.Manager, step.Force)
}

func (s *sequence) update(step *Step) runtime.Object {
	step.Op = "update"
	if s.chance(s.either(0.2, 0.95)) {
		step.Manager = fmt.Sprintf("u%d", s.random.Intn(30))
	}
	step.Sent = encode(s.changed())
	sent := s.empty(s.version)
	must(json.Unmarshal(step.Sent, sent))
	return s.managers[s.version].UpdateNoErrors(s.live.DeepCopyObject(), s.convert(sent, s.hub), step.Manager)
}

// store stores the object as a server would, in its encoded form, in which empty values are absent and times are local.
func (s *sequence) store(next object, now time.Time) json.RawMessage {
	next.SetUID("11111111-0000-0000-0000-000000000000")
	entries := next.GetManagedFields()
	for at := range entries {
		if entries[at].Time != nil && entries[at].Time.Year() > 2020 {
			entries[at].Time = &metav1.Time{Time: now}
		}
	}
	next.SetManagedFields(entries)
	data := encode(s.convert(next, s.versions[0]))
	stored := s.empty(s.versions[0])
	must(json.Unmarshal(data, stored))
	s.live = s.convert(stored, s.hub)
	return data
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

// either selects the probability for usual or for crowded sequences.
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
