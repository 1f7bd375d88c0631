package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyv1 "k8s.io/client-go/applyconfigurations/coordination/v1"
	"k8s.io/client-go/kubernetes"
)

// apply sends apply configurations: a conflict between two managers, force, and extract-modify-apply.
func apply(ctx context.Context, client kubernetes.Interface, namespace string) error {
	leases := client.CoordinationV1().Leases(namespace)
	mine := applyv1.Lease("applied", namespace).WithLabels(map[string]string{"kept": "yes", "dropped": "soon"}).
		WithSpec(applyv1.LeaseSpec().WithHolderIdentity("a").WithLeaseDurationSeconds(15))
	if _, err := leases.Apply(ctx, mine, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	theirs := applyv1.Lease("applied", namespace).WithSpec(applyv1.LeaseSpec().WithHolderIdentity("b"))
	_, err := leases.Apply(ctx, theirs, metav1.ApplyOptions{FieldManager: "two"})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("a conflicting apply: %v", err)
	}
	fmt.Println(err)
	forced, err := leases.Apply(ctx, theirs, metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	fmt.Println("holder", *forced.Spec.HolderIdentity)

	extracted, err := applyv1.ExtractLease(forced, "one")
	if err != nil {
		return err
	}
	if extracted.Spec.HolderIdentity != nil || *extracted.Spec.LeaseDurationSeconds != 15 {
		return fmt.Errorf("extracted %v", extracted)
	}
	delete(extracted.Labels, "dropped")
	again, err := leases.Apply(ctx, extracted, metav1.ApplyOptions{FieldManager: "one"})
	if err != nil {
		return err
	}
	fmt.Println("labels", again.Labels)
	same, err := leases.Apply(ctx, extracted, metav1.ApplyOptions{FieldManager: "one"})
	if err != nil {
		return err
	}
	fmt.Println("unchanged", same.ResourceVersion == again.ResourceVersion)
	return nil
}
