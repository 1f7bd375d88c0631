package main

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1alpha2 "k8s.io/api/coordination/v1alpha2"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
)

// object is an API object.
type object interface {
	runtime.Object
	metav1.Object
}

// resource is a kind in one or more versions; results are in the first version, and the live object is stored in the hub.
type resource struct {
	kind     string
	hub      schema.GroupVersion
	versions []schema.GroupVersion
	scheme   *runtime.Scheme
	managers map[schema.GroupVersion]*managedfields.FieldManager
	// spec returns a spec that a client might apply; change modifies a live one in one place.
	spec   func(s *sequence) map[string]any
	change func(s *sequence, spec map[string]any)
}

var lease = newResource(resource{
	kind: "Lease", spec: leaseSpec, change: changeLease,
	hub:      coordinationv1.SchemeGroupVersion,
	versions: []schema.GroupVersion{coordinationv1.SchemeGroupVersion},
})

var candidate = newResource(resource{
	kind: "LeaseCandidate", spec: candidateSpec, change: changeCandidate,
	hub:      internalVersion,
	versions: []schema.GroupVersion{coordinationv1beta1.SchemeGroupVersion, coordinationv1alpha2.SchemeGroupVersion},
})

func newResource(r resource) *resource {
	r.scheme = newScheme()
	r.managers = map[schema.GroupVersion]*managedfields.FieldManager{}
	converter := applyconfigurations.NewTypeConverter(r.scheme)
	for _, version := range r.versions {
		manager, err := managedfields.NewDefaultFieldManager(converter, r.scheme, r.scheme, r.scheme, version.WithKind(r.kind), r.hub, "", nil)
		must(err)
		r.managers[version] = manager
	}
	return &r
}

var internalVersion = schema.GroupVersion{Group: coordinationv1.GroupName, Version: runtime.APIVersionInternal}

// internalCandidate is the hub of LeaseCandidate, which no client uses, as upstream.
type internalCandidate coordinationv1beta1.LeaseCandidate

func (c *internalCandidate) DeepCopyObject() runtime.Object {
	return (*internalCandidate)((*coordinationv1beta1.LeaseCandidate)(c).DeepCopy())
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{coordinationv1.AddToScheme, coordinationv1alpha2.AddToScheme, coordinationv1beta1.AddToScheme} {
		must(add(scheme))
	}
	scheme.AddKnownTypeWithName(internalVersion.WithKind("LeaseCandidate"), &internalCandidate{})
	convert(scheme, func(in *coordinationv1alpha2.LeaseCandidate, out *internalCandidate) {
		out.ObjectMeta, out.Spec = in.ObjectMeta, coordinationv1beta1.LeaseCandidateSpec(in.Spec)
	})
	convert(scheme, func(in *internalCandidate, out *coordinationv1alpha2.LeaseCandidate) {
		out.ObjectMeta, out.Spec = in.ObjectMeta, coordinationv1alpha2.LeaseCandidateSpec(in.Spec)
	})
	convert(scheme, func(in *coordinationv1beta1.LeaseCandidate, out *internalCandidate) {
		out.ObjectMeta, out.Spec = in.ObjectMeta, in.Spec
	})
	convert(scheme, func(in *internalCandidate, out *coordinationv1beta1.LeaseCandidate) {
		out.ObjectMeta, out.Spec = in.ObjectMeta, in.Spec
	})
	return scheme
}

// convert registers a conversion.
func convert[In, Out any](scheme *runtime.Scheme, fn func(*In, *Out)) {
	must(scheme.AddConversionFunc(new(In), new(Out), func(in, out any, _ conversion.Scope) error {
		fn(in.(*In), out.(*Out))
		return nil
	}))
}

func (r *resource) empty(version schema.GroupVersion) object {
	result, err := r.scheme.New(version.WithKind(r.kind))
	must(err)
	if version != internalVersion {
		result.GetObjectKind().SetGroupVersionKind(version.WithKind(r.kind))
	}
	return result.(object)
}

func (r *resource) convert(in object, version schema.GroupVersion) object {
	result, err := r.scheme.ConvertToVersion(in, version)
	must(err)
	return result.(object)
}
